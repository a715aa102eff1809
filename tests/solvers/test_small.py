"""The programme for small tables gives what the default solver gives."""

import numpy as np
import pytest

from mckp.solvers import Table, dp
from mckp.solvers.base import Status
from mckp.solvers.evaluation import cost_of, is_selection
from mckp.solvers.small import solve_small
from tests.solvers import instances


def assert_same_totals(table: Table, budget: int) -> bool:
    """Check the solution of a table, and return whether there is one."""
    small, wanted = solve_small(table, budget), dp.solve(table, budget)
    if small is None:
        return False
    assert is_selection(table, small.choice), "one option for each class that is reached"
    assert (small.value, small.cost) == (wanted.value, wanted.cost)
    assert cost_of(table, small.choice) == small.cost
    assert small.status is wanted.status is Status.OPTIMAL
    return True


def test_small_trees_have_one_answer() -> None:
    """It has the value and the cost of `dp` on random trees, with setup costs and without."""
    for make in (instances.tiny, instances.with_setup):
        known = sum(assert_same_totals(*make(seed)) for seed in range(instances.count(300)))
        assert known > instances.count(300) // 3


def test_documents_have_one_answer() -> None:
    """It has the value and the cost of `dp` on tables as documents give them, full of ties."""
    table = instances.document(3, 10)
    assert all(assert_same_totals(table, budget) for budget in (25, 50, 150))


def test_values_that_are_no_decimals_are_exact() -> None:
    """Fractions of powers of two are summed exactly."""
    rng = np.random.default_rng(5)
    values = rng.integers(1, 2**20, (8, 3)) / 2.0**14
    assert assert_same_totals(Table.flat(rng.integers(0, 30, (8, 3)).tolist(), values.tolist()), 90)


@pytest.mark.parametrize("budget", [1, 10**6])
def test_nothing_fits_or_too_much_work(budget: int) -> None:
    """It leaves to other solvers what has no solution, and tables that are not small."""
    assert (
        solve_small(Table.flat([[2 + n, 3] for n in range(2000)], [[1, 2]] * 2000), budget) is None
    )
