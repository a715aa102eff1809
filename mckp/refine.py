"""What a choice could have had a little more of: the steps that a menu skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        others = option.others
        near = others.family.near(option.reduction, known)
        yield from ((pick.cls, each) for each in others.offered(near))
    for child in pick.children:
        yield from finer(child)
