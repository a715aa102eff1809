"""The benches of the solvers run, store what they promise, and README.md quotes what is stored."""

from __future__ import annotations

import importlib
import json
import sys
from typing import TYPE_CHECKING, Any

import instances
import pytest

from mckp.solvers import brute, solve
from tests.benches import BENCHES, FACTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from instances import Instance


def test_grid(run: Callable[..., dict[str, Any]]) -> None:
    """Every cell has its time, proof and operations, and the peers that are installed."""
    found = run("solver_grid", "--limit", "1")
    assert len(found["grid"]) == 8
    keys = {"family", "classes", "options", "part", "seed", "budget", "ms", "pass", "passes"}
    for cell in found["grid"]:
        assert cell.keys() >= keys | {"status", "value", "cost", "gap", "operations", "peers"}
        assert cell["ms"] > 0
        assert "dp" in cell["peers"]
        for answer in cell["peers"].values():
            assert answer.keys() == {"ms", "status", "value", "bound", "times", "late"}
    summary = found["summary"]
    assert summary["cells"] == 8
    assert {entry["family"] for entry in summary["families"]} >= {"uncorrelated", "proportional"}
    assert {entry["peer"] for entry in summary["peers"]} >= {"dp"}


def test_grid_without_peers(run: Callable[..., dict[str, Any]]) -> None:
    """Without peers only core is asked, and a choice of families is one."""
    found = run("solver_grid", "--no-peers")
    assert all(not cell["peers"] for cell in found["grid"])
    assert found["summary"]["peers"] == []


def test_grid_stops_at_a_difference() -> None:
    """A value above what another has proved ends the run with the name of the instance."""
    bench = importlib.import_module("solver_grid")
    peers = importlib.import_module("solver_peers")
    made = instances.flat("uncorrelated", seed=1, classes=5, options=3)
    solution = solve(made.table, made.budget, "dp")
    bench.check(made, solution, {"same": peers.Answer.of(solution, 1.0)})
    lower = peers.Answer(1.0, "optimal", solution.value - 1, solution.value - 1)
    with pytest.raises(AssertionError, match=made.name):
        bench.check(made, solution, {"lower": lower})


def test_targets_are_told_only_for_cells_that_were_run() -> None:
    """The median over families is compared with its target."""
    bench = importlib.import_module("solver_grid")
    cell = {"family": "weakly", "classes": 1000, "options": 7, "ms": 0.3, "operations": 1}
    cell |= {"passes": 3.0, "status": "optimal", "part": 0.5, "seed": 1, "peers": {}}
    (target,) = bench.summary([cell])["targets"]
    assert (target["found"], target["target"], target["met"]) == (0.3, 0.2, False)


def test_nested(run: Callable[..., dict[str, Any]]) -> None:
    """Documents stand beside flat instances; chains and stars stand alone."""
    found = run("solver_nested", code=None)
    kinds = {row["kind"] for row in found["instances"]}
    assert kinds == {"document", "chain", "star"}
    for row in found["instances"]:
        assert row.keys() >= {"ms", "status", "value", "gap", "operations", "core", "times"}
        assert bool(row["times"]) == (row["kind"] == "document")
    assert {line["kind"] for line in found["summary"]["lines"]} == kinds


def test_baselines(run: Callable[..., dict[str, Any]]) -> None:
    """Every rule keeps a share of the optimum, never more than all of it."""
    found = run("solver_baselines")
    bench = importlib.import_module("solver_baselines")
    assert {entry["set"] for entry in found["sets"]} == {
        *instances.RENDERINGS,
        "documents",
        "examples",
    }
    for entry in found["sets"]:
        assert entry["rules"].keys() == set(bench.RULES)
        for rule in entry["rules"].values():
            assert 0 <= rule["worst"] <= rule["mean"] <= 1
            assert len(rule["by part"]) == len(entry["parts"])


def test_growth(run: Callable[..., dict[str, Any]]) -> None:
    """Each series has times, memory and exponents, from processes of their own."""
    found = run("solver_growth")
    assert {(e["solver"], e["axis"]) for e in found["series"]} == {
        ("large", "classes"),
        ("large", "budget"),
        ("dp", "options"),
    }
    for entry in found["series"]:
        keys = ("sizes", "ms", "pass", "bytes", "passes")
        assert {len(entry[key]) for key in keys} == {2 if entry["solver"] == "dp" else 1}
        assert {"time exponent", "memory exponent", "unproved"} <= entry.keys()


def test_start(run: Callable[..., dict[str, Any]]) -> None:
    """The import and the first call on a tiny table are timed, without numba."""
    found = run("solver_start")
    alone, tiny = found["cases"]
    assert not alone["numba"]
    assert not tiny["numba"]
    assert {"process", "import", "first call", "later call"} <= tiny.keys()


def test_first_calls_by_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process of solver_start does, done in this one."""
    bench = importlib.import_module("solver_first_call")
    for case, solver in bench.CASES.items():
        if solver:
            table, budget = bench.table_of(case)
            assert solve(table, budget).is_optimal
            assert (table.options <= 50) == case.startswith("tiny")
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    assert bench.measure("import alone")["numba"] is False


def tiny_document(seed: int) -> Instance:
    """Make a document small enough for brute force."""
    return instances.document(seed=seed, nodes=9, layouts=1)


@pytest.mark.parametrize("seed", range(20))
def test_parts_are_selections_of_the_whole(seed: int) -> None:
    """The best of a table cut into parts is never above the best of the whole."""
    parts = importlib.import_module("solver_parts").Parts
    table = tiny_document(seed).table
    for cut in (1, 3, 100):
        found = parts.of(table, cut)
        assert (found.table.parent_option < 0).sum() >= min(cut, 2) or cut == 1
        for budget in (20, 80, 10_000):
            whole = brute.solve(table, budget)
            left = budget - found.cost
            if left >= 0:
                best = brute.solve(found.table, left)
                assert best.value + found.value <= whole.value
                if budget == 10_000:
                    assert best.value + found.value == whole.value


def test_figures_are_drawn(
    run: Callable[..., dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Plots are made from stored figures, the same bytes each time."""
    pytest.importorskip("matplotlib")
    run("solver_baselines")
    (tmp_path / "solver_baselines.json").rename(tmp_path / "solver-baselines.json")
    plots = importlib.import_module("plots")
    texts: list[bytes] = []
    for _ in range(2):
        assert plots.main(["--results", str(tmp_path), "--out", str(tmp_path)]) == 0
        texts.append((tmp_path / "baselines.svg").read_bytes())
    assert texts[0] == texts[1]
    assert "baselines.svg" in capsys.readouterr().out


def test_tables_of_the_readme_are_the_stored_figures() -> None:
    """Each marked table is what the stored figures render to, and every one is there."""
    tables = importlib.import_module("solver_tables")
    texts = [page.read_text(encoding="utf-8") for page in tables.PAGES]
    assert [tables.rendered(text) for text in texts] == texts
    quoted = [found[2] for text in texts for found in tables.MARKED.finditer(text)]
    assert sorted(quoted) == sorted(tables.TABLES)


def test_stored_figures_name_their_machine() -> None:
    """What is stored says where, with what and when it was measured."""
    files = list((BENCHES / "results").glob("solver-*.json"))
    assert len(files) == 5
    for file in files:
        assert json.loads(file.read_text(encoding="utf-8")).keys() >= FACTS
