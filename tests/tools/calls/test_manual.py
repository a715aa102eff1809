"""Manuals are short, show calls that are read as they say, and go where they are told."""

from mckp import tokenizers
from mckp.tools.calls import Call, manual, read_calls, with_manual
from tests.tools.calls.test_roundtrip import tool_of

_TOOL = tool_of({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})


def test_sizes() -> None:
    assert tokenizers.get("o200k").count(manual([])) == 143


def test_tools_are_listed() -> None:
    assert manual([_TOOL]) == f"{manual([])}\n\n## Available tools\n\n- f: a:string"
    assert manual([tool_of({"type": "string"})]).endswith("- f: <json>")


def test_examples_are_calls() -> None:
    found = [each for each in read_calls(manual([])) if isinstance(each, Call)]
    assert found[2].arguments == {
        "title": "March sales",
        "month": "2026-03",
        "pages": 12,
        "to": ["a@b.org"],
    }


def test_placement() -> None:
    """At the end of the system message, or in one of its own before all others."""
    talk = [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}]
    assert with_manual(talk, "M") == [{"role": "system", "content": "S\n\nM"}, talk[1]]
    assert with_manual(talk[1:], "M") == [{"role": "system", "content": "M"}, talk[1]]
    blocks = [{"role": "system", "content": [{"type": "text", "text": "S"}]}]
    assert [block["text"] for block in with_manual(blocks, "M")[0]["content"]] == ["S", "M"]
    assert talk[0]["content"] == "S"
