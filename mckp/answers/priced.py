"""A document that is offered and priced, and every result that comes of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.answers.verify import check_budget, check_text
from mckp.budgets import checked_budget
from mckp.encoders.base import DataLoss
from mckp.errors import BudgetError
from mckp.jsontext import dump
from mckp.menu.report import choices, elided
from mckp.menu.select import best_within, cheapest, least
from mckp.result import Elided, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mckp.budgets import BudgetLike
    from mckp.menu.classes import Menu
    from mckp.menu.price import Prices
    from mckp.menu.select import Selection
    from mckp.menu.tabulate import Tabulated
    from mckp.menu.weighing import Weighed
    from mckp.tokenizers.base import Tokenizer
    from mckp.tree import TreeNode


class Others(NamedTuple):
    """What else results of a document are made from, made when it is asked for.

    Attributes
    ----------
    formats : callable, optional
        From the name of other formats to what results in these are made from.
    twin : callable, optional
        Gives the same formats with weights if there are none here, and without if there are.
    """

    formats: Callable[[str], Priced] | None = None
    twin: Callable[[], Priced] | None = None


NO_OTHERS: Final = Others()


class Priced:
    """What results are made from: the menu of a document, and its prices.

    Parameters
    ----------
    document : Weighed
        The document and what the caller wishes for it.
    menu : Menu
        All that may be written of it.
    prices : Prices
        The tokens of all texts on the menu.
    tokenizer : Tokenizer
        What counts.
    solver : str
        The solver for what must be cut.
    primed : tuple of str
        Formats, if results begin with what their signs mean. As many tokens of a budget are kept
        for that as all signs of these formats take.
    formats : str
        What the formats on the menu are called together, such as the name of their level.
    others : Others
        What else is made from the same document.
    is_bare : bool
        Whether nothing was weighed, since all of the document is wanted and nobody asked for
        weights: then each fact counts one.
    """

    def __init__(
        self,
        document: Weighed,
        menu: Menu,
        prices: Prices,
        tokenizer: Tokenizer,
        solver: str,
        primed: tuple[str, ...] = (),
        formats: str = "native",
        others: Others = NO_OTHERS,
        is_bare: bool = False,
    ) -> None:
        self.formats, self.other, self._twin = formats, others.formats, others.twin
        self.is_bare = is_bare
        self.primed, self._kept = primed, 0
        self.document, self.menu, self.prices = document, menu, prices
        self.tokenizer, self.solver = tokenizer, solver
        if primed:
            from mckp.answers.primer import primer

            self._kept = tokenizer.count(primer(primed))

    @cached_property
    def tabulated(self) -> Tabulated:
        """The knapsack table, made once for all budgets."""
        from mckp.menu.tabulate import tabulate  # needs numpy

        return tabulate(self.menu, self.prices)

    @cached_property
    def whole(self) -> Selection:
        """The cheapest way to write everything."""
        return cheapest(self.menu, self.prices, self.tokenizer)

    def result(self, wanted: BudgetLike | None) -> Result:
        """Select, check what comes of it, and gather all there is to say about it.

        Raises
        ------
        BudgetError
            If neither the whole document fits nor the hint that stands for it.
        ValueError
            If it is no budget.
        """
        budget = checked_budget(wanted, lambda: self.source_tokens)
        own = self if budget is None and self.is_bare else self.weighed
        if budget is None and self._twin is not None and not self.is_bare:
            own = self._other
        return own.within(budget)

    @cached_property
    def weighed(self) -> Priced:
        """The same with weights, by which anything may be cut."""
        return self._other if self.is_bare else self

    @cached_property
    def _other(self) -> Priced:
        assert self._twin is not None, "what is not weighed has a twin that is"
        return self._twin()

    def within(self, budget: int | None) -> Result:
        """Return the result of this menu within some tokens; see `result`."""
        if budget is None or self._fits(budget):
            selection = self._all
        else:
            room = max(0, budget - self._kept)
            found = best_within(self.tabulated, self.tokenizer, room, self.solver)
            if found is None:
                raise self._too_small(budget)
            selection = self._primed(found)
        check_budget(selection.tokens, budget)
        check_text(selection.text, selection.pick)
        return self._result(selection, budget)

    def _fits(self, budget: int) -> bool:
        """Whether all of the document is within a budget; where counts add up, prices may tell."""
        if self.tokenizer.additive and self.prices.whole(self.menu.root) > budget:
            return False
        return self._all.tokens <= budget

    @cached_property
    def _all(self) -> Selection:
        return self._primed(self.whole)

    def _primed(self, selection: Selection) -> Selection:
        """Return a selection whose text begins with what its signs mean, if that is wanted."""
        if not self.primed:
            return selection
        from mckp.answers.primer import primer_of

        def fits(line: str) -> bool:
            return self.tokenizer.count(line) <= self._kept

        text = primer_of(selection.text, self.primed, fits) + selection.text
        return replace(selection, text=text, tokens=self.tokenizer.count(text))

    def _too_small(self, budget: int) -> BudgetError:
        wishes = self.document.wishes
        if wishes.pinned:
            floor = self._kept + least(self.tabulated, self.solver)
            return BudgetError(budget, max(budget + 1, floor), wishes.pinned)
        nothing = self._kept + self.tokenizer.count(self.menu.nothing)
        return BudgetError(budget, min(nothing, self._all.tokens))

    def dropped(self) -> Iterable[Elided]:
        """Yield what was dropped."""
        if (hint := self.document.wishes.dropped) is not None:
            yield Elided((), "facts", hint.missing, hint.total or hint.missing, 0, ())

    def _result(self, selection: Selection, budget: int | None) -> Result:
        from mckp.answers.answers import Answers

        pick, amount = selection.pick, self.document.amount
        # Where nothing is left, one hint tells of all that there was.
        dropped = () if pick.option is None else self.dropped()
        return Result(
            text=selection.text,
            tokens=selection.tokens,
            budget=budget,
            tokenizer=self.tokenizer.name,
            exact=self.tokenizer.exact,
            value=amount(selection.worth),
            total=amount(self.menu.root.worth),
            bound=amount(selection.bound),
            status="optimal" if selection.is_optimal else "feasible",
            choices=tuple(choices(pick, self.prices, amount)),
            elided=(*dropped, *elided(pick, self.prices, self.menu)),
            loss=DataLoss.NONE,
            unmatched=self.document.wishes.unmatched,
            answers=Answers(self, pick, None if budget is None else budget - self._kept),
        )

    @property
    def original(self) -> TreeNode | None:
        """The document as it was before something of it was dropped, if anything was."""
        return self.document.original

    @cached_property
    def source_tokens(self) -> int:
        """Tokens of compact JSON of the data, or of the source of a text."""
        tree = self.document.tree
        return self.tokenizer.count(dump(tree.value) if tree.is_json else tree.source or "")
