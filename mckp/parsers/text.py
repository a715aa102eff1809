"""Plain text: paragraphs of lines, and the line form every text is read in."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from mckp.errors import ParseError
from mckp.parsers.scan import place
from mckp.tree import Kind, Span, TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LINE_END = re.compile(r"\r\n?")
_BYTE_ORDER_MARK = re.compile("^\ufeff+", re.MULTILINE)


def normalise(text: str) -> str:
    r"""Return the text that spans count lines of, split at ``"\n"``.

    Line ends become ``\n``, NUL becomes U+FFFD (as CommonMark asks) and byte order marks
    at the start of a line go: files joined to one text leave them anywhere, and any line
    may become the first when others are cut. Doing it twice changes nothing more.

    Raises
    ------
    ParseError
        If the text has a lone surrogate, which no encoding can carry.

    Examples
    --------
    >>> normalise("a\r\nb\rc")
    'a\nb\nc'
    """
    plain = _LINE_END.sub("\n", text).replace("\0", "\ufffd")
    plain = _BYTE_ORDER_MARK.sub("", plain)
    try:
        plain.encode()
    except UnicodeEncodeError as error:
        line, column = place(plain, error.start)
        raise ParseError("the text has a lone surrogate", line=line, column=column) from None
    return plain


def parse_text(text: str) -> TreeNode:
    r"""Read plain text as paragraphs: runs of lines that are not blank.

    A line of nothing but white space is blank. All other lines stand in the paragraphs
    as they are, so equal trees mean equal texts but for blank lines.

    Raises
    ------
    ParseError
        If the text has a lone surrogate.

    Examples
    --------
    >>> [node.value for node in parse_text("one\n two\n\n\nthree").children]
    ['one\n two', 'three']
    """
    lines = normalise(text).split("\n")
    children = tuple(_paragraphs(lines))
    return TreeNode(Kind.TEXT, children=children, span=Span(0, len(lines)), source=text)


def _paragraphs(lines: Sequence[str]) -> Iterator[TreeNode]:
    start = found = 0
    for filled, group in groupby(lines, key=lambda line: bool(line.strip())):
        run = list(group)
        if filled:
            span = Span(start, start + len(run))
            yield TreeNode(Kind.PARAGRAPH, "\n".join(run), path=(found,), span=span)
            found += 1
        start += len(run)
