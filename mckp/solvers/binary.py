"""The baseline that many tools use: each part in full or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mckp.solvers import auto
from mckp.solvers.base import Solution, Status
from mckp.solvers.kernels import sweep
from mckp.solvers.problem import Problem
from mckp.solvers.relax import relax
from mckp.table import Table

if TYPE_CHECKING:
    from mckp.solvers.graph import Graph
    from mckp.solvers.kernels.jit import Ints


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve the 0-1 knapsack of whole root classes: the baseline of the benches.

    Each class at the root takes either its best selection (the greatest value, with every
    class below at its own greatest; ties to the lower cost, then to the earlier option) or
    its cheapest (ties to the greater value, then to the earlier option). Nothing in
    between is tried, which is what this baseline is there to show. Which classes are taken
    in full is chosen exactly.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.

    Returns
    -------
    Solution
        A selection of the whole table, with the bound of the whole table's relaxation: optimal
        only if that bound proves it, else feasible.

    Notes
    -----
    Time and memory as for ``auto`` with two options for each class at the root. The 0-1
    knapsack problem is that of S. Martello and P. Toth, "Knapsack Problems", Wiley 1990,
    chapter 2.

    Examples
    --------
    >>> from mckp.table import Table
    >>> table = Table.flat([[0, 40, 25], [0, 60, 50]], [[0, 9, 8], [0, 6, 5]])
    >>> solve(table, budget=80).value, auto.solve(table, budget=80).value
    (9, 13)
    """
    problem = Problem.of(table, budget)
    if not problem.is_feasible:
        return problem.infeasible()
    cut = problem.core()
    cheap, full = _paths(problem.graph)
    roots = np.flatnonzero(table.parent_option < 0)
    inner = auto.solve(_restricted(problem.graph, roots, cheap, full), budget)
    whole = np.repeat(inner.choice == 1, np.diff(np.append(roots, table.classes)))
    path = np.where(whole, full, cheap)
    dual = relax(cut.graph)
    bound = cut.value_there(dual.bound)
    value, cost = problem.graph.totals(path)
    here = cut.value_here(value)
    least = cut.cost_off + cut.cost_unit * dual.least_cost(here)
    proved = value >= bound and cost <= least
    return problem.solution(path, Status.OPTIMAL if proved else Status.FEASIBLE, bound)


def _paths(graph: Graph) -> tuple[Ints, Ints]:
    """Return the cheapest and the best path, whatever either costs."""
    best = sweep.suffix(*graph.arrays, 1, 0)[2]
    # Equal cost goes to the greater value: the roles of cost and value are exchanged.
    cheap = sweep.suffix(graph.start, -graph.value, -graph.cost, graph.succ, 1, 0)[2]
    return cheap, best


def _restricted(graph: Graph, roots: Ints, cheap: Ints, full: Ints) -> Table:
    ends = np.append(roots, graph.classes)[1:]
    pairs = [
        [_sums(graph, path, int(a), int(b)) for path in (cheap, full)]
        for a, b in zip(roots, ends, strict=True)
    ]
    return Table.nested(pairs)


def _sums(graph: Graph, path: Ints, first: int, end: int) -> tuple[int, int]:
    cost = value = 0
    while first < end:
        option = path[first]
        cost, value = cost + int(graph.cost[option]), value + int(graph.value[option])
        first = int(graph.succ[option])
    return cost, value
