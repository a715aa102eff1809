"""A table as levels of classes, and its best selection at a price of cost."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mckp.solvers.base import NEVER

if TYPE_CHECKING:
    from mckp.table import Flags, Ints, Table


class TreeLevel(NamedTuple):
    """The classes of one depth and their options, as ranges of the arrays of a `Tree`.

    Attributes
    ----------
    classes, options : slice
        The ranges of the level.
    filled : array of int64 or None
        The classes that have options, as indexes within the level; None if all have some.
    starts : array of int64
        For each of these, the index of its first option within the level.
    openers : array of int64
        The options that open classes, as indexes within the level.
    groups : array of int64
        For each opener, the index of its first class within the next level.
    """

    classes: slice
    options: slice
    filled: Ints | None
    starts: Ints
    openers: Ints
    groups: Ints


class Relaxed(NamedTuple):
    """The best reduced values at a price, from the leaves up.

    A class is *clean* if no owing option may be taken in it, since its opener does not pay its
    setup cost, and *free* otherwise. An option that opens classes is taken with all of them clean,
    or it pays its setup cost and all of them are free.

    Attributes
    ----------
    clean, paid : array of int64 [options]
        The best total of each option and all below it, without and with its setup cost; `paid` is
        None if nothing can be owed.
    best_clean, best_free : array of int64 [classes]
        The best total of each class and all below it, if it is clean and if it is free.
    """

    clean: Ints
    paid: Ints | None
    best_clean: Ints
    best_free: Ints

    @property
    def best(self) -> Ints:
        """For each option, the greater of `clean` and `paid`."""
        return self.clean if self.paid is None else np.maximum(self.clean, self.paid)


class Tree:
    """Classes and options ordered by depth, so that each level is a range.

    Options that cost more than the budget are never selected.

    Attributes
    ----------
    class_ids, option_ids : array of int64
        The class and option of the table at each index here.
    cost, value, setup : array of int64 [options]
        The cost of each option, its value in whole units, and its setup cost.
    owner : array of int64 [options]
        The class of each option.
    owing : array of bool [options] or None
        Whether a setup cost is due if the option is taken; None if nothing can be owed.
    first : array of int64 [classes + 1]
        The first option of each class.
    parent : array of int64 [classes]
        The option that opens each class, -1 at the root.
    levels : list of TreeLevel
        The levels, from the root down.
    is_possible : bool
        Whether any selection is left.
    """

    def __init__(self, table: Table, units: Ints, budget: int) -> None:
        depth = table.level
        self.class_ids: Ints = np.argsort(depth, kind="stable")
        sizes = np.diff(table.start)[self.class_ids]
        self.first = np.concatenate(([0], np.cumsum(sizes)))
        self.option_ids: Ints = np.repeat(
            table.start[self.class_ids] - self.first[:-1], sizes
        ) + np.arange(table.options)
        place = np.empty(table.options, dtype=np.int64)
        place[self.option_ids] = np.arange(table.options)
        parent = table.parent_option[self.class_ids]
        self.parent = np.where(parent >= 0, place[parent], -1) if place.size else parent
        self.cost, self.value = table.cost[self.option_ids], units[self.option_ids]
        self.setup = table.setup[self.option_ids]
        ends = np.searchsorted(depth[self.class_ids], np.arange(table.depth + 1))
        self.owner: Ints = np.repeat(np.arange(table.classes), sizes)
        self.owing: Flags | None = None
        if table.has_setup:
            opener = self.parent[self.owner]
            owing = table.owing[self.option_ids] & (opener >= 0)
            self.owing = owing & (self.setup[opener] > 0)
        self.levels = [self._level(a, b) for a, b in pairwise(ends.tolist()) if b > a]
        # Options that may pay their setup cost: a class that they open may owe it.
        splits: Flags | None = None
        if self.owing is not None:
            splits = np.zeros(self.cost.size, dtype=bool)
            splits[self.parent[self.owner[self.owing]]] = True
            splits &= self.setup <= budget - self.cost
        self._forbid_impossible(self.cost <= budget, splits)

    def _level(self, begin: int, end: int) -> TreeLevel:
        """Return the level of classes `begin` up to but not `end`."""
        first = self.first
        first_option, end_option = int(first[begin]), int(first[end])
        starts = first[begin:end] - first_option
        filled = None
        if (first[begin + 1 : end + 1] == first[begin:end]).any():
            filled = np.flatnonzero(first[begin + 1 : end + 1] > first[begin:end])
            starts = starts[filled]
        is_opened_here = (
            (self.parent >= first_option) & (self.parent < end_option) & (self.parent >= 0)
        )
        openers, groups = np.unique(self.parent[is_opened_here], return_index=True)
        return TreeLevel(
            slice(begin, end),
            slice(first_option, end_option),
            filled,
            starts,
            openers - first_option,
            groups,
        )

    def _forbid_impossible(self, possible: Flags, splits: Flags | None) -> None:
        """Forbid options with which no selection is possible, and set `is_possible`.

        An option is possible if each class that it opens has a possible option; `possible` says
        which options are so by themselves, and `splits` which may pay their setup cost.
        """
        # A total below 0 counts impossible options: any such option is impossible itself.
        clean = -(~possible).astype(np.int64)
        paid = None if splits is None else clean - ~splits
        totals = self._best_totals(clean, paid, -1)
        self._forbid(None if (clean == 0).all() else clean < 0, None if paid is None else paid < 0)
        roots = self.levels[0].classes if self.levels else slice(0)
        self.is_possible = not totals.best_free[roots].any()

    def without_options(self, masks: Flags) -> Tree:
        """Return the tree with some options forbidden, clean or paid.

        `masks` are [kinds; options], for clean options and, if there is a second kind, for paid
        ones. A class may lose all its options only if its opener is forbidden as well.
        """
        tree = copy(self)
        tree._forbid(  # noqa: SLF001
            masks[0], masks[1] if masks.shape[0] > 1 else None
        )
        return tree

    def levels_of(self, classes: Ints) -> Ints:
        """Return the depths of classes, counted from 0."""
        return np.searchsorted([level.classes.stop for level in self.levels], classes, side="right")

    @property
    def roots(self) -> slice:
        """The classes that are always reached."""
        return self.levels[0].classes if self.levels else slice(0, 0)

    @cached_property
    def sizes(self) -> Ints:
        """The number of options of each class."""
        return np.diff(self.first)

    @cached_property
    def below_first(self) -> Ints:
        """For each option, the first class that it opens."""
        return np.searchsorted(self.parent, np.arange(self.cost.size))

    @cached_property
    def below_count(self) -> Ints:
        """For each option, the number of classes that it opens."""
        return np.bincount(self.parent[self.parent >= 0], minlength=self.cost.size)

    def relax(self, scale: int, price: int) -> Relaxed:
        """Return the best total of each option and each class, with all below it.

        Totals are sums of ``scale * value - price * cost``, where the cost includes setup costs
        that are paid. Takes O(options).
        """
        clean = self.value * scale - self.cost * price if scale else self.cost * -price
        paid: Ints | None = None
        if self.owing is not None:
            paid = clean - self.setup * price
        if self._not_clean is not None:
            clean[self._not_clean] = NEVER
        if paid is not None:
            paid[self._not_paid] = NEVER
        return self._best_totals(clean, paid, NEVER)

    def _forbid(self, not_clean: Flags | None, not_paid: Flags | None) -> None:
        """Set the options that must not be taken, clean or paid; None forbids no option."""
        self._not_clean, self._not_paid = not_clean, not_paid

    def _best_totals(self, clean: Ints, paid: Ints | None, impossible: int) -> Relaxed:
        """Return the best totals, added up from the leaves; changes `clean` and `paid` in place.

        They begin with each option by itself, where `impossible` is the total of a forbidden
        option. If that is `NEVER`, a class without a possible option counts 0, since its opener is
        forbidden too.
        """
        best_free = np.empty(self.class_ids.size, dtype=np.int64)
        best_clean = best_free if self.owing is None else np.empty_like(best_free)
        level_below: TreeLevel | None = None
        for level in reversed(self.levels):
            options = level.options
            if level_below is not None and level.openers.size:
                opener_options = options.start + level.openers
                clean[opener_options] += np.add.reduceat(
                    best_clean[level_below.classes], level.groups
                )
                if paid is not None:
                    paid[opener_options] += np.add.reduceat(
                        best_free[level_below.classes], level.groups
                    )
            best = clean[options] if paid is None else np.maximum(clean[options], paid[options])
            best_free[level.classes] = _best_by_class(best, level, impossible)
            if self.owing is not None:
                unowed = np.where(self.owing[options], impossible, best)
                best_clean[level.classes] = _best_by_class(unowed, level, impossible)
            if impossible == NEVER:
                for totals in (best_free[level.classes], best_clean[level.classes]):
                    totals[totals < NEVER // 2] = 0
            level_below = level
        return Relaxed(clean, paid, best_clean, best_free)

    def root_total(self, relaxed: Relaxed) -> int:
        """Return the best total of the whole table: the sum over the classes at the root."""
        return int(relaxed.best_free[self.levels[0].classes].sum()) if self.levels else 0

    def select(self, relaxed: Relaxed) -> Selected:
        """Return the selection with the best total; earlier options win ties. O(options)."""
        best = relaxed.best
        taken: list[Ints] = []
        setup_cost = 0
        reached: Ints = np.arange(int(self.levels[0].classes.stop) if self.levels else 0)
        is_free = np.ones(reached.size, dtype=bool)
        for number, level in enumerate(self.levels):
            options = self._first_best_options(level, relaxed, best, reached, is_free)
            taken.append(options)
            if number + 1 == len(self.levels) or not level.openers.size:
                break
            pays_setup = np.zeros(options.size, dtype=bool)
            if relaxed.paid is not None:
                pays_setup = relaxed.paid[options] > relaxed.clean[options]
                setup_cost += int(self.setup[options[pays_setup]].sum())
            option_states = np.zeros(level.options.stop - level.options.start, dtype=np.int8)
            option_states[options - level.options.start] = 1 + pays_setup
            next_classes = self.levels[number + 1].classes
            class_states = option_states[self.parent[next_classes] - level.options.start]
            reached = np.flatnonzero(class_states)
            is_free = class_states[reached] == 2
            reached += next_classes.start
        chosen_options = np.concatenate(taken) if taken else np.zeros(0, dtype=np.int64)
        value = int(self.value[chosen_options].sum())
        return Selected(chosen_options, value, int(self.cost[chosen_options].sum()) + setup_cost)

    def _first_best_options(
        self, level: TreeLevel, relaxed: Relaxed, best: Ints, reached: Ints, is_free: Flags
    ) -> Ints:
        """Return, for each reached class of a level, its first option with the best total.

        If something can be owed, options that owe are taken only in classes that are free, as
        `is_free` says of the reached ones.
        """
        options, classes = level.options, level.classes
        best_totals = relaxed.best_free[classes]
        is_allowed: Flags | None = None
        if self.owing is not None:
            is_class_free = np.zeros(best_totals.size, dtype=bool)
            is_class_free[reached - classes.start] = is_free
            best_totals = np.where(is_class_free, best_totals, relaxed.best_clean[classes])
            is_allowed = np.repeat(is_class_free, self.sizes[classes]) | ~self.owing[options]
        is_best = best[options] == np.repeat(best_totals, self.sizes[classes])
        if is_allowed is not None:
            is_best &= is_allowed
        best_options = np.flatnonzero(is_best)
        owners = self.owner[options][best_options]
        first_places: Ints = best_options[np.searchsorted(owners, reached)]
        return first_places + int(options.start)


class Selected(NamedTuple):
    """A selection of options of a tree, with its value in units and its cost."""

    taken: Ints
    value: int
    cost: int


def _best_by_class(totals: Ints, level: TreeLevel, default: int) -> Ints:
    """Return the best total of each class of a level; `default` for a class without options."""
    if level.filled is None:
        return np.asarray(np.maximum.reduceat(totals, level.starts))
    best = np.full(level.classes.stop - level.classes.start, default)
    if level.starts.size:
        best[level.filled] = np.maximum.reduceat(totals, level.starts)
    return best
