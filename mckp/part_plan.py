"""The plan of a part of a document of data: cuts in columns, smaller versions value by value."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from mckp import report
from mckp.encoders.hints import Overflow
from mckp.menu.base import Menu, MenuClass, Option
from mckp.menu_plan import MenuPlan
from mckp.plan import Draft, Outlook
from mckp.price import Prices
from mckp.render import Pick, kept_value, pick_chosen, rendered
from mckp.tabulate import tabulate
from mckp.tree import TreeNode
from mckp.verify import check_text
from mckp.versions import LEAST, Versions
from mckp.with_versions import with_versions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from mckp.columns.plan import ColumnPlan
    from mckp.encoders.base import Format
    from mckp.paths import Path
    from mckp.plan import Offer
    from mckp.result import Choice, Elided
    from mckp.tabulate import PricedTable
    from mckp.tokenizers.base import Tokenizer


class PartPlan:
    """A `mckp.plan.Plan` of which a pick is one of the columns, or a `Pick` of a smaller version.

    It offers what `mckp.menu_plan.MenuPlan` does, and takes half of the time.

    Parameters
    ----------
    columns : ColumnPlan
        The plan of the whole document.
    value
        The document.
    formats : tuple of Format
        What may be used, in the order of ties.
    tokenizer : Tokenizer
        What counts.
    """

    scale = 1

    def __init__(
        self, columns: ColumnPlan, value: Any, formats: tuple[Format, ...], tokenizer: Tokenizer
    ) -> None:
        self._columns, self._settings = columns, (formats, tokenizer)
        self.document, self.total, self.most = value, columns.total, columns.most
        format_, unit = columns.best
        root = MenuClass(None, value, self.total, [], (self.most, Option(format_, (), unit=unit)))
        self._prices = Prices(Menu(root, Overflow(columns.total, None, "facts")), tokenizer)
        self.wholes, self.nothing = columns.wholes, columns.nothing

    @cached_property
    def _versions(self) -> Versions:
        return Versions(self._prices, *self._settings, None, None, lambda _: None)

    def offer(self, limit: int, exact: AbstractSet[int], near: int | None = None) -> Offer:
        cuts = self._columns.offer(limit, {each for each in exact if each >= 0})
        if self.most < LEAST:
            return cuts
        found = self._versions
        besides = found.of_all_sizes() if near is None else found.near(near)
        ids = {-each for each in exact if each < 0}
        priced = tabulate(self._prices, limit, ids, besides)
        return with_versions(cuts, priced, lambda choice: self._draft(priced, choice))

    def _draft(self, priced: PricedTable, choice: Sequence[int]) -> Draft:
        pick = pick_chosen(priced, list(choice))
        return Draft(pick, rendered(pick, self._prices.menu), kept_value(pick))

    def lowest(self, limit: int) -> None:
        return None

    def refine(self, pick: Any) -> bool:
        return False

    def restore(self) -> None:
        pass

    def verify(self, draft: Draft) -> None:
        if isinstance(draft.pick, Pick):
            check_text(draft.text, draft.pick)
        else:
            self._columns.verify(draft)

    def choices(self, pick: Any) -> Iterable[Choice]:
        if isinstance(pick, Pick):
            return report.choices(pick, self._prices)
        return self._columns.choices(pick)

    def elided(self, pick: Any) -> Iterable[Elided]:
        if isinstance(pick, Pick):
            return report.elided(pick, self._prices)
        return self._columns.elided(pick)

    def hints(self, pick: Any) -> Iterable[tuple[Path, str]]:
        if isinstance(pick, Pick):
            return report.hints(pick, self._prices.menu)
        return self._columns.hints(pick)

    def outlook(self, pick: Any) -> Outlook:
        if not isinstance(pick, Pick):
            return self._columns.outlook(pick)
        assert pick.option is not None, "cuts are of the columns"
        self._by_value.prices.count([pick.option])
        root = self._by_value.menu.root
        return self._by_value.outlook(Pick(root, pick.path, pick.option, pick.children))

    @cached_property
    def _by_value(self) -> MenuPlan:
        """The menu that a smaller version is compared with."""
        return MenuPlan(TreeNode.of(self.document), *self._settings)
