r"""Lines of a plain text in a shorter form: their common beginnings are written once.

A note in the first line names the form:

- *numbers*: a line without a number has the number after that of the line above it. Numbers are
written where they begin or jump, and for each tenth line. Below the first numbered line, a line
without a number in the source begins with a backslash.
- *beginnings*: a line that begins with a blank or a digit continues the nearest line above that
does not. That line is only the beginning of such lines, not a line itself: ``a/`` and `` b.py``
are ``a/b.py``, ``a.py`` and ``7:x`` are ``a.py:7:x``. Any other line with a blank or digit first
begins with a backslash.

Both read back exactly, and are offered where they are shorter.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    Keyed: TypeAlias = tuple[str, str]
    """The beginning of a line, and the row that continues it; or "" and a whole line."""

NUMBERS: Final = "> [text, a line without a number is the next one]"
BEGINNINGS: Final = "> [text, what begins with a blank or digit goes on the line above]"
NOTES: Final = (NUMBERS, BEGINNINGS)

LEAST: Final = 0.02
"""The share of characters that a form must save to be offered."""

FEWEST: Final = 4
"""Fewest lines of a text that is tried in other forms."""

SAMPLED: Final = 100
"""How many lines are sampled to see whether a form may pay."""

_NUMBERED: Final = regex(r"([ \t]*)([0-9]{1,7})(→|\t|:|\||│|  )")
_FOUND: Final = regex(r"((?:[A-Za-z]:)?[^\s:\\0-9][^\s:\\]{0,300})(?=([:-])[0-9]+\2)")
_TEXT_FOUND: Final = regex(r"((?:[A-Za-z]:)?[^\s:\\0-9][^\s:\\]{0,300}\.\w{1,5}:)(?![0-9:])")
_FOLDER: Final = regex(r"([^\s:\\0-9\"][^\s:\\\"]{0,300}/)(?!\S*::)[^\s/:][^\s/]*")
_ROW: Final = regex(r"[0-9]+([:-])")


def forms(text: str) -> tuple[str, ...]:
    r"""Return each shorter form of a text, with its note; most texts have none.

    Examples
    --------
    >>> print(forms("src/a.py:3:x = 1\nsrc/a.py:9:x += 1\nsrc/a.py:12:del x\n" * 3)[0])
    > [text, what begins with a blank or digit goes on the line above]
    <BLANKLINE>
    src/a.py
    3:x = 1
    9:x += 1
    12:del x
    3:x = 1
    9:x += 1
    12:del x
    3:x = 1
    9:x += 1
    12:del x
    <BLANKLINE>
    """
    lines = text.split("\n")
    if len(lines) < FEWEST:
        return ()
    sample = lines[:: max(1, len(lines) // SAMPLED)]
    short_texts: list[tuple[str, str]] = []
    is_numbered = _share_of(sample, lambda line: _NUMBERED.match(line) is not None) > 0.5
    if is_numbered and not _has_numbered_rows(lines, sample):
        short_texts.append((NUMBERS, without_numbers(lines)))
    if _share_of(sample, lambda line: bool(split_file(line)[0])) > 0.5 and not any(
        _are_columns(sample, sign) for sign in "|\t;,"
    ):
        short_texts.append((BEGINNINGS, min((group_lines(lines, key) for key in KEYS), key=len)))
    max_size = len(text) * (1 - LEAST)
    return tuple(
        f"{note}\n\n{short}" for note, short in short_texts if len(note) + len(short) < max_size
    )


def _has_numbered_rows(lines: Sequence[str], sample: Sequence[str]) -> bool:
    r"""Whether the numbers that lines begin with are cells of a table, as in ``psql -A``.

    Either the line above the first of them has the sign behind the number as well, as names of
    columns do, or nearly all lines have as many more of that sign. A file that is shown with the
    numbers of its lines has neither.

    Examples
    --------
    >>> rows = ["id|name", "1|ann", "2|bob"]
    >>> _has_numbered_rows(rows, rows), _has_numbered_rows(["1|a = b", "2|c"], ["1|a = b", "2|c"])
    (True, False)
    """
    above = ""
    for line in lines:
        if (match := _NUMBERED.match(line)) is not None:
            break
        above = line
    else:
        return False
    sign, header = match[3], above.strip()
    # Unlike the names of columns, a title such as "[File: a.py]" has no columns itself.
    if sign in header[:-1] and (sign in _PARTING or "  " in header):
        return True
    rests = (line[match.end() :].strip() for line in sample if (match := _NUMBERED.match(line)))
    return sign in _PARTING and _are_columns([rest for rest in rests if rest], sign)


_PARTING: Final = ("|", "\t", "  ")
"""Signs behind a number that part cells, too."""

_SAME: Final = 0.9
"""The share of lines that have as many signs as the first one, in a table."""


def _are_columns(lines: Sequence[str], sign: str) -> bool:
    """Whether nearly all lines have a sign as often as the first one has it, and it has one."""
    counts = [line.count(sign) for line in lines]
    if sign == "  ":  # columns may be wider
        counts = [min(1, count) for count in counts]
    return bool(counts) and counts[0] > 0 and counts.count(counts[0]) >= _SAME * len(counts)


def _share_of(lines: Sequence[str], test: Callable[[str], bool]) -> float:
    """Return the share of the lines for which a test is true; there must be lines."""
    return sum(map(test, lines)) / len(lines)


def has_shared_beginnings(text: str) -> bool:
    """Whether many lines have the same beginnings, as in search results or file lists."""
    return any(form.startswith(BEGINNINGS) for form in forms(text))


def split(text: str) -> tuple[str | None, str]:
    """Return the note that names a text's form, and the text below it.

    Without a note, return None and the text itself.
    """
    first, _, below = text.partition("\n\n")
    return (first, below) if first in NOTES else (None, text)


def read(note: str, text: str) -> str:
    r"""Return the original text; `note` names the form in which it was written.

    Examples
    --------
    >>> read(NUMBERS, " 8→def f():\n    return 1\n10→\n\\(3 more lines)\n")
    ' 8→def f():\n 9→    return 1\n10→\n(3 more lines)\n'
    """
    text_lines = text.split("\n")
    return "\n".join(_read_numbered(text_lines) if note == NUMBERS else _read_grouped(text_lines))


def without_numbers(lines: Sequence[str]) -> str:
    """Return numbered lines as one text, in the form *numbers*."""
    numbered = [_NUMBERED.match(line) for line in lines]
    written: list[str] = []
    after = ""  # what the next line begins with if its number is one higher
    is_last_blank = not lines[-1]
    for place, (line, match) in enumerate(zip(lines, numbered, strict=True)):
        if is_last_blank and place == len(lines) - 1:
            written.append("")
        elif match is None:
            written.append(f"\\{line}" if after else line)
        else:
            rest = line[len(after) :]
            is_plain = after and line.startswith(after) and not _NUMBERED.match(rest)
            is_shown = match[2].endswith("0") or not is_plain or rest.startswith("\\")
            written.append(line if is_shown or place == len(lines) - 1 else rest)
            after = _next_prefix(match[1], match[2], match[3])
    return "\n".join(written)


def _next_prefix(blanks: str, number: str, sign: str) -> str:
    """Return what the next line begins with if its number is one higher.

    `blanks`, `number` and `sign` are the beginning of a numbered line.
    """
    return f"{int(number) + 1}".rjust(len(blanks) + len(number) if blanks else 0) + sign


def _read_numbered(lines: Sequence[str]) -> Iterator[str]:
    """Yield the original lines of a text in the form *numbers*."""
    after = ""
    for place, line in enumerate(lines):
        if not line and place == len(lines) - 1:
            yield line
            return
        if after and line.startswith("\\"):
            yield line[1:]
            continue
        match = _NUMBERED.match(line)
        if match is None and after:
            line = after + line
            match = _NUMBERED.match(line)
        yield line
        if match is not None:
            after = _next_prefix(match[1], match[2], match[3])


def split_file(line: str) -> Keyed:
    """Return the file of a search hit and the row below it, else what `split_folder` returns."""
    if (match := _FOUND.match(line)) is not None:
        return match[1], line[match.end() + 1 :]
    if (match := _TEXT_FOUND.match(line)) is not None:
        return match[1], f" {line[match.end() :]}"
    return split_folder(line)


def split_folder(line: str) -> Keyed:
    """Return the folder of a path and the row below it; "" and the line if there is no folder."""
    if (match := _FOLDER.match(line)) is not None:
        return match[1], f" {line[match.end(1) :]}"
    return "", line


KEYS: Final = (split_file, split_folder)


def group_lines(lines: Sequence[str], key: Callable[[str], Keyed]) -> str:
    """Return lines as one text, in the form *beginnings*.

    `key` splits a line into its beginning and the row below it.
    """
    written: list[str] = []
    for beginning, group in groupby(map(key, lines), lambda keyed: keyed[0]):
        rows = [row for _, row in group]
        if beginning and len(rows) > 1:
            written += [beginning, *rows]
        else:
            written += [_escape_line(_full_line(beginning, row)) for row in rows]
    return "\n".join(written)


def _escape_line(line: str) -> str:
    """Return a line with a backslash before it if it would be read as a row or as escaped."""
    return f"\\{line}" if _is_row(line) or line.startswith("\\") else line


def _is_row(line: str) -> bool:
    """Whether a line begins with a blank or a digit, as rows do."""
    return line.startswith(" ") or (line[:1].isascii() and line[:1].isdigit())


def _full_line(beginning: str, row: str) -> str:
    """Return the full line for a row and the beginning above it."""
    if not beginning:
        return row
    if row.startswith(" "):
        return beginning + row[1:]
    match = _ROW.match(row)
    return beginning + (match[1] if match else "") + row


def _read_grouped(lines: Sequence[str]) -> Iterator[str]:
    """Yield the original lines of a text in the form *beginnings*."""
    beginning = ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if _is_row(line):
            yield _full_line(beginning, line)
        elif _is_row(below):
            beginning = line
        else:
            yield line[1:] if line.startswith("\\") else line
