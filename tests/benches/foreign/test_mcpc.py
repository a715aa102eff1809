"""mcp-compressor: golden texts, and what its levels cost."""

from __future__ import annotations

import json

import pytest
from foreign.mcpc import LEVELS, mcpc, mcpc_cost, mcpc_listing, mcpc_schema, mcpc_tools

from mckp.errors import UnknownNameError
from mckp.tools import parse_tools
from tests.tools.harbour import HARBOUR

_TOOLS = parse_tools(HARBOUR)


def test_levels() -> None:
    """Descriptions go, then arguments."""
    last = [mcpc_listing(_TOOLS, level).split("\n")[1] for level in LEVELS]
    assert last == [
        "<tool>book_berth(ship_id, office, notes): Book a berth for a ship. It cannot be undone."
        "</tool>",
        "<tool>book_berth(ship_id, office, notes): Book a berth for a ship</tool>",
        "<tool>book_berth(ship_id, office, notes)</tool>",
        "<tool>book_berth</tool>",
    ]


@pytest.mark.parametrize(
    ("description", "low", "medium"),
    [
        ("Edits e.g. a file", ": Edits e.g. a file", ": Edits e"),
        ("One\ntwo. Three", ": One\ntwo. Three", ": One"),
        ("\n First. Second ", ": First. Second", ": First"),
        (".hidden", ": .hidden", ""),
        ("  ", "", ""),
    ],
)
def test_first_period(description: str, low: str, medium: str) -> None:
    """Medium ends at the first period of the first line, wherever that is."""
    tools = parse_tools([{"name": "t", "description": description}])
    assert mcpc_listing(tools, "low") == f"<tool>t(){low}</tool>"
    assert mcpc_listing(tools, "medium") == f"<tool>t(){medium}</tool>"


def test_schema() -> None:
    """A schema that is fetched is pretty JSON below the line of level low."""
    head, body = mcpc_schema(_TOOLS[0]).split("\n\n")
    assert head == "<tool>get_tide(place, unit, zone): Get the tide at a place</tool>"
    assert body.startswith('{\n  "type": "object",\n  "properties": {\n    "place": {\n')
    assert json.loads(body) == HARBOUR[0]["inputSchema"]


def test_shown_tools() -> None:
    """Two tools stand for the catalog, at max three, named after the server."""
    assert [tool["name"] for tool in mcpc_tools(HARBOUR, "max", "sea")] == [
        "sea_get_tool_schema",
        "sea_invoke_tool",
        "sea_list_tools",
    ]
    assert json.loads(mcpc(HARBOUR, "low")) == mcpc_tools(HARBOUR, "low")
    assert mcpc_tools(HARBOUR, "low")[0]["description"].endswith(mcpc_listing(_TOOLS, "low"))


def test_cost() -> None:
    """T(k) grows by the mean of the schemas, and meets the whole JSON at the break-even."""
    cost = mcpc_cost(HARBOUR, "medium")
    assert cost.at(0) == cost.listing
    assert cost.at(3) == cost.listing + sum(cost.schemas)
    assert cost.at(2) - cost.at(1) == pytest.approx(cost.mean)
    many = mcpc_cost([{**HARBOUR[0], "name": f"tool_{number}"} for number in range(30)], "max")
    assert many.listing + many.break_even * many.mean == pytest.approx(many.full)
    assert many.break_even > 0


def test_empty_catalog() -> None:
    """Without tools nothing is fetched and nothing ever pays."""
    cost = mcpc_cost([])
    assert (cost.schemas, cost.mean, cost.break_even) == ((), 0.0, 0.0)


def test_unknown_level() -> None:
    """The error names the levels."""
    with pytest.raises(UnknownNameError, match="known: low, medium, high, max"):
        mcpc(HARBOUR, "highest")
