"""Plain text: paragraphs of lines, and the line ends that all texts are normalised to."""

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
_RETURNS = regex(r"(?<!\r)\r++\n")
_BYTE_ORDER_MARK = regex("^\ufeff+", re.MULTILINE)


def normalise(text: str) -> str:
    r"""Return a text in the form whose lines, split at ``"\n"``, spans count.

    Line ends become ``\n``, NUL becomes U+FFFD (as CommonMark requires), and byte order marks at
    the start of a line are removed: joined files may have them anywhere, and any line may become
    the first when others are cut. Normalising again changes nothing. A lone surrogate, which no
    encoding can represent, raises a `ParseError`.
    """
    return _clean_characters(_LINE_END.sub("\n", text) if "\r" in text else text)


def normalise_plain_text(text: str) -> str:
    """Return a plain text in the form whose lines spans count; only a line feed ends a line.

    Carriage returns before a line feed are removed; those within a line stay, as progress bars
    write them. If lines are parted by NUL or U+001E, these become line feeds. Other characters are
    changed as in `normalise`.
    """
    if "\0" in text or "\x1e" in text:
        from mckp.texts.plain import parted  # needs numpy

        text = parted(text)[0]
    return _clean_characters(_RETURNS.sub("\n", text) if "\r\n" in text else text)


def _clean_characters(text: str) -> str:
    """Return a text with U+FFFD for NUL, and without byte order marks at the start of lines.

    A lone surrogate raises a `ParseError`.
    """
    if text.isascii():
        return text.replace("\0", "\ufffd")
    text = text.replace("\0", "\ufffd")
    if "\ufeff" in text:
        text = _BYTE_ORDER_MARK.sub("", text)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ParseError.at("the text has a lone surrogate", text, error.start) from None
    return text


def source_lines(tree: TreeNode) -> list[str]:
    """Return the lines of a text document's source as spans count them, with their line feeds."""
    source = tree.source or ""
    text = normalise_plain_text(source) if tree.kind is Kind.TEXT else normalise(source)
    # Not with splitlines, which also splits at other characters.
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def node_writer(tree: TreeNode) -> Callable[[TreeNode], str]:
    """Return a function that returns a node's text: its lines of the source, or JSON for data.

    Nodes of a tree without a source are written as compact JSON.
    """
    if tree.source is None or tree.is_json:
        return lambda node: dump(node.value)
    lines, nowhere = source_lines(tree), Span(0, 0)

    def write_source_lines(node: TreeNode) -> str:
        span = node.span or nowhere
        return "".join(lines[span.start : span.end])

    return write_source_lines


def parse_text(text: str) -> TreeNode:
    r"""Parse plain text into paragraphs: runs of lines that are not blank.

    A line with only white space is blank. All other lines are in the paragraphs, changed
    only by `normalise_plain_text`, so equal trees mean equal texts except for blank lines.

    Examples
    --------
    >>> [node.value for node in parse_text("one\n two\n\n\nthree").children]
    ['one\n two', 'three']
    """
    return text_tree([text])


def text_tree(stretches: Sequence[str]) -> TreeNode:
    r"""Return the tree of a plain text of which only some stretches were kept.

    `stretches` are the texts between the gaps, in whole lines; a gap ends a paragraph. The source
    of the tree is the stretches joined.

    Examples
    --------
    >>> tree = text_tree(["one\n", "two\n\nthree\n"])
    >>> [node.value for node in tree.children], tree.source
    (['one', 'two', 'three'], 'one\ntwo\n\nthree\n')
    """
    children: list[TreeNode] = []
    start = 0
    for text in stretches:
        lines = normalise_plain_text(text).split("\n")
        for first, end in _filled_runs(lines):
            value, span = "\n".join(lines[first:end]), Span(start + first, start + end)
            children.append(TreeNode(Kind.PARAGRAPH, value, path=(len(children),), span=span))
        start += len(lines) - (not lines[-1])
    source = "".join(stretches)
    span = Span(0, source.count("\n") + 1)
    return TreeNode(Kind.TEXT, children=tuple(children), span=span, source=source)


def _filled_runs(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each run of lines that are not blank; the end is exclusive."""
    blank_places = [place for place, line in enumerate(lines) if not line or line.isspace()]
    for start, end in zip([-1, *blank_places], [*blank_places, len(lines)], strict=True):
        if end > start + 1:
            yield start + 1, end
