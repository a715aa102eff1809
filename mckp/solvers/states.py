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
"""Number of cells in an array over costs that take as long as sorting one state."""
FEW: Final = 512
"""Most states that are always sorted."""
_BITS: Final = np.iinfo(np.int64).bits - 2
_NONE: Final = np.iinfo(np.int64).min // 2


class States(NamedTuple):
    """The undominated continuations at a node: cost and value, both ascending, and the way."""

    cost: Ints
    value: Ints
    way: Ints


class WayGroup(NamedTuple):
    """Consecutive ways of a node that lead to the same list.

    `first` is the number of the first way; `cost` and `value` are what each adds to the states.
    """

    states: States
    first: int
    cost: Ints
    value: Ints


@dataclass(slots=True)
class FrontierProgram:
    """The dynamic program on a graph of paths, for a budget.

    States whose reduced value, ``scale * value - price * cost``, loses more than `loss` are left
    out. At most `most` states are made, each of which is an operation of the limits.

    `links` has, for each node, the node whose list it uses, and the cost and value that it adds.

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
        """Make the lists of all nodes; return False if that exceeds `most` or the limits.

        Unless `keep` is set, a list is dropped when no node needs it any more.
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
                target, extra_cost, extra_value = self.links[after[first]]
                self.links[node] = target, extra_cost + cost[first], extra_value + value[first]
                if not keep:
                    wanted[target] += wanted[node] - 1
                continue
            self.links[node] = node, 0, 0
            self.lists[node] = self._node_states(node, range(first, begin[node + 1]), after)
            for way in () if keep else range(first, begin[node + 1]):
                target = self.links[after[way]][0]
                wanted[target] -= 1
                if not wanted[target]:
                    del self.lists[target]
            if self.made > self.most or self.limits.is_exhausted:
                return False
        return True

    def undominated_totals(self) -> tuple[Ints, Ints]:
        """Return the costs and values of all undominated paths within the budget."""
        node, cost, value = self.links[0]
        states = self.lists[node]
        return states.cost + cost, states.value + value

    def best_selection(self) -> Selected | None:
        """Return the best selection within the budget, or None if there is none.

        Its options are in the order of their classes.
        """
        node, cost, value = self.links[0]
        states = self.lists[node]
        last = int(np.searchsorted(states.cost, self.budget - cost, side="right")) - 1
        if last < 0:
            return None
        cost, value = cost + int(states.cost[last]), value + int(states.value[last])
        return Selected(np.array(self._trace_options(cost), dtype=np.int64), value, cost)

    def _trace_options(self, left: int) -> list[int]:
        """Return the options of the best path from the first node, whose cost is `left`."""
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

    def _group_ways(self, ways: range, after: list[int]) -> list[WayGroup]:
        """Group consecutive ways that lead to the same node; ways to empty lists are left out.

        `after` has the next node of each way.
        """
        groups: list[WayGroup] = []
        paths = self.paths
        way = ways.start
        while way < ways.stop:
            next_node = after[way]
            target, extra_cost, extra_value = self.links[next_node]
            end = way + 1
            while end < ways.stop and after[end] == next_node:
                end += 1
            states = self.lists[target]
            group = WayGroup(
                states, way, paths.cost[way:end] + extra_cost, paths.value[way:end] + extra_value
            )
            groups += [group] if states.cost.size else []
            way = end
        return groups

    def _node_states(self, node: int, ways: range, after: list[int]) -> States:
        """Return the list of a node with several ways or none, from the lists of the next nodes."""
        groups, most = self._group_ways(ways, after), self.budget - self.paths.spent[node].item()
        count = sum(group.states.cost.size * group.cost.size for group in groups)
        self.made += count
        self.limits.work += count
        if not count:
            empty = np.zeros(0, dtype=np.int64)
            return States(empty, empty, empty)
        span = sum(
            group.cost.size * int(group.states.cost[-1] - group.states.cost[0] + 1)
            for group in groups
        )
        if span >= DENSE * count or count <= FEW:
            return self._prune(node, *_sorted_sums(groups, most, self.bits))
        low = min(int(group.states.cost[0] + group.cost.min()) for group in groups)
        high = max(int(group.states.cost[-1] + group.cost.max()) for group in groups)
        size = max(0, min(high, most) - low + 1)
        if size >= DENSE * count:  # the runs are short, and far from each other
            return self._prune(node, *_sorted_sums(groups, most, self.bits))
        best_values, best_ways = np.full(size, _NONE), np.zeros(size, dtype=np.int64)
        for group in groups:
            states = group.states
            offsets = group.cost - low
            update_sums(
                best_values, best_ways, states.cost, states.value, offsets, group.value, group.first
            )
        costs_reached = np.flatnonzero(best_values > _NONE // 2)
        return self._prune(
            node, costs_reached + low, best_values[costs_reached], best_ways[costs_reached]
        )

    def _prune(self, node: int, cost: Ints, value: Ints, way: Ints) -> States:
        """Return the states that are not dominated and do not lose too much.

        The states given must be in order of ascending cost, and of equal costs by descending value.
        """
        reduced = self.scale * value - self.price * cost
        is_kept = reduced >= self.paths.height[node].item() - self.loss
        is_kept[1:] &= value[1:] > np.maximum.accumulate(value)[:-1]
        kept = is_kept.nonzero()[0]
        return States(cost[kept], value[kept], way[kept])


def _sorted_sums(groups: list[WayGroup], most: int, bits: int) -> tuple[Ints, Ints, Ints]:
    """Return all sums that cost up to `most`, by ascending cost, then by descending value.

    If `bits` is not negative, a cost and a value fit one number with so many bits for the value.
    """
    costs = [(group.cost[:, None] + group.states.cost).ravel() for group in groups]
    values = [(group.value[:, None] + group.states.value).ravel() for group in groups]
    ways = [
        np.arange(group.first, group.first + group.cost.size).repeat(group.states.cost.size)
        for group in groups
    ]
    cost, value, way = (
        arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
        for arrays in (costs, values, ways)
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


def update_sums(
    best_values: Ints,
    best_ways: Ints,
    costs: Ints,
    values: Ints,
    extra_costs: Ints,
    extra_values: Ints,
    first: int,
) -> None:
    """Update the greatest value at each cost, and its way, with the sums of some ways, in place.

    The list that the ways lead to has `costs` and `values`. The ways are numbered from `first` on,
    and add `extra_costs` and `extra_values`; sums of costs are indexes in `best_values`. Ties keep
    the earlier way.
    """
    low = int(costs[0])
    list_values = np.full(int(costs[-1]) - low + 1, _NONE)
    list_values[costs - low] = values
    ways = zip(extra_costs.tolist(), extra_values.tolist(), strict=True)
    for way, (cost, value) in enumerate(ways, first):
        begin = low + cost
        length = min(list_values.size, best_values.size - begin)
        if length <= 0:
            continue
        sums = list_values[:length] + value
        values_here = best_values[begin : begin + length]
        is_better = sums > values_here
        np.copyto(values_here, sums, where=is_better)
        np.copyto(best_ways[begin : begin + length], way, where=is_better)
