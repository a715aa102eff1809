"""Where a node stands in the text its tree was read from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.parsers.scan import locate

if TYPE_CHECKING:
    from mckp.tree import TreeNode


def position(tree: TreeNode, node: TreeNode) -> tuple[int, int]:
    r"""Return line and column, both counted from 1, of a node of a parsed tree.

    For JSON the text is scanned up to the value, when asked; blocks of Markdown and plain
    text know their lines, and begin at column 1.

    Parameters
    ----------
    tree : TreeNode
        The root, as `mckp.parse` returned it.
    node : TreeNode
        One of its nodes.

    Raises
    ------
    ValueError
        If the tree was not read from a text.

    Examples
    --------
    >>> from mckp.parsers import parse
    >>> tree = parse('{"jobs": [1,\n 2]}')
    >>> position(tree, tree.at("jobs", 1))
    (2, 2)
    """
    if tree.source is None:
        raise ValueError("the tree was not read from a text")
    if tree.is_json:
        return locate(tree.source, node.path)
    return (node.span.start + 1 if node.span else 1), 1
