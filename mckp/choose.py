"""Which options are taken: all of the document if it fits, else what a solver proves best."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

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


MOST_REFINED: Final = 2
"""Times that the menu is refined where a choice leaves tokens over."""


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


def choose_whole(plan: Plan, tokenizer: Tokenizer, budget: int | None) -> Chosen | None:
    """Return the cheapest way to write everything, or None if it does not fit.

    The count of the finished text decides; where counts add up, its price tells before.
    """
    if budget is not None and tokenizer.additive and plan.most > budget:
        return None
    drafts = plan.wholes()
    tokens = tokenizer.count_batch([draft.text for draft in drafts])
    best = min(range(len(drafts)), key=lambda number: tokens[number])
    if budget is not None and tokens[best] > budget:
        return None
    return Chosen(drafts[best], tokens[best], plan.total, tokenizer.additive)


def choose_part(plan: Plan, tokenizer: Tokenizer, budget: int, solver: str) -> Chosen | None:
    """Return the best selection within a budget that not everything fits.

    None if not even the hint fits that stands for the document.
    """
    search = _Search(plan, tokenizer, solver, min(plan.most, budget * plan.scale))
    return search.exact(budget) if tokenizer.additive else search.guided(budget)


def least(plan: Plan) -> int:
    """Return the tokens of a selection at least, hints that may not be owed left out."""
    table = plan.offer(plan.most, frozenset()).table
    start, above, cost = table.start.tolist(), table.parent_option.tolist(), table.cost.tolist()
    for number in reversed(range(1, table.classes)):
        cost[above[number]] += min(cost[start[number] : start[number + 1]])
    return int(min(cost[: start[1]])) // plan.scale


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
    """The search for a part of a document, near some price."""

    plan: Plan
    tokenizer: Tokenizer
    solver: str
    near: int

    def exact(self, budget: int) -> Chosen | None:
        """Return the best selection where counts of fragments add up.

        What it leaves over is spent on the steps that the menu skipped, if any fits.
        """
        best = self.once(budget)
        try:
            for _ in range(MOST_REFINED):
                if best is None or not self.plan.refine(best.draft.pick):
                    break
                best = self.once(budget)
            return self.bounded(best, budget)
        finally:
            self.plan.restore()

    def bounded(self, best: Chosen | None, budget: int) -> Chosen | None:
        """Bound a selection by what would fit if no hint cost more than it may."""
        lowest = None if best is None else self.plan.lowest(budget)
        if best is None or lowest is None:
            return best
        from mckp.solvers.dues import Dues

        found = self.found(lowest, Dues.spread(lowest.table, lowest.due, budget, 0), budget)
        bound = best.bound if found is None else max(best.bound, found.solution.bound)
        return replace(best, bound=bound, optimal=False)

    def once(self, budget: int) -> Chosen | None:
        """Return the best selection from the menu as it is."""
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
        proved = relaxed.is_optimal and equal
        return Chosen(draft, tokens, draft.value if proved else relaxed.bound, proved)

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

        offer = self.plan.offer(limit, exact, self.near)
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
