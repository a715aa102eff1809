"""One more way to write a whole document: below rules that give what follows from other values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mckp.encoders import RULES
from mckp.menu.classes import Option
from mckp.menu.price import gather
from mckp.menu.render import fragments, whole_pick

if TYPE_CHECKING:
    from mckp.menu.classes import Menu
    from mckp.menu.price import Prices


def with_rules(menu: Menu, prices: Prices) -> Menu:
    """Return the menu with one more option: what rules leave of the document, below the rules.

    It writes the whole document, so that it is taken where it fits; parts are cut from other
    options. If nothing follows from other values, the menu stays as it is.
    """
    if menu.less is None:
        return menu
    prices.add([menu.rules, *gather(menu.less.options)])  # in one batch: the first call is faster
    *below, last = fragments(whole_pick(menu.less, prices))
    option = Option(RULES.name, (menu.rules, *below, last.removesuffix("\n") + "\n"))
    prices.add(gather([option]))
    return replace(menu, root=replace(menu.root, options=(*menu.root.options, option)))
