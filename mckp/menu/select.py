"""The selection: the whole document if it fits, else what a solver finds in the budget."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from mckp.frozen import frozen
from mckp.menu.classes import Option
from mckp.menu.price import writes_all
from mckp.menu.render import Pick, kept_worth, render, taken_pick, whole_pick

if TYPE_CHECKING:
    from mckp.menu.classes import Menu
    from mckp.menu.price import Prices
    from mckp.menu.tabulate import Tabulated
    from mckp.solvers.base import Solution
    from mckp.solvers.outside import SolverLike
    from mckp.table import Table
    from mckp.tokenizers.base import Tokenizer

TRIES: Final = 8
"""Texts that are counted at most for a tokenizer whose counts do not add up, if one fits."""


@frozen
class Selection:
    """An option for every class, the text of these options, and how good it is."""

    pick: Pick
    text: str
    tokens: int
    """Tokens of the text, counted whole."""
    worth: float
    bound: float | None
    """No selection from the menu is worth more within the budget; None if nothing is known."""
    is_optimal: bool
    """Whether it is proved that nothing is worth more, and nothing of equal worth is shorter."""


class Solving(NamedTuple):
    """The solver for what must be cut, and its work limit; None means the solver's default."""

    solver: SolverLike
    work_limit: int | None
    may_cut: bool = True
    """Whether anything may be cut at all."""

    @classmethod
    def checked(cls, solver: SolverLike, work_limit: int | None) -> Solving:
        """Return a valid solver and work limit; both are checked even if neither is needed.

        Raises `UnknownNameError` for an unknown solver, and `ValueError` for a limit that is not an
        integer of at least 0.
        """
        if solver != "auto":
            from mckp.solvers import get

            get(solver)
        limit = cast("object", work_limit)
        if limit is not None and (not isinstance(limit, int) or limit < 0):
            raise ValueError(f"work_limit must be a whole number of 0 or more, not {limit!r:.40}")
        return cls(solver, work_limit)

    def __call__(self, table: Table, budget: int) -> Solution:
        """Return the solution of a table within a budget, which is in the units of its costs."""
        from mckp.solvers import solve  # needs numpy

        if self.solver == "auto" and self.work_limit is None:
            from mckp.solvers.small import solve_small

            if (solution := solve_small(table, budget)) is not None:
                return solution
        return solve(table, budget, self.solver, work_limit=self.work_limit)


def cheapest_selection(menu: Menu, prices: Prices, tokenizer: Tokenizer) -> Selection:
    """Return the cheapest way to write everything.

    Prices decide. If token counts do not add up, finished texts are counted and compared as well.
    """
    root = menu.root
    picks = [whole_pick(root, prices)]
    if not prices.adds_up:
        texts = (
            option for option in root.options if isinstance(option, Option) and not option.children
        )
        picks += [taken_pick(root, option, prices) for option in texts if writes_all(option)]
    counted = (_counted_selection(menu, pick, tokenizer, root.worth) for pick in picks)
    best = min(counted, key=lambda selection: selection.tokens)
    return replace(best, is_optimal=prices.proves)


def best_selection(
    tabulated: Tabulated, tokenizer: Tokenizer, budget: int, solver: Solving
) -> Selection | None:
    """Return the best selection within a budget, or None if none fits.

    The solver ``binary`` solves `Tabulated.binary`. Its selection is the best of that table, but is
    reported as optimal only if the relaxation of the whole table proves that too.
    """
    prices, all_options = tabulated.prices, tabulated.table
    if is_binary := solver.solver == "binary":
        tabulated, solver = tabulated.binary, Solving("auto", solver.work_limit)
    if not prices.adds_up:
        return _guided_selection(tabulated, tokenizer, budget, solver)
    limit = budget * prices.scale - prices.frame
    if limit < 0:
        return None
    solution = solver(tabulated.table, limit)
    if solution.status == "infeasible":
        return None
    pick = tabulated.pick(solution.choice.tolist())
    selection = _counted_selection(tabulated.menu, pick, tokenizer, solution.bound)
    if selection.tokens > budget:  # a tokenizer that says of itself what is not so
        return _guided_selection(tabulated, tokenizer, budget, solver)
    is_priced = (selection.worth, selection.tokens) == (
        solution.value,
        prices.tokens(solution.cost),
    )
    most = float(solution.bound)
    if is_binary:
        most = float(Solving("greedy", None)(all_options, limit).bound)
    proved = solution.is_optimal and is_priced and prices.proves
    proved = proved and not (is_binary and most > solution.value)
    bound = selection.worth if proved else max(selection.worth, most)
    return replace(selection, bound=bound if prices.proves else None, is_optimal=proved)


def least_tokens(tabulated: Tabulated, solver: Solving) -> int:
    """Return the fewest tokens that any selection costs, or 0 if the solver does not know."""
    if solver.solver == "binary":
        tabulated = tabulated.binary
    return tabulated.prices.tokens(solver(tabulated.table, 0).floor or 0)


def _guided_selection(
    tabulated: Tabulated, tokenizer: Tokenizer, budget: int, solver: Solving
) -> Selection | None:
    """Return a good selection for a tokenizer whose counts do not add up, or None if none fits.

    A solver's bound is one of sums, so it bounds nothing here.

    After each attempt, the solver's budget is shifted by the difference between the counted text
    and the budget, until a budget repeats or `TRIES` texts were counted. If none fits, smaller and
    smaller budgets follow.
    """
    menu, prices = tabulated.menu, tabulated.prices
    best: Selection | None = None
    most, least_over = prices.whole_cost(menu.root), None
    limit, tried = min(most, budget * prices.scale - prices.frame), set[int]()
    while limit >= 0 and limit not in tried and (len(tried) < TRIES or best is None):
        tried.add(limit)
        solution = solver(tabulated.table, limit)
        if solution.status == "infeasible":
            break
        pick = tabulated.pick(solution.choice.tolist())
        selection = _counted_selection(menu, pick, tokenizer)
        if selection.tokens > budget:
            least_over = min(solution.cost, most if least_over is None else least_over)
            over = (selection.tokens - budget) * prices.scale
            limit = min(limit, solution.cost) - max(
                1, over, limit // 8 if len(tried) > TRIES else 0
            )
            continue
        both = filter(None, [best, selection])
        best = max(both, key=lambda candidate: (candidate.worth, -candidate.tokens))
        limit = min(most, solution.cost + (budget - selection.tokens) * prices.scale)
        if least_over is not None:
            limit = min(limit, least_over - 1)
    if best is not None or menu.root.is_pinned:
        return best
    nothing = _counted_selection(menu, Pick(menu.root, (), None), tokenizer)
    return nothing if nothing.tokens <= budget else None


def _counted_selection(
    menu: Menu, pick: Pick, tokenizer: Tokenizer, bound: float | None = None
) -> Selection:
    """Return a pick as a selection, with the tokens of its text.

    `bound` is an upper bound of the worth, if one is known.
    """
    text = render(menu, pick)
    return Selection(pick, text, tokenizer.count(text), kept_worth(pick), bound, is_optimal=False)
