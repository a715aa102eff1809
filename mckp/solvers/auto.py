"""The default: prove most of the table away, solve the rest exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mckp.solvers.base import Solution, Status
from mckp.solvers.dp import Rows
from mckp.solvers.problem import Problem
from mckp.solvers.reduce import Band, band
from mckp.solvers.relax import Dual, rank, relax

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.solvers.graph import Graph
    from mckp.solvers.kernels.jit import Ints
    from mckp.table import Table

SMALL: Final = 250_000
"""Updates that the plain dynamic program makes faster than a reduction pays for itself."""
_EASY: Final = 2_000_000
"""Updates that cost so little that a wider attempt is worth more than a narrower one."""
_GROWTH: Final = 4


@dataclass(frozen=True, eq=False)
class Found:
    """The best path so far, and what is proved about it.

    Parameters
    ----------
    path
        The path.
    bound
        Value that no path exceeds.
    proved
        Whether no path has more value, and none of this value costs less.
    """

    path: Ints
    bound: int
    proved: bool


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
    small: int = SMALL,
) -> Solution:
    """Solve exactly, after proving which options and budgets cannot matter.

    A price for cost gives a bound on the value; only what lies on a path close to that bound
    is kept, and the dynamic program runs on it. If the best path is as close as assumed, it
    is proved optimal at once; if not, the bound sinks and a wider part is kept. When the
    value is proved, the same is done for the least cost of that value.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    small
        Tables of up to this many updates go to the dynamic program as they are.

    Returns
    -------
    Solution
        Optimal, infeasible, or feasible with a bound where the part to be kept passes the
        limits of `mckp.solvers.dp`. Of equal optima it is the one with the earliest options,
        unless value and cost are proved and there are too many equals to tell them apart
        within those limits. The choice never depends on time, only on the input.

    Notes
    -----
    Time O(options) a sweep and some dozens of sweeps, plus the dynamic program on what is
    left; at most O(options x budget) a round. Memory as for `mckp.solvers.dp`.

    The idea of a core grown until it proves itself is from D. Pisinger, "A minimal algorithm
    for the multiple-choice knapsack problem", European Journal of Operational Research 83
    (1995); sources of the parts stand with `relax`, `band` and `dp.solve`.

    Examples
    --------
    >>> from mckp.table import Table
    >>> solution = solve(Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]]), budget=80)
    >>> solution.value, solution.cost, str(solution.status)
    (9, 40, 'optimal')
    """
    problem = Problem.of(table, budget)
    if not problem.is_feasible:
        return problem.infeasible()
    cut = problem.core()
    found = search(cut.graph, small)
    status = Status.OPTIMAL if found.proved else Status.FEASIBLE
    return problem.solution(cut.lift(found.path), status, cut.value_there(found.bound))


def search(graph: Graph, small: int) -> Found:
    """Find the best path of a graph."""
    rows = Rows.of(graph)
    if rows.cells <= small and not rows.too_large:
        path = rows.solve()
        assert path is not None
        return Found(path, graph.totals(path)[0], proved=True)
    dual = relax(graph)
    if dual.over is None:
        return Found(dual.under.path, dual.bound, proved=True)
    found = raise_value(graph, dual, dual.incumbent())
    if found.proved or found.bound > graph.totals(found.path)[0]:
        return found
    return lower_cost(graph, found)


def raise_value(graph: Graph, dual: Dual, path: Ints) -> Found:
    """Look for more value than that of `path`, from the bound downwards."""
    value, bound = graph.totals(path)[0], dual.bound

    def attempt(reach: int) -> Band | None:
        return band(graph, dual.tightest.price, max(value + 1, bound - reach + 1))

    reach = 1
    while bound > value:
        reach, part = widen(attempt, reach, bound - value)
        if part is not None and part.rows.too_large:
            return Found(path, bound, proved=False)
        better = part.solve() if part else None
        if better is not None:
            path = max(path, better, key=lambda path: rank(graph, path))
        target = max(value + 1, bound - reach + 1)
        value, bound = graph.totals(path)[0], max(value, target - 1)
        if value >= target:
            return Found(path, value, proved=True)
        bound, reach = max(bound, value), reach * _GROWTH
    return Found(path, bound, proved=False)


def lower_cost(graph: Graph, found: Found) -> Found:
    """Look for the least cost, and the first options, at the value already proved."""
    value, most = graph.totals(found.path)
    dual = relax(graph.within(most))
    least = dual.least_cost(value)

    def attempt(reach: int) -> Band | None:
        return band(graph.within(min(most, least + reach - 1)), *aim(reach))

    def aim(reach: int) -> tuple[int, int]:
        scale, budget = dual.graph.scale, min(most, least + reach - 1)
        return max(1, dual.tightest.price * (budget + 1) // scale), value

    reach = 1
    while True:
        reach, part = widen(attempt, reach, most - least + 1)
        if part is not None and part.rows.too_large:
            return Found(found.path, value, proved=least == most)
        path = part.solve() if part else None
        if path is not None and graph.totals(path)[0] >= value:
            return Found(path, value, proved=True)
        least, reach = least + reach, reach * _GROWTH


def widen(attempt: Callable[[int], Band | None], reach: int, most: int) -> tuple[int, Band | None]:
    """Reach further while that is easy; return the reach and what it takes in."""
    reach = min(reach, most)
    part = attempt(reach)
    while reach < most:
        wider = min(most, reach * _GROWTH)
        next_part = attempt(wider)
        if next_part is not None and (next_part.rows.cells > _EASY or next_part.rows.too_large):
            break
        reach, part = wider, next_part
    return reach, part
