"""The frontier says for every budget what solving for that budget says."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, cast

import numpy as np
import pytest

from mckp.solvers import Status, Table, dp
from mckp.solvers import frontiers as module
from mckp.solvers.frontiers import Frontier, frontier
from tests.solvers import instances

BATCH = 50
EXAMPLE = Table.flat([[2, 5, 4], [0, 3]], [[0, 9, 8], [0, 5]])
Best = tuple[Fraction, int]


def recursion(table: Table) -> Callable[[int], Best | None]:
    """Return a function of the budget: best value and its least cost, by plain recursion."""
    below: dict[int, list[int]] = {-1: []}
    for child, owner in enumerate(table.parent_option.tolist()):
        below.setdefault(owner, []).append(child)

    @cache
    def best(classes: tuple[int, ...], room: int) -> Best | None:
        if not classes:
            return Fraction(0), 0
        outcomes: list[Best] = []
        for option in range(table.start[classes[0]], table.start[classes[0] + 1]):
            cost = int(table.cost[option])
            if cost <= room:
                rest = best((*below.get(option, []), *classes[1:]), room - cost)
                if rest is not None:
                    outcomes.append(
                        (Fraction(repr(table.value[option].item())) + rest[0], cost + rest[1])
                    )
        return max(outcomes, key=lambda pair: (pair[0], -pair[1])) if outcomes else None

    return lambda budget: best(tuple(below[-1]), budget)


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)


def entries(array: Any) -> list[Any]:
    return cast("list[Any]", array.tolist())


def assert_solves(table: Table, budget: int) -> Frontier:
    curve = frontier(table, budget)
    values, costs = entries(curve.value), entries(curve.cost)
    assert len(values) == len(costs) == budget + 1
    for b, (value, cost) in enumerate(zip(values, costs, strict=True)):
        solution = dp.solve(table, b)
        if value is None:
            assert (solution.status, cost) == (Status.INFEASIBLE, None)
            assert curve.floor is None or b < curve.floor
        else:
            assert curve.floor is not None
            assert b >= curve.floor
            assert cost == solution.cost
            assert value == solution.value if curve.tolerance == 0 else close(value, solution.value)
    return curve


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(instances.count(12)))
def test_every_budget_of_tiny_trees(batch: int) -> None:
    """Value and cost are those of the dp at every budget, and of a plain recursion."""
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        table, budget = instances.tiny(seed)
        budget = min(budget, 60)
        curve, twin = assert_solves(table, budget), recursion(table)
        for b, pair in enumerate(zip(entries(curve.value), entries(curve.cost), strict=True)):
            expected = twin(b)
            assert (expected is None) == (pair[0] is None)
            if expected is not None:
                assert close(pair[0], float(expected[0]))
                assert pair[1] == expected[1]


@pytest.mark.skipif(instances.JIT_OFF, reason="slow without compilation")
@pytest.mark.parametrize("family", instances.FAMILIES)
def test_every_budget_of_literature_families(family: str) -> None:
    """Value and cost are those of the dp on flat instances, floors above 0 included."""
    for seed in range(instances.count(10)):
        rng = np.random.default_rng(seed)
        n, k, most = int(rng.integers(1, 12)), int(rng.integers(1, 6)), int(rng.integers(5, 40))
        table, budget = instances.flat(family, seed, n, k, most, float(rng.uniform(0, 1.3)))
        assert_solves(table, budget)


@pytest.mark.skipif(instances.JIT_OFF, reason="slow without compilation")
def test_documents_at_some_budgets() -> None:
    """The frontier has the value and the cost that a solver finds at each budget."""
    for seed in range(instances.count(5)):
        table = instances.document(seed, 200)
        curve = frontier(table)
        for b in np.random.default_rng(seed).integers(0, curve.budget + 1, 20).tolist():
            solution = dp.solve(table, b)
            assert (solution.value, solution.cost) == (curve.value[b], curve.cost[b])


def test_ranges_are_those_of_solving() -> None:
    """The range of budgets with one solution is that of the values of all budgets."""
    for seed in range(instances.count(150)):
        table, budget = instances.tiny(seed)
        curve = frontier(table, min(budget, 40))
        if curve.useful is None:
            continue
        whole = frontier(table)
        for b in range(curve.floor or 0, curve.budget + 1):
            first, last = curve.range(b)
            top = min(b, whole.budget)
            same = np.flatnonzero(whole.value.filled(0) == whole.value[top])
            same = same[same >= (curve.floor or 0)]
            assert first == same[0] == curve.cost[b]
            assert last == (None if same[-1] == whole.budget else same[-1])


def test_breakpoints_are_where_the_value_changes() -> None:
    """The breakpoints are the floor and every budget that gives more than the one before."""
    curve = frontier(EXAMPLE, 9)
    assert curve.breakpoints.tolist() == [2, 4, 5, 7, 8]
    assert curve.steps() == [(2, 0), (4, 8), (5, 9), (7, 13), (8, 14)]
    assert (curve.floor, curve.useful, curve.budget) == (2, 8, 9)
    assert curve.value[:2].mask.all()
    assert not curve.value[2:].mask.any()


def test_ranges_beyond_the_end_are_found() -> None:
    """A range may end beyond the frontier; budgets outside of it are errors."""
    table = Table.flat([[0, 3, 100]], [[0, 1, 2]])
    assert frontier(table, 5).range(4) == (3, 99)
    assert frontier(table, 100).range(100) == (100, None)
    with pytest.raises(ValueError, match="ends at a budget of 5"):
        frontier(table, 5).range(6)
    with pytest.raises(ValueError, match="the floor is 2"):
        frontier(EXAMPLE, 5).range(1)


@pytest.mark.parametrize("table", [Table.flat([], []), Table.flat([[0], []], [[1], []])])
def test_nothing_to_choose(table: Table) -> None:
    """Without classes there is the empty selection; without options there is none."""
    curve = frontier(table, 3)
    feasible = table.classes == 0
    assert curve.value.tolist() == [0 if feasible else None] * 4
    assert curve.floor == curve.useful == (0 if feasible else None)
    assert "Frontier" in repr(curve)


def test_floats_say_how_exact_they_are() -> None:
    """Decimal numbers are exact; other floats are within the tolerance of the true value."""
    assert frontier(Table.flat([[0, 2], [0, 3]], [[0, 0.1], [0, 0.2]])).value[5] == 0.3
    values = np.random.default_rng(1).normal(size=(8, 3))
    curve = frontier(Table.flat([[0, 2, 5]] * 8, values.tolist()))
    assert 0 < curve.tolerance < 1e-12
    assert abs(float(curve.value[-1]) - math.fsum(values.max(axis=1))) <= curve.tolerance + 1e-15


@pytest.mark.slow
def test_large_numbers_need_no_room() -> None:
    """Large values and costs are no obstacle: work goes by states, not by the budget."""
    table = Table.flat([[0, 10**6], [0, 10**6]], [[0, 2**34], [0, 2**34 + 1]])
    curve = frontier(table, 2 * 10**6 + 5)
    assert curve.steps() == [(0, 0), (10**6, 2**34 + 1), (2 * 10**6, 2**35 + 1)]
    assert curve.range(10**6 + 1) == (10**6, 2 * 10**6 - 1)


def test_limits_name_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frontier that is too large or negative is an error with numbers."""
    with pytest.raises(ValueError, match="give a smaller budget"):
        frontier(EXAMPLE, 10**12)
    monkeypatch.setattr(module, "MAX_CELLS", 10)
    with pytest.raises(ValueError, match="updates, more than 10"):
        frontier(EXAMPLE, 8)
    with pytest.raises(ValueError, match="negative"):
        frontier(EXAMPLE, -1)


def test_many_large_values_do_not_overflow() -> None:
    """The values of all options together may pass 64 bits, as long as no selection does."""
    costs = [[0, 1] * 256] * 4
    table = Table.flat(costs, [[2**53 - 2**50, 2**53 + 2**50] * 256] * 4)
    assert entries(frontier(table, 4).value) == [2**55 + (b - 2) * 2**51 for b in range(5)]
