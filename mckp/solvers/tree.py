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

    Counted within the level are `filled`, the classes that have options (None if all have some),
    `starts`, where the options of those begin, and `openers`, the options that open classes.
    `groups` says where the classes of each opener begin within the next level.
    """

    classes: slice
    options: slice
    filled: Ints | None
    starts: Ints
    openers: Ints
    groups: Ints


class Relaxed(NamedTuple):
    """The best reduced values at a price, from the leaves up.

    A class is *clean* if no owing option may be taken in it, as where its opener does not pay its
    setup cost, and *free* otherwise. An option that opens classes is taken with all of them clean,
    or it pays its setup cost and all of them are free. `clean` and `paid` are of the options,
    `best_clean` and `best_free` of the classes: the best total of each and all below it.
    """

    clean: Ints
    paid: Ints | None
    best_clean: Ints
    best_free: Ints

    @property
    def best(self) -> Ints:
        """For each option, the better of `clean` and `paid`."""
        return self.clean if self.paid is None else np.maximum(self.clean, self.paid)


class Tree:
    """Classes and options ordered by depth, so that each level is a range.

    `class_ids` and `option_ids` say which class and option of the table is at each place here.
    Of each option there are `cost`, `value` in whole units, `setup`, `owner`, its class, and
    `owing`, set only where something can be owed; of each class `first`, its first option, and
    `parent`, the option that opens it. Options that cost more than the budget are left out.
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
        # The options that may pay a setup cost, as a class that they open may owe it.
        splits: Flags | None = None
        if self.owing is not None:
            splits = np.zeros(self.cost.size, dtype=bool)
            splits[self.parent[self.owner[self.owing]]] = True
            splits &= self.setup <= budget - self.cost
        self._settle(self.cost <= budget, splits)

    def _level(self, a: int, b: int) -> TreeLevel:
        """Return the level of classes `a` up to but not `b`."""
        first = self.first
        low, high = int(first[a]), int(first[b])
        starts = first[a:b] - low
        filled = None
        if (first[a + 1 : b + 1] == first[a:b]).any():
            filled = np.flatnonzero(first[a + 1 : b + 1] > first[a:b])
            starts = starts[filled]
        inside = (self.parent >= low) & (self.parent < high) & (self.parent >= 0)
        openers, groups = np.unique(self.parent[inside], return_index=True)
        return TreeLevel(slice(a, b), slice(low, high), filled, starts, openers - low, groups)

    def _settle(self, possible: Flags, splits: Flags | None) -> None:
        """Mark the possible options: each class that they open has a possible option, too."""
        # Less than nothing is as many impossible things as an option has below it at least.
        clean = -(~possible).astype(np.int64)
        paid = None if splits is None else clean - ~splits
        totals = self._totals(clean, paid, -1)
        self._mask(None if (clean == 0).all() else clean < 0, None if paid is None else paid < 0)
        roots = self.levels[0].classes if self.levels else slice(0)
        self.is_possible = not totals.best_free[roots].any()

    def without(self, masks: Flags) -> Tree:
        """Return the tree without some options, clean or paid; masks are [clean, paid; options].

        A class may lose all its options only if its opener is removed as well.
        """
        other = copy(self)
        other._mask(  # noqa: SLF001
            masks[0], masks[1] if masks.shape[0] > 1 else None
        )
        return other

    def level_of(self, classes: Ints) -> Ints:
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
        """Return, for each option and class, the best total of it and all below it.

        What is summed is ``scale * value - price * cost``, where the cost includes setup costs that
        are paid. Takes O(options).
        """
        clean = self.value * scale - self.cost * price if scale else self.cost * -price
        paid: Ints | None = None
        if self.owing is not None:
            paid = clean - self.setup * price
        if self._not_clean is not None:
            clean[self._not_clean] = NEVER
        if paid is not None:
            paid[self._not_paid] = NEVER
        return self._totals(clean, paid, NEVER)

    def _mask(self, not_clean: Flags | None, not_paid: Flags | None) -> None:
        """Forbid options, clean or paid."""
        self._not_clean, self._not_paid = not_clean, not_paid

    def _totals(self, clean: Ints, paid: Ints | None, nothing: int) -> Relaxed:
        """Add up the best totals from the leaves up; an impossible option has the total `nothing`.

        A class without a possible option counts 0, since its opener is impossible.
        """
        best_free = np.empty(self.class_ids.size, dtype=np.int64)
        best_clean = best_free if self.owing is None else np.empty_like(best_free)
        below: TreeLevel | None = None
        for level in reversed(self.levels):
            options = level.options
            if below is not None and level.openers.size:
                at = options.start + level.openers
                clean[at] += np.add.reduceat(best_clean[below.classes], level.groups)
                if paid is not None:
                    paid[at] += np.add.reduceat(best_free[below.classes], level.groups)
            best = clean[options] if paid is None else np.maximum(clean[options], paid[options])
            best_free[level.classes] = _best_of(best, level, nothing)
            if self.owing is not None:
                kept = np.where(self.owing[options], nothing, best)
                best_clean[level.classes] = _best_of(kept, level, nothing)
            if nothing == NEVER:
                for kept in (best_free[level.classes], best_clean[level.classes]):
                    kept[kept < NEVER // 2] = 0
            below = level
        return Relaxed(clean, paid, best_clean, best_free)

    def root(self, relaxed: Relaxed) -> int:
        """Return the best total of the whole table, given its relaxation."""
        return int(relaxed.best_free[self.levels[0].classes].sum()) if self.levels else 0

    def select(self, relaxed: Relaxed) -> Selected:
        """Return the selection with the best total; earlier options win ties. O(options)."""
        best = relaxed.best
        taken: list[Ints] = []
        extra = 0
        reached: Ints = np.arange(int(self.levels[0].classes.stop) if self.levels else 0)
        free = np.ones(reached.size, dtype=bool)
        for number, level in enumerate(self.levels):
            options = self._firsts(level, relaxed, best, reached, free)
            taken.append(options)
            if number + 1 == len(self.levels) or not level.openers.size:
                break
            pays = np.zeros(options.size, dtype=bool)
            if relaxed.paid is not None:
                pays = relaxed.paid[options] > relaxed.clean[options]
                extra += int(self.setup[options[pays]].sum())
            state = np.zeros(level.options.stop - level.options.start, dtype=np.int8)
            state[options - level.options.start] = 1 + pays
            below = self.levels[number + 1].classes
            states = state[self.parent[below] - level.options.start]
            reached = np.flatnonzero(states)
            free = states[reached] == 2
            reached += below.start
        chosen_options = np.concatenate(taken) if taken else np.zeros(0, dtype=np.int64)
        value = int(self.value[chosen_options].sum())
        return Selected(chosen_options, value, int(self.cost[chosen_options].sum()) + extra)

    def _firsts(
        self, level: TreeLevel, relaxed: Relaxed, best: Ints, reached: Ints, free: Flags
    ) -> Ints:
        """Return the first option with the best total in each reached class."""
        options, classes = level.options, level.classes
        target = relaxed.best_free[classes]
        allowed: Flags | None = None
        if self.owing is not None:
            state = np.zeros(target.size, dtype=bool)
            state[reached - classes.start] = free
            target = np.where(state, target, relaxed.best_clean[classes])
            allowed = np.repeat(state, self.sizes[classes]) | ~self.owing[options]
        hits = best[options] == np.repeat(target, self.sizes[classes])
        if allowed is not None:
            hits &= allowed
        places = np.flatnonzero(hits)
        owners = self.owner[options][places]
        firsts: Ints = places[np.searchsorted(owners, reached)]
        return firsts + int(options.start)


class Selected(NamedTuple):
    """A selection of options of a tree, with its value in units and its cost."""

    taken: Ints
    value: int
    cost: int


def _best_of(totals: Ints, level: TreeLevel, empty: int) -> Ints:
    """Return the best total of each class in a level; `empty` for a class without options."""
    if level.filled is None:
        return np.asarray(np.maximum.reduceat(totals, level.starts))
    whole = np.full(level.classes.stop - level.classes.start, empty)
    if level.starts.size:
        whole[level.filled] = np.maximum.reduceat(totals, level.starts)
    return whole
