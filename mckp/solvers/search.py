"""The search: fix a price, compute the loss of each option, and allow more and more loss."""

from __future__ import annotations

import sys
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers import kernel
from mckp.solvers.base import NEVER
from mckp.solvers.jit import advise, is_installed
from mckp.solvers.lagrange import relax
from mckp.solvers.lists import FAR
from mckp.solvers.look import build_program
from mckp.solvers.tree import Relaxed

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.solvers.base import Limits
    from mckp.solvers.problem import Problem
    from mckp.solvers.program import Program
    from mckp.solvers.tree import Tree
    from mckp.table import Ints

STATES: Final = 4_096
"""Most states of a list in the first look; four times as many in each look after one that was
shortened."""
SPEED: Final = 2 * 10**7
"""Operations per second, by which a time limit becomes a limit on work."""
PAYS: Final = 2 * 10**8
"""Operations for one table after which loading the compiled kernel saves time."""
FIRST: Final = 96
"""Fewest ways by which a look has more than the one before; the first has so many besides those
that lose nothing."""
MORE: Final = 0.6
"""Share by which the ways besides those of the relaxation grow in each look; a third of it in the
first. A step that is too long costs more than one look too many, since the last look has every way
that loses less than a better selection may: two or three times as many as are needed."""


def least_losses(tree: Tree, relaxed: Relaxed) -> tuple[Ints, Ints]:
    """Return the least loss of each way, and the least loss of reaching each class.

    A way is an option, clean or paying its setup cost, in a class that is free or clean: the first
    array is [clean, paid; free, clean; options], without *paid* if nothing can be owed. The second
    is [free, clean; classes]. The loss of what is impossible is `FAR`.
    """
    kinds = 1 if relaxed.paid is None else 2
    ways = np.full((kinds, 2, tree.cost.size), FAR)
    reached = np.full((2, tree.class_ids.size), FAR)
    reached[0, tree.roots] = 0
    for number, level in enumerate(tree.levels):
        option, owner = level.options, tree.owner[level.options]
        for state, best in enumerate((relaxed.best_free, relaxed.best_clean)):
            best_total = (
                (reached[state] + best)[owner] if state or number == 0 or kinds > 1 else None
            )
            if best_total is None:
                continue
            ways[0, state, option] = np.minimum(FAR, best_total - relaxed.clean[option])
            if relaxed.paid is not None:
                ways[1, state, option] = np.minimum(FAR, best_total - relaxed.paid[option])
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
    """The search among selections with little loss, then with more, until a proof or a limit.

    Attributes
    ----------
    best : int
        The best selection known, as ``scale * value - cost``.
    bound : int
        A number that no selection exceeds, in the same unit.
    decided : array of int64 [3, decided] or None
        The options of the best selection, as from `kernel.run`, if a look found it.
    looks : int
        The number of looks; each is one call of the kernel.
    ways_left, core : int
        The numbers of ways and of classes of the core in the last look.
    """

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem, self.limits = problem, limits
        tree, self.least, self.room = problem.tree, problem.cost_relaxation, problem.slack
        #: `reached_for` has the least cost above the floor of reaching each class.
        ways, self.reached_for = least_losses(tree, self.least)
        #: Of a selection with each option, clean or paid, the least cost above the floor.
        self.dear = ways.min(axis=1)
        self.tree = tree.without_options(self.dear > self.room)
        self.relaxation = relaxation = relax(problem, problem.budget, self.tree)
        self.rate, self.scale = relaxation.price - 1, relaxation.scale
        self.bound = self.top = relaxation.root + self.rate * problem.budget
        self.best, self.looks, self.ways_left, self.core = 0, 0, 0, 0
        self.decided: Ints | None = None

    @property
    def most_loss(self) -> int:
        """The greatest loss that a selection better than `best` can have."""
        return self.top - self.best - 1

    @cached_property
    def base(self) -> RelaxedBase:
        """The relaxation's selection in each class and below."""
        return RelaxedBase(self.tree, self.relaxation.relaxed)

    def run(self) -> None:
        """Look at selections with growing losses until `best` is proved or a limit is reached."""
        self.ways, self.reached = least_losses(self.tree, self.relaxation.relaxed)
        losses = self.ways.min(axis=1).ravel()
        losses = np.sort(losses[losses < FAR // 2])
        searched_loss, states = -1, STATES
        while self.most_loss >= 0 and not self.limits.is_exhausted:
            place = int(losses.searchsorted(max(searched_loss, 0), side="right"))
            extra_ways = place - np.count_nonzero(self.reached <= max(searched_loss, 0))
            place += max(FIRST, int((MORE if searched_loss >= 0 else MORE / 3) * extra_ways))
            most = max(3 * searched_loss + 9, int(losses[place]) if place < losses.size else FAR)
            most = min(most, self.most_loss)
            program, cost = build_program(self, most)
            while self._is_too_much(program) and most > 4 * (searched_loss + 1):
                most = searched_loss + 1 + (most - searched_loss) // 4
                program, cost = build_program(self, most)
            if self._is_too_much(program):
                break
            counts = self._look(program, cost, most, states)
            least_dropped = min(most + 1, int(counts[kernel.CUT]))
            core_bound = min(self.top - int(counts[kernel.CORE_CUT]), int(counts[kernel.CAP]))
            self.bound = min(self.bound, max(self.top - least_dropped, core_bound))
            if self.bound <= self.best or counts[kernel.STOPPED]:
                break
            states *= 4 if min(int(counts[kernel.CORE_CUT]), least_dropped) <= most else 1
            searched_loss = most
        self.bound = max(self.bound, self.best)

    def _is_too_much(self, program: Program) -> bool:
        """Whether making the lists of all nodes would take more work than the limit leaves."""
        if self.limits.work_left is None:
            return False
        leaves = int(program.is_leaf[program.order].sum())
        work = kernel.LEAF * leaves + (kernel.NODE + kernel.SUM) * (program.order.size - leaves)
        return work > self.limits.work_left

    def _look(self, program: Program, cost: int, most: int, states: int) -> Ints:
        """Search all selections that lose up to `most`, with lists of up to `states` states.

        `cost` is that of what the program leaves out. Returns the counts of the kernel.
        """
        counts = np.zeros(kernel.COUNTS, np.int64)
        counts[[kernel.MOST, kernel.STATES, kernel.PAIRS]] = most, states, 2_048 * states
        counts[[kernel.RATE, kernel.SCALE]] = self.rate, self.scale
        counts[[kernel.BUDGET, kernel.TOP, kernel.COST]] = self.problem.budget, self.top, cost
        counts[[kernel.BEST, kernel.WORK]] = self.best, self.limits.work
        counts[[kernel.CUT, kernel.CORE_CUT, kernel.CAP]] = FAR, FAR, self.top
        counts[kernel.LIMIT] = self.limits.quota(SPEED)
        decided = _choose_kernel(self.limits.work)(program, counts)
        self.looks, self.limits.work = self.looks + 1, int(counts[kernel.WORK])
        self.ways_left, self.core = program.way_cost.size, program.core_node.size
        if counts[kernel.BEST] > self.best:
            self.best, self.decided = int(counts[kernel.BEST]), decided
        return counts

    def taken_options(self) -> Ints:
        """Return the options of the best selection that a look found, as indexes in the tree."""
        relaxed, tree = self.relaxation.relaxed, self.tree
        assert self.decided is not None
        classes, places, pays = self.decided
        options = tree.first[classes] + places
        clean, best_clean = relaxed.clean.copy(), relaxed.best_clean.copy()
        best_free = relaxed.best_free
        paid = None if relaxed.paid is None else relaxed.paid.copy()
        is_taken = np.zeros(tree.class_ids.size, bool)
        is_taken[classes] = True
        takes_option = is_taken[tree.owner]
        for kind, totals in enumerate((clean, paid)):
            if totals is not None:
                totals[takes_option] = NEVER
                totals[options[pays == kind]] = best_free[classes[pays == kind]]
        best_clean[classes] = best_free[classes]
        return tree.select(Relaxed(clean, paid, best_clean, best_free)).taken


def _choose_kernel(work: int) -> Callable[[Program, Ints], Ints]:
    """Return the kernel, compiled if that is loaded already or pays after this much work.

    Both kernels give the same results with the same count of work. The default limit
    (`dp.MOST_WORK`) is reached before loading would have ended.
    """
    name = "mckp.solvers.compiled"
    module = sys.modules.get(name)
    if work >= PAYS and module is None:
        advise()
        module = import_module(name) if is_installed() else None
    return getattr(module, "run", kernel.run)


class RelaxedBase:
    """The relaxation's way in each class, if it is free and if it is clean.

    Attributes
    ----------
    way, pays, cost : array of int64 [free, clean; classes]
        The option, whether it pays its setup cost, and the cost with all below.
    sums : array of int64 [free, clean; classes + 1]
        Prefix sums of the costs over the classes.
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
            options = level.options
            if below is not None and level.openers.size:
                for kind in range(kinds):
                    costs_below = np.add.reduceat(self.cost[1 - kind, below.classes], level.groups)
                    cost_by_kind[kind, options.start + level.openers] += costs_below
            below = level
            classes_here = np.arange(level.classes.start, level.classes.stop, dtype=np.int64)
            for state in (0, 1) if kinds > 1 else (0,):
                target = relaxed.best_clean if state else relaxed.best_free
                is_best = best[options] == target[tree.owner[options]]
                if state and tree.owing is not None:
                    is_best &= ~tree.owing[options]
                if not (best_options := np.flatnonzero(is_best)).size:
                    continue
                best_options = (
                    best_options[
                        np.searchsorted(tree.owner[options][best_options], classes_here).clip(
                            max=best_options.size - 1
                        )
                    ]
                    + options.start
                )
                self.way[state, classes_here], self.pays[state, classes_here] = (
                    best_options,
                    pays[best_options],
                )
                self.cost[state, classes_here] = cost_by_kind[pays[best_options], best_options]
            if kinds == 1:
                self.way[1, classes_here], self.cost[1, classes_here] = (
                    self.way[0, classes_here],
                    self.cost[0, classes_here],
                )
        self.sums = np.zeros((2, classes + 1), np.int64)
        np.cumsum(self.cost, axis=1, out=self.sums[:, 1:])
