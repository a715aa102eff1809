"""Joints: where Markdown blocks, written one below the other, would run together.

With a blank line between them most blocks are read back one by one. Not so two lists of one
kind and marker, a block that begins with white space below a list, two indented code
blocks, and whatever stands below a block without an end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.parsers.markdown_tokens import block_tokens
from mckp.tree import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.tree import Span, TreeNode


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


def _span(block: TreeNode) -> Span:
    if block.span is None:
        raise ValueError(f"{block!r} was not read from a text")
    return block.span
