"""What was chosen and what was cut, gathered for the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.price import whole_cost
from mckp.render import call_for, kept_value
from mckp.result import Choice, Elided
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.menu.base import Menu, Option
    from mckp.paths import Path
    from mckp.price import Prices
    from mckp.render import Pick


def choices(pick: Pick, prices: Prices) -> Iterator[Choice]:
    """Yield the blocks of a text in document order; lines, rows and items belong to theirs."""
    if pick.option is None:
        return
    if not pick.path or pick.option.below or _is_block(pick):
        spent = round(cost(pick, prices) / prices.scale)
        yield Choice(pick.path, pick.option.format, spent, kept_value(pick))
    for child in pick.kept:
        yield from choices(child, prices)


def _is_block(pick: Pick) -> bool:
    content = pick.cls.content
    return isinstance(content, TreeNode) and content.kind not in (Kind.ROW, Kind.ITEM)


def cost(pick: Pick, prices: Prices) -> int:
    """Return the price of what a pick writes, everything below it included."""
    if pick.option is None:
        return 0
    own = prices.own(pick.option) + sum(cost(child, prices) for child in pick.children)
    if not pick.missing:
        return own
    return own + prices.line(pick.option.hint(pick.missing, call_for(pick)))


def elided(pick: Pick, prices: Prices) -> Iterator[Elided]:
    """Yield what was cut, container by container, in document order."""
    if pick.option is None:
        gone = prices.menu.missing
        lost = round(whole_cost(prices.menu.root) / prices.scale)
        yield Elided((), gone.unit, gone.missing, gone.missing, lost, ())
        return
    if pick.missing:
        yield _cut(pick, prices)
    yield from _reduced(pick, prices)
    for child in pick.kept:
        yield from elided(child, prices)


def hints(pick: Pick, menu: Menu) -> Iterator[tuple[Path, str]]:
    """Yield paths and kinds of what was cut in the order of the hints in the text."""
    option = pick.option
    if option is None:
        yield (), menu.missing.unit
        return
    reduced = () if option.reduction is None else option.reduction.hints
    is_noted_first = bool(option.children) and not option.tail
    if is_noted_first:
        yield from ((pick.path, hint.unit) for hint in reduced)
    for child in pick.kept:
        if child.option is not None and not child.option.below:
            yield from hints(child, menu)
    if pick.missing:
        yield pick.path, option.unit
    if not is_noted_first:
        yield from ((pick.path, hint.unit) for hint in reduced)
    for child in pick.kept:
        if child.option is not None and child.option.below:
            yield from hints(child, menu)


def _reduced(pick: Pick, prices: Prices) -> Iterator[Elided]:
    if pick.option is None or pick.option.reduction is None:
        return
    whole = _whole_option(pick.option, prices)
    lost = max(0, round((whole_cost(pick.cls) - whole) / prices.scale))
    for number, hint in enumerate(pick.option.reduction.hints):
        names = () if number else pick.option.reduction.names
        total = hint.missing if hint.total is None else hint.total
        yield Elided(pick.path, hint.unit, hint.missing, total, 0 if number else lost, names)


def _whole_option(option: Option, prices: Prices) -> int:
    return prices.own(option) + sum(map(whole_cost, option.children))


def _cut(pick: Pick, prices: Prices) -> Elided:
    assert pick.option is not None, "only what was opened loses parts"
    gone = [child.cls for child in pick.children if child.option is None]
    keys = tuple(cls.key for cls in gone if cls.key is not None)
    lost = round(sum(map(whole_cost, gone)) / prices.scale)
    return Elided(pick.path, pick.option.unit, len(gone), len(pick.children), lost, keys)
