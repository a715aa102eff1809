"""A call as text, in either form; whatever the arguments are, they are read back the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.errors import DataError, UnknownNameError
from mckp.jsontext import canonical, dump, is_array, is_object
from mckp.parsers.python import from_python
from mckp.tools.calls.bodies import flattened, parameters, read_body
from mckp.tools.calls.grammar import (
    CLOSE,
    LONGEST_NAME,
    MARK,
    NAME,
    OPEN,
    SAFE,
    SAFE_KEY,
    SPREAD,
    SyntaxProblem,
    plain,
)
from mckp.tools.calls.validate import Place, takes_pairs
from mckp.tools.schema import required

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mckp.tools.calls.grammar import Form
    from mckp.tools.tool import Tool


def write_call(
    name: str, arguments: Mapping[str, Any], tool: Tool | None = None, form: Form = "wire"
) -> str:
    r"""Write a call of a tool.

    Parameters
    ----------
    name
        The tool.
    arguments
        Its arguments: any data that JSON can hold.
    tool
        Its definition. Our own form then leaves the names of leading required parameters
        out; who reads it needs the same definition. The wire form can be read without.
    form
        ``"wire"`` or ``"native"``.

    Raises
    ------
    DataError
        With the path, for what JSON cannot hold: NaN, lone surrogates, keys that are no
        strings, nesting beyond 200 levels.
    UnknownNameError
        For a form that there is not.

    Examples
    --------
    >>> print(write_call("mail", {"to": "a@b.org", "copy": {"to": []}, "text": "see </call>"}))
    <call>mail to=a@b.org copy.to=[] text="see <\/call>"</call>
    >>> print(write_call("mail", {"to": "a@b.org", "copy": {"to": ["x", "1"]}}, form="native"))
    →mail(to=a@b.org,copy={to:[x,"1"]})
    """
    plain_arguments = _checked(name, arguments)
    if form == "wire":
        body = _wire_body(plain_arguments, tool)
        return f"{OPEN}{_name(name)}{body and ' ' + body}{CLOSE}"
    if form == "native":
        return f"{MARK}{_name(name)}({_native_body(plain_arguments, tool)})"
    raise UnknownNameError("form of calls", form, ("wire", "native"))


def _checked(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments as plain data."""
    if not 0 < len(name) <= LONGEST_NAME:
        raise DataError(f"the name of a tool has 1 to {LONGEST_NAME} characters", path="name")
    from_python(name)
    value = from_python(arguments).value
    if not is_object(value):
        raise DataError("arguments are an object", path="$")
    return value


def _name(name: str) -> str:
    return name if NAME.fullmatch(name) else _shielded(dump(name))


def _survives(body: str, arguments: dict[str, Any], tool: Tool, form: Form) -> bool:
    """Whether a body is read as the arguments that it was written from."""
    try:
        return canonical(read_body(body, form, tool)) == canonical(arguments)
    except SyntaxProblem:
        return False


# ---------------------------------------------------------------- wire


def _wire_body(arguments: dict[str, Any], tool: Tool | None) -> str:
    if tool is None or takes_pairs(tool.parameters):
        pairs = flattened(arguments)
        body = " ".join(f"{'.'.join(map(_key, path))}={_pair(value)}" for path, value in pairs)
        if tool is None or _survives(body, arguments, tool, "wire"):
            return body
    return _shielded(dump(arguments))


def _pair(value: Any) -> str:
    return word(value) if isinstance(value, str) else _shielded(dump(value))


def word(text: str) -> str:
    r"""Return a string bare if it is then still read as itself, and else in quotes.

    Examples
    --------
    >>> [word(text) for text in ("Austin", "1", "New York", 'say "hi"', "")]
    ['Austin', '"1"', '"New York"', '\'say "hi"\'', '""']
    """
    is_safe = SAFE.fullmatch(text) is not None and not text.startswith(SPREAD)
    return text if is_safe and _is_text(text) else quoted(text)


def _is_text(text: str) -> bool:
    try:
        return isinstance(plain(text), str)
    except SyntaxProblem:
        return False


def quoted(text: str) -> str:
    """Return a string in the quotes that ask for fewer escapes."""
    if '"' in text and not any(each in text for each in ("'", "\\", "</")) and text.isprintable():
        return f"'{text}'"
    return _shielded(dump(text))


def _shielded(json: str) -> str:
    """Return JSON without an end tag, which readers that know no quotes would end at."""
    return json.replace("</", "<\\/")


# ---------------------------------------------------------------- ours


def _native_body(arguments: dict[str, Any], tool: Tool | None) -> str:
    place = Place(None if tool is None else tool.parameters)
    body = ",".join(_arguments(arguments, place))
    if tool is None or _survives(body, arguments, tool, "native"):
        return body
    return SPREAD + dump(arguments)


def _arguments(arguments: dict[str, Any], place: Place) -> Iterator[str]:
    """Yield values of leading required parameters, then what is left with its names."""
    leading = list(_leading(arguments, place))
    for key in leading:
        yield value_text(arguments[key])
    for key in (each for each in arguments if each not in leading):
        yield f"{_key(key)}={value_text(arguments[key])}"


def _leading(arguments: dict[str, Any], place: Place) -> Iterator[str]:
    needed = required(place.schema)
    for key in parameters(place) or ():
        if key not in needed or key not in arguments:
            return
        yield key


def value_text(value: Any) -> str:
    """Return a value with as few quotes as can be.

    Examples
    --------
    >>> value_text({"a b": ["x", "1", 1, None], "c": "y z"})
    '{"a b":[x,"1",1,null],c:"y z"}'
    """
    if isinstance(value, str):
        return word(value)
    if is_array(value):
        return f"[{','.join(map(value_text, value))}]"
    if is_object(value):
        pairs = (f"{_key(key)}:{value_text(item)}" for key, item in value.items())
        return f"{{{','.join(pairs)}}}"
    return dump(value)


def _key(key: str) -> str:
    return key if SAFE_KEY.fullmatch(key) else quoted(key)
