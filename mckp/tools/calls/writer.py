"""A call as text; whatever the arguments are, they are read back the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.errors import DataError
from mckp.jsontext import canonical, dump, is_object
from mckp.parsers.python import from_python
from mckp.tools.calls.bodies import flattened, read_body
from mckp.tools.calls.grammar import (
    CLOSE,
    LONGEST_NAME,
    NAME,
    OPEN,
    SAFE,
    SAFE_KEY,
    SyntaxProblem,
    plain,
)
from mckp.tools.calls.validate import takes_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.tools.tool import Tool


def write_call(name: str, arguments: Mapping[str, Any], tool: Tool | None = None) -> str:
    r"""Write a call of a tool.

    Parameters
    ----------
    name
        The tool.
    arguments
        Its arguments: any data that JSON can hold.
    tool
        Its definition, which who reads the call may have as well or not.

    Raises
    ------
    DataError
        With the path, for what JSON cannot hold: NaN, lone surrogates, keys that are no
        strings, nesting beyond 200 levels.

    Examples
    --------
    >>> print(write_call("mail", {"to": "a@b.org", "copy": {"to": []}, "text": "see </call>"}))
    <call>mail to=a@b.org copy.to=[] text="see <\/call>"</call>
    """
    if not 0 < len(name) <= LONGEST_NAME:
        raise DataError(f"the name of a tool has 1 to {LONGEST_NAME} characters", path="name")
    from_python(name)
    value = from_python(arguments).value
    if not is_object(value):
        raise DataError("arguments are an object", path="$")
    shown = name if NAME.fullmatch(name) else _shielded(dump(name))
    body = _body(value, tool)
    return f"{OPEN}{shown}{body and ' ' + body}{CLOSE}"


def _body(arguments: dict[str, Any], tool: Tool | None) -> str:
    """Return pairs, or an object where a schema takes none or has them read as something else."""
    if tool is None or takes_pairs(tool.parameters):
        pairs = flattened(arguments)
        body = " ".join(f"{'.'.join(map(_key, path))}={_value(value)}" for path, value in pairs)
        if tool is None or _survives(body, arguments, tool):
            return body
    return _shielded(dump(arguments))


def _survives(body: str, arguments: dict[str, Any], tool: Tool) -> bool:
    """Whether a body is read as the arguments that it was written from."""
    try:
        return canonical(read_body(body, tool)) == canonical(arguments)
    except SyntaxProblem:
        return False


def _value(value: Any) -> str:
    return _word(value) if isinstance(value, str) else _shielded(dump(value))


def _word(text: str) -> str:
    r"""Return a string bare if it is then still read as itself, and else in quotes.

    Examples
    --------
    >>> [_word(text) for text in ("Austin", "1", "New York", 'say "hi"', "")]
    ['Austin', '"1"', '"New York"', '\'say "hi"\'', '""']
    """
    return text if SAFE.fullmatch(text) is not None and _is_text(text) else _quoted(text)


def _is_text(text: str) -> bool:
    try:
        return isinstance(plain(text), str)
    except SyntaxProblem:
        return False


def _quoted(text: str) -> str:
    """Return a string in the quotes that ask for fewer escapes."""
    if '"' in text and not any(each in text for each in ("'", "\\", "</")) and text.isprintable():
        return f"'{text}'"
    return _shielded(dump(text))


def _shielded(json: str) -> str:
    """Return JSON without an end tag, which readers that know no quotes would end at."""
    return json.replace("</", "<\\/")


def _key(key: str) -> str:
    return key if SAFE_KEY.fullmatch(key) else _quoted(key)
