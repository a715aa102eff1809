"""The leaves of a document: the parts that weights are given to, in one order for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mckp.jsontext import is_array, is_object
from mckp.tree import Kind
from mckp.weights.information import own_facts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.tree import TreeNode


class Leaf(NamedTuple):
    """A part of a document that is weighed as one.

    Attributes
    ----------
    path : tuple
        Steps from the root: member names and indices.
    value
        The scalar, or ``{}`` or ``[]``; of a text the block, as a `TreeNode`.
    facts : int
        How many facts it holds: 1, or of a text as many as the block has of its own.
    """

    path: tuple[str | int, ...]
    value: Any
    facts: int


def leaves(tree: TreeNode) -> list[Leaf]:
    """Return the leaves of a document in its order.

    What stands below one value, or below one block together with the block itself, are
    leaves side by side. A block without facts of its own, such as a list, is no leaf.

    Examples
    --------
    >>> from mckp.tree import TreeNode
    >>> [leaf.path for leaf in leaves(TreeNode.of({"id": 7, "tags": ["a", {}]}))]
    [('id',), ('tags', 0), ('tags', 1)]
    """
    if tree.is_json:
        return list(_of_data(tree.value))
    if tree.kind is Kind.TEXT:
        return [Leaf(node.path, node, node.value.count("\n") + 1) for node in tree.children]
    counted = ((node, own_facts(node)) for node in tree.walk())
    return [Leaf(node.path, node, facts) for node, facts in counted if facts]


def _of_data(value: Any) -> Iterator[Leaf]:
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while stack:
        path, item = stack.pop()
        if is_object(item) and item:
            stack.extend(((*path, key), item[key]) for key in reversed(item))
        elif is_array(item) and item:
            last = len(item) - 1
            stack.extend(((*path, last - n), child) for n, child in enumerate(reversed(item)))
        else:
            yield Leaf(path, item, 1)
