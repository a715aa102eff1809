"""The rules others use: always a selection, never over budget, never better than the optimum."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import pytest
from baselines import BASELINES, density, fair, fifo, head_tail, random

from mckp.solvers import Status, Table, dp
from tests.solvers import agreement, instances

if TYPE_CHECKING:
    from mckp.solvers import Solution

NAMES = ["fifo", "head-tail", "fair", "random", "density"]


def assert_bounded(table: Table, budget: int, best: Solution, solution: Solution) -> None:
    """Check that a solution is valid, and its bound and status true beside the optimum."""
    agreement.assert_valid(table, budget, solution)
    assert (solution.status is Status.INFEASIBLE) == (best.status is Status.INFEASIBLE)
    assert solution.floor == best.floor
    assert solution.value <= best.bound
    assert best.value <= solution.bound
    if solution.status is Status.OPTIMAL:
        assert (solution.value, solution.cost) == (best.value, best.cost)


@pytest.mark.parametrize("name", NAMES)
def test_tiny_trees_get_a_selection(name: str) -> None:
    """On tiny random trees, nested or not, each rule gives a selection and a bound that holds."""
    for seed in range(instances.count(500)):
        table, budget = instances.tiny(seed)
        assert_bounded(table, budget, dp.solve(table, budget), BASELINES[name](table, budget))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("family", instances.FAMILIES)
def test_families_get_a_selection(name: str, family: str) -> None:
    """The same on the literature's families."""
    for part in (0.0, 0.3, 0.9, 1.2):
        table, budget = instances.flat(family, 3, 15, 5, 60, part)
        assert_bounded(table, budget, dp.solve(table, budget), BASELINES[name](table, budget))


@pytest.mark.parametrize("name", NAMES)
def test_everything_is_taken_where_it_fits(name: str) -> None:
    """If the best option of every class fits, every rule takes them all and is optimal."""
    for seed in range(instances.count(20)):
        table = instances.document(seed, 20)
        solution, best = BASELINES[name](table, 10**6), dp.solve(table, 10**6)
        assert (solution.status, solution.value) == (Status.OPTIMAL, best.value)


@pytest.mark.parametrize("name", NAMES)
def test_limits_stop_the_rule(name: str) -> None:
    """Without work nothing is raised, or one class by the guard; with a little, less is."""
    table, budget = instances.flat("uncorrelated", 1, 30, 5, 50)
    few, some, all_of_it = (BASELINES[name](table, budget, work_limit=n) for n in (0, 5, 10**9))
    assert (few.choice != dp.solve(table, few.floor or 0).choice).sum() <= (name == "density")
    assert few.value <= some.value < all_of_it.value
    assert BASELINES[name](table, budget, time_limit=0.0).value == few.value
    assert few.bound == some.bound == all_of_it.bound


@pytest.mark.parametrize("name", NAMES)
def test_a_better_start_is_taken(name: str) -> None:
    """A start within the budget is not lost, and one over it is not used."""
    table, budget = instances.flat("kp01s", 4, 40, 2, 50, 0.3)
    best = dp.solve(table, budget)
    started = BASELINES[name](table, budget, start=best)
    assert (started.value, started.cost) == (best.value, best.cost)
    over = dp.solve(table, 3 * budget)
    assert BASELINES[name](table, budget, start=over).choice.tolist() != over.choice.tolist()


def test_fifo_is_a_prefix() -> None:
    """First in, first out: classes at their best, one between, then none."""
    table = Table.flat([[0, 20, 10]] * 5, [[0, 9, 5]] * 5)
    assert fifo.solve(table, 50).choice.tolist() == [1, 1, 2, 0, 0]
    assert fifo.solve(table, 55).choice.tolist() == [1, 1, 2, 0, 0]


def test_head_and_tail_leave_out_the_middle() -> None:
    """30 % of the spare budget goes to the front, the rest to the back, nothing is lost."""
    table = Table.flat([[0, 10]] * 20, [[0, 1]] * 20)
    assert head_tail.solve(table, 100).choice.tolist() == [1] * 3 + [0] * 10 + [1] * 7
    assert head_tail.solve(table, 199).choice.tolist() == [1] * 5 + [0] + [1] * 14


def test_fair_shares_follow_the_weights() -> None:
    """Equal weights get equal shares, thrice the weight thrice the share; no share is lost."""
    steps = list(range(0, 101))
    equal = fair.solve(Table.flat([steps] * 4, [steps] * 4), 100)
    assert equal.choice.tolist() == [25] * 4
    heavy = fair.solve(Table.flat([steps] * 2, [steps, [3 * v for v in steps]]), 100)
    assert heavy.choice.tolist() == [25, 75]
    passed_on = fair.solve(Table.flat([steps, [0, 90]], [steps, [0, 100]]), 100)
    assert passed_on.cost == 100


def test_random_is_the_same_for_a_seed() -> None:
    """The same seed gives the same choice, other seeds others, in any process."""
    table = Table.flat([[0, 10]] * 8, [[0, 1]] * 8)
    drawn = {seed: random.solve(table, 40, seed=seed).choice.tolist() for seed in range(20)}
    assert drawn[0] == random.solve(table, 40).choice.tolist() == [0, 0, 1, 1, 0, 1, 0, 1]
    assert len({tuple(choice) for choice in drawn.values()}) > 10


def test_the_guard_saves_density() -> None:
    """One cheap class of the best density would block all but 1 % of the value."""
    solution = density.solve(Table.flat([[0, 1], [0, 100]], [[0, 100], [0, 9900]]), 100)
    assert (solution.value, solution.choice.tolist()) == (9900, [0, 1])


def test_density_gains_at_least_half() -> None:
    """Without nesting, what density gains above the cheapest is half the optimum's or more."""
    for seed, family in product(range(instances.count(60)), instances.FAMILIES):
        table, budget = instances.flat(family, seed, 1 + seed % 8, 4, 40, seed % 10 / 10)
        least = dp.solve(table, dp.solve(table, budget).floor or 0).value
        gained = density.solve(table, budget).value - least
        assert 2 * Fraction(gained) >= dp.solve(table, budget).value - least
