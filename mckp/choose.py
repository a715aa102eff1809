"""Which options are taken: all of the document if it fits, else what a solver proves best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mckp.plan import Draft, Plan
    from mckp.solvers.base import Solution
    from mckp.tokenizers.base import Tokenizer


MOST_TRIES: Final = 16
"""Tables that are solved at most where prices only guide."""


MOST_ROUNDS: Final = 4
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


def choose_whole(plan: Plan, tokenizer: Tokenizer) -> Chosen:
    """Return the cheapest way to write everything, by the count of the finished text."""
    drafts = plan.wholes()
    tokens = tokenizer.count_batch([draft.text for draft in drafts])
    best = min(range(len(drafts)), key=lambda number: tokens[number])
    return Chosen(drafts[best], tokens[best], plan.total, tokenizer.additive)


def choose_part(plan: Plan, tokenizer: Tokenizer, budget: int, solver: str) -> Chosen | None:
    """Return the best selection within a budget that not everything fits.

    None if not even the hint fits that stands for the document.
    """
    search = _Search(plan, tokenizer, solver)
    return search.exact(budget) if tokenizer.additive else search.guided(budget)


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
class _Search:
    """The search for a part of a document."""

    plan: Plan
    tokenizer: Tokenizer
    solver: str

    def exact(self, budget: int) -> Chosen | None:
        """Return the best selection where counts of fragments add up.

        Where some hints may or may not be owed, a table in which those are free bounds
        the value, and often its choice fits; if not, one in which all are paid does.
        """
        best = self.once(budget)
        try:
            for _ in range(MOST_ROUNDS):
                if best is None or best.tokens == budget or not self.plan.refine(best.draft.pick):
                    break
                best = self.once(budget)
        finally:
            self.plan.restore()
        return best

    def once(self, budget: int) -> Chosen | None:
        """Return the best selection from the menu as it is."""
        found = self.solved(budget, spare_hints=True)
        if found is None:
            return None
        chosen, solution = found
        if chosen.tokens > budget:
            found = self.solved(budget, spare_hints=False)
            if found is None:
                return None
            chosen = found[0]
        proved = solution.is_optimal and chosen.draft.value == solution.value
        return replace(
            chosen, bound=solution.bound, optimal=proved and chosen.tokens == solution.cost
        )

    def guided(self, budget: int) -> Chosen | None:
        """Return a good selection where prices only guide, and the finished text is counted.

        The limit given to the solver is searched for by halving the interval.
        """
        best = None
        low, high = 0, self.plan.most
        limit = min(high, budget * self.plan.scale)
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

        table, draft_of = self.plan.table(limit, spare_hints=spare_hints)
        solution = solve(table, limit, self.solver)
        if solution.status == "infeasible":
            return None
        return self.counted(draft_of(solution.choice.tolist())), solution

    def nothing(self, budget: int) -> Chosen | None:
        nothing = self.counted(self.plan.nothing())
        return nothing if nothing.tokens <= budget else None

    def counted(self, draft: Draft) -> Chosen:
        return Chosen(draft, self.tokenizer.count(draft.text), self.plan.total, optimal=False)


def _rank(chosen: Chosen) -> tuple[float, int]:
    return chosen.draft.value, -chosen.tokens
