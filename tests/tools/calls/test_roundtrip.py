"""Whatever JSON can hold survives being written as a call and read again."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mckp.errors import DataError
from mckp.jsontext import canonical
from mckp.tools import Tool
from mckp.tools.calls import Call, CallStart, read_calls, write_call
from tests.strategies import KEYS, TEXTS, VALUES, Values, examples

_MARKS = st.sampled_from(
    [
        *("</call>", "<call>", "<call>f a=1</call>", "\n```\n", "True", "None"),
        *("x</call>y", "\\n", "\\", '"', "'", "it's", "a.b", "a b", "a=b", "a:", "**", "**{}", "("),
        *(")", "[1]", "{}", "\x1b", "\f", "\x00", "\u2028", "1e5", "1E400", "-", "9" * 30, "<\\/"),
    ]
)
_TEXTS = _MARKS | TEXTS | st.lists(_MARKS | TEXTS, max_size=3).map("".join)
_NUMBERS: Values = st.sampled_from([1, 1.0, -0.0, 0, 10**40, 1e-7, 1e300, -(2**63), 2**64, 1e16])
ARGUMENTS = st.dictionaries(
    _TEXTS | KEYS, VALUES | _TEXTS | _NUMBERS | st.dictionaries(_TEXTS, VALUES, max_size=2)
)
"""Any arguments, with all that looks like a part of a call."""

_TYPES = ("string", "number", "integer", "boolean", "null", "array", "object")
_LEAVES: Values = st.one_of(
    st.just({}),
    st.sampled_from(_TYPES).map(lambda name: {"type": name}),
    st.lists(st.sampled_from(_TYPES), min_size=1, max_size=3).map(lambda names: {"type": names}),
    st.lists(VALUES | _TEXTS, min_size=1, max_size=3).map(lambda values: {"enum": values}),
)


def _objects(inner: Values) -> Values:
    return st.one_of(
        inner.map(lambda schema: {"type": "array", "items": schema}),
        st.lists(inner, min_size=1, max_size=2).map(lambda schemas: {"anyOf": schemas}),
        st.tuples(st.dictionaries(KEYS | _TEXTS, inner, max_size=4), st.sets(KEYS)).map(_object),
    )


def _object(parts: tuple[dict[str, Any], set[str]]) -> dict[str, Any]:
    return {"type": "object", "properties": parts[0], "required": sorted({*parts[0]} & parts[1])}


SCHEMAS: Values = st.recursive(_LEAVES, _objects, max_leaves=6)


def tool_of(schema: dict[str, Any], name: str = "f") -> Tool:
    return Tool(name, "", schema, None, {}, {}, "mcp")


def survives(arguments: dict[str, Any], tool: Tool | None, name: str = "f") -> None:
    text = write_call(name, arguments, tool)
    start, call = read_calls(text, None if tool is None else [tool])
    assert start == CallStart(name)
    assert isinstance(call, Call), call
    assert call.source == text
    assert canonical(call.arguments) == canonical(arguments), text


@examples(200)
@given(arguments=ARGUMENTS)
@example(arguments={"": {"": {}}})
@example(arguments={"a": "**", "b": "x"})
def test_arguments(arguments: dict[str, Any]) -> None:
    """Any arguments of JSON read back from a call."""
    survives(arguments, None)


@examples(200)
@given(properties=st.dictionaries(KEYS | _TEXTS, SCHEMAS, max_size=4), data=st.data())
def test_arguments_with_a_schema(properties: dict[str, Any], data: st.DataObject) -> None:
    """A definition, met or not by the arguments, changes how they are written and no value."""
    schema = {"type": "object", "properties": properties, "required": list(properties)[:2]}
    keys = st.sampled_from(sorted(properties) or ["a"])
    strange = data.draw(ARGUMENTS)
    met = data.draw(st.dictionaries(keys, VALUES | _TEXTS | _NUMBERS, max_size=4))
    survives({**strange, **met}, tool_of(schema))


@examples(100)
@given(name=_TEXTS.filter(bool) | st.text(min_size=1, max_size=200))
def test_names(name: str) -> None:
    """Any name reads back, unless it cannot be encoded."""
    try:
        name.encode()
    except UnicodeEncodeError:
        with pytest.raises(DataError, match="surrogate"):
            write_call(name, {})
    else:
        survives({"a": 1}, None, name)


def test_what_json_cannot_hold() -> None:
    """Values that JSON does not have are refused with their place."""
    for value in (float("nan"), "\ud800", {1: 2}, {1, 2}):
        with pytest.raises(DataError, match=r"\$\.a\.b"):
            write_call("f", {"a": {"b": value}})
    with pytest.raises(DataError, match="object"):
        write_call("f", [1])  # type: ignore[arg-type]
    for name in ("", "x" * 201):
        with pytest.raises(DataError, match="200 characters"):
            write_call(name, {})


def test_deep() -> None:
    """Arguments as deep as is allowed read back."""
    arguments: dict[str, Any] = {}
    for _ in range(199):
        arguments = {"a": arguments}
    survives(arguments, None)
    survives(arguments, tool_of({"properties": {"a": {"type": "string"}}}))
