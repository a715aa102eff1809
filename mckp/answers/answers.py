"""The answers to the questions of one result."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from mckp.answers.origin import checked_budget
from mckp.answers.recall import meant, recalled
from mckp.answers.why import reason
from mckp.paths import as_path, content_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.answers.origin import Origin
    from mckp.budgets import BudgetCurve
    from mckp.plan import Plan
    from mckp.reasons import Reason
    from mckp.result import Elided, Handle, Result
    from mckp.solvers.slopes import Slopes
    from mckp.tree import TreeNode


class Answers:
    """What one result is asked; see `mckp.result.Answering`.

    Parameters
    ----------
    origin : Origin
        What the result was made from.
    plan : Plan
        The plan that was decided in.
    pick
        What was decided.
    budget : int or None
        Within what.
    is_whole : bool
        Whether all of the document is kept.
    """

    def __init__(
        self, origin: Origin, plan: Plan, pick: Any, budget: int | None, *, is_whole: bool
    ) -> None:
        self._origin, self._plan, self._pick, self._budget = origin, plan, pick, budget
        self._is_whole = is_whole

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickled result is the text and what is known about it; plans stay where they are.
        return type(None), ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Answers:
        return self

    @property
    def source_tokens(self) -> int:
        return self._origin.source_tokens

    def at(self, budget: int | None) -> Result:
        return self._origin.result(checked_budget(budget))

    def frontier(self) -> BudgetCurve:
        from mckp.answers.frontier import curve  # needs numpy

        with self._origin.lock:
            return curve(self._origin, self._budget)

    @property
    def shadow_price(self) -> float:
        return self._price * self._plan.scale

    def why(self, path: str | Iterable[str | int]) -> Reason:
        steps = as_path(path)
        with self._origin.lock:
            content_at(self._plan.document, steps)
            outlook = self._plan.outlook(self._pick)
            return reason(
                outlook, self._plan.document, steps, self._price, self._plan.scale, self._spent
            )

    def recall(self, handle: Handle, elided: tuple[Elided, ...]) -> Any:
        original = self._origin.original
        with self._origin.lock:
            hints = [*((cut.path, cut.kind) for cut in self._origin.dropped())]
            hints += self._plan.hints(self._pick)
            cuts = meant(handle, elided, hints)
            if original is not None and cuts[0] == elided[0]:
                return content_at(_content(original), ())
            return recalled(self._plan.document, cuts)

    @cached_property
    def _price(self) -> float:
        """What a unit of cost is worth."""
        return 0.0 if self._slopes is None else self._slopes.right_of(self._limit)

    def _spent(self, price: float) -> int | None:
        return None if self._slopes is None else self._slopes.spent(price)

    @property
    def _limit(self) -> int:
        return (self._budget or 0) * self._plan.scale

    @cached_property
    def _slopes(self) -> Slopes | None:
        """The slopes near the budget; None if all is kept."""
        if self._budget is None or self._is_whole:
            return None
        from mckp.answers.frontier import slopes  # needs numpy

        with self._origin.lock:
            return slopes(self._plan, self._limit)


def _content(tree: TreeNode) -> Any:
    return tree.value if tree.is_json else tree
