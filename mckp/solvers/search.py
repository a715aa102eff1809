"""The search: fix a price, compute the loss of each option, and allow more and more loss."""

from __future__ import annotations

import sys
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers import kernel
from mckp.solvers.base import NEVER
from mckp.solvers.lagrange import relax
from mckp.solvers.lists import FAR
from mckp.solvers.look import programmed
from mckp.solvers.tree import Relaxed

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.solvers.base import Limits
    from mckp.solvers.kernel import Program
    from mckp.solvers.problem import Problem
    from mckp.solvers.tree import Tree
    from mckp.table import Ints

STATES: Final = 4_096
"""States of one list at first; four times as many in each later look that was cut short."""
SPEED: Final = 2 * 10**7
"""Operations a second, by which a time limit is one of work as well."""
PAYS: Final = 2 * 10**8
"""Operations done for one table after which loading the compiled kernel is worth it."""
FIRST: Final = 96
"""Ways that a look has more than the one before, at least; the first has that many beside those
that lose nothing."""
MORE: Final = 0.6
"""Of the ways beside the relaxation's, so many more are in the next look, and a third of that in
the first. A step that is longer than need be costs more than a look too many: the last look then
has all that loses less than the best of the one before leaves open, two or three times as much as
the best of all does."""


def lost(tree: Tree, relaxed: Relaxed) -> tuple[Ints, Ints]:
    """Return the least loss of each way, and of reaching each class.

    A way is an option, clean or paying its setup cost, in a class that is free or clean: the first
    array is [clean, paid; free, clean; options], without the second of its first axis where nothing
    can be owed. The second is [free, clean; classes]. What is impossible loses `FAR`.
    """
    kinds = 1 if relaxed.paid is None else 2
    ways = np.full((kinds, 2, tree.cost.size), FAR)
    reached = np.full((2, tree.class_ids.size), FAR)
    reached[0, tree.roots] = 0
    for number, level in enumerate(tree.levels):
        option, owner = level.options, tree.owner[level.options]
        for state, best in enumerate((relaxed.best_free, relaxed.best_clean)):
            high = (reached[state] + best)[owner] if state or number == 0 or kinds > 1 else None
            if high is None:
                continue
            ways[0, state, option] = np.minimum(FAR, high - relaxed.clean[option])
            if relaxed.paid is not None:
                ways[1, state, option] = np.minimum(FAR, high - relaxed.paid[option])
        if tree.owing is not None:
            ways[:, 1, option][:, tree.owing[option]] = FAR
        if number + 1 < len(tree.levels):
            below = tree.levels[number + 1].classes
            parent = tree.parent[below]
            reached[1, below] = ways[0][:, parent].min(axis=0)
            if kinds > 1:
                reached[0, below] = ways[1][:, parent].min(axis=0)
    return ways, reached


class Search:
    """Searches selections with little loss, then with more, until a proof or the work limit.

    `best` is the best selection known, as its value and cost in one number; `decided` has its
    options if a look found it. No selection exceeds `bound`. `looks` counts the searches; `ways`
    and `core` are the numbers of ways and of core classes in the last one.
    """

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem, self.limits = problem, limits
        tree, self.least, self.room = problem.tree, problem.cost_relaxation, problem.slack
        ways, self.reached_for = lost(tree, self.least)
        #: What a selection with each option, clean or paid, costs at least above the floor.
        self.dear = ways.min(axis=1)
        self.tree = tree.without_options(self.dear > self.room)
        self.relaxation = relaxation = relax(problem, problem.budget, self.tree)
        self.rate, self.scale = relaxation.price - 1, relaxation.scale
        self.bound = self.top = relaxation.root + self.rate * problem.budget
        self.best, self.looks, self.ways_left, self.core = 0, 0, 0, 0
        self.decided: Ints | None = None

    @property
    def need(self) -> int:
        """The greatest loss that a better selection can have."""
        return self.top - self.best - 1

    @cached_property
    def base(self) -> RelaxedBase:
        """The relaxation's selection below each class."""
        return RelaxedBase(self.tree, self.relaxation.relaxed)

    def run(self) -> None:
        """Search with growing losses until the best is proved or the work limit is reached."""
        self.ways, self.reached = lost(self.tree, self.relaxation.relaxed)
        losses = self.ways.min(axis=1).ravel()
        losses = np.sort(losses[losses < FAR // 2])
        seen, states = -1, STATES
        while self.need >= 0 and not self.limits.is_exhausted:
            place = int(losses.searchsorted(max(seen, 0), side="right"))
            beside = place - np.count_nonzero(self.reached <= max(seen, 0))
            place += max(FIRST, int((MORE if seen >= 0 else MORE / 3) * beside))
            most = max(3 * seen + 9, int(losses[place]) if place < losses.size else FAR)
            most = min(most, self.need)
            program, cost = programmed(self, most)
            while self._is_too_much(program) and most > 4 * (seen + 1):
                most = seen + 1 + (most - seen) // 4
                program, cost = programmed(self, most)
            if self._is_too_much(program):
                break
            counts = self._look(program, cost, most, states)
            least = min(most + 1, int(counts[kernel.CUT]))
            core = min(self.top - int(counts[kernel.CORE_CUT]), int(counts[kernel.CAP]))
            self.bound = min(self.bound, max(self.top - least, core))
            if self.bound <= self.best or counts[kernel.STOPPED]:
                break
            states *= 4 if min(int(counts[kernel.CORE_CUT]), least) <= most else 1
            seen = most
        self.bound = max(self.bound, self.best)

    def _is_too_much(self, program: Program) -> bool:
        """Whether making the lists of all nodes would exceed the work that is left."""
        if self.limits.work_left is None:
            return False
        leaves = int(program.is_leaf[program.order].sum())
        work = kernel.LEAF * leaves + (kernel.NODE + kernel.SUM) * (program.order.size - leaves)
        return work > self.limits.work_left

    def _look(self, program: Program, cost: int, most: int, states: int) -> Ints:
        """Search all selections that lose up to `most`, with lists of up to `states` states."""
        counts = np.zeros(kernel.COUNTS, np.int64)
        counts[[kernel.MOST, kernel.STATES, kernel.PAIRS]] = most, states, 2_048 * states
        counts[[kernel.RATE, kernel.SCALE]] = self.rate, self.scale
        counts[[kernel.BUDGET, kernel.TOP, kernel.COST]] = self.problem.budget, self.top, cost
        counts[[kernel.BEST, kernel.WORK]] = self.best, self.limits.work
        counts[[kernel.CUT, kernel.CORE_CUT, kernel.CAP]] = FAR, FAR, self.top
        counts[kernel.LIMIT] = self.limits.quota(SPEED)
        decided = _runner(self.limits.work)(program, counts)
        self.looks, self.limits.work = self.looks + 1, int(counts[kernel.WORK])
        self.ways_left, self.core = program.way_cost.size, program.core_node.size
        if counts[kernel.BEST] > self.best:
            self.best, self.decided = int(counts[kernel.BEST]), decided
        return counts

    def taken(self) -> Ints:
        """Return the options, in the tree, of the best selection found."""
        relaxed, tree = self.relaxation.relaxed, self.tree
        assert self.decided is not None
        nodes, places, pays = self.decided
        options = tree.first[nodes] + places
        clean, best_clean = relaxed.clean.copy(), relaxed.best_clean.copy()
        best_free = relaxed.best_free
        paid = None if relaxed.paid is None else relaxed.paid.copy()
        is_taken = np.zeros(tree.class_ids.size, bool)
        is_taken[nodes] = True
        takes_option = is_taken[tree.owner]
        for kind, totals in enumerate((clean, paid)):
            if totals is not None:
                totals[takes_option] = NEVER
                totals[options[pays == kind]] = best_free[nodes[pays == kind]]
        best_clean[nodes] = best_free[nodes]
        return tree.select(Relaxed(clean, paid, best_clean, best_free)).taken


def _runner(work: int) -> Callable[[Program, Ints], Ints]:
    """Return the kernel: compiled if it is loaded, or worth loading after this much work.

    Both give the same, with the same count of work. What documents need by default (`dp.MOST_WORK`)
    is done before loading would have ended.
    """
    name = "mckp.solvers.compiled"
    module = import_module(name) if work >= PAYS else sys.modules.get(name)
    return getattr(module, "run", kernel.run)


class RelaxedBase:
    """The relaxation's way in each class, free and clean, and its cost with all below.

    `way`, `pays` and `cost` are [free, clean; classes]; `sums` are prefix sums of the costs over
    the classes.
    """

    def __init__(self, tree: Tree, relaxed: Relaxed) -> None:
        classes = tree.class_ids.size
        self.way = np.zeros((2, classes), np.int64)
        self.pays = np.zeros((2, classes), np.int64)
        self.cost = np.zeros((2, classes), np.int64)
        kinds = 1 if relaxed.paid is None else 2
        cost_by_kind = np.stack([tree.cost + kind * tree.setup for kind in range(kinds)])
        best = relaxed.best
        pays = np.zeros(best.size, np.int64)
        if relaxed.paid is not None:
            pays = (relaxed.paid > relaxed.clean).astype(np.int64)
        below = None
        for level in reversed(tree.levels):
            o = level.options
            if below is not None and level.openers.size:
                for kind in range(kinds):
                    spent = np.add.reduceat(self.cost[1 - kind, below.classes], level.groups)
                    cost_by_kind[kind, o.start + level.openers] += spent
            below = level
            totals = np.arange(level.classes.start, level.classes.stop, dtype=np.int64)
            for state in (0, 1) if kinds > 1 else (0,):
                target = relaxed.best_clean if state else relaxed.best_free
                hits = best[o] == target[tree.owner[o]]
                if state and tree.owing is not None:
                    hits &= ~tree.owing[o]
                if not (at := np.flatnonzero(hits)).size:
                    continue
                at = at[np.searchsorted(tree.owner[o][at], totals).clip(max=at.size - 1)] + o.start
                self.way[state, totals], self.pays[state, totals] = at, pays[at]
                self.cost[state, totals] = cost_by_kind[pays[at], at]
            if kinds == 1:
                self.way[1, totals], self.cost[1, totals] = (
                    self.way[0, totals],
                    self.cost[0, totals],
                )
        self.sums = np.zeros((2, classes + 1), np.int64)
        np.cumsum(self.cost, axis=1, out=self.sums[:, 1:])
