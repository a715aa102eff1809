"""TTC: the converter's text, the rules, and the way back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from foreign.ttc_notes import noted, schema_of
from foreign.ttc_reader import read_entries, read_ttc
from foreign.ttc_released import ttc_released
from hypothesis import given
from hypothesis import strategies as st

from mckp.errors import ParseError, ToolError
from mckp.tools import parse_tools
from mckp.tools.renderings.ttc import Entry, Field, entry_of, ttc, type_of, write_ttc
from tests.tools.harbour import HARBOUR, real
from tests.tools.strategies import schemas


def test_released() -> None:
    """Names, types and the beginning of a description; WHEN says it again."""
    assert ttc_released(HARBOUR, "harbour") == (
        "TOOLS v1.0 [3/3]\n"
        "MCP harbour v1.0\n"
        "TOOL get_tide\n"
        "  PURPOSE: Get the tide at a place\n"
        "  IN: place:string, unit:string?, zone:string?\n"
        "  OUT: result:any\n"
        "  ERR: error\n"
        "  WHEN: Get the tide at a place\n\n"
        "TOOL book_berth\n"
        "  PURPOSE: Book a berth for a ship. It cannot be undone.\n"
        "  IN: ship_id:int, office:object, notes:array[string]?\n"
        "  OUT: result:any\n"
        "  ERR: error\n"
        "  WHEN: Book a berth for a ship\n\n"
        "TOOL list_ships\n"
        "  PURPOSE: This tool will list ships\n"
        "  IN: none:any\n"
        "  OUT: result:any\n"
        "  ERR: error\n"
        "  WHEN: This tool will list ships"
    )


def test_released_cuts_and_breaks() -> None:
    """Eighty characters, line breaks and all; lists of types are no error here."""
    schema = {"properties": {"a": {"type": ["null", "number"]}}}
    tool = {"name": "t", "description": "x\n" + "y" * 90, "inputSchema": schema}
    text = ttc_released([tool])
    assert f"PURPOSE: x\n{'y' * 78}\n" in text
    assert "IN: a:float?" in text
    with pytest.raises(ParseError, match="line 5"):
        read_ttc(text)


def test_own() -> None:
    """PURPOSE is a sentence, WHEN what the name says, and results have their names."""
    tool: dict[str, Any] = {
        **HARBOUR[1],
        "outputSchema": {"properties": {"berth": {"type": "integer"}}},
    }
    assert ttc([tool], "harbour", total=8) == (
        "TOOLS v1.0 [1/8]\n"
        "MCP harbour v1.0\n\n"
        "TOOL book_berth\n"
        "  PURPOSE: Book a berth for a ship.\n"
        "  IN: ship_id:int, office:object, notes:array[string]?\n"
        "  OUT: berth:int?\n"
        "  ERR: error\n"
        "  WHEN: user wants to book berth"
    )


def test_planned_fields() -> None:
    """What is planned for TTC is written in its order, and read."""
    entry = replace(
        entry_of(parse_tools(HARBOUR)[2], "harbour"),
        errors=("closed", "unknown"),
        tags=("ships", "lists"),
        example='list_ships() -> "Ada"',
        cost="90 tokens",
        chain=("get_tide",),
        alias=("user asks to see ships",),
        auth=("ships:read",),
    )
    text = write_ttc([entry])
    assert text.endswith(
        "  ERR: closed | unknown\n"
        "  WHEN: user wants to list ships\n"
        "  TAGS: ships, lists\n"
        '  EXAMPLE: list_ships() -> "Ada"\n'
        "  COST: 90 tokens\n"
        "  CHAIN: get_tide\n"
        "  ALIAS: user asks to see ships\n"
        "  AUTH: ships:read"
    )
    assert read_entries(text) == [entry]


@given(
    st.dictionaries(st.sampled_from(["id", "page", "x-y", "名"]), schemas, max_size=3),
    st.text(max_size=30) | st.sampled_from(["One; two. Three", "a\nb", "e.g. this. That"]),
    st.booleans(),
)
def test_notes_bring_everything_back(members: dict[str, Any], text: str, usual: bool) -> None:
    """With notes parameters and descriptions are read as they were."""
    schema: dict[str, Any] = {"type": "object"} if usual else {"title": "T"}
    schema["properties"] = members
    tools = parse_tools([{"name": "do_it", "description": text, "inputSchema": schema}])
    [back] = read_ttc(noted(tools))
    assert (back.description, back.parameters) == (text, schema)


@pytest.mark.parametrize("name", ["notion", "gitlab_zereight", "everything"])
def test_real_catalogs_come_back(name: str) -> None:
    """With notes nothing of a real catalog is lost; without them the text is read as well."""
    tools = parse_tools(real(name))
    back = read_ttc(noted(tools))
    assert [(each.name, each.description, each.parameters) for each in back] == [
        (each.name, each.description, each.parameters) for each in tools
    ]
    assert [each.name for each in read_ttc(ttc(tools))] == [each.name for each in tools]


@given(schemas)
def test_types_are_read_back(schema: Any) -> None:
    """Every type that is written is one, and stands for a schema of that type."""
    text = type_of(schema)
    found = schema_of(text)
    assert found is not None
    assert type_of(found) == text


def test_servers() -> None:
    """Tools of several servers stand below their servers."""
    entries = [Entry("a", "A.", "user wants to do a"), Entry("b", "B.", "user asks to do b")]
    entries[1] = replace(entries[1], server="other")
    text = write_ttc(entries, total=9)
    assert text.startswith("TOOLS v1.0 [2/9]\nMCP server v1.0\n")
    assert "\n\nMCP other v1.0\n" in text
    assert read_entries(text) == entries


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"when": "Get it"}, "WHEN must read"),
        ({"when": "user wants to", "purpose": "p"}, "WHEN must read"),
        ({"purpose": "user wants to get it"}, "something else than PURPOSE"),
        ({"purpose": ""}, "must not be empty"),
        ({"errors": ()}, "must not be empty"),
        ({"purpose": "a; b"}, "starts a comment"),
        ({"name": "a b"}, "cannot be a name"),
        ({"tags": ("a, b",)}, "has a separator"),
        ({"errors": ("a|b",)}, "has a separator"),
        ({"example": " padded"}, "must be one line"),
        ({"inputs": (Field("a,b", "any"),)}, "cannot be a name"),
    ],
)
def test_rules(change: dict[str, Any], why: str) -> None:
    """What breaks a rule is not written."""
    entry = replace(Entry("get_it", "It.", "user wants to get it"), **change)
    with pytest.raises(ToolError, match=why):
        write_ttc([entry])


_GOOD = (
    "TOOLS v1.0 [1/2]\nMCP s v1\nTOOL t\n PURPOSE: P\n IN: none:any\n OUT: r:any\n ERR: e\n WHEN: W"
)


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        ("[1/2]", "[2/2]", 1, "2 tools are announced, but there are 1"),
        ("MCP s v1\n", "", 2, "MCP <server> v<version> is missing"),
        ("TOOL t", "TOOLS t", 3, "TOOL <id> is expected"),
        ("r:any", "r", 6, "<name>:<type> is expected, not 'r'"),
        ("r:any", "r:text", 6, "'text' is no type"),
        ("r:any", "r:array[array]", 6, "is no type"),
        (" ERR: e\n", "", 3, "t has no ERR"),
        ("PURPOSE: P", "PURPOSE:", 4, "PURPOSE is empty"),
        ("PURPOSE: P", "WHAT: P", 4, "one of PURPOSE"),
        (" OUT: r:any\n ERR: e", " ERR: e\n OUT: r:any", 7, "OUT stands twice or too late"),
        ("ERR: e", "ERR: e\n ERR: e", 8, "ERR stands twice"),
    ],
)
def test_errors_have_lines(old: str, new: str, line: int, why: str) -> None:
    """What breaks the grammar is said with its line."""
    assert [tool.name for tool in read_ttc(_GOOD)] == ["t"]
    with pytest.raises(ParseError, match=why.replace("[", r"\[")) as caught:
        read_ttc(_GOOD.replace(old, new))
    assert caught.value.line == line


def test_comments_are_skipped() -> None:
    """Comments of others are none of ours, on lines of their own or behind a field."""
    text = _GOOD.replace("PURPOSE: P", "PURPOSE: P ; why\n ; see {this}\n ;").replace(
        "\nTOOL", "\n\n TOOL"
    )
    assert read_ttc(text)[0].description == "P"


def test_empty_text() -> None:
    """An empty text is refused."""
    with pytest.raises(ParseError, match="line 1"):
        read_ttc(" \n")
