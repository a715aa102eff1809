"""Every bench that stores results runs in small, and stores what it measured and where."""

import importlib
import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.benches import BENCHES
from tests.cases import cases

RUNS: Final[list[tuple[str, str, list[str]]]] = cases(__file__, "RUNS")
"""Bench, name of what it has many of, and arguments; names of files stand for their paths."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("bench")
    rows = [{"id": number, "name": f"job {number}"} for number in range(9)]
    answers: list[Any] = [
        {"id": "a", "kind": "json", "payload": {"jobs": rows}},
        {"id": "b", "kind": "markdown", "payload": "# Title"},
        rows,
    ]
    schema = {"properties": {"city": {"type": "string"}}, "required": ["city"]}
    calls = {
        "tools": [{"name": "sky", "description": "", "inputSchema": schema}],
        "cases": [{"tool": "sky", "arguments": {"city": "New York"}}],
        "totals_o200k": {"compact_serializer": 9},
    }
    (folder / "answers.jsonl").write_text("\n".join(map(json.dumps, answers)) + "\n", "utf-8")
    (folder / "calls.json").write_text(json.dumps(calls), "utf-8")
    names = {"answers": "answers.jsonl", "calls": "calls.json", "kept": "kept"}
    return {name: str(folder / file) for name, file in names.items()}


@pytest.mark.parametrize(("name", "many", "arguments"), RUNS)
def test_a_bench_runs(
    run: Callable[..., dict[str, Any]],
    files: dict[str, str],
    name: str,
    many: str,
    arguments: list[str],
) -> None:
    """With the facts of the run, which `run` looks for, there is what it has measured."""
    given = [files.get(argument, argument) for argument in arguments]
    figures = run(name, *given, code=None if name == "solver_nested" else 0)
    assert figures[many]
    assert figures.get("changed", 0) == 0


def test_fragments_add_up(run: Callable[..., dict[str, Any]]) -> None:
    """Counts of fragments add up exactly; counts of other parts sometimes miss."""
    rows = run("fragment_law")["rows"]
    assert {row["misses"] for row in rows if row["parts"] == "fragments"} == {0}
    assert all(row["misses"] == row["over"] + row["under"] for row in rows)
    assert min(row["misses"] for row in rows if row["parts"] == "any") > 0


def test_what_fails_in_another_process_says_why() -> None:
    """Of one that ends early there are its last words; one that takes too long is ended."""
    fresh, growth = map(importlib.import_module, ("fresh", "encode_growth"))
    assert "no_work" in fresh.ask({"work": "no_work"})["failed"]
    assert "not done after" in fresh.ask({"work": "held"}, limit=0)["failed"]
    row = {"document": "table", "MB": 1, "formats": "native"}
    [growth_row] = growth.measure("/nowhere/at/all", row, 0, growth.Place())
    assert "No such file" in growth_row["failed"]


def test_tools(run: Callable[..., dict[str, Any]]) -> None:
    """The bench stores the same figures as the stored run, and no text exceeds its budget."""
    figures = run("tools")
    stored = json.loads((BENCHES / "results/tools.json").read_text("utf-8"))
    assert figures.keys() | {"commit"} == stored.keys() | {"commit"}
    assert figures["sum"]["full"] < figures["sum"]["pruned"] <= figures["sum"]["json"]
    assert all("error" in row or row["tokens"] <= row["budget"] for row in figures["budgets"])
