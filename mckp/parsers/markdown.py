"""Markdown (CommonMark with GFM tables, task lists and front matter) as a tree of blocks.

The grammar, which takes a while to import, is imported when a text needs it.
"""

from __future__ import annotations

import re
from typing import Final

from mckp.errors import ParseError
from mckp.parsers.text import normalise
from mckp.regexes import regex
from mckp.tree import Kind, Span, TreeNode


def parse_markdown(text: str) -> TreeNode:
    r"""Read a Markdown document.

    Blocks become nodes, nested by heading; inline markup stays in their values as written.
    Each node's span counts lines of ``normalise(text).split("\n")``. There is an error for a
    lone surrogate, and for quotes and lists that nest too deep.

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

_SURE: Final = regex(r"\n*(?:\#{1,6}[ \t]|[-+*][ \t]|>|~~~)")
"""A first line that begins a block which is no paragraph, whatever follows."""
_INDENTED: Final = regex(r" {0,3}[ \t]")
_MAYBE_DEEP: Final = regex(
    r"^(?=[ \t]*(?:>|[-+*](?:[ \t]|$)|[0-9]{1,9}[.)](?:[ \t]|$)))"
    r"(?:[> \t]|[-+*][ \t]|[0-9]{1,9}[.)][ \t]){40}",
    re.MULTILINE,
)
"""A line that opens a block, behind as many markers and blanks as one nested too deep has."""


def looks_like_markdown(text: str) -> bool:
    r"""Return whether a text has Markdown blocks: anything but paragraphs.

    Indented code does not count, for logs and prose indent too; nor does inline markup,
    for without other blocks `parse_text` keeps the same lines. A text that
    `parse_markdown` refuses is not Markdown either. The time taken is linear, and without
    a line that begins like a block nothing is parsed at all.

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
        return _SURE.match(lines) is not None or _is_found(lines, match)
    except ParseError:
        return False


def _is_found(lines: str, match: re.Match[str] | None) -> bool:
    """Whether there is a block that is no paragraph, at a first match or below it.

    If all above an empty line is paragraphs, what is below is read as if it were alone.
    """
    while match is not None:
        end = match.end()
        if not (match[0].lstrip(" ").startswith("[") and _continues(lines, match.start())):
            above, end = lines.rfind("\n\n", 0, match.start()), lines.find("\n\n", end)
            end = len(lines) if end < 0 else end
            if _has_blocks(lines[0 if above < 0 else above + 2 : end]):
                return True
        match = _MAYBE_MARKUP.search(lines, end)
    return False


def _continues(lines: str, place: int) -> bool:
    """Whether the line at a place follows one of a paragraph, where no definition can begin."""
    end = max(0, place - 1)
    before = lines[lines.rfind("\n", 0, end) + 1 : end]
    return bool(before.strip()) and not _INDENTED.match(before)


def _has_blocks(lines: str) -> bool:
    from mckp.parsers.markdown_tokens import block_tokens

    return any(token.type not in _PLAIN_TOKENS for token in block_tokens(lines))
