"""How much information each part of a document holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.jsontext import is_array, is_object
from mckp.regexes import regex
from mckp.tree import Kind

if TYPE_CHECKING:
    from mckp.tree import TreeNode

_SENTENCE_END = regex(r"[.!?。！？](?=\s|\Z)|\n(?=[^\S\n]*\n)")  # noqa: RUF001


def facts(value: Any) -> int:
    """Return how many facts a plain value holds: every scalar is one, so is ``[]`` or ``{}``.

    Examples
    --------
    >>> facts({"id": 7, "tags": ["a", "b"], "owner": {}})
    4
    """
    total, stack = 0, [value]
    while stack:
        item = stack.pop()
        if is_object(item) and item:
            stack.extend(item.values())
        elif is_array(item) and item:
            stack.extend(item)
        else:
            total += 1
    return total


def own_facts(node: TreeNode) -> int:
    """Return how many facts a block of text holds apart from its children.

    A heading is one, a sentence is one, and so is each line of code, of HTML and of front
    matter, each filled cell and each column name of a table. A rule is none.

    Examples
    --------
    >>> from mckp.tree import TreeNode
    >>> own_facts(TreeNode(Kind.PARAGRAPH, "It works. Mostly."))
    2
    """
    if node.kind is Kind.PARAGRAPH:
        return max(1, len(_SENTENCE_END.findall(node.value)))
    if node.kind in (Kind.CODE, Kind.HTML, Kind.FRONT_MATTER):
        return max(1, sum(1 for line in node.value.split("\n") if line.strip()))
    if node.kind is Kind.TABLE:
        return len(list(node.attrs["header"]))
    if node.kind is Kind.ROW:
        return max(1, sum(1 for cell in node.value if cell != ""))
    return 1 if node.kind in (Kind.SECTION, Kind.DEFINITION) else 0


def text_facts(node: TreeNode) -> int:
    """Return how many facts a block of text holds, its children included."""
    return own_facts(node) + sum(map(text_facts, node.children))
