"""HiGHS agrees with the dynamic program where it claims a proof, and never claims a false one."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mckp.errors import MissingExtraError
from mckp.solvers import Solution, Status, Table, auto, dp, greedy, highs, solve
from tests.solvers import agreement, instances
from tests.solvers.instances import TABLE

installed = pytest.mark.skipif(
    importlib.util.find_spec("highspy") is None, reason="highspy is not installed"
)


def assert_agrees(table: Table, budget: int, best: Solution, found: Solution) -> None:
    """Check a solution of HiGHS against a proved one: equal, or honest about the difference."""
    agreement.assert_valid(table, budget, found)
    if found.status is Status.FEASIBLE:
        assert best.status is not Status.INFEASIBLE
        assert found.value <= best.bound
        assert best.value <= found.bound
    else:
        assert agreement.facts(found)[:4] == agreement.facts(best)[:4]


def check_tiny(first: int, end: int) -> None:
    highs.ask = highs.answer
    proved = 0
    for seed in range(first, end):
        table, budget = instances.tiny(seed)
        best, found = dp.solve(table, budget), highs.solve(table, budget)
        assert_agrees(table, budget, best, found)
        proved += found.status is not Status.FEASIBLE
    # Values that are not decimal numbers are never proved; about one table in ten has them.
    assert proved > 0.8 * (end - first)


@installed
def test_hundreds_of_tiny_trees_agree() -> None:
    """HiGHS proves the dp's value and cost on tiny trees, all in one process to save time."""
    end = max(50, instances.count(500))
    code = f"from tests.solvers import test_highs; test_highs.check_tiny(0, {end})"
    root = Path(__file__).parents[2]
    run = [sys.executable, "-c", code]
    result = subprocess.run(run, capture_output=True, text=True, check=False, cwd=root)
    assert result.returncode == 0, result.stderr


@installed
@pytest.mark.parametrize("family", instances.FAMILIES)
def test_families_agree_from_another_process(family: str) -> None:
    table, budget = instances.flat(family, 1, 8, 4, 30)
    best = dp.solve(table, budget)
    found = highs.solve(table, budget)
    assert found.is_optimal
    assert_agrees(table, budget, best, found)


@installed
@pytest.mark.parametrize("most", [10**5, 10**9, 2**54])
def test_large_numbers_are_never_called_proved(most: int) -> None:
    """Where floats cannot tell totals apart, the solution is within the budget and feasible."""
    table, budget = instances.flat("subsetsum", 0, 6, 4, most)
    found = highs.solve(table, budget, time_limit=2)
    best = auto.solve(table, budget) if most < 10**9 else greedy.solve(table, budget)
    agreement.assert_valid(table, budget, found)
    assert found.value >= greedy.solve(table, budget).value
    assert found.bound >= best.value
    if most >= 10**9:
        assert found.status is Status.FEASIBLE


@pytest.mark.parametrize(
    "answer",
    [
        (None, False, 0),
        (None, True, 1),
        ([1, 4], True, 1),
        ([0, 1, 3], True, 1),
        ([0, 3], True, 1),
        ([1, 3], False, 1),
    ],
    ids=["none", "nothing", "over the budget", "two of a class", "worse than greedy", "unproved"],
)
def test_wrong_answers_are_not_believed(
    answer: highs.Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(job: highs.Job) -> highs.Answer:
        return answer

    monkeypatch.setattr(importlib.util, "find_spec", str)
    monkeypatch.setattr(highs, "ask", wrong)
    found = highs.solve(TABLE, 80)
    assert (found.status, found.value, found.cost, found.bound) == (Status.FEASIBLE, 9, 40, 12)


@installed
def test_a_failing_process_is_reported() -> None:
    job: Any = ("no program", None, None, None)
    with pytest.raises(RuntimeError, match="AttributeError"):
        highs.ask(job)


def nowhere(name: str) -> None:
    """Find no module."""


def test_missing_highspy_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", nowhere)
    with pytest.raises(MissingExtraError, match=r"mckp\[highs\]"):
        solve(TABLE, 80, "highs")
