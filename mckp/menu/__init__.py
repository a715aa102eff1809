"""From a tree to the menu of all that may be written of it, its prices, and a selection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.menu.data import offer_data

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.encoders.base import Format
    from mckp.menu.chain import Count
    from mckp.menu.classes import Menu
    from mckp.menu.more import Templates
    from mckp.menu.weighing import Weighed


def offer(
    document: Weighed,
    formats: tuple[Format, ...],
    count: Count,
    reads_as: Callable[[str], str],
    more: Templates | None = None,
) -> Menu:
    """Return the menu of a document in the given formats, which are in the order of ties.

    `count` gives the tokens of texts, `reads_as` the kind of document that a text is taken for when
    it is read back. `more` are calls that get what is missing of arrays of data.
    """
    if document.tree.is_json:
        return offer_data(document, formats, count, more)
    from mckp.menu.text import offer_text

    return offer_text(document, formats, reads_as)
