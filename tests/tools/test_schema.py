"""Schemas that say the same: pruned, resolved, and written and read back."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import tokenizers
from mckp.jsontext import dump
from mckp.tools import decode_tools, encode_tools, parse_tools
from mckp.tools import pruned as pruned_tools
from mckp.tools.schema import pruned, referent_of
from tests.cases import cases
from tests.tools import catalogs
from tests.tools.strategies import names

O200K = tokenizers.get("o200k")

_PLACE: dict[str, Any] = {
    "type": "object",
    "properties": {"x": {"type": "number", "minimum": 0}, "y": {"type": "number", "minimum": 0}},
    "required": ["x", "y"],
    "additionalProperties": False,
}
_NODE: dict[str, Any] = {
    "type": "object",
    "properties": {"next": {"$ref": "#/$defs/node"}, "x": {"type": "integer"}},
}


def _holders(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(names, inner, max_size=3)},
            optional={
                "additionalProperties": st.booleans() | inner,
                "required": st.lists(names, max_size=2, unique=True),
            },
        ),
    )


_PLAIN: list[dict[str, Any]] = [
    {"type": "string", "minLength": 1},
    {"type": "integer", "minimum": 1},
    {"type": ["string", "null"]},
    {"enum": ["id", 1, None]},
    {"const": 1},
    {"$ref": "#/$defs/node"},
    {"$ref": "#/$defs/place"},
    {},
    _PLACE,
]


def _root(inner: Any) -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"id": inner, "page": inner, "q": _PLACE},
        "required": [],
        "$defs": {"node": _NODE, "place": _PLACE, "unused": {"type": "null"}},
    }


valid = st.recursive(st.sampled_from(_PLAIN), _holders, max_leaves=6).map(_root)
_plain = st.none() | st.booleans() | st.integers(-1, 2) | names | st.just(1.0)
instances = st.recursive(
    _plain,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(names | st.sampled_from(["x", "y", "next"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(valid, st.lists(instances, min_size=4, max_size=8))
def test_schemas_accept_the_same_values_as_before(
    schema: dict[str, Any], values: list[Any]
) -> None:
    """A pruned schema, and one that was written and read, accept the same values."""
    validators = pytest.importorskip("jsonschema.validators")
    catalog = [{"name": "f", "inputSchema": schema}, {"name": "g", "inputSchema": schema}]
    (first, two) = decode_tools(encode_tools(catalog).text)
    versions = [pruned(schema), first.parameters, two.parameters]
    before = validators.Draft202012Validator(schema)
    after = [validators.Draft202012Validator(version) for version in versions]
    for value in [*values, *({"id": value, "page": value} for value in values)]:
        wanted = before.is_valid(value)
        assert [version.is_valid(value) for version in after] == [wanted] * len(after)


@pytest.mark.parametrize(("schema", "wanted"), cases(__file__, "PRUNED").values())
def test_only_what_does_no_work_is_pruned(schema: Any, wanted: Any) -> None:
    """Where nothing stands for what is wanted, all of the schema stays."""
    assert pruned(schema) == (wanted or schema)
    assert pruned(pruned(schema)) == pruned(schema)


@pytest.mark.parametrize("keyword", ["$defs", "definitions"])
@pytest.mark.parametrize("odd", [5, [], None, "x"])
def test_definitions_that_are_none_are_left_alone(keyword: str, odd: Any) -> None:
    """Definitions that are no object stay, and unused ones are pruned."""
    other = {"$defs": "definitions", "definitions": "$defs"}[keyword]
    refers = {"x": {"$ref": f"#/{keyword}/a"}, "y": {"$ref": f"#/{other}/b"}}
    schema: dict[str, Any] = {keyword: odd, other: {"b": {}, "c": {}}, "properties": refers}
    assert pruned(schema) == {**schema, other: {"b": {}}}


def test_references_lead_to_a_place_or_nowhere() -> None:
    """A reference leads to its place in the schema, or to none."""
    schema = {"$defs": {"node": _NODE, "a b/%": [{"x": 1}]}}
    assert referent_of(schema, "#") is schema
    assert referent_of(schema, "#/$defs/node") is _NODE
    assert referent_of(schema, "#/$defs/a%20b~1%25/0") == {"x": 1}
    for ref in (
        "#/$defs/no",
        "#/$defs/node/no",
        "#node",
        "other#/$defs/node",
        "",
        "#/$defs/a b~1%/²",
        5,
        None,
    ):
        assert referent_of(schema, ref) is None


@catalogs.real
def test_real_catalogs_never_grow(path: Path) -> None:
    """Pruned real catalogs have no more tokens."""
    tools = parse_tools(catalogs.load(path))
    sizes = [
        O200K.count(dump([tool.definition() for tool in some]))
        for some in (tools, pruned_tools(tools))
    ]
    assert sizes == sorted(sizes, reverse=True)
