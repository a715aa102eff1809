"""From a tree to the menu of all that may be written of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.menu.data import offer_data
from mckp.menu.text import offer_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.encoders.base import Format
    from mckp.menu.base import Menu
    from mckp.menu.more import Templates
    from mckp.menu.worth import Worth
    from mckp.tree import TreeNode


def offer(
    tree: TreeNode,
    formats: tuple[Format, ...],
    reads_as: Callable[[str], str],
    worth: Worth | None = None,
    more: Templates | None = None,
    *,
    reduced: bool = False,
) -> Menu:
    """Return the menu of a tree in the given formats.

    Parameters
    ----------
    tree : TreeNode
        Data or a text document.
    formats : tuple of Format
        Formats to offer, in the order of ties.
    reads_as : callable
        The kind of document that a text is taken for when it is read back.
    worth : Worth, optional
        The weights of the leaves.
    more : Templates, optional
        Calls that get what is missing of arrays; a text document has none.
    reduced : bool, default False
        Whether shorter blocks of a text are offered.
    """
    if tree.is_json:
        return offer_data(tree.value, formats, worth, more)
    return offer_text(tree, formats, reads_as, worth, reduced=reduced)
