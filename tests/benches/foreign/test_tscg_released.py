"""TSCG as released: golden texts of made-up tools, with the defects that are known."""

from __future__ import annotations

from typing import Any

import pytest
from foreign.tscg_released import operators_of, tscg_released
from foreign.tscg_released.sad import sad
from foreign.tscg_released.sdm import stripped

from mckp.errors import UnknownNameError
from tests.tools.harbour import HARBOUR


def test_balanced() -> None:
    """A line a tool and one for its parameters; nesting and item types are gone."""
    assert tscg_released(HARBOUR) == (
        "get_tide: Get the tide at a place.\n"
        "  place* (str): | unit (str: metre | foot): | zone (str): Which time zone.\n"
        "list_ships: List ships.\n"
        "book_berth: Book a berth for a ship. It cannot be undone.\n"
        "  ship_id* (integer): The id, as list_ships has it. | office* (obj): | notes (arr): \n"
        "[CLOSURE:get_tide(place),list_ships(),book_berth(ship_id,office)]"
    )


def test_conservative() -> None:
    """Whole words, a line a parameter; a tool without any ends in an empty line."""
    assert tscg_released(HARBOUR, "conservative") == (
        "get_tide: Get the tide at a place.\n"
        "  - place (string) (required): \n"
        "  - unit (string) (optional):  Allowed values: metre, foot.\n"
        "  - zone (string) (optional): Which time zone.\n\n"
        "book_berth: Book a berth for a ship. It cannot be undone.\n"
        "  - ship_id (integer) (required): The id, as list_ships has it.\n"
        "  - office (object) (required): \n"
        "  - notes (array) (optional): \n\n"
        "list_ships: List ships.\n"
    )


def test_aggressive() -> None:
    """An answer before everything, the first four names behind, for Claude alone."""
    lines = tscg_released(HARBOUR, "aggressive").split("\n")
    assert lines[0] == "[ANSWER:function_call]"
    assert lines[-2] == "[ANCHOR:get_tide,list_ships,book_berth,place*]"
    assert tscg_released(HARBOUR, "aggressive", "gpt-5") == tscg_released(HARBOUR)


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("The name of the label", "Label."),
        ("The value to fill in", "To fill in."),
        ("If omitted, the output is returned inline", "If omitted, is returned inline."),
        ("must match the value passed to X", "Must match passed to X."),
        ("LEFT indicates the previous state", "LEFT previous state."),
        ("a .network-request file", "A.network-request file."),
        ("Whether to perform a double click", "Whether a double click."),
        ("Use this tool when you need to find it", "Find it."),
        ("You can use this to look", "Look."),
        ("Wait as needed.", "Wait."),
        ("Reads files or any other data", "Reads files."),
        ("", ""),
    ],
)
def test_damage_of_sdm(text: str, becomes: str) -> None:
    """Words that mean something go, and a period comes."""
    assert stripped(text) == becomes


def test_hyphens_are_no_anchors() -> None:
    """A tool with a hyphen in its name is no anchor."""
    assert sad("a-b: It.\nab: It.") == "a-b: It.\nab: It.\n[ANCHOR:ab]"


def test_profiles() -> None:
    """CFO goes from 30 tools on, but not with auto; unknown profiles are refused."""
    assert operators_of("balanced", 29) - operators_of("balanced", 30) == {"cfo"}
    assert operators_of("auto", 60) == operators_of("balanced", 1)
    with pytest.raises(UnknownNameError, match="known: conservative, balanced"):
        tscg_released(HARBOUR, "fast")


def test_odd_schemas() -> None:
    """Types that are no single word are printed as JavaScript prints them, or as strings."""
    schema: dict[str, Any] = {
        "a": {"type": ["string", "null"]},
        "b": {"anyOf": []},
        "c": {"enum": [None, 1.0]},
    }
    text = tscg_released({"t": {"inputSchema": {"properties": {**schema, "d": True}}}})
    assert "a (string,null): " in text
    assert "b (str): " in text
    assert "c (str: | 1): " in text
    assert "d (str): " in text
