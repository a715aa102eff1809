"""The dynamic program for frontiers: lists of states, from the last node to the first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.solvers.tree import Selected

if TYPE_CHECKING:
    from mckp.solvers.base import Limits
    from mckp.solvers.paths import Paths
    from mckp.table import Ints

DENSE: Final = 24
"""States made by sorting cost as much as this many by shifting arrays over the budget."""
FEW: Final = 512
"""States up to which they are always sorted."""
_BITS: Final = np.iinfo(np.int64).bits - 2
_NONE: Final = np.iinfo(np.int64).min // 2


class States(NamedTuple):
    """The undominated continuations at a node: cost and value, both ascending, and the way."""

    cost: Ints
    value: Ints
    way: Ints


class Run(NamedTuple):
    """Ways that lead to the same list: the first one, and what each adds to the states."""

    states: States
    first: int
    cost: Ints
    value: Ints


@dataclass(slots=True)
class FrontierProgram:
    """The dynamic program on a graph of paths, for a budget.

    States whose reduced value, ``scale * value - price * cost``, loses more than `loss` are left
    out. At most `most` states are made, each of which is an operation of the limits.

    A state at a node is the cost and the value of a path from there to the end. It goes if another
    costs no more and is worth no less; of equals the one of the earlier way stays, so the best
    path is the one with the earliest options. It also goes if a path through it must cost more
    than the budget or lose more than `loss`. Lists are made for nodes with more than one way;
    other nodes only shift the list of the next one. A list is made by sorting all sums, or where
    they are many beside the range of their costs, by shifting whole arrays over that range.

    Dominance is that of D. Pisinger, "A minimal algorithm for the multiple-choice knapsack
    problem", European Journal of Operational Research 83 (1995); the order of the nodes is that of
    G. Cho and D. X. Shaw, "A depth-first dynamic programming algorithm for the tree knapsack
    problem", INFORMS Journal on Computing 9 (1997).
    """

    paths: Paths
    budget: int
    scale: int
    price: int
    loss: int
    limits: Limits
    most: int
    made: int = 0
    bits: int = 0
    lists: dict[int, States] = field(default_factory=dict[int, States])
    links: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])

    def run(self, *, keep: bool = True) -> bool:
        """Make the lists of all nodes; return False if that exceeds the states or the limits.

        Unless `keep`, a list is dropped when no node needs it any more.
        """
        paths = self.paths
        begin: list[int] = paths.begin.tolist()
        after: list[int] = paths.after.tolist()
        cost, value = paths.cost.tolist(), paths.value.tolist()
        nodes = len(begin) - 1
        # Cost and value fit one number to sort by, or `bits` is negative.
        self.bits = (2 * int(np.abs(paths.value).sum(dtype=np.float64))).bit_length()
        if self.bits + (2 * int(paths.cost.sum(dtype=np.float64))).bit_length() > _BITS:
            self.bits = -1
        zero = np.zeros(1, dtype=np.int64)
        self.lists[nodes] = States(zero, zero, zero - 1)
        self.links = [(0, 0, 0)] * nodes + [(nodes, 0, 0)]
        wanted: list[int] = np.bincount(paths.after, minlength=nodes + 1).tolist()
        for node in reversed(range(nodes)):
            first = begin[node]
            if begin[node + 1] == first + 1:
                target, far, worth = self.links[after[first]]
                self.links[node] = target, far + cost[first], worth + value[first]
                if not keep:
                    wanted[target] += wanted[node] - 1
                continue
            self.links[node] = node, 0, 0
            self.lists[node] = self._list(node, range(first, begin[node + 1]), after)
            for way in () if keep else range(first, begin[node + 1]):
                target = self.links[after[way]][0]
                wanted[target] -= 1
                if not wanted[target]:
                    del self.lists[target]
            if self.made > self.most or self.limits.is_exhausted:
                return False
        return True

    def steps(self) -> tuple[Ints, Ints]:
        """Return the costs and values of all undominated paths within the budget."""
        node, cost, value = self.links[0]
        states = self.lists[node]
        return states.cost + cost, states.value + value

    def best(self) -> Selected | None:
        """Return the best selection within the budget, or None; its options are in class order."""
        node, cost, value = self.links[0]
        states = self.lists[node]
        last = int(np.searchsorted(states.cost, self.budget - cost, side="right")) - 1
        if last < 0:
            return None
        cost, value = cost + int(states.cost[last]), value + int(states.value[last])
        return Selected(np.array(self._traced(cost), dtype=np.int64), value, cost)

    def _traced(self, left: int) -> list[int]:
        """Return the options of the path from the first node that has a given cost."""
        paths, taken = self.paths, list[int]()
        # A number of a list is read several times as fast as one of an array.
        begin, after = paths.begin.tolist(), paths.after.tolist()
        option, cost = paths.option.tolist(), paths.cost.tolist()
        node, nodes = 0, len(begin) - 1
        while node < nodes:
            target = self.links[node][0]
            if target == node:
                states = self.lists[node]
                way = int(states.way[np.searchsorted(states.cost, left)])
            else:
                way = begin[node]
            taken.append(option[way])
            left -= cost[way]
            node = after[way]
        return taken

    def _runs(self, ways: range, after: list[int]) -> list[Run]:
        """Group consecutive ways of a node by their link, without those to an empty list."""
        runs: list[Run] = []
        paths = self.paths
        at = ways.start
        while at < ways.stop:
            follows = after[at]
            target, far, worth = self.links[follows]
            end = at + 1
            while end < ways.stop and after[end] == follows:
                end += 1
            states = self.lists[target]
            run = Run(states, at, paths.cost[at:end] + far, paths.value[at:end] + worth)
            runs += [run] if states.cost.size else []
            at = end
        return runs

    def _list(self, node: int, ways: range, after: list[int]) -> States:
        """Return the list of a node with several ways or none, from their nodes' lists."""
        runs, most = self._runs(ways, after), self.budget - self.paths.spent[node].item()
        count = sum(run.states.cost.size * run.cost.size for run in runs)
        self.made += count
        self.limits.work += count
        if not count:
            empty = np.zeros(0, dtype=np.int64)
            return States(empty, empty, empty)
        span = sum(
            run.cost.size * int(run.states.cost[-1] - run.states.cost[0] + 1) for run in runs
        )
        if span >= DENSE * count or count <= FEW:
            return self._kept(node, *_sorted(runs, most, self.bits))
        low = min(int(run.states.cost[0] + run.cost.min()) for run in runs)
        high = max(int(run.states.cost[-1] + run.cost.max()) for run in runs)
        size = max(0, min(high, most) - low + 1)
        if size >= DENSE * count:  # the runs are short, and far from each other
            return self._kept(node, *_sorted(runs, most, self.bits))
        best, chosen = np.full(size, _NONE), np.zeros(size, dtype=np.int64)
        for run in runs:
            states = run.states
            more = run.cost - low
            shift(best, chosen, states.cost, states.value, more, run.value, run.first)
        at = np.flatnonzero(best > _NONE // 2)
        return self._kept(node, at + low, best[at], chosen[at])

    def _kept(self, node: int, cost: Ints, value: Ints, way: Ints) -> States:
        """Return the states that are not dominated and do not lose too much; costs ascend."""
        reduced = self.scale * value - self.price * cost
        keep = reduced >= self.paths.height[node].item() - self.loss
        keep[1:] &= value[1:] > np.maximum.accumulate(value)[:-1]
        at = keep.nonzero()[0]
        return States(cost[at], value[at], way[at])


def _sorted(runs: list[Run], most: int, bits: int) -> tuple[Ints, Ints, Ints]:
    """Return all sums up to a cost, sorted by ascending cost, then by descending value."""
    costs = [(run.cost[:, None] + run.states.cost).ravel() for run in runs]
    values = [(run.value[:, None] + run.states.value).ravel() for run in runs]
    ways = [
        np.arange(run.first, run.first + run.cost.size).repeat(run.states.cost.size) for run in runs
    ]
    cost, value, way = (
        parts[0] if len(parts) == 1 else np.concatenate(parts) for parts in (costs, values, ways)
    )
    if bits >= 0:
        order = np.argsort((cost << bits) - value, kind="stable")
    else:
        order = np.lexsort((-value, cost))
    cost = cost[order]
    if cost[-1] > most:
        order = order[: np.searchsorted(cost, most, side="right")]
        cost = cost[: order.size]
    return cost, value[order], way[order]


def shift(
    best: Ints, chosen: Ints, costs: Ints, values: Ints, more: Ints, worth: Ints, first: int
) -> None:
    """Update the most valuable sum at each cost with a way's sums; ties keep the earlier way.

    The ways add `more` cost and `worth`; `first` is the number of the first. `chosen` notes the way
    of each sum.
    """
    low = int(costs[0])
    row = np.full(int(costs[-1]) - low + 1, _NONE)
    row[costs - low] = values
    ways = zip(more.tolist(), worth.tolist(), strict=True)
    for way, (cost, value) in enumerate(ways, first):
        begin = low + cost
        length = min(row.size, best.size - begin)
        if length <= 0:
            continue
        sums = row[:length] + value
        part = best[begin : begin + length]
        better = sums > part
        np.copyto(part, sums, where=better)
        np.copyto(chosen[begin : begin + length], way, where=better)
