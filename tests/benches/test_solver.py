"""The benches of the solvers run, store what they promise, and README.md quotes what is stored."""

import importlib
import json
from pathlib import Path

import instances
import pytest
from baselines import RULES

from mckp.solvers import Status, dp, get, solve
from tests.benches import BENCHES, FACTS
from tests.solvers import agreement
from tests.solvers.instances import count, tiny, with_setup


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


def test_published_instances(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The bench reads published instances and fails if the known optimum is not found."""
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
        best, solution = dp.solve(table, budget), get(rule)(table, budget)
        if solution.status is Status.INFEASIBLE:
            assert rule == "whole" or best.status is Status.INFEASIBLE
        else:
            agreement.assert_valid(table, budget, solution)
            assert solution.value <= best.bound


def test_simple_rules_take_all_that_fits() -> None:
    """With room for everything, each simple rule has the value of the optimum."""
    for seed in range(count(20)):
        table = instances.document(seed=seed, nodes=20).table
        best = dp.solve(table, 10**6).value
        assert {get(rule)(table, 10**6).value for rule in RULES} == {best}


def test_tables_of_the_readme_are_the_stored_figures() -> None:
    """Each marked table is what the stored figures render to, and every one is there."""
    tables = importlib.import_module("page_tables")
    texts = [page.read_text(encoding="utf-8") for page in tables.PAGES]
    assert [tables.rendered(text) for text in texts] == texts
    quoted = [match[2] for text in texts for match in tables.MARKED.finditer(text)]
    assert sorted(quoted) == sorted(tables.TABLES)


def test_stored_figures_name_their_machine() -> None:
    """Each file of solver figures says on which machine and commit it was measured."""
    files = list((BENCHES / "results").glob("solver-*.json"))
    assert len(files) == 3
    for file in files:
        assert json.loads(file.read_text(encoding="utf-8")).keys() >= FACTS
