"""What was chosen and what was cut, gathered for the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.menu.classes import Option
from mckp.menu.render import kept_worth
from mckp.result import Choice, Elided
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mckp.menu.classes import AnyOption, Menu
    from mckp.menu.price import Prices
    from mckp.menu.render import Path, Pick


def choices(pick: Pick, prices: Prices, amount: Callable[[float], int | float]) -> list[Choice]:
    """Return the blocks of a text in document order; lines, rows and items belong to theirs.

    `amount` makes of a worth what is reported.
    """
    found: list[Choice] = []

    def spent(pick: Pick) -> int:
        if pick.option is None:
            return 0
        place = len(found)
        tokens = own_cost(pick, prices) + sum(map(spent, pick.children))
        if not pick.path or pick.option.below or _is_block(pick):
            kept = amount(kept_worth(pick))
            choice = Choice(pick.path, pick.option.format, round(tokens / prices.scale), kept)
            found.insert(place, choice)
        return tokens

    spent(pick)
    return found


def _is_block(pick: Pick) -> bool:
    content = pick.cls.content
    return isinstance(content, TreeNode) and content.kind not in (Kind.ROW, Kind.ITEM)


def cost(pick: Pick, prices: Prices) -> int:
    """Return the price of what a pick writes, everything below it included."""
    return own_cost(pick, prices) + sum(cost(child, prices) for child in pick.children)


def own_cost(pick: Pick, prices: Prices) -> int:
    """Return the price of what a pick writes itself, with its rows and its hint."""
    option = pick.option
    if option is None:
        return 0
    own = prices.own(option)
    if not isinstance(option, Option):
        own += sum(prices.of(map(option.rows.__getitem__, pick.rows)))
    if missing := pick.missing:
        own += prices[option.hint(missing, pick.more)]
    return own


def elided(pick: Pick, prices: Prices, menu: Menu) -> Iterator[Elided]:
    """Yield what was cut, container by container, in document order."""
    if pick.option is None:
        gone = menu.missing
        lost = round(prices.whole(menu.root) / prices.scale)
        yield Elided((), gone.unit, gone.missing, gone.missing, lost, ())
        return
    if pick.missing:
        yield _cut(pick, prices)
    yield from _left_out(pick, prices)
    for child in pick.kept:
        yield from elided(child, prices, menu)


def _cut(pick: Pick, prices: Prices) -> Elided:
    option = pick.option
    assert option is not None, "only what is written has lost something"
    if isinstance(option, Option):
        gone = [child.cls for child in pick.children if child.option is None]
        keys = tuple(cls.key for cls in gone if cls.key is not None)
        lost = sum(map(prices.whole, gone))
        total = len(pick.children)
    else:
        kept = set(pick.rows)
        rows = [row for row in range(len(option.rows)) if row not in kept]
        keys = tuple(option.keys[row] for row in rows)
        lost = sum(prices.of(option.rows[row] for row in rows))
        total = len(option.rows)
    return Elided(pick.path, option.unit, pick.missing, total, round(lost / prices.scale), keys)


def _left_out(pick: Pick, prices: Prices) -> Iterator[Elided]:
    option = pick.option
    if option is None or option.part is None:
        return
    whole = prices.whole(pick.cls) - prices.all_of(option)
    lost = max(0, round(whole / prices.scale))
    for number, hint in enumerate(option.part.hints):
        names = () if number else option.part.names
        total = hint.missing if hint.total is None else hint.total
        yield Elided(pick.path, hint.unit, hint.missing, total, 0 if number else lost, names)


def hints(pick: Pick, menu: Menu) -> Iterator[tuple[Path, str]]:
    """Yield paths and kinds of what was cut in the order of the hints in the text."""
    option = pick.option
    if option is None:
        yield (), menu.missing.unit
        return
    for child in pick.kept:
        if child.option is not None and not child.option.below:
            yield from hints(child, menu)
    if pick.missing:
        yield pick.path, option.unit
    if option.part is not None:
        yield from ((pick.path, hint.unit) for hint in option.part.hints)
    for child in pick.kept:
        if child.option is not None and child.option.below:
            yield from hints(child, menu)


def has_note_first(option: AnyOption) -> bool:
    """Whether the note on what was dropped stands above all other hints of a document."""
    if isinstance(option, Option):
        return bool(option.children)
    return option.unit == "items"
