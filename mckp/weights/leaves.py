"""The leaves of a document in order, which get weights, and the number of facts in each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mckp.jsontext import is_array, is_container, is_object
from mckp.regexes import regex
from mckp.tree import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.tree import TreeNode

_SENTENCE_END = regex(r"[.!?。！？](?=\s|\Z)|\n(?=[^\S\n]*\n)")  # noqa: RUF001

_ATTRIBUTES = regex(r"<[A-Za-z][\w-]*(?: [\w:-]+=\"[^\"]*\"){2}")
"""A tag with several attributes, such as an element of a screen."""

_TAG = regex(r"</?[A-Za-z][\w-]*(?: [^<>]*)?>")


def facts(value: object) -> int:
    """Return the number of facts in a plain value: one for each scalar, ``[]`` or ``{}``.

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
    """Return the number of facts in a block of text, without its children.

    These count 1 each: a heading, a sentence, a line of code or front matter that is not blank, a
    line of HTML with more than tags, and a filled cell or column name of a table. If no line of a
    block of HTML has more than tags, its lines with several attributes count. Blocks that only hold
    others, such as lists, count 0, and so does a rule. A paragraph, a block of code and a row of a
    table count at least 1.

    Examples
    --------
    >>> from mckp.tree import TreeNode
    >>> own_facts(TreeNode(Kind.PARAGRAPH, "It works. Mostly."))
    2
    """
    if node.kind is Kind.PARAGRAPH:
        return max(1, len(_SENTENCE_END.findall(node.value)))
    if node.kind is Kind.HTML:
        said = sum(1 for line in _TAG.sub("", node.value).split("\n") if line.strip())
        return said or sum(1 for line in node.value.split("\n") if _ATTRIBUTES.search(line))
    if node.kind in (Kind.CODE, Kind.FRONT_MATTER):
        return max(1, sum(1 for line in node.value.split("\n") if line.strip()))
    if node.kind is Kind.TABLE:
        return len(list(node.attrs["header"]))
    if node.kind is Kind.ROW:
        return max(1, sum(1 for cell in node.value if cell != ""))
    return 1 if node.kind in (Kind.SECTION, Kind.DEFINITION) else 0


def text_facts(node: TreeNode) -> int:
    """Return the number of facts in a block of text, including its children."""
    return own_facts(node) + sum(map(text_facts, node.children))


class Leaf(NamedTuple):
    """A part of a document that gets one weight.

    Attributes
    ----------
    path : tuple
        Steps from the root: member names and indices.
    value
        The scalar, ``{}`` or ``[]``; in a text, the block as a `TreeNode`.
    facts : int
        The number of its facts: 1, or in a text, those of the block without its children.
    """

    path: tuple[str | int, ...]
    value: Any
    facts: int


def leaves(tree: TreeNode) -> list[Leaf]:
    """Return the leaves of a document in document order.

    The leaves below one value are consecutive, and so are a block and the leaves below it. A block
    that has no facts apart from its children, such as a list, is not a leaf.

    Examples
    --------
    >>> from mckp.tree import TreeNode
    >>> [leaf.path for leaf in leaves(TreeNode.of({"id": 7, "tags": ["a", {}]}))]
    [('id',), ('tags', 0), ('tags', 1)]
    """
    if tree.is_json:
        return data_leaves(tree.value)
    if tree.kind is Kind.TEXT:
        return [Leaf(node.path, node, node.value.count("\n") + 1) for node in tree.children]
    counted = ((node, own_facts(node)) for node in tree.walk())
    return [Leaf(node.path, node, facts) for node, facts in counted if facts]


def own_lines(node: TreeNode) -> tuple[int, int]:
    r"""Return the lines ``[start, end)`` of a block of text, without the lines of its children.

    Lines are counted from 0. For a section, they are its heading and the blank lines below it.

    Examples
    --------
    >>> import mckp
    >>> section = mckp.parse("# Title\n\nIt works.\n", "markdown").children[0]
    >>> own_lines(section), own_lines(section.children[0])
    ((0, 2), (2, 3))
    """
    assert node.span is not None, "parsed from a text"
    below = node.children[0].span if node.children else None
    return node.span.start, node.span.end if below is None else below.start


def by_lines(leaves: Sequence[Leaf]) -> list[float]:
    """Weigh each block of a text by the number of its own lines.

    A heading weighs as much as its line and the blank lines below it, since agents use headings
    more than other lines.
    """
    spans = (own_lines(leaf.value) for leaf in leaves)
    return [float(max(1, end - start)) for start, end in spans]


def data_leaves(value: object) -> list[Leaf]:
    """Return the leaves of plain data in document order."""
    leaves: list[Leaf] = []
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while stack:
        path, item = stack.pop()
        if is_container(item) and item:
            members = item.items() if is_object(item) else enumerate(item)
            stack.extend([((*path, step), below) for step, below in members][::-1])
        else:
            leaves.append(Leaf(path, item, 1))
    return leaves
