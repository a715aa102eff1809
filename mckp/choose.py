"""Which options are taken: all of the document if it fits, else what a solver proves best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mckp.errors import BudgetError
from mckp.price import whole_cost
from mckp.render import Pick, kept_value, pick_chosen, pick_whole, rendered

if TYPE_CHECKING:
    from mckp.menu.base import Menu
    from mckp.price import Prices
    from mckp.solvers.base import Solution
    from mckp.tokenizers.base import Tokenizer


MOST_TRIES: Final = 16
"""Tables that are solved at most where prices only guide."""


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
    value : float
        Information it keeps.
    bound : float
        No selection from the menu holds more within the budget.
    optimal : bool
        Whether that is proved, ties by length included.
    """

    pick: Pick
    text: str
    tokens: int
    value: float
    bound: float
    optimal: bool


def choose(prices: Prices, tokenizer: Tokenizer, budget: int | None, solver: str) -> Chosen:
    """Return the best selection within a budget.

    Raises
    ------
    BudgetError
        If neither the whole document fits nor the hint that stands for it.
    """
    menu = prices.menu
    whole = _whole(menu, tokenizer)
    if budget is None or whole.tokens <= budget:
        return whole
    search = _Search(prices, tokenizer, solver)
    chosen = search.exact(budget) if tokenizer.additive else search.guided(budget)
    if chosen is None:
        raise BudgetError(budget, min(whole.tokens, tokenizer.count(menu.nothing)))
    return chosen


def check_solver(name: str) -> None:
    """Refuse an unknown solver, even where none will be needed.

    Raises
    ------
    UnknownNameError
        With the names there are.
    """
    if name != "auto":
        from mckp.solvers import get

        get(name)


def _whole(menu: Menu, tokenizer: Tokenizer) -> Chosen:
    """Return the cheapest way to write everything, by the count of the finished text."""
    picks = [pick_whole(menu.root)]
    if not tokenizer.additive:
        picks += [Pick(menu.root, (), each) for each in menu.root.options if not each.children]
    texts = [rendered(pick, menu) for pick in picks]
    tokens = tokenizer.count_batch(texts)
    best = min(range(len(picks)), key=lambda number: tokens[number])
    weight = menu.root.weight
    return Chosen(picks[best], texts[best], tokens[best], weight, weight, tokenizer.additive)


@dataclass(frozen=True, slots=True)
class _Search:
    """The search for a part of a document."""

    prices: Prices
    tokenizer: Tokenizer
    solver: str

    @property
    def menu(self) -> Menu:
        return self.prices.menu

    def exact(self, budget: int) -> Chosen | None:
        """Return the best selection where counts of fragments add up.

        Where some hints may or may not be owed, a table in which those are free bounds
        the value, and often its choice fits; if not, one in which all are paid does.
        """
        found = self.solved(budget, spare_hints=True)
        if found is None:
            return None
        chosen, solution = found
        if chosen.tokens > budget:
            found = self.solved(budget, spare_hints=False)
            if found is None:
                return None
            chosen = found[0]
        proved = solution.is_optimal and chosen.value == solution.value
        return replace(
            chosen, bound=solution.bound, optimal=proved and chosen.tokens == solution.cost
        )

    def guided(self, budget: int) -> Chosen | None:
        """Return a good selection where prices only guide, and the finished text is counted.

        The limit given to the solver is searched for by halving the interval.
        """
        best = None
        low, high = 0, whole_cost(self.menu.root)
        limit = min(high, budget * self.prices.scale)
        for _ in range(MOST_TRIES):
            found = self.solved(limit, spare_hints=False)
            if found is not None and found[0].tokens > budget:
                high = limit - 1
            else:
                low = limit + 1
                best = max(filter(None, [best, found and found[0]]), key=_rank, default=None)
            if low > high:
                break
            limit = (low + high) // 2
        return best or self.nothing(budget)

    def solved(self, limit: int, *, spare_hints: bool) -> tuple[Chosen, Solution] | None:
        # Numpy, Numba and the solvers are needed only where something must go.
        from mckp.solvers import solve
        from mckp.tabulate import tabulate

        priced = tabulate(self.prices, limit, spare_hints=spare_hints)
        solution = solve(priced.table, limit, self.solver)
        if solution.status == "infeasible":
            return None
        pick = pick_chosen(priced, solution.choice.tolist())
        text = rendered(pick, self.menu)
        tokens, weight = self.tokenizer.count(text), self.menu.root.weight
        return Chosen(pick, text, tokens, kept_value(pick), weight, optimal=False), solution

    def nothing(self, budget: int) -> Chosen | None:
        text = self.menu.nothing
        tokens, weight = self.tokenizer.count(text), self.menu.root.weight
        nothing = Chosen(Pick(self.menu.root, (), None), text, tokens, 0, weight, optimal=False)
        return nothing if tokens <= budget else None


def _rank(chosen: Chosen) -> tuple[float, int]:
    return chosen.value, -chosen.tokens
