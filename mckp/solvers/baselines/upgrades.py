"""What the baselines share: the cheapest selection, and steps up from it by root class."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mckp.jit import NEVER
from mckp.solvers.binary import best_paths
from mckp.solvers.greedy import Relaxed, cheapest_paths
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mckp.jit import Ints
    from mckp.solvers.base import Solution
    from mckp.solvers.graph import Graph
    from mckp.solvers.limits import Limits
    from mckp.table import Table


class Step(NamedTuple):
    """A better selection of one root class, beside its cheapest.

    The class takes `option`, and every class below it is at its best (`in_full`) or at its
    cheapest; without nesting both are the option alone.
    """

    cost: int
    """What it costs more than the cheapest."""
    gain: int
    """What it is worth more, in units."""
    option: int
    in_full: bool


NOTHING = Step(0, 0, -1, False)
"""The cheapest selection of a class."""


@dataclass(eq=False)
class Upgrades:
    """The cheapest selection of a table, to be raised root class by root class.

    Parameters
    ----------
    steps
        For each class at the root its steps, dearer and better ones later; steps that cost as
        much as another and gain no more are left out, and so are those over the budget.
    spare
        What the budget is above the cheapest selection.
    limits
        What may be spent on looking at steps.
    taken
        The step each class is at.
    """

    steps: list[list[Step]]
    spare: int
    limits: Limits
    left: int = 0
    taken: list[Step] = field(default_factory=list[Step])

    def __post_init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Go back to the cheapest selection."""
        self.left, self.taken = self.spare, [NOTHING] * len(self.steps)

    @property
    def gain(self) -> int:
        """What the steps taken are worth together."""
        return sum(step.gain for step in self.taken)

    def within_limits(self, items: Iterable[int]) -> Iterator[int]:
        """Go through the items until a limit is passed; each is one operation."""
        for item in items:
            self.limits.spend(1)
            if self.limits.exhausted:
                return
            yield item

    def best(self, root: int, room: int) -> Step:
        """Return the most valuable step of a class that costs no more than this. O(log steps)."""
        place = bisect_right(self.steps[root], room, key=lambda step: step.cost)
        return self.steps[root][place - 1] if place else NOTHING

    def most(self, root: int) -> Step:
        """Return the most valuable step of a class that fits an empty budget."""
        return self.steps[root][-1] if self.steps[root] else NOTHING

    def take(self, root: int, step: Step) -> None:
        """Put a class at a step for which there is room."""
        self.left += self.taken[root].cost - step.cost
        self.taken[root] = step

    def raise_within(self, root: int, room: int) -> None:
        """Put a class at the best step that costs at most so much more than it costs now."""
        self.take(root, self.best(root, self.taken[root].cost + room))

    def fill(self, roots: Iterable[int], room: int) -> None:
        """Put classes at their best in turn; the first without room for it ends the filling.

        That one takes the best step there is room for. `room` is for all of them together.
        """
        end = self.left - room
        for root in self.within_limits(roots):
            self.raise_within(root, self.left - end)
            if self.taken[root] != self.most(root):
                return


def upgraded(
    table: Table,
    budget: int,
    rule: Callable[[Upgrades], None],
    limits: Limits,
    start: Solution | None,
) -> Solution:
    """Begin with the cheapest selection, raise it by a rule, and report what that gives.

    Time O(options x log options) and what the rule takes, memory O(options).
    """
    problem = Problem.of(table, budget)
    if not problem.is_feasible:
        return problem.infeasible()
    graph, relaxed = problem.graph, Relaxed.of(problem)
    paths = cheapest_paths(graph), best_paths(graph)
    roots = np.flatnonzero(table.parent_option < 0)
    spare = graph.budget - (problem.floor or 0)
    upgrades = Upgrades(_steps(graph, roots, paths, spare), spare, limits)
    rule(upgrades)
    cheap, full = paths[0][2], paths[1][2]
    in_full = [step.in_full for step in upgrades.taken]
    whole = np.repeat(np.array(in_full, dtype=bool), np.diff(np.append(roots, table.classes)))
    path = np.where(whole, full, cheap)
    for root, step in zip(roots.tolist(), upgrades.taken, strict=True):
        if step is not NOTHING:
            path[root] = step.option
    return relaxed.solution(path, start)


def _steps(
    graph: Graph, roots: Ints, paths: tuple[tuple[Ints, Ints, Ints], ...], spare: int
) -> list[list[Step]]:
    """Make the steps of each root class from what the paths below its options add up to."""
    sizes = np.diff(graph.start)[roots]
    ends = np.append(roots, graph.classes)[1:]
    own = np.repeat(np.arange(roots.size), sizes)
    options = np.arange(own.size) + np.repeat(graph.start[roots] - np.cumsum(sizes) + sizes, sizes)
    costs, values, _ = paths[0]
    found: defaultdict[int, list[Step]] = defaultdict(list)
    for in_full, (cost, value, _) in enumerate(paths):
        after, end = graph.succ[options], ends[own]
        possible = (cost[after] != -NEVER) & (value[after] != NEVER)
        more = graph.cost[options] + cost[after] - cost[end] - (costs[roots] - costs[ends])[own]
        gain = graph.value[options] + value[after] - value[end]
        gain -= (values[roots] - values[ends])[own]
        useful = np.flatnonzero(possible & (gain > 0) & (more <= spare))
        for i in useful.tolist():
            step = Step(int(more[i]), int(gain[i]), int(options[i]), bool(in_full))
            found[int(own[i])].append(step)
    return [_frontier(found[i]) for i in range(roots.size)]


def _frontier(steps: list[Step]) -> list[Step]:
    kept: list[Step] = []
    for step in sorted(steps, key=lambda step: (step.cost, -step.gain)):
        if not kept or step.gain > kept[-1].gain:
            kept.append(step)
    return kept
