"""One more way to write a whole document: below rules that give what follows from other values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mckp.encoders import RULES
from mckp.encoders.follow_search import find
from mckp.encoders.follows import write_side_table
from mckp.menu.classes import Option
from mckp.menu.data import offer
from mckp.menu.price import gather, price
from mckp.menu.render import fragments, whole_pick
from mckp.menu.weighing import Weighed
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from mckp.encoders.base import Format
    from mckp.menu.classes import Menu
    from mckp.menu.price import Prices


def with_rules(menu: Menu, document: Weighed, formats: tuple[Format, ...], prices: Prices) -> Menu:
    """Return the menu with one more option: what the rules leave of the document, below them.

    It writes the whole document, so that it is taken where it fits; parts are cut from other
    options. If nothing follows from other values, the menu stays as it is.
    """
    if not document.tree.is_json or document.dropped is not None:
        return menu
    found = find(document.tree.value)
    if found is None:
        return menu
    less, rules = found
    rest = offer(Weighed(TreeNode.of(less)), formats, _no_text)
    price(rest, prices)
    below = "".join(fragments(whole_pick(rest.root, prices)))
    head = rules.head(write_side_table)
    option = Option(RULES.name, (head + (below if below.endswith("\n") else f"{below}\n"),))
    prices.add(gather([option]))
    return replace(menu, root=replace(menu.root, options=(*menu.root.options, option)))


def _no_text(text: str) -> str:
    """Return the kind of a text; data has none."""
    raise AssertionError(f"no text was expected, but {text[:40]!r}")
