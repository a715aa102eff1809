"""Paths through nested classes as a ground to climb on: a base, segments, what they lose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers.kernels import sweep
from mckp.solvers.kernels.dual import break_price_of_paths, spare_costs
from mckp.solvers.kernels.segments import (
    by_path,
    follow,
    path_losses,
    row_losses,
    segment_paths,
    segments,
)
from mckp.solvers.scaling import shift_of
from mckp.solvers.search import NO_POINTS, Base

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from mckp.jit import Ints
    from mckp.solvers.graph import Graph

FEW: Final = 100
"""Options that may leave the base on the first look."""
GROWTH: Final = 8
"""How many times as many on each further look."""
WALKS: Final = 2
"""Greedy selections to begin with, each at a third of the price before."""
STEPS: Final = 20_000
"""Steps that listing paths may take, and one for each option."""


@dataclass(frozen=True, slots=True)
class Segments:
    """The segments that paths within a bounty leave open, as a core.

    Parameters
    ----------
    alone, lack, near
        See `mckp.solvers.search.Core`.
    listed, begin
        The undominated paths through each segment, and where those of each segment begin.
    labels
        From which the options of a path are read; see `kernels.segments.segment_paths`.
    """

    alone: Ints
    lack: Ints
    near: NDArray[np.float64]
    listed: Ints
    begin: Ints
    labels: Ints

    def rows(self, places: Ints, bounty: int) -> tuple[Ints, Ints]:
        counts = self.begin[places + 1] - self.begin[places]
        begin = np.concatenate(([0], np.cumsum(counts)))
        return self.listed[
            np.repeat(self.begin[places] - begin[:-1], counts) + np.arange(begin[-1])
        ], begin

    def options(self, found: list[int]) -> list[int]:
        return [option for label in found for option in self.path(label)]

    def path(self, label: int) -> list[int]:
        options: list[int] = []
        label = label if label >= 0 else -1 - label
        while label >= 0:
            options.append(int(self.labels[label, 0]))
            label = int(self.labels[label, 1])
        return options

    def points(self, base: Base, need: int, high: int, free: int) -> tuple[int, int, int]:
        return high, *NO_POINTS

    def by_index(self) -> Segments:
        order = by_path(self.listed, self.begin, self.labels)
        return replace(self, listed=self.listed[order])


@dataclass(slots=True)
class Nested:
    """The ground of nested classes: the base as a path, and what other paths lose.

    Parameters
    ----------
    graph
        The graph, its costs what is spent above the cheapest way on.
    base
        The base and its price.
    worth
        Value of the base.
    best, spent
        Reduced value and cost of the best path from each class on.
    loss, reached
        What is lost by each option, and at least on the way to each class.
    pick
        The option of each class on its best path.
    counts
        How many options can be taken at a loss of 1, 2, 4, ... at most.
    fork
        The first class of the largest segment, once a core had too many paths to list; else -1.
    """

    graph: Graph
    base: Base
    worth: int
    best: Ints
    spent: Ints
    loss: Ints
    reached: Ints
    pick: Ints
    counts: Ints
    fork: int = -1

    @classmethod
    def of(cls, graph: Graph, largest: float) -> Nested:
        """Find the base of a graph some path of which fits, and what is lost by leaving it.

        `largest` is a size that the value of no path exceeds, of either sign.
        """
        assert graph.least_cost is not None
        slack = graph.budget - graph.least_cost
        spare = spare_costs(graph.start, graph.cost, graph.succ, graph.least_costs, slack)
        graph = replace(graph, cost=spare, budget=slack)
        shift = shift_of(largest)
        high = (2 * int(largest) + 2 << shift) // (slack + 1) + 1
        price, best, spent, _ = break_price_of_paths(*graph.arrays, graph.after, slack, shift, high)
        given = int(spent[0])
        most = price * (slack - given)
        loss, reached, pick, counts = path_losses(
            *graph.arrays, best, spent, slack, shift, price, most
        )
        worth = int(best[0]) + price * given >> shift
        base = Base(price, shift, slack - given, given)
        return cls(graph, base, worth, best, spent, loss, reached, pick, counts)

    def greedy(self) -> tuple[int, list[int]]:
        """Walk through the classes, taking at a lower price what there still is room for."""
        graph, shift, price = self.graph, self.base.shift, self.base.price
        worth = (self.best + price * self.spent) >> shift
        best: tuple[int, list[int]] = (0, [])
        for _ in range(WALKS):
            path = sweep.top_up(*graph.arrays, 1 << shift, price, graph.budget, self.spent, worth)
            gain = int(graph.totals(path)[0]) - self.worth
            if gain > best[0]:
                best = gain, path[(path >= 0) & (path != self.pick)].tolist()
            price //= 3
        return best

    @property
    def bound(self) -> int:
        """Value that no path exceeds."""
        return self.worth + self.base.most(self.base.free)

    def reaches(self, bounty: int) -> Iterator[int]:
        leaving = self.counts - self.counts[0]
        number = FEW
        for place in range(leaving.size):
            if leaving[place] >= number and 1 << place < bounty:
                yield 1 << place
                number = GROWTH * int(leaving[place])
        yield bounty

    def core(self, bounty: int) -> Segments | None:
        arrays = self.graph.arrays
        spans = segments(arrays[0], arrays[3], self.loss, self.reached, bounty)
        listed, rows, begin, labels = segment_paths(
            spans, *arrays, self.pick, self.loss, self.reached, bounty, self.steps()
        )
        if not listed:
            self.fork = int(spans[(spans[:, 1] - spans[:, 0]).argmax(), 0])
            return None
        alone, near = row_losses(rows, begin)
        return Segments(alone, np.zeros_like(alone), near, rows, begin, labels)

    def steps(self) -> int:
        """Return how many steps listing paths may take."""
        return STEPS + self.loss.size

    def cost(self, changes: list[int]) -> int:
        return int(self.graph.totals(self.path(changes))[1]) - self.base.given

    def path(self, changes: list[int]) -> Ints:
        pick = self.pick.copy()
        pick[np.searchsorted(self.graph.start, np.array(changes, dtype=np.int64), "right") - 1] = (
            changes
        )
        return follow(self.graph.succ, pick)
