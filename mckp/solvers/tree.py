"""Exact for nested classes: a Lagrangian bound, fixing by losses, and lists for what is open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers.base import Solution, Status
from mckp.solvers.climb import NO_POINTS, Climb
from mckp.solvers.core import shift_of
from mckp.solvers.kernels import segments, sweep
from mckp.solvers.kernels.dual import break_price_of_paths, spare_costs
from mckp.solvers.limits import Limits
from mckp.solvers.problem import Problem
from mckp.solvers.search import Base, Core

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from mckp.solvers.graph import Graph
    from mckp.solvers.kernels.jit import Ints
    from mckp.table import Table

FEW: Final = 100
"""Options that differ from the base on the first look."""
GROWTH: Final = 8
STEPS: Final = 100_000
"""Steps that listing paths may take, and four for each option."""


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    limits = Limits(time_limit, work_limit)
    problem = Problem.of(table, budget)
    if not problem.is_feasible:
        return problem.infeasible()
    graph = problem.graph
    spare = spare_costs(graph.start, graph.cost, graph.succ, problem.least, budget - problem.floor)
    graph = replace(graph, cost=spare, budget=budget - problem.floor)
    ground = Paths.of(graph, shift_of(table.largest_value * problem.scaled.per_one))
    if ground.price == 0:
        path = ground.path([])
        return problem.solution(path, Status.OPTIMAL, ground.worth)
    climb = Climb(ground, limits)
    climb.value, climb.changes = ground.greedy()
    climb.solve()
    path = ground.path(climb.changes)
    status = Status.OPTIMAL if climb.proved else Status.FEASIBLE
    found = problem.solution(path, status, ground.worth + climb.bound)
    return replace(found, statistics=climb.statistics)


@dataclass(frozen=True, slots=True)
class Segments:
    """The segments that paths within a bounty leave open, as a core."""

    alone: Ints
    lack: Ints
    near: NDArray[np.float64]
    listed: Ints
    begin: Ints
    labels: Ints

    def rows(self, places: Ints, bounty: int) -> tuple[Ints, Ints]:
        counts = self.begin[places + 1] - self.begin[places]
        begin = np.concatenate(([0], np.cumsum(counts)))
        return self.listed[np.repeat(self.begin[places] - begin[:-1], counts) + np.arange(begin[-1])], begin

    def options(self, found: list[int]) -> list[int]:
        return [option for label in found for option in self.path(label)]

    def path(self, label: int) -> list[int]:
        options: list[int] = []
        label = label if label >= 0 else -1 - label
        while label >= 0:
            options.append(int(self.labels[label, 0]))
            label = int(self.labels[label, 1])
        return options

    def by_index(self) -> Segments:
        """Put the rows of each segment in the order of their options."""
        order = list(range(len(self.listed)))
        codes = self.listed[:, 3].tolist()
        for first, end in zip(self.begin[:-1].tolist(), self.begin[1:].tolist(), strict=True):
            order[first:end] = sorted(order[first:end], key=lambda row: self.path(codes[row]))
        return replace(self, listed=self.listed[order])


@dataclass(slots=True)
class Paths:
    """The ground of nested classes: the base as a path, and what other paths lose."""

    graph: Graph
    base: Base
    price: int
    worth: int
    best: Ints
    spent: Ints
    loss: Ints
    reached: Ints
    pick: Ints
    counts: Ints

    @classmethod
    def of(cls, graph: Graph, shift: int) -> Paths:
        arrays = graph.arrays
        high = 2**60 // (graph.budget + 1) + 1
        price, best, spent, rounds = break_price_of_paths(*arrays, graph.after, graph.budget, shift, high)
        given = int(spent[0])
        most = price * (graph.budget - given)
        loss, reached, pick, counts = segments.path_losses(*arrays, best, spent, graph.budget, shift, price, most)
        worth = int(best[0] + price * given) >> shift
        base = Base(price, shift, graph.budget - given, given)
        return cls(graph, base, price, worth, best, spent, loss, reached, pick, counts)

    def greedy(self):
        """Walk through the classes from the base, taking at a lower price what there is room for."""
        shift = self.base.shift
        worth = (self.best + self.price * self.spent) >> shift
        best = (0, [])
        price = self.price
        for _ in range(3):
            path = sweep.top_up(*self.graph.arrays, 1 << shift, price, self.graph.budget, self.spent, worth)
            gain = int(self.graph.totals(path)[0]) - self.worth
            if gain > best[0]:
                best = (gain, path[(path >= 0) & (path != self.pick)].tolist())
            price //= 3
        return best

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
        spans = segments.segments(arrays[0], arrays[3], self.loss, self.reached, bounty)
        most = STEPS + 4 * self.loss.size
        fine, rows, begin, labels = segments.segment_paths(
            spans, *arrays, self.pick, self.loss, self.reached, bounty, most
        )
        if not fine:
            return None
        alone, near = segments.row_losses(rows, begin)
        return Segments(alone, np.zeros_like(alone), near, rows, begin, labels)

    def points(self, core: Core, need: int, high: int, free: int) -> tuple[int, int, int]:
        return high, *NO_POINTS

    def cost(self, changes: list[int]) -> int:
        return int(self.graph.totals(self.path(changes))[1]) - self.base.given

    def path(self, changes: list[int]) -> Ints:
        pick = self.pick.copy()
        pick[np.searchsorted(self.graph.start, np.array(changes, dtype=np.int64), "right") - 1] = changes
        return segments.follow(self.graph.succ, pick)
