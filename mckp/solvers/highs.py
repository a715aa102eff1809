"""HiGHS: the table as a mixed-integer program, to check the others by and to compare with."""

from __future__ import annotations

import importlib.util
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.errors import MissingExtraError
from mckp.solvers import greedy, highs_child
from mckp.solvers.base import Solution, Status
from mckp.solvers.cpsat import choice_of, taken_of
from mckp.solvers.limits import Limits
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from mckp.jit import Ints
    from mckp.table import Table

TRUSTED: Final = 2**26
"""Totals up to this are small enough to believe a proof: HiGHS computes in floats, with
tolerances, and at 2**33 it was seen to call an objective optimal that is not."""
LARGEST: Final = 2**40
"""Totals beyond this are not given to HiGHS at all."""


@dataclass(frozen=True, eq=False)
class Found:
    """What HiGHS says: a choice within the budget, if any, whether it is proved, the nodes."""

    choice: Ints | None
    proved: bool
    nodes: int


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve with HiGHS: one binary an option, one thread, no gap, in a process of its own.

    HiGHS computes in floats with tolerances. Its choice is therefore rounded and added up in
    whole numbers, and is called optimal only if HiGHS has proved it, that sum is what it has
    proved, and the numbers are small (`TRUSTED`). If value and cost together are not, value
    comes first and the least cost of that value second.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit
        Seconds that HiGHS may take; starting its process (about 0.1 seconds) comes on top.
    work_limit
        Nodes of its branch and bound, for each of the two objectives.
    start
        A first solution for HiGHS if it fits the budget; taken if it is better.

    Returns
    -------
    Solution
        Optimal in value and cost, or feasible with the bound of the relaxation, which unlike
        that of HiGHS is in whole numbers. Where ``greedy`` has more, or HiGHS has nothing that
        fits, or totals pass `LARGEST`, it is the selection of ``greedy``. Among equal optima
        the choice is HiGHS's own. Values that are not decimal numbers are never proved.

    Raises
    ------
    MissingExtraError
        If highspy is not installed.
    RuntimeError
        If the process of HiGHS fails to start; the message is what it wrote.

    Notes
    -----
    Memory O(options); time exponential in the worst case. The wheels of highspy and of OR-Tools
    each bring a shared library of one name in different versions, so that one process cannot
    import both: hence the second process. The solver is that of Q. Huangfu and J. A. J. Hall,
    "Parallelizing the dual revised simplex method", Mathematical Programming Computation 10
    (2018), https://highs.dev.

    Examples
    --------
    >>> from mckp.table import Table
    >>> table = Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]])
    >>> solve(table, budget=80).value  # doctest: +SKIP
    9
    """
    if importlib.util.find_spec("highspy") is None:
        raise MissingExtraError("highspy", "highs")
    limits = Limits(time_limit)
    problem = Problem.of(table, budget)
    if not problem.is_feasible:
        return problem.infeasible()
    hint = start.choice if start and greedy.fits(problem, start.choice) else None
    found = _Program(problem, limits, work_limit).solve(hint)
    relaxed = greedy.Relaxed.of(problem)
    rough = relaxed.solution(relaxed.filled(), start)
    best = greedy.better(problem, rough.choice if found.choice is None else found.choice, rough)
    proved = found.proved and best is found.choice
    status = Status.OPTIMAL if proved else Status.FEASIBLE
    bound = greedy.totals(problem, best)[0] if proved else relaxed.bound
    return replace(problem.chosen(best, status, bound), statistics={"nodes": found.nodes})


class _Program:
    """The table as rows over options, in the smallest whole numbers."""

    def __init__(self, problem: Problem, limits: Limits, nodes: int | None) -> None:
        self.problem, self.limits, self.nodes = problem, limits, nodes
        self.table = table = problem.table
        graph = problem.graph
        alive = graph.fitting
        cost_unit, value_unit = _unit(graph.cost[alive > 0]), _unit(graph.value)
        self.costs = np.where(alive > 0, graph.cost // cost_unit, 0)
        self.budget = min(graph.budget, graph.most_cost) // cost_unit
        self.scale, self.most = self.budget + 1, alive.tolist()
        while _total(graph.value) > LARGEST * value_unit:
            value_unit *= 2
        self.values = graph.value // value_unit
        exact = bool((self.values * value_unit == graph.value).all())
        self.trusted = exact and max(_total(self.values), _total(self.costs)) <= TRUSTED
        owners, options = table.parent_option, np.arange(table.options)
        below = np.flatnonzero(owners >= 0)
        rows = np.concatenate((table.class_of, below, np.full(options.size, table.classes)))
        columns = np.concatenate((options, owners[below], options))
        factors = np.concatenate((np.ones(options.size), -np.ones(below.size), self.costs))
        order = np.argsort(rows, kind="stable")
        self.rows, self.options, self.factors = rows[order], columns[order], factors[order]
        self.right: list[float] = np.where(owners < 0, 1.0, 0.0).tolist()

    def solve(self, hint: Ints | None) -> Found:
        """Ask for value and cost at once if the numbers are small, else for one, then the other."""
        if not self.values.size:
            return Found(np.full(len(self.right), -1), True, 0)
        if _total(self.costs) > LARGEST:
            return Found(None, False, 0)
        if self.trusted and _total(self.values) * self.scale <= TRUSTED:
            return self._ask(self.values * self.scale - self.costs, None, hint)
        first = self._ask(self.values, None, hint)
        if first.choice is None or not first.proved:
            return first
        least = int(self.values @ taken_of(self.table, first.choice))
        second = self._ask(-self.costs, least, first.choice)
        last = first if second.choice is None else second
        return replace(last, proved=second.proved, nodes=first.nodes + second.nodes)

    def _ask(self, gain: Ints, least: int | None, hint: Ints | None) -> Found:
        """Maximize the gain, perhaps of a value that is not less than the least."""
        answer = highs_child.ask(self._job(gain, least, hint))
        if not answer or answer["taken"] is None:
            return Found(None, False, 0)
        taken = np.zeros(gain.size, dtype=bool)
        taken[answer["taken"]] = True
        choice = choice_of(self.table, taken)
        fits = greedy.fits(self.problem, choice) and (taken_of(self.table, choice) == taken).all()
        if not fits or (least is not None and self.values @ taken < least):
            return Found(None, False, answer["nodes"])
        reached = answer["optimal"] and gain @ taken >= math.floor(answer["bound"])
        return Found(choice, self.trusted and bool(reached), answer["nodes"])

    def _job(self, gain: Ints, least: int | None, hint: Ints | None) -> dict[str, Any]:
        limit = self.limits.time_limit
        starts = np.searchsorted(self.rows, np.arange(self.table.classes + 1)).tolist()
        job: dict[str, Any] = {
            "gain": gain.tolist(),
            "most": self.most,
            "lower": [*self.right, -math.inf],
            "upper": [*self.right, self.budget],
            "starts": [*starts, self.rows.size],
            "options": self.options.tolist(),
            "factors": self.factors.tolist(),
            "hint": None if hint is None else taken_of(self.table, hint).tolist(),
            "seconds": limit and max(0.0, limit - self.limits.seconds),
            "nodes": self.nodes,
        }
        if least is not None:
            job["lower"].append(least)
            job["upper"].append(math.inf)
            job["options"].extend(range(gain.size))
            job["factors"].extend(self.values.tolist())
            job["starts"].append(job["starts"][-1] + gain.size)
        return job


def _unit(amounts: Ints) -> int:
    return max(1, int(np.gcd.reduce(amounts))) if amounts.size else 1


def _total(amounts: Ints) -> int:
    return sum(map(abs, amounts.tolist()))
