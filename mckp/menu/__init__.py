"""From a tree to the menu of all that may be written of it, its prices, and a selection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.menu.data import offer_data

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.encoders.base import Format
    from mckp.encoders.hints import Overflow
    from mckp.menu.chain import Count
    from mckp.menu.classes import Menu
    from mckp.menu.more import Templates
    from mckp.menu.worth import Worth
    from mckp.tree import TreeNode


def offer(
    tree: TreeNode,
    formats: tuple[Format, ...],
    count: Count,
    reads_as: Callable[[str], str],
    worth: Worth | None = None,
    more: Templates | None = None,
    dropped: Overflow | None = None,
) -> Menu:
    """Return the menu of a tree in the given formats.

    Parameters
    ----------
    tree : TreeNode
        Data or a text document.
    formats : tuple of Format
        Formats to offer, in the order of ties.
    count : callable
        From texts to the tokens of each.
    reads_as : callable
        The kind of document that a text is taken for when it is read back.
    worth : Worth, optional
        The weights of the leaves.
    more : Templates, optional
        Calls that get what is missing of arrays; a text document has none.
    dropped : Overflow, optional
        The note on what the data lost before, which every text of them has.
    """
    if tree.is_json:
        return offer_data(tree.value, formats, count, worth, more, dropped)
    from mckp.menu.text import offer_text

    return offer_text(tree, formats, reads_as, worth)
