"""The dynamic program: what it stores changes nothing but memory, and limits never raise."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mckp.solvers import Status, Table, brute, dp
from mckp.solvers import rows as module
from mckp.solvers.frontiers import frontier
from mckp.solvers.limits import Limits
from mckp.solvers.problem import Problem
from mckp.solvers.rows import Filling, Plan, Rows
from tests.solvers import agreement, instances

if TYPE_CHECKING:
    from mckp.jit import Ints

BATCH = 100


def path(rows: Rows, marks: list[int]) -> list[int] | None:
    """Return the best path by the plan of these marks."""
    graph = rows.graph
    gain: Ints = graph.value * graph.scale - graph.cost
    found = Filling(rows, gain, Limits()).path(marks)
    return None if found is None else found.tolist()


def assert_any_plan(rows: Rows, rng: np.random.Generator, plans: int) -> None:
    """Check that rows stored anywhere give the path that keeping all choices gives."""
    n = rows.graph.classes
    whole = path(rows, [0, n])
    for _ in range(plans if n > 1 else 0):
        cuts = rng.integers(1, n, int(rng.integers(1, min(n, 8) + 1)))
        assert path(rows, [0, *np.unique(cuts).tolist(), n]) == whole


def narrowed(rows: Rows, rng: np.random.Generator) -> Rows:
    """Return the same rows with windows cut at random, some of them empty."""
    most = max(1, rows.graph.budget // 3)
    low = rows.low + rng.integers(0, most, rows.low.size) * (rng.random(rows.low.size) < 0.3)
    high = rows.high - rng.integers(0, most, rows.low.size) * (rng.random(rows.low.size) < 0.3)
    low[0] = min(int(low[0]), rows.graph.budget)
    high[0] = max(int(high[0]), rows.graph.budget)
    return Rows(rows.graph, low, high)


@pytest.mark.parametrize("batch", range(instances.count(10)))
def test_rows_stored_anywhere_change_nothing_on_tiny_trees(batch: int) -> None:
    """On tiny trees every plan gives the same options, in windows cut at random too."""
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        table, budget = instances.tiny(seed)
        problem = Problem.of(table, budget)
        if problem.is_feasible:
            rng = np.random.default_rng(seed)
            rows = Rows.of(problem.core().graph)
            assert_any_plan(rows, rng, 3)
            assert_any_plan(narrowed(rows, rng), rng, 3)


@pytest.mark.skipif(instances.JIT_OFF, reason="slow without compilation")
@pytest.mark.parametrize("size", [10, 60, 300])
def test_rows_stored_anywhere_change_nothing_on_documents(size: int) -> None:
    """On deep trees full of ties every plan gives the same options."""
    for seed in range(instances.count(10)):
        rng = np.random.default_rng(seed)
        for budget in (size // 2, size * 5, size * 15):
            graph = Problem.of(instances.document(seed, size), budget).core().graph
            assert_any_plan(Rows.of(graph), rng, 4)
            assert_any_plan(narrowed(Rows.of(graph), rng), rng, 4)


@pytest.mark.skipif(instances.JIT_OFF, reason="slow without compilation")
@pytest.mark.parametrize("family", instances.FAMILIES)
def test_the_plan_of_least_memory_changes_nothing(
    family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the plan that large tables get, the solution is the same."""
    for seed in range(instances.count(5)):
        table, budget = instances.flat(family, seed, 200, 4, 60)
        whole = dp.solve(table, budget)
        monkeypatch.setattr(module, "SMALL_BYTES", -1)
        lean = dp.solve(table, budget)
        monkeypatch.undo()
        assert agreement.facts(lean) == agreement.facts(whole)
        assert lean.statistics["bytes"] < whole.statistics["bytes"]
        assert lean.statistics["cells"] > whole.statistics["cells"]


@pytest.mark.skipif(instances.JIT_OFF, reason="slow without compilation")
@pytest.mark.parametrize("nested", [False, True])
def test_memory_is_what_the_plan_says(nested: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory that is really taken stays within the plan's figure."""
    monkeypatch.setattr(module, "SMALL_BYTES", -1)
    table, budget = instances.flat("uncorrelated", 1, 300, 5, 300)
    if nested:
        table, budget = instances.document(1, 1000), 8000
    rows = Rows.of(Problem.of(table, budget).core().graph)
    plan, small = rows.plan, 200 * rows.graph.classes + 2**16
    rows.solve()
    tracemalloc.start()
    rows.solve()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(plan.marks) > 2
    assert peak <= plan.bytes + small


def test_a_thousand_classes_need_little_memory() -> None:
    """A thousand classes, costs up to 1,000 and a budget of 350,000 take some 25 MB."""
    rng = np.random.default_rng(1)
    costs, values = rng.integers(1, 1001, (2, 1000, 7)).tolist()
    graph = Problem.of(Table.flat(costs, values), 350_000).core().graph
    rows = Rows.of(graph)
    assert rows.bytes < 40 * 2**20
    assert not rows.too_large


def test_marks_avoid_open_subtrees() -> None:
    """Rows are stored where few are alive: between the classes at the root, where near."""
    rows = Rows.of(Problem.of(instances.document(1, 400), 4000).core().graph)
    stored = module.stored_bytes(rows)
    marks = Plan.of(Rows(rows.graph, rows.low, rows.high)).marks
    n = rows.graph.classes
    assert marks[0] == 0
    assert marks[-1] == n
    assert stored[0] == stored[n] == 0
    # One obvious count: a row is alive if a class before the mark can lead to it.
    for mark in range(1, n, 37):
        late = {int(s) for s in rows.graph.succ[: rows.graph.start[mark]] if mark <= s < n}
        assert stored[mark] == 8 * sum(int(rows.widths[s]) for s in late)


@pytest.mark.parametrize("limit", ["time", "work", "bytes"])
def test_limits_never_raise(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At any limit there is a selection within the budget, with a bound that holds."""
    work = 0 if limit == "work" else None
    monkeypatch.setattr(module, "_STEP", 1)
    for seed in range(instances.count(300)):
        table, budget = instances.tiny(seed)
        best = brute.solve(table, budget)
        if limit == "bytes":
            monkeypatch.setattr(dp, "MAX_BYTES", 10)
        time = 0.0 if limit == "time" else None
        solution = dp.solve(table, budget, time_limit=time, work_limit=work)
        agreement.assert_valid(table, budget, solution)
        assert (solution.status is Status.INFEASIBLE) == (best.status is Status.INFEASIBLE)
        assert solution.value <= best.value <= solution.bound or best.value == solution.value
        if solution.status is Status.OPTIMAL:
            assert (solution.value, solution.cost) == (best.value, best.cost)


def test_time_stops_between_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Out of time, the filling stops after one step and greedy's selection is given."""
    table, budget = instances.flat("weakly", 1, 30, 4, 50)
    monkeypatch.setattr(module, "_STEP", 1000)
    solution = dp.solve(table, budget, time_limit=0.0)
    assert solution.status is Status.FEASIBLE
    assert solution.gap > 0
    assert 0 < solution.statistics["cells"] < dp.solve(table, budget).statistics["cells"]


def test_rows_tell_limits_from_no_path() -> None:
    """`Rows.solve` gives None where no path stays in the windows, and raises at a limit."""
    table, budget = instances.flat("weakly", 1, 10, 3, 20)
    rows = Rows.of(Problem.of(table, budget).core().graph)
    shut = rows.high.copy()
    shut[5] = -1
    assert Rows(rows.graph, rows.low, shut).solve() is None
    shut = rows.high.copy()
    shut[0] = rows.graph.budget - 1
    assert Rows(rows.graph, rows.low, shut).solve() is None
    with pytest.raises(TimeoutError):
        rows.solve(Limits(work_limit=10, work=11))


def test_counts_and_start() -> None:
    """Updates and bytes are counted; a start changes nothing."""
    table, budget = instances.flat("weakly", 1, 10, 3, 20)
    first = dp.solve(table, budget)
    assert first.statistics["cells"] > 0
    assert first.statistics["bytes"] > 0
    again = dp.solve(table, budget, start=first)
    assert agreement.facts(again) == agreement.facts(first)


def test_rows_wider_than_a_chunk() -> None:
    """Rows of many chunks are those of the textbook recursion in whole arrays."""
    rng = np.random.default_rng(4)
    costs, values = rng.integers(0, 4000, (2, 5, 3))
    twin = np.zeros(9001, dtype=np.int64)
    for cost, value in zip(costs, values, strict=True):
        rows = [np.full(9001, -(2**40)) for _ in cost]
        for row, c, v in zip(rows, cost.tolist(), value.tolist(), strict=True):
            row[c:] = twin[: 9001 - c] + v
        twin = np.max(rows, axis=0)
    curve = frontier(Table.flat(costs.tolist(), values.tolist()), 9000)
    assert curve.value.filled(-1).tolist() == np.maximum(twin, -1).tolist()
    solution = dp.solve(Table.flat(costs.tolist(), values.tolist()), 9000)
    assert (solution.value, solution.cost) == (twin[-1], curve.cost[-1])
