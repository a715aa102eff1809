"""What this library writes into text documents, and how text that looks like it is escaped.

Three things are ours: hints of any family (``> [+3 of 9 blocks]``, ``> [ref #3]``), the
kind of a document where its text alone would be misread (``> [markdown]`` in the first
line), and tables as fenced CSV (info ``csv 20 rows``). A source that has one of them
already gets one more mark, a backslash before the bracket or a tilde after the info, and
loses it on the way back.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mckp.encoders.hints import read_hint
from mckp.regexes import regex
from mckp.tree import Kind

if TYPE_CHECKING:
    from mckp.tree import TreeNode

_KINDS = frozenset({"> [markdown]", "> [text]"})
_INFO = regex(r"csv ([0-9]{1,18}) rows(~*)")
_SLASH = regex(r"\\*/")
_MARKED_SLASH = regex(r"\\+/")
_KIND_LINE = regex(r"> \[(markdown|text)\]\n\n")


def noted(node: TreeNode) -> str | None:
    r"""Return the text of a quote that is one of our notes, or an escaped one, else None.

    Examples
    --------
    >>> from mckp.parsers.markdown import parse_markdown
    >>> [noted(parse_markdown(t).at(0)) for t in ("> [+3 of 9 blocks]", "> \\[text]", "> [sic]")]
    ['[+3 of 9 blocks]', '\\[text]', None]
    """
    inner = node.children
    if node.kind is not Kind.QUOTE or len(inner) != 1 or inner[0].kind is not Kind.PARAGRAPH:
        return None
    text = str(inner[0].value)
    return text if _is_ours("> " + text.lstrip("\\")) else None


def escape_note(quote: str) -> str:
    """Mark a quoted source line that looks like a note of ours."""
    place = re.search(r"\\*\[", quote)
    return quote if place is None else f"{quote[: place.start()]}\\{quote[place.start() :]}"


def csv_info(rows: int) -> str:
    """Return the info string of a table written as CSV."""
    return f"csv {rows} rows"


def csv_rows(info: str) -> int | None:
    """Return how many rows an info string of ours declares; None for any other."""
    match = _INFO.fullmatch(info)
    return int(match[1]) if match and not match[2] else None


def looks_like_csv_info(info: str) -> bool:
    """Whether a source's info string needs, or has, a mark."""
    return _INFO.fullmatch(info) is not None


def escape_paragraph(paragraph: str) -> str:
    r"""Mark a plain paragraph that looks marked, or whose last line looks like a hint.

    Examples
    --------
    >>> escape_paragraph("a\n> [+3 of 9 lines]"), escape_paragraph("\\/etc")
    ('a\n\\> [+3 of 9 lines]', '\\\\/etc')
    """
    head, feed, last = paragraph.rpartition("\n")
    if _is_note(last):
        paragraph = f"{head}{feed}\\{last}"
    return f"\\{paragraph}" if _MARKED_SLASH.match(paragraph) else paragraph


def unescape_paragraph(paragraph: str) -> str:
    """Return a plain paragraph without its marks."""
    head, feed, last = paragraph.rpartition("\n")
    if last.startswith("\\") and _is_note(last):
        paragraph = head + feed + last[1:]
    return paragraph[1:] if _MARKED_SLASH.match(paragraph) else paragraph


def escape_line(line: str) -> str:
    """Mark a line that begins with ``/``, or looks like a hint, where lines may be cut.

    The mark before a slash keeps the counts of fragments additive.
    """
    return f"\\{line}" if _SLASH.match(line) or _is_note(line) else line


def unescape_line(line: str) -> str:
    """Return a line without its mark."""
    marked = line.startswith("\\") and (_SLASH.match(line) or _is_note(line))
    return line[1:] if marked else line


def kind_line(kind: str) -> str:
    """Return the first line that tells the kind of the document below it."""
    return f"> [{kind}]\n\n"


def split_kind(text: str) -> tuple[str | None, str]:
    """Return the kind that a text's first line tells, and the text below it."""
    match = _KIND_LINE.match(text)
    return (match[1], text[match.end() :]) if match else (None, text)


def _is_note(line: str) -> bool:
    """Whether a line is one of our notes, or an escaped one."""
    return "> [" in line and _is_ours(line.lstrip("\\"))


def _is_ours(line: str) -> bool:
    return line in _KINDS or read_hint(line) is not None
