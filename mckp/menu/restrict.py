"""A tree of text without what was cut from it, as a reader of the rest sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.parsers.joints import item_number, one_list
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterable


def restricted(node: TreeNode, kept: Iterable[tuple[Any, bool]]) -> TreeNode | None:
    """Return a block with only some of its children, or None if only a hint is left of it.

    Two lists of one kind and marker are one list when nothing stands between them any
    more, and an ordered list begins with the number of the first item that is left.

    Parameters
    ----------
    node : TreeNode
        A document, section, list, table or paragraph.
    kept : iterable of (TreeNode, str or None, bool)
        Its remaining children in order (lines, for a paragraph), each with whether a hint
        stands after it; None for a child of which only its hint is left.
    """
    left = list(kept)
    if node.kind in (Kind.LIST, Kind.PARAGRAPH) and not left:
        return None
    if node.kind is Kind.PARAGRAPH:
        return TreeNode(node.kind, "\n".join(line for line, _ in left), path=node.path)
    children: list[TreeNode] = []
    apart = True
    for child, hinted in left:
        if child is not None and not apart and one_list(children[-1], child):
            children[-1] = _with(children[-1], (*children[-1].children, *child.children))
        elif child is not None:
            children.append(child)
        apart = hinted or child is None
    return _with(node, tuple(children))


def _with(node: TreeNode, children: tuple[TreeNode, ...]) -> TreeNode:
    attrs = node.attrs
    if node.kind is Kind.LIST and children and (number := item_number(children[0])) is not None:
        attrs = {**attrs, "start": number}
    return TreeNode(node.kind, node.value, attrs=attrs, children=children, path=node.path)
