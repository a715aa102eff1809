"""Which options are taken: all of the document if it fits, else what a solver proves best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mckp.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Hashable
    from collections.abc import Set as AbstractSet

    from mckp.plan import Draft, Offer, Plan
    from mckp.solvers.base import Solution
    from mckp.tokenizers.base import Tokenizer


MOST_ROUNDS: Final = 12
"""Tables that are solved at most, each with more hints priced exactly than the one before."""

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
    whole = _whole(plan, tokenizer)
    if budget is None or whole.tokens <= budget:
        return whole
    search = _Search(plan, tokenizer, solver)
    chosen = search.exact(budget) if tokenizer.additive else search.guided(budget)
    if chosen is None:
        raise BudgetError(budget, min(whole.tokens, tokenizer.count(plan.nothing().text)))
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
    unpaid : dict of int to int
        What each option still owes for its hint, if anything.
    """

    offer: Offer
    solution: Solution
    unpaid: dict[int, int]

    @property
    def cost(self) -> int:
        return self.solution.cost + sum(self.unpaid.values())

    @property
    def draft(self) -> Draft:
        return self.offer.draft(self.solution.choice.tolist())

    @property
    def short(self) -> set[Hashable]:
        """The containers whose hints were not paid in full."""
        return {self.offer.container(row) for row in self.unpaid}


@dataclass(frozen=True, slots=True)
class _Search:
    """The search for a part of a document."""

    plan: Plan
    tokenizer: Tokenizer
    solver: str

    def exact(self, budget: int) -> Chosen | None:
        """Return the best selection where counts of fragments add up.

        At first no hint that may or may not be owed is priced exactly, which bounds the value;
        then those are that a choice did not pay in full, until one owes nothing more. If that
        takes too many rounds, all hints are paid, owed or not.
        """
        exact: set[Hashable] = set()
        fitting: list[_Found] = []
        for _ in range(MOST_ROUNDS):
            found = self.solved(budget, exact)
            if found is None:
                return None
            if found.cost <= budget:
                fitting.append(found)
            if not found.unpaid:
                break
            exact |= found.short
        else:
            fitting += self.paid(budget, exact)
        best = max(fitting, key=lambda each: (each.solution.value, -each.cost), default=None)
        return best and self.judged(best, found.solution)

    def judged(self, best: _Found, relaxed: Solution) -> Chosen:
        """Return a selection, proved by a relaxation if that has nothing better."""
        draft = best.draft
        tokens = self.tokenizer.count(draft.text)
        equal = (draft.value, tokens) == (relaxed.value, relaxed.cost)
        return Chosen(draft, tokens, relaxed.bound, relaxed.is_optimal and equal)

    def paid(self, budget: int, exact: AbstractSet[Hashable]) -> list[_Found]:
        """Return what is best if all hints are paid, if anything fits."""
        from mckp.solvers import solve
        from mckp.solvers.dues import paid

        offer = self.plan.offer(budget, exact)
        solution = solve(paid(offer.table, offer.due), budget, self.solver)
        return [] if solution.status == "infeasible" else [_Found(offer, solution, {})]

    def guided(self, budget: int) -> Chosen | None:
        """Return a good selection where prices only guide, and the finished text is counted.

        The limit given to the solver is searched for by halving the interval.
        """
        best = None
        low, high = 0, self.plan.most
        limit = min(high, budget * self.plan.scale)
        for _ in range(MOST_TRIES):
            solved = self.solved(limit, set())
            found = solved and self.counted(solved.draft)
            if found is not None and found.tokens > budget:
                high = limit - 1
            else:
                low = limit + 1
                best = max(filter(None, [best, found]), key=_rank, default=None)
            if low > high:
                break
            limit = (low + high) // 2
        return best or self.nothing(budget)

    def solved(self, limit: int, exact: AbstractSet[Hashable]) -> _Found | None:
        # Numpy, Numba and the solvers are needed only where something must go.
        from mckp.solvers import solve
        from mckp.solvers.dues import Dues

        offer = self.plan.offer(limit, exact)
        dues = Dues.spread(offer.table, offer.due, limit)
        solution = solve(dues.table, limit, self.solver)
        if solution.status == "infeasible":
            return None
        return _Found(offer, solution, dues.unpaid(solution.choice))

    def nothing(self, budget: int) -> Chosen | None:
        nothing = self.counted(self.plan.nothing())
        return nothing if nothing.tokens <= budget else None

    def counted(self, draft: Draft) -> Chosen:
        return Chosen(draft, self.tokenizer.count(draft.text), self.plan.total, optimal=False)


def _rank(chosen: Chosen) -> tuple[float, int]:
    return chosen.draft.value, -chosen.tokens
