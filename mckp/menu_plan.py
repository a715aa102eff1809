"""The plan of a document from a menu of objects: any document, one value at a time."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from mckp import report
from mckp.encoders import PHRASES
from mckp.menu import offer
from mckp.menu.dropped import put_note
from mckp.menu_outlook import MenuOutlook
from mckp.plan import Draft, Offer
from mckp.price import Prices, whole_cost
from mckp.reading import document_kind
from mckp.refine import finer
from mckp.render import Pick, kept_value, pick_chosen, pick_whole, rendered
from mckp.verify import check_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from mckp.encoders.base import Format
    from mckp.menu.base import Menu, MenuClass, Option
    from mckp.menu.more import Templates
    from mckp.menu.worth import Worth
    from mckp.paths import Path
    from mckp.result import Choice, Elided
    from mckp.tokenizers.base import Tokenizer
    from mckp.tree import TreeNode
    from mckp.version_options import OptionWays
    from mckp.versions import Versions


class MenuPlan:
    """A `Plan` of objects.

    Parameters
    ----------
    tree : TreeNode
        The document.
    formats : tuple of Format
        What may be used, in the order of ties.
    tokenizer : Tokenizer
        What counts.
    worth : Worth, optional
        The weights of what the document holds, if they are not its facts.
    note : str, optional
        What every text says besides.
    more : Templates, optional
        Calls that get what is missing of arrays.
    reduced : bool, default False
        Whether smaller versions of data, and shorter blocks of a text, are offered.
    """

    def __init__(
        self,
        tree: TreeNode,
        formats: tuple[Format, ...],
        tokenizer: Tokenizer,
        worth: Worth | None = None,
        *,
        note: str = "",
        more: Templates | None = None,
        reduced: bool = False,
    ) -> None:
        self.menu: Menu = offer(tree, formats, document_kind, worth, more, reduced=reduced)
        self._note = note
        self._put_note(self.menu.root.options)
        self.prices = Prices(self.menu, tokenizer)
        self.scale = self.prices.scale
        self._added: list[tuple[MenuClass, Option]] = []
        self._settings = formats, tokenizer, worth, more
        self._is_reduced = reduced and tree.is_json
        self._additive = tokenizer.additive
        if PHRASES in formats:
            from mckp.abridge import offer_phrases  # needs numpy

            offer_phrases(self.prices, tokenizer)

    @property
    def document(self) -> Any:
        return self.menu.root.content

    @property
    def total(self) -> float:
        return self.menu.root.weight

    @property
    def most(self) -> int:
        return whole_cost(self.menu.root)

    def wholes(self) -> list[Draft]:
        root = self.menu.root
        picks = [pick_whole(root)]
        if not self._additive:
            picks += [Pick(root, (), each) for each in root.options if not each.children]
        return [Draft(pick, rendered(pick, self.menu), self.total) for pick in picks]

    def nothing(self) -> Draft:
        return Draft(Pick(self.menu.root, (), None), self.menu.nothing, 0)

    def offer(self, limit: int, exact: AbstractSet[int], near: int | None = None) -> Offer:
        from mckp.tabulate import tabulate  # needs numpy

        priced = tabulate(self.prices, limit, exact, self._besides(near))

        def draft(choice: Sequence[int]) -> Draft:
            pick = pick_chosen(priced, list(choice))
            return Draft(pick, rendered(pick, self.menu), kept_value(pick))

        return Offer(priced.table, priced.due, lambda row: id(priced.rows[row].option), draft)

    @cached_property
    def _versions(self) -> Versions[OptionWays]:
        from mckp.menu.smaller import SmallerValues  # needs numpy
        from mckp.version_options import VersionOptions
        from mckp.versions import Versions

        _, tokenizer, worth, _ = self._settings
        values = SmallerValues(
            self.document,
            tokenizer.count_batch,
            (lambda _: 1) if worth is None else (lambda number: worth.of(number, 1)),
            None if worth is None else (lambda number: worth.is_pinned(number, 1)),
        )
        write = VersionOptions(self.prices, *self._settings, self._put_note)
        tokens = self.most // self.scale
        return Versions(values, self.most, write, has_phrases=write.has_phrases, tokens=tokens)

    def _besides(self, near: int | None) -> list[Option]:
        """Return ways to write smaller versions of data, of all sizes or near a limit."""
        from mckp.versions import LEAST

        if not self._is_reduced or self.most < LEAST * self.scale:
            return []
        found = self._versions.of_all_sizes() if near is None else self._versions.near(near)
        return [option for ways in found for option in ways.options]

    def lowest(self, limit: int) -> Offer | None:
        if not self.prices.has_calls:
            return None
        self.prices.with_calls = False
        try:
            return self.offer(limit, set(), limit)
        finally:
            self.prices.with_calls = True

    def verify(self, draft: Draft) -> None:
        check_text(draft.text, draft.pick)

    def choices(self, pick: Any) -> Iterable[Choice]:
        return report.choices(pick, self.prices)

    def elided(self, pick: Any) -> Iterable[Elided]:
        return report.elided(pick, self.prices)

    def outlook(self, pick: Any) -> MenuOutlook:
        return MenuOutlook(pick, self.prices)

    def hints(self, pick: Any) -> Iterable[tuple[Path, str]]:
        return report.hints(pick, self.menu)

    def refine(self, pick: Any) -> bool:
        """Offer parts that are a little larger than those picked; tell if there are any."""
        added = list(finer(pick))
        self._put_note(option for cls, option in added if cls is self.menu.root)
        for cls, option in added:
            cls.options.append(option)
        self.prices.count([option for _, option in added])
        self._added += added
        return bool(added)

    def _put_note(self, options: Iterable[Option]) -> None:
        """Say in texts of the document what all of them say besides."""
        if self._note:
            for option in options:
                put_note(option, self._note)

    def restore(self) -> None:
        """Take away what was offered to refine a choice."""
        for cls, option in self._added:
            cls.options.remove(option)
        self._added.clear()
