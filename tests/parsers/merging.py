"""Which blocks of Markdown a blank line does not keep apart, spelled out."""

import re
from collections.abc import Sequence

from mckp.parsers.joints import one_list
from mckp.tree import Kind, TreeNode

_INDENTED = re.compile(r" {4}| {0,3}\t")


def merges(before: TreeNode, after: TreeNode, lines: Sequence[str]) -> bool:
    r"""Tell whether a blank line is not enough to keep two blocks apart.

    So it is with two lists of one kind and marker, a list and a block that begins with
    white space (which becomes part of the last item), and two indented code blocks. Any
    block between them that begins at the margin, such as a quote, keeps them apart.
    Both are blocks of the top level, in the order they are to be written.

    Examples
    --------
    >>> from mckp.parsers.markdown import parse_markdown
    >>> text = "- a\n\nb\n\n- c"
    >>> first, middle, last = parse_markdown(text).children
    >>> [merges(first, block, text.split("\n")) for block in (middle, last)]
    [False, True]
    """
    start = first_line(after, lines)
    if before.kind is Kind.LIST:
        return start[:1] in (" ", "\t") or one_list(before, after)
    codes = before.kind is after.kind is Kind.CODE
    return codes and bool(_INDENTED.match(start) and _INDENTED.match(first_line(before, lines)))


def first_line(block: TreeNode, lines: Sequence[str]) -> str:
    assert block.span is not None, "read from a text"
    return lines[block.span.start]
