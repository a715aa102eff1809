"""The answers to the questions of one result, and what was cut, given back from the document."""

from __future__ import annotations

from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, cast

from mckp.errors import PathError
from mckp.jsontext import path_text
from mckp.menu.report import has_note_first, hints
from mckp.paths import as_path, content_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mckp.answers.priced import Priced
    from mckp.budgets import BudgetLike
    from mckp.display.curve import BudgetCurve
    from mckp.display.page import View
    from mckp.display.reasons import Reason
    from mckp.menu.render import Pick
    from mckp.paths import Path
    from mckp.result import Elided, Handle, Report, Result
    from mckp.solvers.frontiers import Slopes
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
        self._priced, self.pick, self._budget = priced, pick, budget

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickled result is the text and what is known about it; the menu stays where it is.
        return type(None), ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Answers:
        return self

    @property
    def source_tokens(self) -> int:
        return self._priced.source_tokens

    def at(self, budget: BudgetLike | None) -> Result:
        return self._priced.result(budget)

    def frontier(self) -> BudgetCurve:
        from mckp.answers.frontier import curve  # needs numpy

        return curve(self._priced.weighed, self._budget)

    def view(self, budget: int | None, title: str, report: Report | None) -> View:
        from mckp.answers.view import view  # needs numpy

        return view(self._priced.weighed, budget, title, report)

    @property
    def shadow_price(self) -> float:
        return self._price * self._priced.prices.scale

    def why(self, path: str | Iterable[str | int]) -> Reason:
        from mckp.answers.why import reason  # needs numpy

        steps = as_path(path)
        document = self._document
        content_at(document, steps)
        priced = self._priced.weighed
        pick = self.pick if priced is self._priced else priced.whole.pick
        return reason(priced.tabulated, pick, steps, self._price, self._spent)

    def recall(self, handle: Handle, elided: tuple[Elided, ...]) -> Any:
        original = self._priced.original
        order = list(hints(self.pick, self._priced.menu))
        if self.pick.option is not None:
            dropped = [(cut.path, cut.kind) for cut in self._priced.dropped()]
            order = [*dropped, *order] if has_note_first(self.pick.option) else [*order, *dropped]
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
        if self._budget is None or self.pick.is_whole:
            return None
        from mckp.answers.frontier import slopes  # needs numpy

        return slopes(self._priced)


def _content(tree: TreeNode) -> Any:
    return tree.value if tree.is_json else tree


_APART: Final = frozenset({"rows", "fields", "items", "blocks", "paragraphs", "lines"})


def meant(
    handle: Handle, elided: Sequence[Elided], hints: Sequence[tuple[Path, str]]
) -> list[Elided]:
    """Return what a handle stands for among all that was cut.

    Parameters
    ----------
    handle
        What `mckp.Result.recall` was given.
    elided : sequence of Elided
        All that was cut.
    hints : sequence of (path, kind)
        The same in the order of the hints in the text.

    Raises
    ------
    PathError, ValueError
        If it stands for nothing.
    """
    from mckp.result import Elided

    if isinstance(handle, Elided):
        if handle not in elided:
            raise ValueError(f"this result did not cut {handle}; give one of its `elided`")
        return [handle]
    if isinstance(handle, SupportsIndex) and not isinstance(handle, bool):
        number = index(handle)
        if not 1 <= number <= len(hints):
            raise ValueError(f"the text has {_hints(len(hints))}, and none of number {number}")
        return [cut for cut in elided if (cut.path, cut.kind) == hints[number - 1]][:1]
    path = as_path(cast("str | Iterable[str | int]", handle))
    found = [cut for cut in elided if cut.path == path]
    if not found:
        raise PathError(path_text(path), _where(elided))
    return found


def recalled(document: Any, cuts: Iterable[Elided]) -> Any:
    """Return what cuts of one container have taken away.

    What is missing by name or index, if all cuts tell that; else all of the container.
    """
    wanted = list(cuts)
    container = content_at(document, wanted[0].path)
    if any(cut.kind not in _APART or not _is_listed(cut) for cut in wanted):
        return container
    keys = (key for cut in wanted for key in cut.keys)
    return {key: content_at(container, (key,)) for key in keys}


def _is_listed(cut: Elided) -> bool:
    return len(cut.keys) == cut.count


def _hints(count: int) -> str:
    return "1 hint" if count == 1 else f"{count or 'no'} hints"


def _where(elided: Sequence[Elided]) -> str:
    places = list(dict.fromkeys(path_text(cut.path) for cut in elided))
    shown = ", ".join(places[:8]) + (", …" if len(places) > 8 else "")
    return f"nothing was cut right there; something was at {shown}" if shown else "nothing was cut"
