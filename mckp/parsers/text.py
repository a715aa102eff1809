"""Plain text: paragraphs of lines, and the line form every text is read in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mckp.errors import ParseError
from mckp.jsontext import dump
from mckp.regexes import regex
from mckp.tree import Kind, Span, TreeNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_LINE_END = regex(r"\r\n?")
_BYTE_ORDER_MARK = regex("^\ufeff+", re.MULTILINE)


def normalise(text: str) -> str:
    r"""Return the text that spans count lines of, split at ``"\n"``.

    Line ends become ``\n``, NUL becomes U+FFFD (as CommonMark asks) and byte order marks
    at the start of a line go: files joined to one text leave them anywhere, and any line
    may become the first when others are cut. Doing it twice changes nothing more. A lone
    surrogate, which no encoding can carry, is an error.
    """
    plain = _LINE_END.sub("\n", text) if "\r" in text else text
    if plain.isascii():
        return plain.replace("\0", "\ufffd")
    plain = plain.replace("\0", "\ufffd")
    if "\ufeff" in plain:
        plain = _BYTE_ORDER_MARK.sub("", plain)
    try:
        plain.encode()
    except UnicodeEncodeError as error:
        raise ParseError.at("the text has a lone surrogate", plain, error.start) from None
    return plain


def source_lines(text: str) -> list[str]:
    """Return the lines that spans count, each with its end."""
    # Not by splitlines: it knows other line ends than line feeds.
    return re.findall(r"[^\n]*\n|[^\n]+", normalise(text))


def writer(tree: TreeNode) -> Callable[[TreeNode], str]:
    """Return what writes a node of a document: as lines of its source, or else as compact JSON."""
    if tree.source is None or tree.is_json:
        return lambda node: dump(node.value)
    lines, nowhere = source_lines(tree.source), Span(0, 0)

    def sliced(node: TreeNode) -> str:
        span = node.span or nowhere
        return "".join(lines[span.start : span.end])

    return sliced


def parse_text(text: str) -> TreeNode:
    r"""Read plain text as paragraphs: runs of lines that are not blank.

    A line of nothing but white space is blank. All other lines stand in the paragraphs
    as they are, so equal trees mean equal texts but for blank lines.

    Examples
    --------
    >>> [node.value for node in parse_text("one\n two\n\n\nthree").children]
    ['one\n two', 'three']
    """
    lines = normalise(text).split("\n")
    children = tuple(_paragraphs(lines))
    return TreeNode(Kind.TEXT, children=children, span=Span(0, len(lines)), source=text)


def _paragraphs(lines: Sequence[str]) -> Iterator[TreeNode]:
    blank = [place for place, line in enumerate(lines) if not line or line.isspace()]
    starts, found = [-1, *blank], 0
    for start, end in zip(starts, [*blank, len(lines)], strict=True):
        if end > start + 1:
            value = "\n".join(lines[start + 1 : end])
            yield TreeNode(Kind.PARAGRAPH, value, path=(found,), span=Span(start + 1, end))
            found += 1
