"""Values become whole numbers: exactly where they can, with a known error where not."""

import numpy as np
import pytest

from mckp.solvers import Status, Table, solve
from mckp.solvers.scaling import ROOM, most_cost, scale
from tests.solvers import agreement, instances


def table_of(values: list[float]) -> Table:
    return Table.flat([[1]] * len(values), [[value] for value in values])


def test_integers_are_used_as_they_are() -> None:
    """Whole values are used unscaled and exactly."""
    scaled = scale(table_of([3, -(2**53) - 1]), 10)
    assert (scaled.units.tolist(), scaled.per_one, scaled.exact) == ([3, -(2**53) - 1], 1, True)


def test_decimals_are_exact() -> None:
    """Decimal values are scaled to whole numbers exactly."""
    scaled = scale(table_of([0.1, 2.25, -7.0]), 10)
    assert (scaled.units.tolist(), scaled.per_one, scaled.exact) == ([10, 225, -700], 100, True)


def test_other_floats_stay_within_half_a_unit() -> None:
    """A float that is no short decimal is off by half a unit at most, and totals leave room."""
    values = np.random.default_rng(1).normal(size=100)
    scaled = scale(table_of(values.tolist()), 1000)
    assert not scaled.exact
    assert (np.abs(scaled.units / scaled.per_one - values) <= 0.5 / scaled.per_one).all()
    assert int(np.abs(scaled.units).sum()) * 101 < ROOM


def test_tenths_add_up_as_decimals() -> None:
    """0.1 + 0.2 counts as 0.3: the tie is seen, and the cheaper side wins."""
    table = Table.flat([[0, 2, 6], [0, 3]], [[0, 0.1, 0.3], [0, 0.2]])
    solution = solve(table, 6)
    assert (solution.choice.tolist(), solution.value, solution.cost) == ([1, 1], 0.3, 5)


@pytest.mark.parametrize("unit", [1e-30, 1e-9, 1.0, 1e30])
def test_size_of_the_unit_does_not_matter(unit: float) -> None:
    """Values in any unit give the same choice, and the bound stays close above the value."""
    rng = np.random.default_rng(2)
    costs, values = rng.integers(0, 30, (20, 3)), rng.random((20, 3))
    reference = solve(Table.flat(costs.tolist(), values.tolist()), 200)
    solution = solve(Table.flat(costs.tolist(), (values * unit).tolist()), 200)
    assert solution.choice.tolist() == reference.choice.tolist()
    assert solution.value <= solution.bound <= solution.value * (1 + 1e-9)


def test_values_too_large_for_the_dp() -> None:
    """If value times budget does not fit 64 bits, the dp rounds, says so, and is not the last."""
    costs = [[0, 10**6], [0, 10**6 + 7], [0, 10**6 - 17]]
    table = Table.flat(costs, [[0, 2**57], [0, 2**57 + 1], [0, 2**57 + 3]])
    rounded = solve(table, 2 * 10**6, "dp")
    assert not rounded.is_optimal
    assert rounded.bound >= 2**58 + 4
    solution = solve(table, 2 * 10**6)
    assert (solution.choice.tolist(), solution.cost) == ([0, 1, 1], 1_999_990)
    assert agreement.facts(solve(table, 2 * 10**6, "large")) == agreement.facts(solution)


def test_common_divisors_make_room() -> None:
    """Large values with a common divisor are solved exactly."""
    table = Table.flat([[0, 2**50]] * 3, [[0, 2**57]] * 3)
    solution = solve(table, 2**51)
    assert (solution.value, solution.cost) == (2**58, 2**51)


def test_the_limit_depends_on_the_sign() -> None:
    """Values of 0 or more have twice the room; up to there, nothing is rounded or overflows."""
    for seed in range(instances.count(60)):
        rng = np.random.default_rng(seed)
        costs, signed = rng.integers(0, 12, (8, 3)), bool(seed % 2)
        room = ROOM * (1 if signed else 2) // (most_cost(Table.flat(costs, costs), 60) + 1)
        most = room // 8 - 1
        values = most - rng.integers(0, 40, (8, 3)) ** 4
        if signed:
            values *= rng.choice([-1, 1], (8, 3))
        table, budget = Table.flat(costs.tolist(), values.tolist()), int(rng.integers(20, 60))
        best = agreement.assert_exact(table, budget)
        assert best.status is not Status.FEASIBLE
        assert agreement.assert_brute(table, budget, best)


def test_integers_are_rounded_as_integers() -> None:
    """An integer that must be rounded is off by half a unit at most, beyond 2**53 too."""
    values = [2**59 + offset for offset in (1, 31, 32, 33, 63, 64)] + [-(2**59) - 33]
    scaled = scale(Table.flat([[1] * 7], [values]), 1)
    unit = int(1 / scaled.per_one)
    assert not scaled.exact
    assert all(
        2 * abs(int(units) * unit - value) <= unit
        for units, value in zip(scaled.units, values, strict=True)
    )
    assert max(values) <= scaled.upper_bound(int(scaled.units.max()), 1) <= max(values) + unit
