"""A nested table cut into parts, for rules that only know the classes at the root.

A document is one class at the root: taken whole, left out, or opened. A rule that fills a budget
part by part would take all of it or nothing. So the parts that are dearest in full are opened,
each the way that keeps most and then costs least, until there are enough of them; what opening
costs, setup costs included, is spent beforehand.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

IMPOSSIBLE: Final = float("-inf")
"""The value of an option that opens a class without options."""


@dataclass(frozen=True, eq=False)
class Parts:
    """A table whose root classes are parts of another's, and what opening those spends.

    Attributes
    ----------
    table
        The parts with all that lies below them.
    cost, value
        Of the options that are opened.
    """

    table: Table
    cost: int
    value: float

    @classmethod
    def of(cls, table: Table, parts: int) -> Parts:
        """Open classes until there are so many, or none is left to open.

        Examples
        --------
        >>> row = [(0, 0), (5, 3)]
        >>> found = Parts.of(Table.nested([[(0, 0), (9, 6), (2, 1, [row, row])]]), 2)
        >>> found.table, found.cost, found.value
        (Table(classes=2, options=4, depth=1), 2, 1)
        """
        if table.is_flat:
            return cls(table, 0, 0)
        cost, value = _in_full(table)
        below = _below(table)
        roots = np.flatnonzero(table.parent_option < 0).tolist()
        heap = [(-_best(table, cost, value, root)[1], root) for root in roots]
        heapq.heapify(heap)
        kept: list[int] = []
        opened: list[int] = []
        while heap and len(heap) + len(kept) < parts:
            root = heapq.heappop(heap)[1]
            options = range(int(table.start[root]), int(table.start[root + 1]))
            ways = [o for o in options if o in below and value[o] > IMPOSSIBLE]
            if not ways:
                kept.append(root)
                continue
            way = max(ways, key=lambda option: (value[option], -cost[option]))
            opened.append(way)
            for child in below[way]:
                heapq.heappush(heap, (-_best(table, cost, value, child)[1], child))
        kept += [root for _, root in heap]
        spent, gained = table.cost[opened] + table.setup[opened], table.value[opened]
        return cls(_rooted(table, kept), int(spent.sum()), gained.sum().item())


def _in_full(table: Table) -> tuple[list[int], list[float]]:
    """Return what each option costs and is worth with all below it at its best."""
    cost, value = table.cost.tolist(), table.value.tolist()
    owners = table.parent_option.tolist()
    for i in range(table.classes - 1, -1, -1):
        if owners[i] >= 0:
            gain, spent = _best(table, cost, value, i)
            value[owners[i]] += gain
            cost[owners[i]] += spent
    return cost, value


def _best(table: Table, cost: list[int], value: list[float], which: int) -> tuple[float, int]:
    """Return the value and cost of a class at its best; without options it has none."""
    options = range(int(table.start[which]), int(table.start[which + 1]))
    best = max(options, key=lambda option: (value[option], -cost[option]), default=-1)
    if best < 0:
        return IMPOSSIBLE, 0
    return value[best], cost[best]


def _below(table: Table) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for i, owner in enumerate(table.parent_option.tolist()):
        if owner >= 0:
            found.setdefault(owner, []).append(i)
    return found


def _rooted(table: Table, roots: list[int]) -> Table:
    """Return the table of some classes and all that lies below them."""
    kept = np.zeros(table.classes, dtype=bool)
    kept[roots] = True
    class_of, owners = table.class_of, table.parent_option
    above = np.where(owners >= 0, class_of[np.maximum(owners, 0)], -1).tolist()
    for i, parent in enumerate(above):
        if parent >= 0 and kept[parent]:
            kept[i] = True
    options = kept[class_of]
    places: NDArray[np.int64] = np.cumsum(options) - 1
    sizes = np.diff(table.start)[kept]
    owner = np.where(owners >= 0, places[np.maximum(owners, 0)], -1)
    owner[roots] = -1
    start = np.concatenate(([0], np.cumsum(sizes)))
    names = ("cost", "value", "setup", "owing")
    cost, value, setup, owing = (getattr(table, name)[options] for name in names)
    return Table(start, cost, value, owner[kept], setup, owing)
