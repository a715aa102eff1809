"""The benches of the solvers run, store what they promise, and README.md quotes what is stored."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

import instances
import pytest
from baselines import RULES

from mckp.solvers import Status, dp, get, solve
from tests.benches import BENCHES, FACTS
from tests.solvers import agreement
from tests.solvers.instances import count, tiny, with_setup

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_grid(run: Callable[..., dict[str, Any]]) -> None:
    """Every cell has its time, proof and operations, and the peers that are installed."""
    found = run("solver_grid", "--limit", "1")
    assert len(found["grid"]) == 8
    keys = {"family", "classes", "options", "part", "seed", "budget", "ms", "pass", "passes"}
    for cell in found["grid"]:
        assert cell.keys() >= keys | {"status", "value", "cost", "gap", "operations", "peers"}
        assert cell["ms"] > 0
        assert cell["large"] > 0
        for answer in cell["peers"].values():
            assert answer.keys() == {"ms", "status", "value", "bound", "times", "late"}
    summary = found["summary"]
    assert summary["cells"] == 8
    assert {entry["family"] for entry in summary["families"]} >= {"uncorrelated", "proportional"}


def test_grid_without_peers(run: Callable[..., dict[str, Any]]) -> None:
    """Without peers only the default is asked, and a choice of families is one."""
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
    cell = {"family": "weakly", "classes": 1000, "options": 7, "ms": 9.0, "operations": 1}
    cell |= {"passes": 3.0, "large": 0.3, "status": "optimal", "part": 0.5, "seed": 1, "peers": {}}
    default, large = bench.summary([cell])["targets"]
    assert (default["found"], default["target"], default["met"]) == (9.0, 0.36, False)
    assert (large["found"], large["target"], large["met"]) == (0.3, 0.36, True)


def test_nested(run: Callable[..., dict[str, Any]]) -> None:
    """Documents, chains and stars have their times."""
    found = run("solver_nested", code=None)
    kinds = {row["kind"] for row in found["instances"]}
    assert kinds == {"document", "chain", "star"}
    for row in found["instances"]:
        assert row.keys() >= {"ms", "status", "value", "gap", "operations"}
    assert {line["kind"] for line in found["summary"]["lines"]} == kinds


def test_published_instances(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An optimum that is found is told; one that is wrong ends the run with 1."""
    bench = importlib.import_module("agree_solvers")
    (tmp_path / "test.in").write_text("3\n1 60 10\n2 100 20\n3 120 30\n50\n", encoding="utf-8")
    (tmp_path / "outp.out").write_text("220\n", encoding="utf-8")
    assert bench.main(["--public", str(tmp_path)]) == 0
    assert "known optimum found: 1" in capsys.readouterr().out
    (tmp_path / "outp.out").write_text("221\n", encoding="utf-8")
    assert bench.main(["--public", str(tmp_path)]) == 1


@pytest.mark.parametrize("rule", RULES)
def test_simple_rules_select(rule: str) -> None:
    """On tiny trees, setup costs included, a rule gives a selection that is never the better."""
    for seed in range(count(300)):
        table, budget = tiny(seed) if seed % 2 else with_setup(seed)
        best, found = dp.solve(table, budget), get(rule)(table, budget)
        if found.status is Status.INFEASIBLE:
            assert rule == "whole" or best.status is Status.INFEASIBLE
        else:
            agreement.assert_valid(table, budget, found)
            assert found.value <= best.bound


def test_simple_rules_take_all_that_fits() -> None:
    """Where the best of every class fits, every rule takes it."""
    for seed in range(count(20)):
        table = instances.document(seed=seed, nodes=20).table
        best = dp.solve(table, 10**6).value
        assert {get(rule)(table, 10**6).value for rule in RULES} == {best}


def test_tables_of_the_readme_are_the_stored_figures() -> None:
    """Each marked table is what the stored figures render to, and every one is there."""
    tables = importlib.import_module("page_tables")
    texts = [page.read_text(encoding="utf-8") for page in tables.PAGES]
    assert [tables.rendered(text) for text in texts] == texts
    quoted = [found[2] for text in texts for found in tables.MARKED.finditer(text)]
    assert sorted(quoted) == sorted(tables.TABLES)


def test_stored_figures_name_their_machine() -> None:
    """What is stored says where, with what and when it was measured."""
    files = list((BENCHES / "results").glob("solver-*.json"))
    assert len(files) == 2
    for file in files:
        assert json.loads(file.read_text(encoding="utf-8")).keys() >= FACTS
