"""Tables that once broke a solver, kept as they were found."""

from __future__ import annotations

import numpy as np
import pytest

from mckp.solvers import Solver, Table, auto, core, plain, tree
from tests.solvers import agreement

ROUNDED = [(0, 0), (106002693, 60182870), (108886993, 61820427)]
"""Both steps are equally steep as floats, and the second is the steeper one."""
LARGE = 2**59 - 2**12
WIDE = [2134110189, 668401511, 1162584429, 1878832619]
GREAT = [-2112940349732169, -19271756483618608, 78928096345895513, 101949670291821762]

FOUND = {
    "slopes equal as floats": (Table.nested([ROUNDED] * 2), 108886993),
    "values at the limit of a table": (Table.flat([[0, 1000]] * 2, [[-LARGE, LARGE]] * 2), 1999),
    "values at the limit of floats": (Table.flat([[0, 1]] * 2, [[0, 0.95e308], [0, 0.3e308]]), 1),
    "values close to no value": (Table.flat([[0, 1]] * 2, [[0, 1e-300], [0, 2e-300]]), 1),
    "a lattice of few points": (
        Table.flat([[0, 2**30 - 12345, 2**30 + 77777]] * 5, [[0, 1, 2]] * 5),
        2**31 + 999,
    ),
    "a lattice that grows": (
        Table.nested([[(0, 0), (12, 6)], [(0, 0), (8, 6), (52, 24), (42, 18)]]),
        54,
    ),
    "a lattice beyond 64 bits": (
        Table.flat(
            [[0, WIDE[0]], WIDE[1:3], [WIDE[3], 0]], [[0, GREAT[0]], GREAT[1:3], [GREAT[3], 0]]
        ),
        3041417047,
    ),
    "a lattice without steps": (
        Table.flat([[511931869, 1968535111]] * 2, [[-10, 50]] * 2),
        2480466981,
    ),
}


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.parametrize("solve", [core.solve, tree.solve], ids=["core", "tree"])
def test_found(name: str, solve: Solver) -> None:
    """The compiled solvers give what plain lists give."""
    table, budget = FOUND[name]
    solution = solve(table, budget)
    agreement.assert_valid(table, budget, solution)
    assert agreement.facts(solution) == agreement.facts(plain.solve(table, budget))


def test_slopes_equal_as_floats_in_many_classes() -> None:
    """Where ties are not told apart, the selection is valid all the same."""
    table = Table.nested([ROUNDED] * 600)
    agreement.assert_valid(table, 108886993, core.solve(table, 108886993))


@pytest.mark.parametrize("seed", [89, 897, 1114, 1899])
def test_prices_that_lie_far_apart(seed: int) -> None:
    """An option that costs too much at the higher price still counts at the lower one."""
    rng = np.random.default_rng(seed)
    costs, values = 2 ** rng.integers(8, 44, 170), 2 ** rng.integers(22, 47, 170)
    common = rng.random(170) < 0.7
    costs[common], values[common] = 1, 2**32
    table = Table.flat(costs[:, None].tolist(), values[:, None].tolist(), skip=True)
    budget = int(2.0 ** rng.uniform(20, 32))
    solution, other = core.solve(table, budget), tree.solve(table, budget)
    assert (solution.value, solution.cost) == (other.value, other.cost)


def test_what_is_decided_may_cost_more_than_the_budget() -> None:
    """An option with decided classes behind it counts, whatever all of it costs together."""
    below = [[(0, 0), (1, 10)]] * 3374
    steps = [[(0, 0), (16, 16 * step)] for step in range(1, 101)]
    table = Table.nested([[(0, 0), (1, -23618, below)], *steps])
    solution = tree.solve(table, 1687)
    agreement.assert_valid(table, 1687, solution)
    assert solution.value == 80800
    assert auto.solve(table, 1687).is_optimal
