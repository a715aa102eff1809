"""The menu of a document: every text that may be written of it, with costs and worths."""

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
    """Return the menu of a document; of options equally good, that of an earlier format is taken.

    `count` returns the tokens of texts. `reads_as` returns the kind that a reader takes a text for,
    such as ``"markdown"``. `more` has the calls that fetch rows which were cut.
    """
    if document.tree.is_json:
        return offer_data(document, formats, count, more)
    from mckp.menu.text import offer_text

    return offer_text(document, formats, reads_as)
