"""The answers to the questions of one result."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from mckp.answers.priced import checked_budget
from mckp.answers.recall import meant, recalled
from mckp.menu.report import has_note_first, hints
from mckp.paths import as_path, content_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.answers.priced import Priced
    from mckp.budgets import BudgetCurve
    from mckp.menu.render import Pick
    from mckp.reasons import Reason
    from mckp.result import Elided, Handle, Result
    from mckp.solvers.slopes import Slopes
    from mckp.tree import TreeNode


class Answers:
    """What one result is asked; see `mckp.result.Answering`.

    Parameters
    ----------
    priced : Priced
        What the result was made from.
    pick : Pick
        What was decided.
    budget : int or None
        Within what.
    """

    def __init__(self, priced: Priced, pick: Pick, budget: int | None) -> None:
        self._priced, self._pick, self._budget = priced, pick, budget

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickled result is the text and what is known about it; the menu stays where it is.
        return type(None), ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Answers:
        return self

    @property
    def source_tokens(self) -> int:
        return self._priced.source_tokens

    def at(self, budget: int | None) -> Result:
        return self._priced.result(checked_budget(budget))

    def frontier(self) -> BudgetCurve:
        from mckp.answers.frontier import curve  # needs numpy

        return curve(self._priced, self._budget)

    @property
    def shadow_price(self) -> float:
        return self._price * self._priced.prices.scale

    def why(self, path: str | Iterable[str | int]) -> Reason:
        from mckp.answers.why import reason  # needs numpy

        steps = as_path(path)
        document = self._document
        content_at(document, steps)
        return reason(self._priced.tabulated, self._pick, steps, self._price, self._spent)

    def recall(self, handle: Handle, elided: tuple[Elided, ...]) -> Any:
        original = self._priced.original
        order = list(hints(self._pick, self._priced.menu))
        if self._pick.option is not None:
            dropped = [(cut.path, cut.kind) for cut in self._priced.dropped()]
            order = [*dropped, *order] if has_note_first(self._pick.option) else [*order, *dropped]
        cuts = meant(handle, elided, order)
        if original is not None and cuts[0] == elided[0]:
            return content_at(_content(original), ())
        return recalled(self._document, cuts)

    @property
    def _document(self) -> Any:
        return self._priced.menu.root.content

    @cached_property
    def _price(self) -> float:
        """What a unit of cost is worth."""
        return 0.0 if self._slopes is None else self._slopes.right_of(self._limit)

    def _spent(self, price: float) -> int | None:
        return None if self._slopes is None else self._slopes.spent(price)

    @property
    def _limit(self) -> int:
        return (self._budget or 0) * self._priced.prices.scale

    @cached_property
    def _slopes(self) -> Slopes | None:
        """The slopes near the budget; None if all is kept."""
        if self._budget is None or self._pick.is_whole:
            return None
        from mckp.answers.frontier import slopes  # needs numpy

        return slopes(self._priced)


def _content(tree: TreeNode) -> Any:
    return tree.value if tree.is_json else tree
