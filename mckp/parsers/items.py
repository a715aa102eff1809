"""List items: the number an item's marker shows, and its task box."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.regexes import regex
from mckp.tree import Span

if TYPE_CHECKING:
    from mckp.tree import TreeNode

_TASK = regex(r"\[([ xX])\][ \t]+")


class ItemSpan(Span):
    """Where an item of an ordered list stands, with the number its marker shows.

    The number is kept with the place because neither counts for equality.
    """

    __slots__ = ("number",)

    def __init__(self, start: int, end: int, number: int) -> None:
        super().__init__(start, end)
        self.number = number


def item_number(item: TreeNode) -> int | None:
    r"""Return the number an item's marker shows; None in a list without numbers.

    Examples
    --------
    >>> from mckp.parsers.markdown import parse_markdown
    >>> [item_number(item) for item in parse_markdown("3. a\n3. b\n7. c").at(0).children]
    [3, 3, 7]
    """
    return item.span.number if isinstance(item.span, ItemSpan) else None


def split_task(text: str) -> tuple[bool | None, str]:
    """Return whether a task is done (None: no task) and its text without the box.

    Examples
    --------
    >>> split_task("[x] tests"), split_task("[ ] docs"), split_task("[y] other")
    ((True, 'tests'), (False, 'docs'), (None, '[y] other'))
    """
    box = _TASK.match(text)
    return (box[1] != " ", text[box.end() :]) if box else (None, text)
