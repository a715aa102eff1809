"""The climb to the optimum: any start, any limit, and numbers at the edge of what is allowed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mckp.solvers import Solution, Status, Table, core, dp, plain, tree
from tests.solvers import agreement, instances
from tests.solvers.instances import JIT_OFF, count

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.solvers import Solver

SOLVERS: dict[str, Solver] = {"core": core.solve, "tree": tree.solve}
Classes = list[list[tuple[int, int]]]


@pytest.mark.parametrize("name", SOLVERS)
def test_no_start_changes_what_is_proved(name: str) -> None:
    """Solutions of other budgets and tables, and nonsense, leave value, cost and status."""
    for seed in range(count(120)):
        table, budget = instances.tiny(seed)
        rng = np.random.default_rng(seed)
        best = plain.solve(table, budget)
        sizes = np.diff(table.start)
        starts = [
            plain.solve(table, budget * 2 + 1).choice,
            plain.solve(table, budget // 2).choice,
            rng.integers(-1, sizes + 1, table.classes),
            np.full(table.classes, 2**40, dtype=np.int64),
            np.zeros(table.classes + 1, dtype=np.int64),
        ]
        for choice in starts:
            start = replace(best, choice=choice, value=10**18, cost=0, bound=0)
            found = SOLVERS[name](table, budget, start=start)
            assert agreement.facts(found)[:-1] == agreement.facts(best)[:-1], seed


@pytest.mark.parametrize("name", SOLVERS)
def test_any_work_limit_leaves_a_bound_that_holds(name: str) -> None:
    """At every limit the selection fits, and no other is worth more than the bound."""
    for seed in range(count(30)):
        family = ("strongly", "subsetsum", "zigzag", "kp01s")[seed % 4]
        table, budget = instances.flat(family, seed, 12, 4, 60)
        if name == "tree" and seed % 2:
            table = instances.document(seed, 25 if JIT_OFF else 400)
            budget = int(table.cost.sum()) // 5
        best = dp.solve(table, budget)
        for limit in (0, 1, 3, 10, 30, 100, 300, 1000, 10**5):
            found = SOLVERS[name](table, budget, work_limit=limit)
            assert_no_worse_than_said(table, budget, found, best)


@pytest.mark.skipif(JIT_OFF, reason="lists of tens of thousands of states")
@pytest.mark.parametrize("name", SOLVERS)
def test_bound_of_an_unfinished_search(name: str) -> None:
    """A search that a limit cuts off in the middle knows how much better another could be."""
    unproved = 0
    for seed in range(count(6)):
        costs = np.random.default_rng(seed).integers(1, 3000, 100)
        values = np.sqrt(costs * 3000.0).astype(np.int64)
        classes = [[(0, 0), pair] for pair in zip(costs.tolist(), values.tolist(), strict=True)]
        table, budget = Table.nested(classes), int(costs.sum()) // 3
        best = dp.solve(table, budget)
        for limit in (0, 1000, 50_000):
            found = SOLVERS[name](table, budget, work_limit=limit)
            assert_no_worse_than_said(table, budget, found, best)
            unproved += found.status is Status.FEASIBLE and found.value < best.value
    assert unproved


def assert_no_worse_than_said(table: Table, budget: int, found: Solution, best: Solution) -> None:
    """Check a solution against the optimum, and its proof if it claims one."""
    agreement.assert_valid(table, budget, found)
    assert found.value <= best.value <= found.bound
    if found.status is Status.OPTIMAL:
        assert (found.value, found.cost) == (best.value, best.cost)


def lattice_of_ratios(seed: int) -> Classes:
    """Make values that are multiples of one number, each unit of which costs several."""
    rng = np.random.default_rng(seed)
    unit = int(rng.choice([2, 3, 5, 10]))
    classes: Classes = []
    for _ in range(rng.integers(2, 7)):
        values = unit * rng.integers(0, 9, rng.integers(1, 4))
        costs = values * rng.integers(1, 5, values.size) + rng.integers(0, 7, values.size)
        classes.append([(0, 0), *zip(costs.tolist(), values.tolist(), strict=True)])
    return classes


def slopes_equal_as_floats(seed: int) -> Classes:
    """Make classes whose second edge is the steeper one, by less than floats can say."""
    rng = np.random.default_rng(seed)
    classes: Classes = []
    while len(classes) < 2 + seed % 5:
        w = int(2 ** (26 + 2 * rng.random()))
        s = int(w * rng.random()) + 1
        if np.gcd(w, s) == 1:
            v = -pow(s, -1, w) % w
            classes.append([(0, 0), (w, v), (w + s, v + (1 + s * v) // w)])
    return classes[:1] * len(classes) if seed % 3 else classes


def both_signs(seed: int) -> Classes:
    """Make values that almost fill the room there is, of both signs."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    most = 2**60 // n - 2**12
    return [
        [(0, -most), (int(rng.integers(1, 2000)), most), (int(rng.integers(0, 999)), 0)]
        for _ in range(n)
    ]


def far_apart(seed: int) -> Classes:
    """Make large costs and values of any size."""
    rng = np.random.default_rng(seed)
    classes: Classes = []
    for _ in range(rng.integers(2, 6)):
        costs = np.exp2(rng.uniform(0, 33, 3)).astype(np.int64).tolist()
        values = np.exp2(rng.uniform(0, 56, 3)).astype(np.int64) * rng.choice([-1, 1, 1], 3)
        classes.append([*zip(costs, values.tolist(), strict=True), (0, int(rng.integers(0, 3)))])
    return classes


@pytest.mark.parametrize("draw", [lattice_of_ratios, slopes_equal_as_floats, both_signs, far_apart])
@pytest.mark.parametrize("name", SOLVERS)
def test_numbers_at_the_edge(name: str, draw: Callable[[int], Classes]) -> None:
    """Where rounding, room or structure is tight, the choice is that of plain lists."""
    for seed in range(count(150)):
        table = Table.nested(draw(seed))
        rng = np.random.default_rng(seed)
        most = int(table.cost.reshape(-1).sum())
        for budget in {most // 2, *(int(most * x) for x in rng.random(4))}:
            best = plain.solve(table, budget)
            found = SOLVERS[name](table, budget)
            agreement.assert_valid(table, budget, found)
            assert agreement.facts(found)[:-1] == agreement.facts(best)[:-1], (seed, budget)
            if found.statistics.get("earliest", 1):
                assert agreement.facts(found) == agreement.facts(best), (seed, budget)


def test_many_equal_classes_at_the_edge() -> None:
    """Too many equal optima to tell apart: the one reported is still one of them."""
    table = Table.nested([[(0, 0), (106002693, 60182870), (108886993, 61820427)]] * 600)
    found = core.solve(table, 108886993)
    agreement.assert_valid(table, 108886993, found)
    assert (found.value, found.cost) == (61820427, 108886993)


@pytest.mark.skipif(JIT_OFF, reason="thousands of classes")
def test_steep_and_flat_classes_together() -> None:
    """Slopes over many magnitudes: what `tree` finds is within the bound of `core`."""
    for seed in range(count(60)):
        rng = np.random.default_rng(seed)
        n = 200
        costs = np.exp2(rng.uniform(0, 44, (n, 2))).astype(np.int64)
        values = np.exp2(rng.uniform(0, 47, (n, 2))).astype(np.int64)
        steep = rng.random(n) < rng.random()
        costs[steep, 1], values[steep, 1] = 1, 2 ** int(rng.integers(30, 46))
        costs[:, 0] = values[:, 0] = 0
        table = Table.flat(costs.tolist(), values.tolist())
        for budget in (int(2 ** rng.uniform(5, 40)), int(n * rng.random())):
            one = core.solve(table, budget, work_limit=20_000)
            other = tree.solve(table, budget, work_limit=20_000)
            agreement.assert_valid(table, budget, one)
            assert one.value <= other.bound, seed
            assert other.value <= one.bound, seed


@pytest.mark.skipif(JIT_OFF, reason="thousands of classes")
def test_object_that_costs_more_than_there_is() -> None:
    """An object whose children are decided, and cost more than the budget, is no way out."""
    fields = [[(0, 0), (1, 10)]] * 3000
    others = [[(0, 0), (16, 16 + 2 * i)] for i in range(100)]
    table = Table.nested([[(0, 0), (1, -15_000, fields)], *others])
    for budget in (700, 1000, 1200, 1500):
        found, best = tree.solve(table, budget), dp.solve(table, budget)
        assert_no_worse_than_said(table, budget, found, best)
