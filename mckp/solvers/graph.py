"""A table as a graph of classes in which every selection is one path, and cuts of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from mckp.jit import NEVER
from mckp.solvers.kernels import sweep
from mckp.solvers.kernels.dual import least_costs

if TYPE_CHECKING:
    from mckp.jit import Ints
    from mckp.solvers.scaling import Scaled
    from mckp.table import Table


@dataclass(frozen=True, eq=False)
class Graph:
    """Classes in preorder; each option leads to the class that is reached next.

    After an option comes the first class it opens, or else the class that follows its own:
    the next sibling, or what follows the parent. A selection is then a path from class 0 to
    the end, and choosing one is the longest path problem with one resource.

    Parameters
    ----------
    start, cost, value
        As in `mckp.table.Table`, with whole values.
    succ, after
        The class after each option, and the class after all that lies below each class; the
        number of classes stands for the end.
    budget
        The greatest total cost of a path.
    """

    start: Ints
    cost: Ints
    value: Ints
    succ: Ints
    after: Ints
    budget: int

    @classmethod
    def of(cls, table: Table, scaled: Scaled, budget: int) -> Graph:
        """Make the graph of a table. O(classes + options) in time and memory."""
        start = table.start.copy()
        succ, after = sweep.link(start, table.parent_option.copy())
        return cls(start, table.cost.copy(), scaled.units.copy(), succ, after, budget)

    @property
    def arrays(self) -> tuple[Ints, Ints, Ints, Ints]:
        """What the sweeps take."""
        return self.start, self.cost, self.value, self.succ

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return self.start.size - 1

    @property
    def scale(self) -> int:
        """One unit of value weighs more than any difference in cost within the budget."""
        return self.budget + 1

    @cached_property
    def least_costs(self) -> Ints:
        """The least cost from each class to the end, `-NEVER` where there is no way."""
        return least_costs(self.start, self.cost, self.succ)

    @property
    def least_cost(self) -> int | None:
        """The least cost of a path, None if there is no path."""
        least = int(self.least_costs[0])
        return None if least == -NEVER else least

    @property
    def fitting(self) -> Ints:
        """1 for the options on some path within the budget, else 0."""
        return sweep.through(*self.arrays, 0, 1, -self.budget)

    @property
    def most_cost(self) -> int:
        """The greatest cost of a path."""
        return int(sweep.suffix(*self.arrays, 0, -1)[0][0])

    @property
    def most_value(self) -> int:
        """The greatest value of a path, whatever it costs."""
        return int(sweep.suffix(*self.arrays, 1, 0)[0][0])

    def totals(self, path: Ints) -> tuple[int, int]:
        """Return value and cost of a path."""
        value, cost = sweep.totals(self.cost, self.value, self.succ, path)
        return int(value), int(cost)

    def within(self, budget: int) -> Graph:
        """Return the same graph with another budget."""
        return replace(self, budget=budget)


@dataclass(frozen=True, eq=False)
class Cut:
    """What is left of a graph after options were dropped, in the smallest numbers.

    Classes with one option left are passed over, the least cost and the least value are
    taken off every path, and both are divided by their common divisor.

    Parameters
    ----------
    graph
        The smaller graph, its budget reduced accordingly (below 0 if nothing fits).
    classes, options
        Where its classes and options stand in the larger graph.
    forced
        The option of each class of the larger graph that is passed over.
    value_off, value_unit
        A value ``v`` here is ``value_off + v * value_unit`` there.
    cost_off, cost_unit
        The same for costs.
    """

    graph: Graph
    classes: Ints
    options: Ints
    forced: Ints
    value_off: int
    value_unit: int
    cost_off: int
    cost_unit: int

    @classmethod
    def of(cls, graph: Graph, alive: Ints) -> Cut:
        """Keep the options marked in `alive`. O(classes + options) in time and memory."""
        jump, jump_cost, jump_value, forced = sweep.jumps(*graph.arrays, alive)
        start, classes, options, label = sweep.keep(graph.start, alive, forced)
        cost, value, succ = sweep.route(
            options, graph.cost, graph.value, graph.succ, jump, jump_cost, jump_value, label
        )
        cost_off = int(jump_cost[0] + sweep.rebase(start, cost, succ))
        value_off = int(jump_value[0] + sweep.rebase(start, value, succ))
        cost_unit, value_unit = int(sweep.divide(cost)), int(sweep.divide(value))
        after = label[jump[graph.after[classes]]]
        inner = Graph(start, cost, value, succ, after, (graph.budget - cost_off) // cost_unit)
        return cls(inner, classes, options, forced, value_off, value_unit, cost_off, cost_unit)

    def tight(self) -> Cut:
        """Lower the budget to what can be spent."""
        graph = self.graph
        return replace(self, graph=graph.within(min(graph.budget, graph.most_cost)))

    def lift(self, path: Ints) -> Ints:
        """Turn a path of the smaller graph into one of the larger."""
        wide = self.forced.copy()
        wide[self.classes] = self.options[path] if self.options.size else -1
        return wide

    def value_there(self, value: int) -> int:
        """Turn a value here into one of the larger graph."""
        return self.value_off + value * self.value_unit

    def value_here(self, value: int) -> int:
        """Turn a value of the larger graph into the least one here that reaches it."""
        return -((self.value_off - value) // self.value_unit)
