"""Which options are taken: all of the document if it fits, else what a solver proves best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mckp.errors import BudgetError
from mckp.render import Pick, pick_chosen, pick_whole, rendered

if TYPE_CHECKING:
    from mckp.menu.base import Menu
    from mckp.price import Prices
    from mckp.solvers.base import Solution
    from mckp.tokenizers.base import Tokenizer


@dataclass(frozen=True, slots=True)
class Chosen:
    """A decision for every class, the text it makes, and how good it is.

    Attributes
    ----------
    pick : Pick
        The decisions.
    text : str
        The text.
    tokens : int
        Its tokens, counted whole.
    bound : float
        No selection from the menu holds more within the budget.
    optimal : bool
        Whether that is proved, ties by length included.
    """

    pick: Pick
    text: str
    tokens: int
    bound: float
    optimal: bool


def choose(
    menu: Menu, prices: Prices, tokenizer: Tokenizer, budget: int | None, solver: str
) -> Chosen:
    """Return the best selection within a budget.

    Where counts of fragments do not add up, prices only guide: the finished text is
    counted, and while it is over, the solver gets that much less.

    Raises
    ------
    BudgetError
        If not even the hint that stands for the whole document fits.
    """
    whole = _whole(menu, prices, tokenizer)
    if budget is None or whole.tokens <= budget:
        return whole
    limit = budget
    while limit >= 0:
        chosen = _part(menu, prices, tokenizer, limit, solver)
        if chosen is None:
            break
        if chosen.tokens <= budget:
            return chosen
        limit -= chosen.tokens - budget
    floor = tokenizer.count(menu.nothing)
    if floor <= budget:
        return _nothing(menu, tokenizer)
    raise BudgetError(budget, floor)


def _whole(menu: Menu, prices: Prices, tokenizer: Tokenizer) -> Chosen:
    """Return the cheapest way to write everything, by the count of the finished text."""
    pick = pick_whole(menu.root)
    text = rendered(pick, menu)
    tokens = tokenizer.count(text)
    for option in menu.root.options:
        if not tokenizer.additive and not option.children and prices.own(option) < tokens:
            pick = Pick(menu.root, (), option)
            text, tokens = rendered(pick, menu), prices.own(option)
    return Chosen(pick, text, tokens, menu.root.weight, tokenizer.additive)


def _part(
    menu: Menu, prices: Prices, tokenizer: Tokenizer, limit: int, solver: str
) -> Chosen | None:
    # Numpy, Numba and the solvers are needed only where something must go.
    from mckp.solvers import solve
    from mckp.tabulate import tabulate

    priced = tabulate(prices, limit)
    solution = solve(priced.table, limit, solver)
    if solution.status == "infeasible":
        return None
    pick = pick_chosen(priced, solution.choice.tolist())
    text = rendered(pick, menu)
    bound, optimal = _certificate(menu, solution, tokenizer)
    return Chosen(pick, text, tokenizer.count(text), bound, optimal)


def _certificate(menu: Menu, solution: Solution, tokenizer: Tokenizer) -> tuple[float, bool]:
    """A proof about prices is one about texts only if prices add up."""
    if tokenizer.additive:
        return solution.bound, solution.is_optimal
    return menu.root.weight, False


def _nothing(menu: Menu, tokenizer: Tokenizer) -> Chosen:
    tokens = tokenizer.count(menu.nothing)
    return Chosen(Pick(menu.root, (), None), menu.nothing, tokens, menu.root.weight, False)
