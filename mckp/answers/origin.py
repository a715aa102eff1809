"""A document that is planned and priced, and every result that comes of it."""

from __future__ import annotations

import operator
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, SupportsIndex

from mckp.choose import choose_part, choose_whole, least
from mckp.encoders.base import DataLoss
from mckp.errors import BudgetError
from mckp.jsontext import dump
from mckp.result import Elided, Result
from mckp.tree import TreeNode
from mckp.verify import check_budget
from mckp.weighing import NOTHING_SAID

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.choose import Chosen
    from mckp.plan import Plan
    from mckp.planning import Planned
    from mckp.tokenizers.base import Tokenizer
    from mckp.weighing import Said


class Origin:
    """What results are made from.

    Parameters
    ----------
    plans : Planned
        The document.
    tokenizer : Tokenizer
        What counts.
    solver : str
        The solver for what must be cut.
    said : Said, optional
        What is to be told about the wishes of the caller.
    original : TreeNode, optional
        The document as it was before something of it was dropped, if anything was.

    Attributes
    ----------
    lock : RLock
        Held by whoever uses a plan: a search refines the menu, and puts it back.
    """

    def __init__(
        self,
        plans: Planned,
        tokenizer: Tokenizer,
        solver: str,
        said: Said = NOTHING_SAID,
        original: TreeNode | None = None,
    ) -> None:
        self.plans, self.tokenizer, self.solver = plans, tokenizer, solver
        self.original = original
        self._said = said
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
        if self._said.pinned:
            # What hints take at least is not in it, so it may be more than was tried.
            return BudgetError(budget, max(budget + 1, least(plan)), self._said.pinned)
        texts = [draft.text for draft in (plan.nothing(), *plan.wholes())]
        return BudgetError(budget, min(self.tokenizer.count_batch(texts)))

    def dropped(self) -> Iterable[Elided]:
        """Yield what was dropped."""
        if (hint := self._said.dropped) is not None:
            yield Elided((), "facts", hint.missing, hint.total or hint.missing, 0, ())

    def _told(self, plan: Plan, chosen: Chosen, budget: int | None) -> Result:
        from mckp.answers.answers import Answers

        pick = chosen.draft.pick
        elided = (*self.dropped(), *plan.elided(pick))
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
            unmatched=self._said.unmatched,
            answers=Answers(self, plan, pick, budget, is_whole=chosen.draft.value == plan.total),
        )

    @cached_property
    def source_tokens(self) -> int:
        """Tokens of compact JSON of the data, or of the source of a text."""
        document = self.plans.whole.document
        is_text = isinstance(document, TreeNode)
        return self.tokenizer.count((document.source or "") if is_text else dump(document))


def checked_budget(budget: object) -> int | None:
    """Return a budget as a whole number, or None for none.

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
