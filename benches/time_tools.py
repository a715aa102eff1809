"""How long catalogs and calls of tools take; run ``pytest benches/time_tools.py``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import mckp
from mckp.tools.calls import read_calls, write_call

if TYPE_CHECKING:
    from mckp import Result

TOOLS = (Path(__file__).parents[1] / "examples/tools.json").read_bytes()


@pytest.mark.parametrize("level", ["args", "typed", "full"])
def test_level(benchmark: Any, level: str) -> None:
    """A catalog at one level."""
    result: Result = benchmark(mckp.encode_tools, TOOLS, level=level)
    benchmark.extra_info["tokens"] = result.tokens
    assert result.tokens > 0


@pytest.mark.parametrize("budget", [60, 120, 240])
def test_budget(benchmark: Any, budget: int) -> None:
    """A catalog within a budget, each tool at a level of its own."""
    result: Result = benchmark(mckp.encode_tools, TOOLS, budget=budget)
    benchmark.extra_info.update(tokens=result.tokens, value=result.value)
    assert result.tokens <= budget


def test_read(benchmark: Any) -> None:
    """A catalog, from its text alone."""
    tools = benchmark(mckp.decode_tools, mckp.encode_tools(TOOLS).text)
    assert len(tools) == len(json.loads(TOOLS))


def test_calls(benchmark: Any, rows: int) -> None:
    """Calls between lines of prose, read back."""
    tools = mckp.parse_tools(TOOLS)
    call = write_call("get_issue", {"owner": "ann", "repo": "tide", "issue": 7})
    events = benchmark(read_calls, f"So:\n{call}\n" * rows, tools)
    assert len(events) >= rows
