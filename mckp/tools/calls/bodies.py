"""Read and write the body of a call: pairs of a path and a value, or one JSON object."""

from __future__ import annotations

import json
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import DataError
from mckp.jsontext import MAX_DEPTH, canonical, depth_of, dump, is_object
from mckp.parsers.python import from_python
from mckp.regexes import regex
from mckp.tools.calls.grammar import (
    CLOSE,
    HALF_A_PAIR,
    LONGEST_NAME,
    NAME,
    OPEN,
    SAFE,
    SAFE_KEY,
    SURROGATE,
    SyntaxProblem,
    beginning_in_quotes,
    plain_value,
    read_number,
    skip,
    string_at,
    typed_value,
)
from mckp.tools.calls.validate import ArgumentPlace, takes_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mckp.plain import JsonValue
    from mckp.tools.tool import Tool

_ESCAPED_SURROGATE: Final = regex(r"\\u[dD][89a-fA-F]")
_TOO_DEEP: Final = f"arrays and objects are nested deeper than {MAX_DEPTH}"
_ADVICE: Final = 'write lists as ["a","b"], objects as {"key":"val"}'

_MEMBER: Final = regex(r"([^\s,:={}\[\]()\"']+)\s*[:=]")
_SEPARATOR: Final = regex(r"\s*[:=]\s*")
_STEP: Final = regex(r"[^\s=:.\"'<>{}\[\](),]+(?::[^\s=:.\"'<>{}\[\](),]+(?=\s*=))*+")
"""One step of a path; a colon is part of it where an equals sign comes after."""
_ITEM: Final = regex(r"[^,\[\]{}\"']+")
_WORD_END: Final = regex(r"\s|\Z")


def read_body(body: str, tool: Tool | None) -> dict[str, Any]:
    """Return the arguments in the body of a call; raise `SyntaxProblem` if it is malformed.

    Examples
    --------
    >>> read_body("to=alice@example.com options.copies=[1, x]", None)
    {'to': 'alice@example.com', 'options': {'copies': [1, 'x']}}
    """
    if not body.isascii() and SURROGATE.search(body) is not None:
        raise SyntaxProblem("a lone surrogate is not a character")
    place = ArgumentPlace(None if tool is None else tool.parameters)
    index = skip(body, 0)
    if body.startswith("{", index):
        value, end = _json_at(body, index)
        if body[end:].strip():
            rest = beginning_in_quotes(body[end:].strip())
            raise SyntaxProblem(f"nothing may follow the object of arguments: {rest}")
        return dict(value)
    arguments: dict[str, Any] = {}
    created: set[int] = set()
    while index < len(body):
        path, index = _read_path(body, index, place)
        name = ".".join(path)
        value, index = _read_argument(body, index, reduce(ArgumentPlace.member, path, place), name)
        if body[index : index + 1].strip():
            raise SyntaxProblem(
                f"{name} goes on after its closing quote: {beginning_in_quotes(body[index:])}"
            )
        _set_value(arguments, path, value, created)
        index = skip(body, index)
    return arguments


def _read_path(body: str, index: int, place: ArgumentPlace) -> tuple[tuple[str, ...], int]:
    """Return the path in front of an equals sign as keys, and the index after the sign."""
    begin, keys, is_quoted = index, list[str](), False
    while not keys or body.startswith(".", index):
        index += bool(keys)
        if body.startswith(('"', "'"), index):
            key, index = string_at(body, index)
            is_quoted = True
        elif (step := _STEP.match(body, index)) is not None:
            key, index = step[0], step.end()
        else:
            raise SyntaxProblem(
                f"a name is missing before {beginning_in_quotes(body[index:])}; write key=value"
            )
        keys.append(key)
    if len(keys) > MAX_DEPTH:
        raise SyntaxProblem(_TOO_DEEP)
    separator = _SEPARATOR.match(body, index)
    if separator is None:
        alone = beginning_in_quotes(body[begin:index])
        raise SyntaxProblem(
            f"{alone} has no name; write key=value, and put texts with spaces in quotes"
        )
    return tuple(keys) if is_quoted else _split_keys(keys, place), separator.end()


def _split_keys(words: Sequence[str], place: ArgumentPlace) -> tuple[str, ...]:
    """Turn the words between the dots of a path into keys.

    If the schema declares a member whose name has dots, the words of that name become one key.

    Examples
    --------
    >>> _split_keys(["a", "b", "c"], ArgumentPlace({"properties": {"a.b": {}}}))
    ('a.b', 'c')
    """
    if len(words) < 2:
        return tuple(words)
    size = next(
        (
            word_count
            for word_count in range(len(words), 1, -1)
            if place.declares(".".join(words[:word_count]))
        ),
        1,
    )
    key = ".".join(words[:size])
    return (key, *_split_keys(words[size:], place.member(key)))


def _read_argument(text: str, at: int, place: ArgumentPlace, name: str) -> tuple[Any, int]:
    """Read the value of an argument: a string, a JSON array or object, or a bare word.

    Return the value and the index after it. Error messages call the argument `name`.
    """
    if text.startswith(('"', "'"), at):
        return string_at(text, at)
    end = at
    if text.startswith(("[", "{"), at):
        # A bracket also begins a word if the schema takes no containers, or more follows it.
        is_word = place.refuses_containers()
        try:
            value, end = _json_at(text, at)
        except SyntaxProblem:
            if not is_word:
                raise
        else:
            if not is_word and not text[end : end + 1].strip():
                return value, end
    end = next(_WORD_END.finditer(text, end)).start()
    if end == at:
        raise SyntaxProblem(f'{name} has no value; write {name}="" for an empty string')
    return typed_value(text[at:end], place), end


def _set_value(
    arguments: dict[str, Any], path: Sequence[str], value: Any, created: set[int]
) -> None:
    """Set the value at a path, creating objects on the way; raise `SyntaxProblem` if it has one.

    `created` holds the ids of the objects that were created here.
    """
    *above, last = path
    for depth, key in enumerate(above):
        if key not in arguments:
            arguments[key] = {}
            created.add(id(arguments[key]))
        arguments = arguments[key]
        if id(arguments) not in created:
            raise SyntaxProblem(
                f"{'.'.join(path[: depth + 1])} is given both as a value and in parts"
            )
    if last in arguments:
        parts = ", as a value and in parts" if id(arguments[last]) in created else ""
        raise SyntaxProblem(f"{'.'.join(path)} is given twice{parts}")
    arguments[last] = value


def _json_at(text: str, at: int) -> tuple[Any, int]:
    """Return the array or object that begins at an index, and the index after it.

    Raises a `SyntaxProblem` if it cannot be read, even after `_repair_json`.
    """
    try:
        value, end = _DECODER.raw_decode(text, at)
        source = text[at:end]
    except ValueError:
        source, end = _repair_json(text, at)
        try:
            value = _DECODER.decode(source)
        except ValueError:
            raise SyntaxProblem(
                f"{beginning_in_quotes(text[at:end])} is no JSON; {_ADVICE}"
            ) from None
    except RecursionError:
        raise SyntaxProblem(_TOO_DEEP) from None
    if source.count("[") + source.count("{") > MAX_DEPTH < depth_of(value):
        raise SyntaxProblem(_TOO_DEEP)
    if _ESCAPED_SURROGATE.search(source) is not None:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise SyntaxProblem(HALF_A_PAIR) from None
    return value, end


def _repair_json(text: str, at: int) -> tuple[str, int]:
    """Convert near-JSON that models write to JSON; return it and the index after it.

    Bare words and single-quoted strings become JSON strings, and a comma before a closing bracket
    is dropped. The result may still be broken.

    Examples
    --------
    >>> _repair_json("[x, 'y z', {a: 1,}], b", 0)
    ('["x","y z",{"a":1}]', 19)
    """
    pieces, opened = list[str](), list[str]()
    while not pieces or opened:
        at = skip(text, at)
        mark = text[at : at + 1]
        is_key = pieces and opened[-1] == "{" and pieces[-1] in ("{", ",")
        if is_key and (member := _MEMBER.match(text, at)) is not None:
            pieces += [dump(member[1]), ":"]
            at = member.end()
        elif mark in ('"', "'"):
            string, at = string_at(text, at)
            pieces.append(dump(string))
        elif (word := _ITEM.match(text, at)) is not None and mark != ":":
            pieces.append(dump(plain_value(word[0].rstrip())))
            at = word.end()
        elif mark:
            if mark in "[{":
                opened.append(mark)
            elif mark in "]}":
                opened.pop()
                if pieces[-1] == ",":
                    pieces.pop()
            pieces.append(mark)
            at += 1
        else:
            raise SyntaxProblem(f"{opened[-1]} is never closed; {_ADVICE}")
        if len(opened) > MAX_DEPTH:
            raise SyntaxProblem(_TOO_DEEP)
    return "".join(pieces), at


def _members_once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    """Return the members of an object; raise `SyntaxProblem` if a key occurs twice."""
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        raise SyntaxProblem(f"{next(key for key in keys if keys.count(key) > 1)} is given twice")
    return members


def _refuse_constant(word: str) -> Any:
    """Raise a `ValueError` for a constant that JSON does not have, such as NaN."""
    raise ValueError(word)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_members_once,
    parse_int=read_number,
    parse_float=read_number,
    parse_constant=_refuse_constant,
)


def write_call(name: str, arguments: Mapping[str, Any], tool: Tool | None = None) -> str:
    r"""Write a call of a tool.

    Parameters
    ----------
    name
        The tool.
    arguments
        Its arguments: any data that JSON can hold.
    tool
        Its definition. The call reads back the same with it and without it.

    Raises
    ------
    DataError
        With the path, for what JSON cannot hold: NaN, lone surrogates, keys that are no
        strings, nesting beyond 200 levels. Also for arguments that are no mapping, and for a name
        that is empty or has more than 200 characters.

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
    shown = name if NAME.fullmatch(name) else _escape_end_tags(dump(name))
    body = _body_text(value, tool)
    return f"{OPEN}{shown}{body and ' ' + body}{CLOSE}"


def _body_text(arguments: dict[str, JsonValue], tool: Tool | None) -> str:
    """Return arguments as pairs, or as a JSON object if pairs are not enough for the tool.

    They are not if `takes_pairs` is false, or if they would not read back.
    """
    if tool is None or takes_pairs(tool.arguments):
        pairs = _leaves(arguments)
        body = " ".join(
            f"{'.'.join(map(_key_text, path))}={_value_text(value)}" for path, value in pairs
        )
        if tool is None or _reads_back(body, arguments, tool):
            return body
    return _escape_end_tags(dump(arguments))


def _reads_back(body: str, arguments: dict[str, JsonValue], tool: Tool) -> bool:
    """Whether a body reads back as the arguments from which it was written."""
    try:
        return canonical(read_body(body, tool)) == canonical(arguments)
    except SyntaxProblem:
        return False


def _value_text(value: JsonValue) -> str:
    """Return a value as it is written after an equals sign."""
    return _word_text(value) if isinstance(value, str) else _escape_end_tags(dump(value))


def _word_text(text: str) -> str:
    r"""Return a string bare if it would be read back as that string, else in quotes.

    Examples
    --------
    >>> [_word_text(text) for text in ("Austin", "1", "New York", 'say "hi"', "")]
    ['Austin', '"1"', '"New York"', '\'say "hi"\'', '""']
    """
    return (
        text
        if SAFE.fullmatch(text) is not None and _is_read_as_text(text)
        else _quoted_string(text)
    )


def _is_read_as_text(text: str) -> bool:
    """Whether a word would be read as a string."""
    try:
        return isinstance(plain_value(text), str)
    except SyntaxProblem:
        return False


def _quoted_string(text: str) -> str:
    """Return a string in whichever quotes need fewer escapes."""
    if '"' in text and not any(mark in text for mark in ("'", "\\", "</")) and text.isprintable():
        return f"'{text}'"
    return _escape_end_tags(dump(text))


def _escape_end_tags(json_text: str) -> str:
    """Escape end tags in JSON, since a reader that ignores quotes would stop at them."""
    return json_text.replace("</", "<\\/")


def _key_text(key: str) -> str:
    """Return a key as a step of a path."""
    return key if SAFE_KEY.fullmatch(key) else _quoted_string(key)


def _leaves(members: dict[str, JsonValue], path: tuple[str, ...] = ()) -> Iterator[tuple[Any, Any]]:
    """Yield the path and value of each leaf of nested objects; an empty object is a leaf too.

    Examples
    --------
    >>> list(_leaves({"a": {"b": 1, "c": {}}, "d": [2]}))
    [(('a', 'b'), 1), (('a', 'c'), {}), (('d',), [2])]
    """
    for key, value in members.items():
        if is_object(value) and value:
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value
