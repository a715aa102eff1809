"""HiGHS agrees with the dynamic program where it claims a proof, and never claims a false one."""

import sys
from typing import Any

import numpy as np
import pytest

from mckp.errors import MissingExtraError
from mckp.solvers import Solution, Status, Table, auto, dp, greedy, highs, solve
from tests.solvers import agreement, instances
from tests.solvers.instances import TABLE


@pytest.fixture
def installed() -> None:
    """Skip what asks HiGHS where it is not installed."""
    pytest.importorskip("ortools")


def assert_agrees(table: Table, budget: int, best: Solution, solution: Solution) -> None:
    """Check a solution of HiGHS against a proved one: equal, or honest about the difference."""
    agreement.assert_valid(table, budget, solution)
    if solution.status is Status.FEASIBLE:
        assert best.status is not Status.INFEASIBLE
        assert solution.value <= best.bound
        assert best.value <= solution.bound
    else:
        assert agreement.facts(solution)[:4] == agreement.facts(best)[:4]


@pytest.mark.usefixtures("installed")
def test_hundreds_of_tiny_trees_agree() -> None:
    """HiGHS proves the dp's value and cost on tiny trees."""
    proved, end = 0, max(50, instances.count(500))
    for seed in range(end):
        table, budget = instances.tiny(seed)
        best, solution = dp.solve(table, budget), highs.solve(table, budget)
        assert_agrees(table, budget, best, solution)
        proved += solution.status is not Status.FEASIBLE
    # Values that are not decimal numbers are never proved; about one table in ten has them.
    assert proved > 0.8 * end


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("family", instances.FAMILIES)
def test_families_agree(family: str) -> None:
    """HiGHS proves the same value and cost on the literature's families."""
    table, budget = instances.flat(family, 1, 8, 4, 30)
    best = dp.solve(table, budget)
    solution = highs.solve(table, budget)
    assert solution.is_optimal
    assert_agrees(table, budget, best, solution)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("most", [10**5, 10**9, 2**54])
def test_large_numbers_are_never_called_proved(most: int) -> None:
    """Where floats cannot tell totals apart, the solution is within the budget and feasible."""
    table, budget = instances.flat("subsetsum", 0, 6, 4, most)
    solution = highs.solve(table, budget, time_limit=2)
    best = auto.solve(table, budget) if most < 10**9 else greedy.solve(table, budget)
    agreement.assert_valid(table, budget, solution)
    assert solution.value >= greedy.solve(table, budget).value
    assert solution.bound >= best.value
    if most >= 10**9:
        assert solution.status is Status.FEASIBLE


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("taken", "proved"),
    [
        (None, False),
        (None, True),
        ([1, 4], True),
        ([0, 1, 3], True),
        ([0, 3], True),
        ([1, 3], False),
    ],
    ids=["none", "nothing", "over the budget", "two of a class", "worse than greedy", "unproved"],
)
def test_wrong_answers_are_not_believed(
    taken: list[int] | None, proved: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever HiGHS says, the choice is checked in whole numbers."""

    def wrong(*_: Any) -> highs.Answer:
        return None if taken is None else np.isin(np.arange(5), taken), bool(proved), 0

    monkeypatch.setattr(highs, "maximize", wrong)
    solution = highs.solve(TABLE, 80)
    assert (solution.status, solution.value, solution.cost, solution.bound) == (
        Status.FEASIBLE,
        9,
        40,
        12,
    )


def test_missing_ortools_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without OR-Tools, highs says what to install."""
    monkeypatch.setitem(sys.modules, "ortools.math_opt.python.mathopt", None)
    with pytest.raises(MissingExtraError, match=r"pip install ortools"):
        solve(TABLE, 80, "highs")
