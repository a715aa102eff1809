"""The marks that this library writes into text documents, and the escapes for similar text.

In plain text a line ``…313-349`` stands for missing lines, and ``…313-349 alike`` for lines that
differ from lines above it only in their numbers. A source line that looks like this, or like a
hint, gets a backslash and loses it on the way back; lines are never changed in any other way.

In Markdown three things are ours: hints of any family (``> [+3 of 9 blocks]``, ``> [ref #3]``), the
kind of a document whose text alone would be misread (``> [markdown]`` in the first line), and
tables as fenced CSV (info ``csv 20 rows``, perhaps with ``, name=value in all``). If the source has
one of them already, it gets an extra mark, a backslash before the bracket or a tilde after the
info, and loses it on the way back.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mckp.encoders import once
from mckp.encoders.hints import read_hint
from mckp.regexes import regex
from mckp.tree import Kind

if TYPE_CHECKING:
    from mckp.tree import TreeNode

_KINDS = frozenset({"> [markdown]", "> [text]", *once.NOTES})
_COMMON: Final = ", name=value in all"
_INFO = regex(rf"csv ([0-9]{{1,18}}) rows({_COMMON})?(~*)")
GAP: Final = "…"
"""The mark for missing lines."""

ALIKE: Final = " alike"
"""Follows the mark of a gap if all missing lines are like lines shown above it."""

WITH_GAPS: Final = " with gaps"
"""Follows the mark of a gap if a missing line is itself a mark, of a text that was cut before."""

_GAP: Final = regex(rf"{GAP}(?:[0-9]{{1,9}}(?:-[0-9]{{1,9}})?)?(?:{ALIKE}|{WITH_GAPS})?")
_FIRSTS: Final = (GAP, ">", "\\", "`")
"""The beginnings of lines that look like ours."""

_LINE_OF_OURS: Final = regex(rf"^\\*(?:{GAP}|> \[|`{{3,}}\[).*", re.MULTILINE)
_PART: Final = regex(r"(`{3,})\[.*\](?: margin=[0-9]{1,3})?(?: in (?:`{3,}|~{3,})[^`]*)?")
"""The line above data in a text; see `mckp.parsers.parts`."""
_KIND_LINE = regex(r"> \[(markdown|text)\]\n\n")


def note_text(node: TreeNode) -> str | None:
    r"""Return the text of a quote in Markdown if it is a note of ours or an escaped one, else None.

    Examples
    --------
    >>> from mckp.parsers.markdown import parse_markdown
    >>> [note_text(parse_markdown(t).at(0)) for t in ("> [+3 of 9 rows]", "> \\[text]", "> [sic]")]
    ['[+3 of 9 rows]', '\\[text]', None]
    """
    inner = node.children
    if node.kind is not Kind.QUOTE or len(inner) != 1 or inner[0].kind is not Kind.PARAGRAPH:
        return None
    text = str(inner[0].value)
    return text if _is_kind_or_hint("> " + text.lstrip("\\")) else None


def escape_note(quote: str) -> str:
    """Add a backslash before the first bracket of a quoted source line, which looks like our note.

    The line is returned as it is if it has no opening bracket.
    """
    place = re.search(r"\\*\[", quote)
    return quote if place is None else f"{quote[: place.start()]}\\{quote[place.start() :]}"


def csv_info(row_count: int, *, has_common: bool = False) -> str:
    """Return the info string of a Markdown table written as fenced CSV.

    `has_common` says that the header also gives the values that are the same in all rows.
    """
    return f"csv {row_count} rows{_COMMON if has_common else ''}"


def read_csv_info(info: str) -> tuple[int, bool] | None:
    """Return the row count and `has_common` of an info string by `csv_info`; None for any other.

    Examples
    --------
    >>> [read_csv_info(info) for info in ("csv 2 rows", "csv 2 rows, name=value in all", "csv")]
    [(2, False), (2, True), None]
    """
    match = _INFO.fullmatch(info)
    return (int(match[1]), match[2] is not None) if match and not match[3] else None


def looks_like_csv_info(info: str) -> bool:
    """Whether an info string looks like one that we write above CSV, escaped or not."""
    return _INFO.fullmatch(info) is not None


def write_gap(first: int, last: int) -> str:
    """Return the mark of a gap, with the missing source lines, counted from 1.

    Examples
    --------
    >>> write_gap(313, 349), write_gap(313, 313)
    ('…313-349', '…313')
    """
    return f"{GAP}{first}" if first == last else f"{GAP}{first}-{last}"


def is_gap(line: str) -> bool:
    """Whether a line is the mark of a gap."""
    return _GAP.fullmatch(line) is not None


def says_missing(line: str) -> bool:
    r"""Whether a line of a source is a mark of ours, maybe escaped, that says what is missing.

    Examples
    --------
    >>> [says_missing(line) for line in ("…12-40", "\\\\…", "> [+3 rows]", "> [text]")]
    [True, True, True, False]
    """
    bare = line.lstrip("\\")
    return is_gap(bare) or (bare.startswith("> [+") and _is_note(bare))


def has_gap(text: str) -> bool:
    """Whether a line of a text is the mark of a gap."""
    return GAP in text and any(map(is_gap, text.split("\n")))


def is_ours(line: str) -> bool:
    r"""Whether a line looks like a mark of a gap or a hint, or like an escaped one.

    Examples
    --------
    >>> [is_ours(line) for line in ("…12-40", "> [+3 rows]", "\\\\…", "… and so on", "> [sic]")]
    [True, True, True, False, False]
    """
    if line[:1] not in _FIRSTS:
        return False
    bare = line.lstrip("\\")
    return is_gap(bare) or _is_note(line) or is_part(bare)


def is_part(line: str) -> bool:
    """Whether a line is the one above data in a text."""
    return line.startswith("```") and _PART.fullmatch(line) is not None


def has_part(text: str) -> bool:
    """Whether a line of a text is the one above data in it."""
    return "```[" in text and any(map(is_part, text.split("\n")))


def escape_lines(text: str) -> str:
    r"""Return a plain text with a backslash before each line that looks like ours.

    Examples
    --------
    >>> escape_lines("a\n…12-40\n> [+3 rows]\n> [sic]\n")
    'a\n\\…12-40\n\\> [+3 rows]\n> [sic]\n'
    """
    return _LINE_OF_OURS.sub(lambda match: f"\\{match[0]}" if is_ours(match[0]) else match[0], text)


def unescape_lines(text: str) -> str:
    """Return the text from which `escape_lines` made this one."""
    return _LINE_OF_OURS.sub(
        lambda match: match[0].removeprefix("\\") if is_ours(match[0]) else match[0], text
    )


def kind_line(kind: str) -> str:
    """Return the first line, which names the kind of the document, and the blank line below it."""
    return f"> [{kind}]\n\n"


def split_kind(text: str) -> tuple[str | None, str]:
    """Return the kind that the first line names, or None, and the text without that line."""
    match = _KIND_LINE.match(text)
    return (match[1], text[match.end() :]) if match else (None, text)


def _is_note(line: str) -> bool:
    """Whether a line is one of our notes, or an escaped one."""
    return "> [" in line and _is_kind_or_hint(line.lstrip("\\"))


def _is_kind_or_hint(line: str) -> bool:
    """Whether a line names the kind of a document, or is a hint."""
    return line in _KINDS or read_hint(line) is not None
