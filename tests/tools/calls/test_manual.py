"""Manuals are short, show calls that are read as they say, and go where they are told."""

from __future__ import annotations

from typing import Any

import pytest

from mckp import tokenizers
from mckp.errors import UnknownNameError
from mckp.tools.calls import Call, manual, native_signature, read_calls, with_manual
from tests.tools.calls.test_roundtrip import tool_of

_TOOL = tool_of({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})


def test_sizes() -> None:
    """The wire manual is as long as the original's, ours shorter."""
    count = tokenizers.get("o200k").count
    assert count(manual([])) == 143
    assert count(manual([], "native")) == 92


def test_forms() -> None:
    """The list of tools is written for each."""
    assert manual([_TOOL]) == f"{manual([])}\n\n## Available tools\n\n- f: a:string"
    assert manual([_TOOL], "native") == f"{manual([], 'native')}\n\nf(a:str)"
    assert manual([tool_of({"type": "string"})]).endswith("- f: <json>")
    with pytest.raises(UnknownNameError, match="wire, native"):
        manual([], "xml")  # type: ignore[arg-type]


def test_examples_are_calls() -> None:
    """What the manuals show is read."""
    schema: dict[str, Any] = {"properties": {"title": {}, "pages": {}, "timezone": {}}}
    tools = [tool_of(schema, "sendReport"), tool_of({"properties": {"timezone": {}}}, "getTime")]
    ours = [each for each in read_calls(manual([], "native"), tools) if isinstance(each, Call)]
    assert [call.arguments for call in ours] == [
        {"timezone": "Asia/Tokyo"},
        {"title": "March sales", "pages": 12, "to": ["a@b.org"], "options": {"draft": True}},
    ]
    wire = [each for each in read_calls(manual([])) if isinstance(each, Call)]
    assert wire[2].arguments == {
        "title": "March sales",
        "month": "2026-03",
        "pages": 12,
        "to": ["a@b.org"],
    }


@pytest.mark.parametrize(
    ("schema", "line"),
    [
        ({}, "f()"),
        ({"properties": {"a": {"enum": ["x", "1", 1]}}}, 'f(a?:x|"1"|1)'),
        ({"properties": {"a": {"type": ["string", "null"]}}}, "f(a?:str|null)"),
        ({"properties": {"a": {"type": "array", "items": {"type": "number"}}}}, "f(a?:[num])"),
        ({"properties": {"a": {"type": "array"}, "b": {}}, "required": ["b"]}, "f(a?:[],b:any)"),
        ({"properties": {"a": {"anyOf": [{"type": "integer"}, {}]}}}, "f(a?:int|any)"),
        ({"properties": {"a": {"type": "object"}}}, "f(a?:{})"),
    ],
)
def test_native_signatures(schema: dict[str, object], line: str) -> None:
    """Each kind of parameter."""
    assert native_signature(tool_of(schema)) == line


def test_placement() -> None:
    """In the system message, or in one of its own at that end."""
    talk = [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}]
    assert with_manual(talk, "M")[0]["content"] == "S\n\nM"
    assert with_manual(talk, "M", "first")[0]["content"] == "M\n\nS"
    assert with_manual(talk[1:], "M")[1] == {"role": "system", "content": "M"}
    assert with_manual(talk[1:], "M", "first")[0] == {"role": "system", "content": "M"}
    blocks = [{"role": "system", "content": [{"type": "text", "text": "S"}]}]
    assert [block["text"] for block in with_manual(blocks, "M")[0]["content"]] == ["S", "M"]
    assert talk[0]["content"] == "S"
    with pytest.raises(UnknownNameError, match="last, first"):
        with_manual(talk, "M", "middle")  # type: ignore[arg-type]
