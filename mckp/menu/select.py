"""The selection: all of the document if it fits, else what a solver finds within the budget."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from mckp.menu.classes import Option
from mckp.menu.price import writes_all
from mckp.menu.render import Pick, kept_worth, render, taken, whole

if TYPE_CHECKING:
    from mckp.menu.classes import Menu
    from mckp.menu.price import Prices
    from mckp.menu.tabulate import Tabulated
    from mckp.solvers.base import Solution
    from mckp.table import Table
    from mckp.tokenizers.base import Tokenizer


@dataclass(frozen=True, slots=True)
class Selection:
    """An option for every class, the text of these options, and how good it is."""

    pick: Pick
    text: str
    tokens: int
    """Tokens of the text, counted whole."""
    worth: float
    bound: float
    """No selection from the menu is worth more within the budget."""
    is_optimal: bool
    """Whether it is proved that nothing is worth more, and nothing of equal worth is shorter."""


class Solving(NamedTuple):
    """The solver for what must be cut, by its name, and the most work it may do; None: its own."""

    name: str
    work_limit: int | None

    @classmethod
    def checked(cls, name: str, work_limit: int | None) -> Solving:
        """Check both, even if no solver will be needed.

        An unknown solver is an `UnknownNameError`, a limit that is no whole number of 0 or more a
        ValueError.
        """
        if name != "auto":
            from mckp.solvers import get

            get(name)
        given: object = work_limit
        if given is not None and (not isinstance(given, int) or given < 0):
            raise ValueError(f"work_limit is a whole number of 0 or more, not {given!r:.40}")
        return cls(name, work_limit)

    def __call__(self, table: Table, budget: int) -> Solution:
        """Solve a table."""
        from mckp.solvers import solve  # needs numpy

        return solve(table, budget, self.name, work_limit=self.work_limit)


def cheapest(menu: Menu, prices: Prices, tokenizer: Tokenizer) -> Selection:
    """Return the cheapest way to write everything.

    Prices decide. If counts do not add up, finished texts are counted and compared as well.
    """
    root = menu.root
    picks = [whole(root, prices)]
    if not tokenizer.additive:
        texts = (e for e in root.options if isinstance(e, Option) and not e.children)
        picks += [taken(root, each, prices) for each in texts if writes_all(each)]
    found = (_counted(menu, pick, tokenizer, root.worth) for pick in picks)
    best = min(found, key=lambda each: each.tokens)
    return replace(best, is_optimal=tokenizer.additive)


def best_within(
    tabulated: Tabulated, tokenizer: Tokenizer, budget: int, solver: Solving
) -> Selection | None:
    """Return the best selection within a budget; None if none fits, not even the hint alone."""
    if not tokenizer.additive:
        return _guided(tabulated, tokenizer, budget, solver)
    solution = solver(tabulated.table, budget)
    if solution.status == "infeasible":
        return None
    pick = tabulated.pick(solution.choice.tolist())
    found = _counted(tabulated.menu, pick, tokenizer, solution.bound)
    is_priced = (found.worth, found.tokens) == (solution.value, solution.cost)
    proved = solution.is_optimal and is_priced
    bound = found.worth if proved else max(found.worth, float(solution.bound))
    return replace(found, bound=bound, is_optimal=proved)


def least(tabulated: Tabulated, solver: Solving) -> int:
    """Return the fewest tokens of any selection."""
    return (solver(tabulated.table, 0).floor or 0) // tabulated.prices.scale


def _guided(
    tabulated: Tabulated, tokenizer: Tokenizer, budget: int, solver: Solving
) -> Selection | None:
    """Return a good selection for a tokenizer whose counts do not add up.

    A binary search finds a limit for the solver at which the counted text is within the budget.
    """
    menu, prices = tabulated.menu, tabulated.prices
    best: Selection | None = None
    low, high = 0, prices.whole(menu.root)
    limit = min(high, budget * prices.scale)
    while low <= high:
        solution = solver(tabulated.table, limit)
        found = None
        if solution.status != "infeasible":
            pick = tabulated.pick(solution.choice.tolist())
            found = _counted(menu, pick, tokenizer, menu.root.worth)
        if found is not None and found.tokens > budget:
            high = limit - 1
        else:
            low = limit + 1
            both = filter(None, [best, found])
            best = max(both, key=lambda each: (each.worth, -each.tokens), default=None)
        limit = (low + high) // 2
    if best is not None or menu.root.is_pinned:
        return best
    nothing = _counted(menu, Pick(menu.root, (), None), tokenizer, menu.root.worth)
    return nothing if nothing.tokens <= budget else None


def _counted(menu: Menu, pick: Pick, tokenizer: Tokenizer, bound: float) -> Selection:
    text = render(menu, pick)
    return Selection(pick, text, tokenizer.count(text), kept_worth(pick), bound, is_optimal=False)
