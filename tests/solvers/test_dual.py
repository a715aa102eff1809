"""The dual search among paths, beside the best paths at every price around the one found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from mckp.jit import NEVER
from mckp.solvers import Table
from mckp.solvers.graph import Graph
from mckp.solvers.kernels import dual
from mckp.solvers.scaling import scale, shift_of
from tests.solvers import instances
from tests.solvers.instances import JIT_OFF, count

if TYPE_CHECKING:
    from mckp.jit import Ints

Arrays = tuple["Ints", "Ints", "Ints", "Ints"]


class Spare(NamedTuple):
    """A graph whose costs are what is paid above the cheapest, and what there is to spend."""

    arrays: Arrays
    after: Ints
    slack: int
    shift: int

    @property
    def high(self) -> int:
        """A price at which nothing but what is free is worth its cost."""
        return 2**60 // (self.slack + 1) + 1


def spare(table: Table, budget: int) -> Spare | None:
    """Make the graph of a table as `tree` does; None if nothing fits."""
    graph = Graph.of(table, scale(table), budget)
    start, cost, value, succ = graph.arrays
    least = dual.least_costs(start, cost, succ)
    if least[0] > budget:
        return None
    slack = budget - int(least[0])
    costs = dual.spare_costs(start, cost, succ, least, slack)
    shift = shift_of(scale(table).per_one * table.largest_value)
    return Spare((start, costs, value, succ), graph.after, slack, shift)


def evaluated(arrays: Arrays, most: int, shift: int, price: int) -> list[tuple[int, int]]:
    """Return reduced value and cost of the best path from each class, in plain integers."""
    start, cost, value, succ = (numbers(array) for array in arrays)
    found = [(NEVER, 0)] * (len(start) - 1) + [(0, 0)]
    for u in reversed(range(len(start) - 1)):
        ways = [
            (
                found[succ[o]][0] + (value[o] << shift) - price * cost[o],
                -found[succ[o]][1] - cost[o],
            )
            for o in range(start[u], start[u + 1])
            if cost[o] <= most and found[succ[o]][0] != NEVER
        ]
        reduced, paid = max(ways, default=(NEVER, 0))
        found[u] = reduced, -paid
    return found


def numbers(array: Ints) -> list[int]:
    """Return an array as plain integers."""
    return [int(x) for x in array]


def wide_object(seed: int, children: int) -> tuple[Table, int]:
    """Make an object whose children are all worth their cost, but not the object its own."""
    rng = np.random.default_rng(seed)
    fields = [[(0, 0), (1, 10)]] * children
    lost = children * int(rng.integers(3, 8))
    others = [[(0, 0), (16, int(16 * steep))] for steep in rng.uniform(1, 9, 100)]
    return Table.nested([[(0, 0), (1, -lost, fields)], *others]), int(rng.integers(600, 1500))


def drawn(seed: int, n: int) -> tuple[Table, int]:
    """Return a nested table and a budget: tiny, a document, or an object with many children."""
    if n == 0:
        return instances.tiny(seed)
    if seed % 2:
        return wide_object(seed, n)
    table = instances.document(seed, n)
    return table, int(table.cost.sum()) // (2 + seed % 9)


@pytest.mark.parametrize("n", [0, 60] if JIT_OFF else [0, 60, 400, 4000])
def test_price_is_the_least_at_which_the_best_path_fits(n: int) -> None:
    """At the price the best path fits; at one less it does not; totals are those of all paths."""
    for seed in range(count(400 if n == 0 else 20 if n < 1000 else 4)):
        given = spare(*drawn(seed, n))
        if given is None:
            continue
        slack, shift = given.slack, given.shift
        price, best, spent, _ = dual.break_price_of_paths(
            *given.arrays, given.after, slack, shift, given.high
        )
        here = evaluated(given.arrays, slack, shift, price)
        for own, paid, way in zip(best.tolist(), spent.tolist(), here, strict=True):
            assert (own, paid) == way or way[0] == NEVER, seed
        assert spent[0] <= slack, seed
        if price:
            assert evaluated(given.arrays, slack, shift, price - 1)[0][1] > slack, seed


def test_decided_parts_are_passed_over() -> None:
    """Between two prices the smaller graph has the same best totals, and far fewer classes."""
    smaller = 0
    for seed in range(count(60)):
        given = spare(*drawn(seed, (0, 30, 100)[seed % 3]))
        if given is None or given.after.size == 0:
            continue
        (start, cost, value, succ), slack, shift = given.arrays, given.slack, given.shift
        rng = np.random.default_rng(seed)
        middle = dual.break_price_of_paths(*given.arrays, given.after, slack, shift, given.high)[0]
        low = int(middle * rng.uniform(0.3, 1))
        high = low + 2 + int(middle * rng.uniform(0, 0.5))
        ends: list[Any] = []
        for price in (low, high):
            best, spent = (np.empty(start.size, dtype=np.int64) for _ in range(2))
            dual.best_paths(start, cost, value, succ, slack, shift, price, best, spent)
            ends += [best, spent]
        with np.errstate(over="ignore"):  # of classes without a way, whose totals mean nothing
            part = dual.undecided_part(
                start, cost, value, succ, given.after, slack, shift, low, high, *ends
            )
        most = 2**60 if part[0].size < start.size else slack
        smaller += part[0].size < start.size
        assert part[0][-1] == part[1].size == part[2].size == part[3].size
        assert part[4].size == part[0].size - 1
        assert (part[4] > np.arange(part[4].size)).all()
        for price in {low, high, *rng.integers(low, high + 1, 5).tolist()}:
            whole = evaluated(given.arrays, slack, shift, price)[0]
            assert evaluated(part[:4], most, shift, price)[0] == whole, seed
        for price, best, spent in ((low, *ends[:2]), (high, *ends[2:])):
            known = list(zip(best.tolist(), spent.tolist(), strict=True))[: part[0].size]
            assert known == evaluated(part[:4], most, shift, price)
    assert smaller > count(60) // 4


def test_spare_costs_keep_what_fits() -> None:
    """Every path that fits costs what it did, less the least cost; no other becomes one."""
    for seed in range(count(300)):
        table, budget = instances.tiny(seed)
        graph = Graph.of(table, scale(table), budget)
        start, cost, _, succ = graph.arrays
        least = dual.least_costs(start, cost, succ)
        if least[0] > budget:
            continue
        slack = budget - int(least[0])
        costs = dual.spare_costs(start, cost, succ, least, slack)
        for path in every_path(start, succ, 2000):
            total, spared = int(cost[path].sum()), int(costs[path].sum())
            assert (spared <= slack) == (total <= budget)
            if total <= budget:
                assert spared == total - least[0]


def every_path(start: Ints, succ: Ints, most: int) -> list[list[int]]:
    """List the paths from the first class to the end, or the first of them."""
    found: list[list[int]] = []
    pending: list[tuple[int, list[int]]] = [(0, [])]
    while pending and len(found) < most:
        u, path = pending.pop()
        if u == start.size - 1:
            found.append(path)
        else:
            pending += [(int(succ[o]), [*path, o]) for o in range(start[u], start[u + 1])]
    return found
