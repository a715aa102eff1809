"""The answers to the questions of one result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.answers.origin import whole_budget

if TYPE_CHECKING:
    from mckp.answers.origin import Origin
    from mckp.plan import Plan
    from mckp.result import Result


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
    """

    def __init__(self, origin: Origin, plan: Plan, pick: Any, budget: int | None) -> None:
        self._origin, self._plan, self._pick, self._budget = origin, plan, pick, budget

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickled result is the text and what is known about it; plans stay where they are.
        return type(None), ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Answers:
        return self

    @property
    def source_tokens(self) -> int:
        return self._origin.source_tokens

    def at(self, budget: int | None) -> Result:
        return self._origin.result(whole_budget(budget))
