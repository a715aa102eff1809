"""A tree of text without what was cut from it, as a reader of the rest sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.parsers.items import item_number
from mckp.parsers.joints import one_list
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterable


def restricted(node: TreeNode, kept: Iterable[tuple[TreeNode, bool]]) -> TreeNode:
    """Return a block with only some of its children.

    Two lists of one kind and marker are one list when nothing stands between them any
    more, an ordered list begins with the number of the first item that is left, and of a
    list without items only the hint remains.

    Parameters
    ----------
    node : TreeNode
        A document, section, list or table.
    kept : iterable of (TreeNode, bool)
        Its remaining children in order, each with whether a hint stands after it.
    """
    children: list[TreeNode] = []
    apart = True
    for child, hinted in kept:
        if child.kind is Kind.LIST and not child.children:
            apart = True
            continue
        if not apart and one_list(children[-1], child):
            children[-1] = _with(children[-1], (*children[-1].children, *child.children))
        else:
            children.append(child)
        apart = hinted
    return _with(node, tuple(children))


def _with(node: TreeNode, children: tuple[TreeNode, ...]) -> TreeNode:
    attrs = node.attrs
    if node.kind is Kind.LIST and children and (number := item_number(children[0])) is not None:
        attrs = {**attrs, "start": number}
    return TreeNode(node.kind, node.value, attrs=attrs, children=children, path=node.path)
