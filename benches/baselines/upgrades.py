"""What the baselines share: the cheapest selection, and steps up from it by root class."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mckp.solvers.greedy import proved
from mckp.solvers.problem import Problem
from mckp.solvers.tree import NEVER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from mckp.solvers.base import Limits, Solution
    from mckp.solvers.tree import Tree
    from mckp.table import Table

    Ints = NDArray[np.int64]


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
    roots = np.flatnonzero(table.parent_option < 0)
    spare = problem.budget - (problem.floor or 0)
    cheap, full = (
        _Ways(problem, 1, 2 * problem.scaled.most + 1),
        _Ways(problem, problem.most_cost + 1, 1),
    )
    upgrades = Upgrades(_steps(problem.tree, roots.size, cheap, full, spare), spare, limits)
    rule(upgrades)
    for root, step in enumerate(upgrades.taken):
        if step is not NOTHING:
            (full if step.in_full else cheap).fix(root, step.option)
    in_full = [step.in_full for step in upgrades.taken]
    whole = np.repeat(np.array(in_full, dtype=bool), np.diff(np.append(roots, table.classes)))
    choice = np.where(whole, full.choice(), cheap.choice())
    return proved(problem, problem.better(choice, start))


class _Ways:
    """The best selections below every option at one price, so high or so low that it orders all."""

    def __init__(self, problem: Problem, scale: int, price: int) -> None:
        self.problem, self.scale, self.price = problem, scale, price
        self.relaxed = problem.tree.relax(scale, price)

    def totals(self, reduced: Ints) -> tuple[Ints, Ints]:
        """Return cost and value of what has these reduced values."""
        if self.scale == 1:
            cost = -((reduced + self.problem.scaled.most) // self.price)
            return cost, reduced + cost * self.price
        value = -(-reduced // self.scale)
        return value * self.scale - reduced, value

    def fix(self, root: int, option: int) -> None:
        """Take this option, as numbered in the tree, in a class at the root."""
        relaxed, first = self.relaxed, self.problem.tree.first
        best = int(relaxed.best[option])
        for array in (relaxed.clean, relaxed.paid):
            if array is not None:
                kept = array[option]
                array[first[root] : first[root + 1]] = NEVER
                array[option] = kept
        relaxed.best_free[root] = best

    def choice(self) -> Ints:
        """Return the choice of the best selection."""
        tree = self.problem.tree
        return tree.choice(tree.select(self.relaxed).taken)


def _steps(tree: Tree, roots: int, cheap: _Ways, full: _Ways, spare: int) -> list[list[Step]]:
    """Make the steps of each root class from what the selections below its options add up to."""
    options: Any = np.arange(int(tree.first[roots]))
    own = tree.owner[options]
    costs, values = cheap.totals(cheap.relaxed.best_free[:roots])
    found: defaultdict[int, list[Step]] = defaultdict(list)
    for in_full, ways in enumerate((cheap, full)):
        best = ways.relaxed.best[options]
        cost, value = ways.totals(best)
        more, gain = cost - costs[own], value - values[own]
        useful = np.flatnonzero((best > NEVER // 2) & (gain > 0) & (more <= spare))
        for i in useful.tolist():
            found[int(own[i])].append(Step(int(more[i]), int(gain[i]), i, bool(in_full)))
    return [_frontier(found[i]) for i in range(roots)]


def _frontier(steps: list[Step]) -> list[Step]:
    kept: list[Step] = []
    for step in sorted(steps, key=lambda step: (step.cost, -step.gain)):
        if not kept or step.gain > kept[-1].gain:
            kept.append(step)
    return kept
