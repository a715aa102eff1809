"""Markdown (CommonMark with GFM tables, task lists and front matter) as a tree of blocks.

The grammar is slow to import, so it is imported only when a text needs it.
"""

from __future__ import annotations

import re
from typing import Final

from mckp.errors import ParseError
from mckp.parsers.text import normalise
from mckp.regexes import regex
from mckp.tree import Kind, Span, TreeNode


def parse_markdown(text: str) -> TreeNode:
    r"""Parse a Markdown document.

    Blocks become nodes, nested by heading; inline markup stays in their values as written.
    Each node's span counts lines of ``normalise(text).split("\n")``. A lone surrogate raises a
    `ParseError`, and so do quotes and lists that are nested too deeply.

    Examples
    --------
    >>> tree = parse_markdown("# Jobs\n\n| name | tries |\n|---|---|\n| build | 2 |\n")
    >>> [(node.kind.value, node.value) for node in tree.walk()][1:]
    [('section', 'Jobs'), ('table', None), ('row', ['build', 2])]
    >>> tree.at(0, 0).attrs["header"]
    ['name', 'tries']
    """
    from mckp.parsers.markdown_blocks import read_blocks

    lines = normalise(text)
    children = read_blocks(lines)
    span = Span(0, lines.count("\n") + 1)
    return TreeNode(Kind.DOCUMENT, children=children, span=span, source=text)


_PLAIN_TOKENS: Final = {"paragraph_open", "inline", "paragraph_close", "code_block"}
_MAYBE_MARKUP: Final = regex(
    r"""^[ ]{0,3}(?:
        \#{1,6}(?:[ \t]|$)               # heading
      | [-+*](?:[ \t]|$)                 # list
      | [0-9]{1,9}[.)](?:[ \t]|$)        # numbered list
      | >                                # quote
      | ```|~~~                          # fence
      | <[A-Za-z/!?]                     # HTML
      | (?:[-_*][ \t]*){3}               # thematic break, front matter
      | (?:=+|-+)[ \t]*$                 # underline of a heading
      | [-:|][-:| \t]+$                  # second line of a table
      | \[(?:.*(?:\]:|\\\])|[^]\n]*$)    # definition
    )""",
    re.MULTILINE | re.VERBOSE,
)

_BLOCK_BEGIN: Final = regex(r"\n*(?:\#{1,6}[ \t]|[-+*][ \t]|>|~~~)")
"""A first line that begins a block other than a paragraph, whatever follows."""
_INDENTED: Final = regex(r" {0,3}[ \t]")
_MAYBE_DEEP: Final = regex(
    r"^(?=[ \t]*(?:>|[-+*](?:[ \t]|$)|[0-9]{1,9}[.)](?:[ \t]|$)))"
    r"(?:[> \t]|[-+*][ \t]|[0-9]{1,9}[.)][ \t]){40}",
    re.MULTILINE,
)
"""A line that opens a block after so many markers and blanks that it may be nested too deeply."""


def looks_like_markdown(text: str) -> bool:
    r"""Whether a text has Markdown blocks other than paragraphs.

    Indented code does not count, because logs and prose are indented, too; nor does inline markup,
    because `parse_text` keeps the same lines if there are no other blocks. A text that
    `parse_markdown` refuses is not Markdown. The check takes linear time, and parses nothing if no
    line begins like a block.

    Examples
    --------
    >>> looks_like_markdown("* milk\n* bread"), looks_like_markdown("12:01 *all* [ok](x)")
    (True, False)
    """
    try:
        lines = normalise(text)
        match = _MAYBE_MARKUP.search(lines)
        if match is None:
            return False
        if _MAYBE_DEEP.search(lines):
            return _has_blocks(lines)
        return _BLOCK_BEGIN.match(lines) is not None or _has_blocks_from(lines, match)
    except ParseError:
        return False


def _has_blocks_from(lines: str, match: re.Match[str] | None) -> bool:
    """Whether a block other than a paragraph begins at a match of `_MAYBE_MARKUP` or below it.

    If everything above an empty line is paragraphs, the text below is parsed separately.
    """
    while match is not None:
        end = match.end()
        if not (
            match[0].lstrip(" ").startswith("[") and _continues_paragraph(lines, match.start())
        ):
            blank_above, end = lines.rfind("\n\n", 0, match.start()), lines.find("\n\n", end)
            end = len(lines) if end < 0 else end
            if _has_blocks(lines[0 if blank_above < 0 else blank_above + 2 : end]):
                return True
        match = _MAYBE_MARKUP.search(lines, end)
    return False


def _continues_paragraph(lines: str, offset: int) -> bool:
    """Whether the line at an offset continues a paragraph, so that no definition can begin there.

    It does if the line before it is neither blank nor indented.
    """
    previous_end = max(0, offset - 1)
    previous_line = lines[lines.rfind("\n", 0, previous_end) + 1 : previous_end]
    return bool(previous_line.strip()) and not _INDENTED.match(previous_line)


def _has_blocks(lines: str) -> bool:
    """Whether a normalised text has blocks other than paragraphs and indented code."""
    from mckp.parsers.markdown_tokens import block_tokens

    return any(token.type not in _PLAIN_TOKENS for token in block_tokens(lines))
