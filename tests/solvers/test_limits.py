"""At any limit of time, work or size a solver gives a selection, with a bound that holds."""

from dataclasses import replace
from typing import Any

import pytest

from mckp.solvers import (
    SOLVERS,
    Solution,
    Status,
    Table,
    brute,
    cpsat,
    dp,
    get,
    greedy,
)
from tests.solvers import agreement, instances
from tests.solvers.instances import TABLE

NEED_ORTOOLS = {"cpsat", "highs"}
ANY_SIZE = list(SOLVERS.keys() - {"large"})
LIMITS: list[dict[str, Any]] = [
    {"time_limit": 0.0},
    {"time_limit": 0.5},
    {"work_limit": 0},
    {"work_limit": 1},
    {"work_limit": 1000},
    {"work_limit": 20_000},
    {"time_limit": 0.0, "work_limit": 0},
]


def solver(name: str) -> Any:
    """Return a solver, or skip the test if the package it needs is not installed."""
    if name in NEED_ORTOOLS:
        pytest.importorskip("ortools")
    return get(name)


def assert_bounded(table: Table, budget: int, best: Solution, solution: Solution) -> None:
    """Check a solution that a limit may have stopped beside the optimum."""
    agreement.assert_valid(table, budget, solution)
    assert (solution.status is Status.INFEASIBLE) == (best.status is Status.INFEASIBLE)
    assert solution.value <= best.bound
    assert best.value <= solution.bound
    if solution.status is Status.OPTIMAL:
        assert (solution.value, solution.cost) == (best.value, best.cost)


@pytest.mark.parametrize("limit", LIMITS, ids=str)
@pytest.mark.parametrize("name", sorted(SOLVERS.keys() - {"highs"}))
def test_limits_never_raise(name: str, limit: dict[str, Any]) -> None:
    """At every limit every solver gives a valid selection of tiny trees, and no false proof."""
    solve = solver(name)
    for seed in range(instances.count(300 if name == "dp" else 40)):
        table, budget = instances.tiny(seed)
        assert_bounded(table, budget, dp.solve(table, budget), solve(table, budget, **limit))


@pytest.mark.slow
@pytest.mark.parametrize("limit", LIMITS, ids=str)
@pytest.mark.parametrize("name", SOLVERS)
def test_limits_hold_on_larger_tables(name: str, limit: dict[str, Any]) -> None:
    """Under any limit, each solver's bound holds on a larger table."""
    table, budget = instances.flat("weakly", 1, 14, 4, 50)
    solution = solver(name)(table, budget, **limit)
    assert_bounded(table, budget, dp.solve(table, budget), solution)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLVERS)
def test_starts_are_kept_and_checked(name: str) -> None:
    """Nothing worse than a start within the budget is given; one that does not fit is not."""
    table, budget = instances.flat("strongly", 2, 12, 4, 50)
    best = dp.solve(table, budget)
    assert solver(name)(table, budget, start=best).value == best.value
    over = dp.solve(table, 2 * budget)
    assert_bounded(table, budget, best, solver(name)(table, budget, start=over))


@pytest.mark.parametrize("name", sorted(ANY_SIZE))
def test_numbers_beyond_64_bits_never_raise(name: str) -> None:
    """If value times budget does not fit, there is a selection, and the bound holds."""
    costs = [[0, 10**6], [0, 10**6 + 7], [0, 10**6 - 17]]
    table = Table.flat(costs, [[0, 2**57], [0, 2**57 + 1], [0, 2**57 + 3]])
    solution = solver(name)(table, 2 * 10**6)
    agreement.assert_valid(table, 2 * 10**6, solution)
    assert solution.bound >= 2**58 + 4
    assert solution.value <= 2**58 + 4


@pytest.mark.parametrize("name", sorted(ANY_SIZE))
def test_largest_numbers_never_raise(name: str) -> None:
    """Costs and values near 2**60 are solved with a bound that holds."""
    table = Table.flat([[0, 2**58 - 1]] * 3, [[0, 2**58 + 1]] * 3)
    for budget in (2**58, 2**59, 2**62):
        solution = solver(name)(table, budget)
        agreement.assert_valid(table, budget, solution)
        assert solution.bound >= min(budget // 2**58, 3) * (2**58 + 1)


def test_brute_counts_selections() -> None:
    """Brute force tries the selections in order, as many as it may, and proves with all."""
    table = Table.nested([[(0, 0), (2, 1, [[(0, 0), (1, 5)]])], [(0, 0), (1, 1)]])
    values = [brute.solve(table, 3, work_limit=limit).value for limit in range(8)]
    assert values == [0, 0, 1, 1, 2, 6, 6, 6]
    counts = [brute.solve(table, 3, work_limit=limit).statistics for limit in (0, 3, 6, 9)]
    assert counts == [{"selections": number} for number in (0, 3, 6, 6)]
    assert not brute.solve(table, 3, work_limit=3).is_optimal
    assert brute.solve(table, 3, work_limit=6).is_optimal


def test_brute_gives_the_cheapest_if_nothing_tried_fits() -> None:
    """Brute force at its limit gives the cheapest selection, or says that none fits."""
    table = Table.flat([[9, 1]] * 20, [[9, 3]] * 20)
    solution = brute.solve(table, 30, work_limit=1000)
    assert (solution.status, solution.cost) == (Status.FEASIBLE, 20)
    assert brute.solve(table, 19, work_limit=1000).status is Status.INFEASIBLE


@pytest.mark.slow
def test_brute_goes_deep_and_wide() -> None:
    """Neither thousands of classes nor thousands of levels are too many to begin with."""
    wide = Table.flat([[0, 1]] * 5000, [[0, 1]] * 5000)
    assert brute.solve(wide, 7, work_limit=100).value >= 6
    levels: list[Any] = [(0, 0), (1, 1)]
    for _ in range(3000):
        levels = [(0, 0), (1, 1, [levels])]
    assert brute.solve(Table.nested([levels]), 5000).value == 3001


def test_widths_beyond_a_byte_are_kept() -> None:
    """More than 256 options a class do not wrap around in the table of choices."""
    table = Table.flat([range(300)] * 2, [range(300)] * 2)
    assert dp.solve(table, 598).choice.tolist() == [299, 299]
    assert agreement.assert_exact(table, 597).choice.tolist() == [299, 298]


@pytest.mark.slow
def test_cpsat_stops_at_the_same_work() -> None:
    """CP-SAT under a limit of work gives the same choice and bound each time."""
    pytest.importorskip("ortools")
    table, budget = instances.flat("weakly", 1, 100, 5, 100)
    runs = [cpsat.solve(table, budget, work_limit=20_000_000) for _ in range(3)]
    assert len({(tuple(run.choice.tolist()), run.bound) for run in runs}) == 1


def test_greedy_bound_is_close() -> None:
    """On a hundred uncorrelated classes greedy is within half a percent of its bound."""
    table, budget = instances.flat("uncorrelated", 1, 100, 7, 100)
    assert greedy.solve(table, budget).gap < 0.005


def test_shadow_price_is_the_slope_at_the_break() -> None:
    """The price is the slope to the option that the linear relaxation takes in part."""
    assert greedy.solve(TABLE, 80).shadow_price == pytest.approx(5 / 60)
    assert greedy.solve(TABLE, 90).shadow_price == pytest.approx(1 / 15)
    assert greedy.solve(TABLE, 100).shadow_price == 0
    tenths = Table.flat([[0, 80, 50], [0, 120]], [[0, 0.9, 0.8], [0, 0.5]])
    assert greedy.solve(tenths, 160).shadow_price == pytest.approx(0.5 / 120)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ANY_SIZE))
def test_a_start_that_is_no_choice_is_ignored(name: str) -> None:
    """A start of a wrong shape, type or range changes no solution."""
    table, budget = instances.flat("weakly", 1, 5, 4, 50)
    solve, limit = solver(name), {"work_limit": 0, "time_limit": 0.0}
    solution = solve(table, budget)
    choice = solution.choice
    wrong = (choice.astype(float), choice.tolist(), choice[:-1], choice + 99, choice * 0 - 2)
    for other in (*wrong, choice[None], choice * 0 - 1):
        start = replace(solution, choice=other)
        again = solve(table, budget, start=start)
        assert (again.value, again.cost) == (solution.value, solution.cost)
        agreement.assert_valid(table, budget, solve(table, budget, start=start, **limit))
