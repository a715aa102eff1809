"""A document that is planned and priced, and every result that comes of it."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Final, Protocol, SupportsIndex

from mckp.choose import choose_part, choose_whole, least
from mckp.encoders.base import DataLoss
from mckp.errors import BudgetError
from mckp.jsontext import dump
from mckp.result import Elided, Result
from mckp.tree import TreeNode
from mckp.verify import check_budget

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from mckp.choose import Chosen
    from mckp.encoders.hints import Hint
    from mckp.plan import Plan
    from mckp.planning import Planned
    from mckp.tokenizers.base import Tokenizer
    from mckp.weighing import Weighed


class Plans(Protocol):
    """A document's plans; see `mckp.planning.Planned`."""

    @property
    def whole(self) -> Plan:
        """Ways to write all of it."""
        ...

    @property
    def part(self) -> Plan:
        """Ways to write some of it."""
        ...


@dataclass(frozen=True, slots=True)
class Given:
    """What was given besides the document that is planned.

    Attributes
    ----------
    original : TreeNode or None
        The document as it was before something of it was dropped; None if nothing was.
    dropped : Hint or None
        How much was dropped, if anything.
    unmatched : tuple of str
        Patterns that nothing in the document matches.
    pinned : tuple of str
        Patterns by which something must stay.
    """

    original: TreeNode | None = None
    dropped: Hint | None = None
    unmatched: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()

    @classmethod
    def of(cls, tree: TreeNode, found: Weighed) -> Self:
        """Return what weighing a document has left to tell."""
        original = None if found.dropped is None else tree
        return cls(original, found.dropped, found.unmatched, found.pinned)

    def elided(self) -> Iterable[Elided]:
        """Yield what was dropped."""
        if (hint := self.dropped) is not None:
            yield Elided((), "facts", hint.missing, hint.total or hint.missing, 0, ())


NOTHING: Final = Given()


class Origin:
    """What results are made from.

    Parameters
    ----------
    plans : Plans
        The document.
    tokenizer : Tokenizer
        What counts.
    solver : str
        The solver for what must be cut.
    given : Given, optional
        What there is to tell besides.

    Attributes
    ----------
    lock : RLock
        Held by whoever uses a plan: a search refines the menu, and puts it back.
    """

    def __init__(
        self, plans: Planned | Plans, tokenizer: Tokenizer, solver: str, given: Given = NOTHING
    ) -> None:
        self.plans, self.tokenizer, self.solver = plans, tokenizer, solver
        self.given = given
        self.lock = RLock()

    def result(self, budget: int | None) -> Result:
        """Choose, check what comes of it, and gather all there is to say about it.

        Raises
        ------
        BudgetError
            If neither the whole document fits nor the hint that stands for it.
        """
        with self.lock:
            plan, chosen = self._chosen(budget)
            check_budget(chosen.tokens, budget)
            plan.verify(chosen.draft)
            return self._told(plan, chosen, budget)

    def _chosen(self, budget: int | None) -> tuple[Plan, Chosen]:
        plan = self.plans.whole
        chosen = choose_whole(plan, self.tokenizer, budget)
        if chosen is None:
            assert budget is not None, "anything fits no budget at all"
            plan = self.plans.part
            chosen = choose_part(plan, self.tokenizer, budget, self.solver)
            if chosen is None:
                raise self._too_small(plan, budget)
        return plan, chosen

    def _too_small(self, plan: Plan, budget: int) -> BudgetError:
        if self.given.pinned:
            return BudgetError(budget, least(plan), self.given.pinned)
        whole = plan.most // plan.scale
        return BudgetError(budget, min(whole, self.tokenizer.count(plan.nothing().text)))

    def _told(self, plan: Plan, chosen: Chosen, budget: int | None) -> Result:
        from mckp.answers.answers import Answers

        pick = chosen.draft.pick
        elided = (*self.given.elided(), *plan.elided(pick))
        return Result(
            text=chosen.draft.text,
            tokens=chosen.tokens,
            budget=budget,
            tokenizer=self.tokenizer.name,
            exact=self.tokenizer.exact,
            value=chosen.draft.value,
            total=plan.total,
            bound=chosen.bound,
            status="optimal" if chosen.optimal else "feasible",
            choices=tuple(plan.choices(pick)),
            elided=elided,
            loss=DataLoss.NONE,
            unmatched=self.given.unmatched,
            answers=Answers(self, plan, pick, budget, is_whole=chosen.draft.value == plan.total),
        )

    @cached_property
    def source_tokens(self) -> int:
        """Tokens of compact JSON of the data, or of the source of a text."""
        document = self.plans.whole.document
        is_text = isinstance(document, TreeNode)
        return self.tokenizer.count((document.source or "") if is_text else dump(document))


def whole_budget(budget: object) -> int | None:
    """Return a budget as an int, or None for none.

    Raises
    ------
    ValueError
        If it is no whole number of tokens.
    """
    if budget is None:
        return None
    number = operator.index(budget) if isinstance(budget, SupportsIndex) else -1
    if isinstance(budget, bool) or number < 0:
        raise ValueError(f"a budget is a whole number of tokens, 0 or more, not {budget!r}")
    return number
