"""What formats are declared to say is what they say."""

from __future__ import annotations

from typing import Any

import pytest
from foreign.census import census, lost
from foreign.expressiveness import DECLARED
from foreign.formats import FORMATS
from foreign.measure import measured
from foreign.probes import PROBES
from hypothesis import given

from mckp.jsontext import dump
from mckp.tools import parse_tools
from tests.tools.harbour import HARBOUR, real
from tests.tools.strategies import schemas, texts


@pytest.mark.parametrize("name", FORMATS)
def test_declared_is_measured(name: str) -> None:
    """Each keyword is kept, lost or wrong as declared."""
    assert measured(FORMATS[name]) == {each: DECLARED[name].level(each) for each in PROBES}


@pytest.mark.parametrize("name", FORMATS)
@given(schema=schemas, text=texts)
def test_nothing_is_refused(name: str, schema: Any, text: str) -> None:
    """Whatever schemas say, each format has a text, and it is the same every time."""
    tools = parse_tools(
        [
            {"name": "get", "description": text, "inputSchema": {"properties": {"a": schema}}},
            {"name": "put", "outputSchema": {"properties": {"a": schema}}},
        ]
    )
    assert FORMATS[name](tools) == FORMATS[name](tools)


def test_all_formats_are_declared() -> None:
    """No format is forgotten, and no declaration names a keyword that is not probed."""
    assert list(DECLARED) == list(FORMATS)
    for says in DECLARED.values():
        assert says.lost | says.part | says.wrong <= PROBES.keys()
        assert not says.lost & says.part | says.part & says.wrong | says.lost & says.wrong


def test_paper_says_nothing_wrong() -> None:
    """TSCG as its paper means it has no wrong type; the package has."""
    assert "wrong" not in measured(FORMATS["tscg balanced"]).values()
    assert "wrong" in measured(FORMATS["tscg released balanced"]).values()


def test_census() -> None:
    """Keywords are counted where they stand, nested ones apart."""
    found = census(HARBOUR)
    assert found["parameter", False] == 6
    assert found["parameter", True] == 3
    assert found["required", False] == 3
    assert found["required, nested", True] == 2
    assert (found["enum", False], found["default", False], found["items", False]) == (1, 1, 1)


def test_lost() -> None:
    """What is lost is counted beside what there is."""
    assert lost(HARBOUR, "tscg released balanced")["parameter"] == (3, 9)
    assert lost(HARBOUR, "mcpc max")["parameter"] == (9, 9)
    assert lost(HARBOUR, "tscg balanced")["parameter"] == (0, 9)


def test_census_of_real_tools() -> None:
    """The parameters of a real catalog: those of TSCG's text, and those it lacks."""
    tools = real("github_mcp_default")
    found = lost(tools, "tscg released balanced")
    assert found["parameter"] == (8, 251)
    for keyword in ("enum", "minimum", "default", "anyOf"):
        assert found[keyword][1] == dump(tools).count(f'"{keyword}":')
