"""The plan of a part of a document of data: cuts in columns, of all of it or a smaller version."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mckp.columns.options import CHILDREN, FIRST, NEXT, UNLINED
from mckp.columns.options import PHRASES as NUMBER_OF_PHRASES
from mckp.columns.projection import SmallerTapes
from mckp.columns.version import VersionPlan
from mckp.encoders import PHRASES
from mckp.menu.dropped import LINES
from mckp.menu_plan import MenuPlan
from mckp.render import Pick
from mckp.tree import TreeNode
from mckp.version_options import VersionOptions
from mckp.versions import LEAST, Versions
from mckp.with_versions import of_version, with_versions

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from mckp.columns.plan import ColumnPlan
    from mckp.encoders.base import Format
    from mckp.menu.base import MenuClass, Option
    from mckp.menu.reduction import Reduction
    from mckp.paths import Path
    from mckp.plan import Draft, Offer, Outlook
    from mckp.result import Choice, Elided


@dataclass(frozen=True, slots=True, eq=False)
class VersionPick:
    """What was picked of a smaller version.

    Attributes
    ----------
    plan : VersionPlan
        The version.
    pick
        What was decided.
    """

    plan: VersionPlan
    pick: Any


class PartPlan:
    """A `mckp.plan.Plan` of which a pick is one of the columns, or a `VersionPick`.

    It offers what `mckp.menu_plan.MenuPlan` does, and takes a fraction of the time.

    Parameters
    ----------
    columns : ColumnPlan
        The plan of the whole document.
    value
        The document.
    formats : tuple of Format
        What may be used, in the order of ties.
    """

    scale = 1

    def __init__(self, columns: ColumnPlan, value: Any, formats: tuple[Format, ...]) -> None:
        self._columns, self._settings = columns, (formats, columns.tokenizer)
        self.document, self.total, self.most = value, columns.total, columns.most
        self.wholes, self.nothing = columns.wholes, columns.nothing

    @cached_property
    def _versions(self) -> Versions[VersionPlan]:
        columns, tokenizer = self._columns, self._columns.tokenizer
        format_, unit = columns.best
        has_phrases = format_ == PHRASES.name
        formats = (
            columns.formats | has_phrases << NUMBER_OF_PHRASES | (unit not in LINES) << UNLINED
        )

        def write(part: Reduction) -> VersionPlan:
            return VersionPlan(part, formats, tokenizer, self.most)

        return Versions(
            SmallerTapes(columns.tape, self.document, tokenizer),
            self.most,
            write,
            has_phrases=has_phrases,
            tokens=self.most,
        )

    def offer(self, limit: int, exact: AbstractSet[int], near: int | None = None) -> Offer:
        cuts = self._columns.offer(limit, {each for each in exact if each >= 0})
        if self.most < LEAST:
            return cuts
        plans = self._versions.of_all_sizes() if near is None else self._versions.near(near)
        found = [
            self._of(each, each.offer(limit, of_version(exact, number)))
            for number, each in enumerate(plans)
        ]
        return with_versions(cuts, found, [each.most <= limit for each in plans])

    def _of(self, plan: VersionPlan, offer: Offer) -> Offer:
        """Return an offer of a version of which the picks are known as such."""

        def draft(choice: Any) -> Draft:
            found = offer.draft(choice)
            return replace(found, pick=VersionPick(plan, found.pick))

        return replace(offer, draft=draft)

    def lowest(self, limit: int) -> None:
        return None

    def refine(self, pick: Any) -> bool:
        return False

    def restore(self) -> None:
        pass

    def _plan(self, pick: Any) -> tuple[ColumnPlan, Any]:
        """Return the plan that a pick is of, and what it is there."""
        return (pick.plan, pick.pick) if isinstance(pick, VersionPick) else (self._columns, pick)

    def verify(self, draft: Draft) -> None:
        plan, pick = self._plan(draft.pick)
        plan.verify(replace(draft, pick=pick))

    def choices(self, pick: Any) -> Iterable[Choice]:
        plan, own = self._plan(pick)
        return plan.choices(own)

    def elided(self, pick: Any) -> Iterable[Elided]:
        plan, own = self._plan(pick)
        return plan.elided(own)

    def hints(self, pick: Any) -> Iterable[tuple[Path, str]]:
        plan, own = self._plan(pick)
        return plan.hints(own)

    def outlook(self, pick: Any) -> Outlook:
        if not isinstance(pick, VersionPick):
            return self._columns.outlook(pick)
        prices = self._by_value.prices
        write = VersionOptions(prices, *self._settings, None, None, lambda _: None)
        part = replace(pick.plan.part, content=pick.plan.document)
        options = write(part).options
        return self._by_value.outlook(_same(pick, 0, self._by_value.menu.root, options))

    @cached_property
    def _by_value(self) -> MenuPlan:
        """The menu that a smaller version is compared with."""
        return MenuPlan(TreeNode.of(self.document), *self._settings)


def _same(
    given: VersionPick, mine: int, cls: MenuClass, options: list[Option], path: Path = ()
) -> Pick:
    """Return what was decided for a class in columns, value by value: both have the same menu."""
    menu, taken = given.plan.menu, int(given.pick[mine])
    if taken < 0:
        return Pick(cls, path, None)
    number, each = 0, int(menu.classes[mine, FIRST])
    while each != taken:
        number, each = number + 1, int(menu.options[each, NEXT])
    option, first = options[number], int(menu.options[taken, CHILDREN])
    below = [
        _same(given, first + place, child, child.options, (*path, *_step(child)))
        for place, child in enumerate(option.children)
    ]
    return Pick(cls, path, option, below)


def _step(cls: MenuClass) -> Path:
    return () if cls.key is None else (cls.key,)
