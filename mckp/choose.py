"""Which options are taken: all of the document if it fits, else what a solver proves best."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mckp.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from mckp.plan import Draft, Offer, Plan
    from mckp.solvers.base import Solution
    from mckp.solvers.dues import Dues
    from mckp.tokenizers.base import Tokenizer


MOST_ROUNDS: Final = 8
"""Tables that are solved at most, each with more hints priced exactly than the one before."""

FEW_ROUNDS: Final = 1
"""Rounds after which what was not paid may just move on to the next of many that are alike."""

MOST_TRIES: Final = 16
"""Tables that are solved at most where prices only guide."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A decision for every class, the text it makes, and how good it is.

    Attributes
    ----------
    draft : Draft
        The decisions, the text, and the information it keeps.
    tokens : int
        Tokens of the text, counted whole.
    bound : float
        No selection from the menu holds more within the budget.
    optimal : bool
        Whether that is proved, ties by length included.
    """

    draft: Draft
    tokens: int
    bound: float
    optimal: bool


def choose(plan: Plan, tokenizer: Tokenizer, budget: int | None, solver: str) -> Chosen:
    """Return the best selection within a budget.

    Raises
    ------
    BudgetError
        If neither the whole document fits nor the hint that stands for it.
    """
    most = plan.most
    if budget is None or most <= budget or not tokenizer.additive:
        whole = _whole(plan, tokenizer)
        most = whole.tokens
        if budget is None or most <= budget:
            return whole
    search = _Search(plan, tokenizer, solver)
    chosen = search.exact(budget) if tokenizer.additive else search.guided(budget)
    if chosen is None:
        raise BudgetError(budget, min(most, tokenizer.count(plan.nothing().text)))
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


def _whole(plan: Plan, tokenizer: Tokenizer) -> Chosen:
    """Return the cheapest way to write everything, by the count of the finished text."""
    drafts = plan.wholes()
    tokens = tokenizer.count_batch([draft.text for draft in drafts])
    best = min(range(len(drafts)), key=lambda number: tokens[number])
    return Chosen(drafts[best], tokens[best], plan.total, tokenizer.additive)


@dataclass(frozen=True, slots=True)
class _Found:
    """A choice from a table, and what it owes beyond its cost.

    Attributes
    ----------
    offer : Offer
        The table.
    solution : Solution
        The choice.
    dues : Dues
        What hints cost in the table that was solved.
    unpaid : dict of int to int
        What each option still owes for its hint, if anything.
    """

    offer: Offer
    solution: Solution
    dues: Dues
    unpaid: dict[int, int]

    @property
    def cost(self) -> int:
        return self.solution.cost + sum(self.unpaid.values())

    @property
    def rank(self) -> tuple[float, int]:
        return self.solution.value, -self.cost

    @property
    def draft(self) -> Draft:
        return self.offer.draft(self.solution.choice.tolist())

    def short(self, *, with_others: bool) -> set[int]:
        """Return the containers whose hints were not paid in full, or all beside them."""
        rows = self.dues.beside(list(self.unpaid)) if with_others else self.unpaid
        return {self.offer.container(row) for row in rows}


@dataclass(frozen=True, slots=True)
class _Search:
    """The search for a part of a document."""

    plan: Plan
    tokenizer: Tokenizer
    solver: str

    def exact(self, budget: int) -> Chosen | None:
        """Return the best selection where counts of fragments add up."""
        best = last = None
        for last in self.rounds(budget, set()):
            if last.cost <= budget and (best is None or last.rank > best.rank):
                best = last
        if last is None:
            return None
        if last.unpaid:
            paid = self.found(last.offer, last.dues.paid(), budget)
            best = max(filter(None, [best, paid]), key=lambda each: each.rank, default=None)
        return None if best is None else self.judged(best, last.solution)

    def rounds(self, limit: int, exact: set[int]) -> Iterator[_Found]:
        """Yield choices that no other is better than, until one owes nothing or they are too many.

        At first the hints of containers in `exact` are priced exactly; those that a choice did
        not pay in full are added to them.
        """
        price = 0.0
        for done in range(MOST_ROUNDS):
            found = self.solved(limit, exact, price)
            if found is None:
                return
            yield found
            if not found.unpaid:
                return
            exact |= found.short(with_others=done >= FEW_ROUNDS)
            price = found.dues.price

    def judged(self, best: _Found, relaxed: Solution) -> Chosen:
        """Return a selection, proved by a relaxation if that has nothing better."""
        draft = best.draft
        tokens = self.tokenizer.count(draft.text)
        equal = (draft.value, tokens) == (relaxed.value, relaxed.cost)
        return Chosen(draft, tokens, relaxed.bound, relaxed.is_optimal and equal)

    def guided(self, budget: int) -> Chosen | None:
        """Return a good selection where prices only guide, and the finished text is counted.

        The limit given to the solver is searched for by halving the interval.
        """
        best, exact = None, set[int]()
        low, high = 0, self.plan.most
        limit = min(high, budget * self.plan.scale)
        for _ in range(MOST_TRIES):
            last = deque(self.rounds(limit, exact), 1)
            found = self.counted(last[0].draft) if last else None
            if found is not None and found.tokens > budget:
                high = limit - 1
            else:
                low = limit + 1
                best = max(filter(None, [best, found]), key=_rank, default=None)
            if low > high:
                break
            limit = (low + high) // 2
        return best or self.nothing(budget)

    def solved(self, limit: int, exact: AbstractSet[int], price: float = 0) -> _Found | None:
        # Numpy, Numba and the solvers are needed only where something must go.
        from mckp.solvers.dues import Dues

        offer = self.plan.offer(limit, exact)
        return self.found(offer, Dues.spread(offer.table, offer.due, limit, price), limit)

    def found(self, offer: Offer, dues: Dues, limit: int) -> _Found | None:
        from mckp.solvers import solve

        solution = solve(dues.shared, limit, self.solver)
        if solution.status == "infeasible":
            return None
        return _Found(offer, solution, dues, dues.unpaid(solution.choice))

    def nothing(self, budget: int) -> Chosen | None:
        nothing = self.counted(self.plan.nothing())
        return nothing if nothing.tokens <= budget else None

    def counted(self, draft: Draft) -> Chosen:
        return Chosen(draft, self.tokenizer.count(draft.text), self.plan.total, optimal=False)


def _rank(chosen: Chosen) -> tuple[float, int]:
    return chosen.draft.value, -chosen.tokens
