"""Rows of the dynamic program: how large they are, and how they are filled.

They are filled in blocks of classes, some stored on the way, under a clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.jit import NEVER
from mckp.solvers.kernels import rows as rows_kernel
from mckp.solvers.kernels import sweep
from mckp.solvers.limits import Limits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.jit import Ints
    from mckp.solvers.graph import Graph

SMALL_BYTES: Final = 2**24
"""Choices that take no more than this are all kept: filling twice would not pay."""
_STEP: Final = 10**8
"""Updates between two looks at the clock."""


MAX_BYTES: Final = 512 * 2**20
"""Memory beyond which nothing is filled."""
MAX_CELLS: Final = 4 * 10**9
"""Updates beyond which nothing is filled, unless the caller sets another limit."""


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows to fill for a graph: for each class, the budgets left on reaching it.

    Parameters
    ----------
    graph
        The graph to be solved.
    low, high
        The window of each class (and of the end); outside of it nothing is of interest.
    """

    graph: Graph
    low: Ints
    high: Ints

    @classmethod
    def of(cls, graph: Graph) -> Rows:
        """Take all budgets that a path can have left."""
        least = sweep.prefix(*graph.arrays, 0, 1)
        most = sweep.prefix(*graph.arrays, 0, -1)
        return cls(graph, np.maximum(graph.budget - most, 0), graph.budget + least)

    @cached_property
    def widths(self) -> Ints:
        """How many budgets each row holds."""
        widths: Ints = np.maximum(self.high - self.low + 1, 0)
        return widths

    @property
    def cells(self) -> int:
        """How many updates filling them takes."""
        return int(np.diff(self.graph.start) @ self.widths[:-1])

    @property
    def bytes(self) -> int:
        """How much memory solving takes at most, by the plan that is used."""
        return self.plan.bytes

    @property
    def too_large(self) -> bool:
        """Whether they pass the limits of this module."""
        return self.cells > MAX_CELLS or self.bytes > MAX_BYTES

    @cached_property
    def slots(self) -> tuple[Ints, int, Ints]:
        """The slot of each row, how many there are, and the first class that reads each."""
        return rows_kernel.plan_rows(self.graph.start, self.graph.succ)

    @cached_property
    def pick_type(self) -> np.dtype[np.unsignedinteger]:
        """The smallest type that holds the place of an option in its class."""
        most = int(np.diff(self.graph.start).max(initial=0))
        return np.dtype(np.uint8 if most <= 256 else np.uint16 if most <= 65536 else np.uint32)

    @property
    def work_bytes(self) -> int:
        """How much memory the rows take that are alive at one time."""
        return 8 * self.slots[1] * int(self.widths.max())

    @cached_property
    def plan(self) -> Plan:
        """Which rows are stored on the way."""
        return Plan.of(self)

    def solve(self, limits: Limits | None = None) -> Ints | None:
        """Return the best path whose budgets left stay in the windows, None if there is none.

        Of all paths within the budget it is the one of greatest value, then of least cost,
        then of the earliest options. Time O(cells), memory `bytes`.

        Raises
        ------
        TimeoutError
            If a limit is passed on the way; updates are counted as work.
        """
        if not self.low[0] <= self.graph.budget <= self.high[0]:
            return None
        gain = self.graph.value * self.graph.scale - self.graph.cost
        return Filling(self, gain, limits or Limits()).path(self.plan.marks)

    def totals(self, limits: Limits | None = None) -> Ints:
        """Return the greatest value for each budget of the first class's window.

        Time O(cells), memory `work_bytes`. Raises as `solve` does.
        """
        filling = Filling(self, self.graph.value, limits or Limits())
        filling.fill(0, self.graph.classes)
        return filling.rows[self.slots[0][0], : self.widths[0]]


@dataclass(frozen=True)
class Plan:
    """Where rows are stored on the way, so that choices are kept for one block at a time.

    Parameters
    ----------
    marks
        The first class of each block, from 0, and the number of classes. With one block all
        choices are kept at once.
    bytes
        Memory that takes, at most: rows in work, rows stored, choices of the largest block.
    """

    marks: list[int]
    bytes: int

    @classmethod
    def of(cls, rows: Rows) -> Plan:
        """Keep all choices if they are few, else take the plan of least memory.

        Blocks are of about the square root of the classes, or 2, 4, 8, ... times as long.
        Time O(classes x log(classes)) and memory O(classes).
        """
        n = rows.graph.classes
        choices = int(rows.widths[:-1].sum()) * rows.pick_type.itemsize
        whole = cls([0, n], choices + rows.work_bytes)
        if choices <= SMALL_BYTES:
            return whole
        lengths = [round(n**0.5) << doubled for doubled in range(n.bit_length() // 2)]
        return min((whole, *cls._blocks(rows, lengths)), key=lambda plan: plan.bytes)

    @classmethod
    def _blocks(cls, rows: Rows, lengths: list[int]) -> list[Plan]:
        stored, step, size = stored_bytes(rows), _longest_steps(rows), rows.pick_type.itemsize
        plans: list[Plan] = []
        for length in lengths:
            marks = _marks(stored, length)
            kept = int(stored[marks[1:-1]].sum())
            choices = _most_choices(rows.widths[:-1], step, marks) * size
            plans.append(cls(marks, rows.work_bytes + kept + choices))
        return plans


def stored_bytes(rows: Rows) -> Ints:
    """Return what storing takes at each class: the rows from it on that are read before it."""
    n, widths = rows.graph.classes, rows.widths[:-1]
    own = np.arange(n)
    begins = np.minimum(rows.slots[2][:n], own)
    change = np.zeros(n + 2, dtype=np.int64)
    np.add.at(change, begins + 1, widths)
    np.add.at(change, own + 1, -widths)
    return 8 * change.cumsum()[: n + 1]


def _longest_steps(rows: Rows) -> Ints:
    """Return the greatest total cost of all classes before each one."""
    most = np.maximum.reduceat(rows.graph.cost, rows.graph.start[:-1])
    return np.concatenate(([0], most.cumsum()[:-1]))


def _marks(stored: Ints, length: int) -> list[int]:
    # Within half a block either way, the cut goes where the fewest bytes have to be stored.
    n, half = stored.size - 1, length // 2
    starts = range(length - half, n - half, length)
    cuts = {int(stored[a : min(a + length, n)].argmin()) + a for a in starts}
    return sorted({0, n} | cuts)


def _most_choices(widths: Ints, step: Ints, marks: list[int]) -> int:
    # A block is entered with one budget left, so its windows begin narrow.
    spread = step - np.repeat(step[marks[:-1]], np.diff(marks)) + 1
    return int(np.add.reduceat(np.minimum(widths, spread), marks[:-1]).max())


class Filling:
    """Rows being filled: gains in slots, windows that shrink, choices of one block.

    Parameters
    ----------
    rows
        What is to be filled.
    gain : int64 array [options]
        What each option adds to a total.
    limits
        When to stop, and where updates are counted.
    """

    def __init__(self, rows: Rows, gain: Ints, limits: Limits) -> None:
        self.graph, self.gain, self.limits = rows.graph, gain, limits
        self.low, self.high = rows.low.copy(), rows.high.copy()
        self.slot, slots, self.reader = rows.slots
        self.rows = np.empty((slots, int(rows.widths.max())), dtype=np.int64)
        self.rows[self.slot[-1]] = 0
        self.place = np.zeros(self.low.size, dtype=np.int64)
        self.pick_type = rows.pick_type

    def path(self, marks: list[int]) -> Ints | None:
        """Fill all blocks backwards, then on the way forward each again with its choices."""
        graph = self.graph
        stored: dict[int, list[tuple[int, Ints]]] = {}
        for first, end in list(pairwise(marks))[:0:-1]:
            self.fill(first, end)
            stored[first] = self.alive(first)
        path = np.full(graph.classes, -1, dtype=np.int64)
        at, left = 0, graph.budget
        while at < graph.classes:
            end = next(mark for mark in marks if mark > at)
            self.restore(stored.pop(end, []))
            reached = self.follow(at, end, left, path)
            if reached is None:
                return None
            at, left = reached
        return path

    def follow(self, first: int, end: int, left: int, path: Ints) -> tuple[int, int] | None:
        """Fill a block with its choices and write the best path through it.

        Returns the class reached and the budget left there, None if there is no path.
        """
        edges = (self.graph.start, self.graph.cost, self.graph.succ)
        rows_kernel.reach(first, end, left, *edges, self.low, self.high, self.place)
        picks = np.empty(int(self.place[end]), dtype=self.pick_type)
        self.fill(first, end, picks)
        if self.rows[self.slot[first], 0] < NEVER // 2:
            return None
        return rows_kernel.read_path(first, end, left, *edges, self.low, self.place, picks, path)

    def alive(self, first: int) -> list[tuple[int, Ints]]:
        """Copy the rows from `first` on that earlier classes read; the end's is known."""
        late = np.flatnonzero(self.reader[first:-1] < first) + first
        widths = np.maximum(self.high[late] - self.low[late] + 1, 0)
        slots = self.slot[late]
        return [
            (int(slot), self.rows[slot, :width].copy())
            for slot, width in zip(slots, widths, strict=True)
        ]

    def restore(self, stored: list[tuple[int, Ints]]) -> None:
        """Put stored rows back into their slots."""
        self.rows[self.slot[-1]] = 0
        for slot, row in stored:
            self.rows[slot, : row.size] = row

    def fill(self, first: int, end: int, picks: NDArray[Any] | None = None) -> None:
        """Fill the rows of a block, in steps between which the limits are looked at."""
        graph = self.graph
        kept = np.empty(0, self.pick_type) if picks is None else picks
        edges = (graph.start, graph.cost, self.gain, graph.succ, self.low, self.high)
        while end > first:
            if self.limits.work and self.limits.exhausted:
                raise TimeoutError("a limit was passed while rows were filled")
            end, work = rows_kernel.fill_rows(
                first, end, _STEP, *edges, self.rows, self.slot, self.place, kept
            )
            self.limits.spend(work)
