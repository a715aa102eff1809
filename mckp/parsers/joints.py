"""List items, and joints: places where successive Markdown blocks would run together.

With a blank line between them, most blocks are read back separately. The exceptions are two lists
of one kind and marker, a block that begins with white space below a list, two indented code
blocks, and anything below a block without an end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.regexes import regex
from mckp.tree import Kind, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.tree import TreeNode

_TASK = regex(r"\[([ xX])\][ \t]+")


class ItemSpan(Span):
    """The span of an ordered list item, with the number in its marker.

    The number is kept with the span because a comparison of trees ignores both.
    """

    __slots__ = ("number",)

    def __init__(self, start: int, end: int, number: int) -> None:
        super().__init__(start, end)
        self.number = number


def item_number(item: TreeNode) -> int | None:
    """Return the number in an item's marker, or None in a list without numbers."""
    return item.span.number if isinstance(item.span, ItemSpan) else None


def split_task(text: str) -> tuple[bool | None, str]:
    """Return whether an item is a task that is done, and its text without the task box.

    The first value is None if the text does not begin with a task box.

    Examples
    --------
    >>> split_task("[x] tests"), split_task("[ ] docs"), split_task("[y] other")
    ((True, 'tests'), (False, 'docs'), (None, '[y] other'))
    """
    match = _TASK.match(text)
    return (match[1] != " ", text[match.end() :]) if match else (None, text)


def is_unterminated(block: TreeNode, lines: Sequence[str]) -> bool:
    """Whether a block has no end of its own, so that text below it would become part of it.

    `lines` are the lines of the source, as spans count them.
    """
    if block.kind not in (Kind.CODE, Kind.HTML):
        return False
    span = block.span
    assert span is not None, "blocks from a text have a span"
    first_line = lines[span.start].lstrip(" ")
    if block.kind is Kind.CODE:
        is_fenced = first_line.startswith(("```", "~~~")) and not lines[span.start].startswith(
            "    "
        )
        return is_fenced and span.end - span.start < block.value.count("\n") + 2
    from markdown_it.rules_block.html_block import HTML_SEQUENCES

    end_pattern = next(end for start, end, _ in HTML_SEQUENCES if start.search(first_line))
    # Most kinds of HTML end with a blank line; comments and the like have their own end mark.
    return not end_pattern.search("") and not end_pattern.search(lines[span.end - 1])


def would_merge(before: TreeNode, after: TreeNode) -> bool:
    """Whether two blocks are lists that would become one with only blank lines between them."""
    are_lists = before.kind is after.kind is Kind.LIST
    return are_lists and all(
        before.attrs[name] == after.attrs[name] for name in ("ordered", "marker")
    )
