"""The baseline that many tools use: each part in full or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mckp.solvers import auto
from mckp.solvers.greedy import Relaxed, cheapest_paths
from mckp.solvers.kernels import sweep
from mckp.solvers.limits import Limits
from mckp.solvers.problem import Problem
from mckp.solvers.scaling import ROOM
from mckp.table import Table

if TYPE_CHECKING:
    from mckp.jit import Ints
    from mckp.solvers.base import Solution
    from mckp.solvers.graph import Graph


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
    time_limit, work_limit
        What ``auto`` may spend on that choice, counted as there; at a limit the classes in
        full are the best set it has found.
    start
        Taken if it fits the budget and is better, whether its classes are whole or not.

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
    limits = Limits(time_limit)
    problem = Problem.of(table, budget)
    if not problem.is_feasible:
        return problem.infeasible()
    relaxed = Relaxed.of(problem)
    cheap, full = cheapest_paths(problem.graph)[2], best_paths(problem.graph)[2]
    roots = np.flatnonzero(table.parent_option < 0)
    pairs = _restricted(problem.graph, roots, cheap, full)
    seconds = None if time_limit is None else max(0.0, time_limit - limits.seconds)
    inner = auto.solve(pairs, budget, time_limit=seconds, work_limit=work_limit)
    whole = np.repeat(inner.choice == 1, np.diff(np.append(roots, table.classes)))
    return relaxed.solution(np.where(whole, full, cheap), start)


def best_paths(graph: Graph) -> tuple[Ints, Ints, Ints]:
    """Return the cost and value of the best path from each class, and its options."""
    value, cost, path = sweep.suffix(*graph.arrays, 1, 0)
    return cost, value, path


def _restricted(graph: Graph, roots: Ints, cheap: Ints, full: Ints) -> Table:
    ends = np.append(roots, graph.classes)[1:]
    pairs = [
        [_sums(graph, path, int(a), int(b)) for path in (cheap, full)]
        for a, b in zip(roots, ends, strict=True)
    ]
    # Beside large budgets, values lose the last bits that would not fit 64.
    most = sum(max(abs(value) for _, value in pair) for pair in pairs)
    unit = 1 + 4 * most * (1 + min(graph.budget, graph.most_cost)) // ROOM
    return Table.nested([[(cost, value // unit) for cost, value in pair] for pair in pairs])


def _sums(graph: Graph, path: Ints, first: int, end: int) -> tuple[int, int]:
    cost = value = 0
    while first < end:
        option = path[first]
        cost, value = cost + int(graph.cost[option]), value + int(graph.value[option])
        first = int(graph.succ[option])
    return cost, value
