"""Manuals are short, show calls that are read as they say, and go where they should."""

from typing import Any

import pytest

from mckp import tokenizers
from mckp.tools.calls import Call, manual, read_calls, with_manual, write_call
from tests.tools.calls.test_roundtrip import tool_of

_TOOL = tool_of({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})


def test_sizes() -> None:
    """The manual without tools has 143 tokens."""
    assert tokenizers.get("o200k").count(manual([])) == 143


def test_tools_are_listed() -> None:
    """The manual lists each tool with its parameters."""
    assert manual([_TOOL]) == f"{manual([])}\n\n## Available tools\n\n- f: a:string"
    assert manual([tool_of({"type": "string"})]).endswith("- f: <json>")


def test_examples_are_calls() -> None:
    """The examples in the manual are read as calls with the shown arguments."""
    calls = [event for event in read_calls(manual([])) if isinstance(event, Call)]
    assert calls[2].arguments == {
        "title": "March sales",
        "month": "2026-03",
        "pages": 12,
        "to": ["a@b.org"],
    }


def test_placement() -> None:
    """The manual is at the end of the system message, or in one before all others."""
    talk = [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}]
    assert with_manual(talk, "M") == [{"role": "system", "content": "S\n\nM"}, talk[1]]
    assert with_manual(talk[1:], "M") == [{"role": "system", "content": "M"}, talk[1]]
    blocks = [{"role": "system", "content": [{"type": "text", "text": "S"}]}]
    assert [block["text"] for block in with_manual(blocks, "M")[0]["content"]] == ["S", "M"]
    assert talk[0]["content"] == "S"


_SINCE = {"anyOf": [{"type": "string"}, {"type": "null"}]}
_COLOUR = {"enum": ["red", "blue"], "type": "string"}
_PAGE = {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        (_SINCE, "since?:string|null"),
        ({"oneOf": [{"type": "null"}, {"type": "integer"}]}, "since?:null|int"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "since?:int|string"),
        (
            {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
            "since?:string[]|null",
        ),
        ({"$ref": "#/$defs/Colour"}, 'since?:"red"|"blue"'),
        ({"anyOf": [{"$ref": "#/$defs/Colour"}, {"type": "null"}]}, 'since?:"red"|"blue"|null'),
        ({"type": "array", "items": {"$ref": "#/$defs/Colour"}}, 'since?:["red"|"blue"]'),
        ({"$ref": "#/$defs/Page"}, "since.size:int"),
        ({"type": "array", "items": {"$ref": "#/$defs/Page"}}, "since?:[{size:int}]"),
        ({"const": "all", "type": "string"}, 'since?:"all"'),
        ({"type": ["string", "null"]}, "since?:string|null"),
    ],
)
def test_what_pydantic_writes_takes_pairs(part: dict[str, Any], shown: str) -> None:
    """Parameters of a Pydantic model are listed as pairs, and read as its schema asks."""
    assert manual([_search(part)]).endswith(f"- f: query:string, {shown}")


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        ({}, "any"),
        ({"type": "object"}, "object"),
        ({"anyOf": [{"$ref": "#/$defs/Page"}, {"type": "null"}]}, "{size:int}|null"),
        ({"$ref": "#/$defs/Node"}, "[[[array]]]"),
        ({"$ref": "#/$defs/None"}, "any"),
    ],
)
def test_objects_of_json_name_their_members(part: dict[str, Any], shown: str) -> None:
    """A parameter is listed with the members and alternatives of its type."""
    assert manual([_search(part)]).endswith(f"- f: <json> query:string, since?:{shown}")


def _search(part: dict[str, Any]) -> Any:
    node = {"type": "array", "items": {"$ref": "#/$defs/Node"}}
    return tool_of(
        {
            "type": "object",
            "properties": {"query": {"type": "string"}, "since": part},
            "required": ["query"],
            "$defs": {"Colour": _COLOUR, "Page": _PAGE, "Node": node},
        }
    )


def test_null_of_an_optional_is_read() -> None:
    """`null` of an optional parameter is read as null and written back."""
    text = "<call>f query=x since=null</call>"
    [call] = [event for event in read_calls(text, [_search(_SINCE)]) if isinstance(event, Call)]
    assert read_calls(text, [_search(_SINCE).definition()])[-1] == call  # as a server lists it
    assert call.arguments == {"query": "x", "since": None}
    assert write_call("f", call.arguments, _search(_SINCE)) == text
