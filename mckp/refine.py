"""What a choice could have had a little more of: the steps that a menu skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.tree import TreeNode

FEW: Final = 3
"""Parts a little larger that are offered with their rows to cut, however many rows there are."""

ROWS: Final = 1000
"""Rows of all such parts of a table, if it is small."""

if TYPE_CHECKING:
    from collections.abc import Iterator, Sized

    from mckp.menu.base import MenuClass, Option
    from mckp.render import Pick


def finer(pick: Pick) -> Iterator[tuple[MenuClass, Option]]:
    """Yield options between each part that was picked and the next larger one on the menu."""
    option = pick.option
    if option is None:
        return
    if option.reduction is not None and option.others is not None:
        known = {
            each.reduction.place
            for each in pick.cls.options
            if each.reduction is not None and each.others is option.others
        }
        others, place = option.others, option.reduction.place
        near = list(others.family.near(option.reduction, known))
        yield from ((pick.cls, each) for each in others.offered(near))
        if others.open is not None:
            larger = sorted((each for each in known if 0 < each < place), reverse=True)
            fuller = [*filter(None, map(others.family.at, larger[:FEW])), *near]
            some = max(FEW, ROWS // max(1, len(_children(pick.cls.content))))
            yield from ((pick.cls, each) for each in others.opened(fuller[:some]))
    elif pick.missing:
        yield from ((pick.cls, each) for each in _without_columns(pick))
    for child in pick.children:
        yield from finer(child)


def _children(content: Any) -> Sized:
    return content.children if isinstance(content, TreeNode) else content


def _without_columns(pick: Pick) -> Iterator[Option]:
    """Yield tables that may be cut, without some columns, in the place of one that was cut."""
    seen = {id(each.others) for each in pick.cls.options if each.reduction and each.children}
    for option in pick.cls.options:
        others = option.others
        if others is None or others.open is None or option.reduction is None:
            continue
        parts = filter(None, map(others.family.at, others.family.places()))
        if id(others) in seen:
            seen.discard(id(others))
            yield from others.opened(list(parts)[:-1])
