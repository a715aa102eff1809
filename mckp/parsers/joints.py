"""Joints: where top-level Markdown blocks, written one below the other, would run together.

With a blank line between them all others are read back one by one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mckp.parsers.markdown_tokens import block_tokens
from mckp.tree import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.tree import Span, TreeNode

_INDENTED = re.compile(r" {4}| {0,3}\t")


def merges(before: TreeNode, after: TreeNode, lines: Sequence[str]) -> bool:
    r"""Tell whether a blank line is not enough to keep two blocks apart.

    So it is with two lists of one kind and marker, a list and a block that begins with
    white space (which becomes part of the last item), and two indented code blocks. Any
    block between them that begins at the margin, such as a quote, keeps them apart.

    Parameters
    ----------
    before, after
        Blocks of the top level, in the order they are to be written.
    lines
        The lines their spans count.

    Examples
    --------
    >>> from mckp.parsers.markdown import parse_markdown
    >>> text = "- a\n\nb\n\n- c"
    >>> first, middle, last = parse_markdown(text).children
    >>> [merges(first, block, text.split("\n")) for block in (middle, last)]
    [False, True]
    """
    start = _first_line(after, lines)
    if before.kind is Kind.LIST:
        return start[:1] in (" ", "\t") or one_list(before, after)
    codes = before.kind is after.kind is Kind.CODE
    return codes and bool(_INDENTED.match(start) and _INDENTED.match(_first_line(before, lines)))


def swallows(block: TreeNode, lines: Sequence[str]) -> bool:
    r"""Tell whether a block has no end, so that all that is written below would be its own.

    Examples
    --------
    >>> from mckp.parsers.markdown import parse_markdown
    >>> text = "```\nnever closed"
    >>> swallows(parse_markdown(text).at(0), text.split("\n"))
    True
    """
    if block.kind not in (Kind.CODE, Kind.HTML):
        return False
    span = _span(block)
    below = "\n".join([*lines[span.start : span.end], "", "x"])
    return block_tokens(below)[-1].type != "paragraph_close"


def one_list(before: TreeNode, after: TreeNode) -> bool:
    """Tell whether two blocks are lists that are one where nothing stands between them."""
    lists = before.kind is after.kind is Kind.LIST
    return lists and all(before.attrs[name] == after.attrs[name] for name in ("ordered", "marker"))


def _first_line(block: TreeNode, lines: Sequence[str]) -> str:
    return lines[_span(block).start]


def _span(block: TreeNode) -> Span:
    if block.span is None:
        raise ValueError(f"{block!r} was not read from a text")
    return block.span
