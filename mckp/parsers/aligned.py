r"""Tables with columns aligned by blanks, as ``kubectl get``, ``docker ps`` and ``df`` print them.

A text is read as a table only if the cells, padded again in the same way, give the exact text.

==============  ================================================================================
``gap=3``       blanks between the widest cell of a column and the next column
``gaps=3.5.3``  the same where it differs, as it does if only some rows of a table were printed
``align=lrr``   columns that are aligned on the right
``indent=4``    blanks before the first column in each line
``least=6``     the least width of a column, including its gap
``ruled``       dashes below the header, as wide as each column
``ruled=1``     dashes below the header, as wide as each name
``padded``      the last column is padded, too
``stripped``    no line ends with blanks
==============  ================================================================================
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from mckp.parsers.cells import are_names, records, rows_of
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

FEWEST_ROWS: Final = 3
"""Fewest lines of a table, including the header."""
LONGEST: Final = 2000
"""Most characters of a header, roughly."""

_HEADER: Final = regex(r"\S+(?: \S+)*(?: {2,}\S+(?: \S+)*)+ *")
_NAMES: Final = regex(r"\S+(?: \S+)*")
_DASHES: Final = regex("-+")
_RULE: Final = regex(r"-+(?: +-+)+ *")
_RULED: Final = ("", "ruled", "ruled=1")
_ENDS: Final = ("", "stripped", "padded")
_WORD: Final = regex(
    r"gap=[0-9]{1,2}|gaps=[0-9]{1,2}(?:\.[0-9]{1,2}){1,30}|align=[lr]{2,40}|indent=[0-9]{1,2}|least=[0-9]{1,2}"
    r"|ruled|ruled=1|padded|stripped|open"
)
_WORDS: Final = regex(r"\S+")
_BLANKS: Final = regex(" +")
_TITLE: Final = regex(r"[%A-Z0-9][^a-z\n]*(?:[a-z].*)?")
_MOST_INDENT: Final = 20
_FEWEST_LINES: Final = 4
"""Fewest lines of a table whose columns are found by the blanks in all lines."""


def is_known(words: Iterable[str]) -> bool:
    """Whether all words describe the style of an aligned table."""
    return all("=." in word or _WORD.fullmatch(word) for word in words)


def read(text: str) -> tuple[Any, tuple[str, ...]] | None:
    r"""Parse an aligned table into its rows and the words of its style, or return None.

    Examples
    --------
    >>> read("NAME   READY\na-1    0\nlong   2\n")
    ([{'NAME': 'a-1', 'READY': 0}, {'NAME': 'long', 'READY': 2}], ('gap=3',))
    """
    first, second, *_ = *text[: 2 * LONGEST].split("\n", 2), ""
    is_ruled, is_upper = _RULE.fullmatch(second) is not None, first.isupper()
    if not is_ruled and not is_upper and ("  " not in first or not _TITLE.fullmatch(first.strip())):
        return None
    lines = text.split("\n")
    end = ["open"] if lines[-1] else []
    lines = lines if end else lines[:-1]
    if is_ruled or (is_upper and _HEADER.fullmatch(first)):
        value_and_words = _read_by_header(first, second if is_ruled else "", lines, end)
        if value_and_words is not None:
            return value_and_words
    return None if is_ruled else _read_by_blanks(lines, end)


def _read_by_header(
    first: str, rule: str, lines: Sequence[str], end: Sequence[str]
) -> tuple[Any, tuple[str, ...]] | None:
    """Read a table whose columns begin where their names begin in the header, or return None.

    `first` is the header, `rule` the second line, and `end` the words for the end of the text.
    """
    is_ruled = bool(rule)
    heads = _DASHES.finditer(rule) if is_ruled else _NAMES.finditer(first)
    starts = [match.start() for match in heads]
    rows = [list(_split_cells(line, starts)) for line in [*lines[:1], *lines[1 + is_ruled :]]]
    if len(rows) < FEWEST_ROWS or not are_names(rows[0], rows):
        return None
    # A column begins after a blank in each line; a cell with two blanks may be two columns.
    if any(line[at - 1 : at].strip() for line in lines for at in starts[1:]):
        return None
    if not is_ruled and any("  " in cell for row in rows for cell in row):
        return None
    value, digits = records(rows)
    needs = [max(map(len, column)) for column in zip(*rows, strict=True)]
    widths = [after - before for before, after in pairwise(starts)]
    gaps = [width - need for width, need in zip(widths, needs, strict=False)]
    if min(gaps) < 1:
        return None
    styles = [[f"gap={min(gaps)}"]]
    if len(set(gaps)) > 1:  # a column of the least width has more blanks than others
        least = min(widths)
        styles = [
            [f"gap={gap}", f"least={least}"] for gap in sorted(set(gaps)) if least < 100 > gap
        ]
        styles += [_gap_words(gaps)]
    for style in styles:
        for ruled in _RULED[1:] if is_ruled else _RULED[:1]:
            if (words := _proved(rows, lines, [*style, ruled], digits, end)) is not None:
                return value, words
    return None


def _proved(
    rows: Sequence[Sequence[str]],
    lines: Sequence[str],
    style: Sequence[str],
    digits: Sequence[str],
    end: Sequence[str],
) -> tuple[str, ...] | None:
    """Return the words of a style, completed, if the rows in it are exactly the lines; else None.

    `way` is the style without the words `digits`, for digits after the point, and `end`, for the
    end of the text.
    """
    for ended in _ENDS:
        words = tuple(filter(None, [*style, ended, *digits, *end]))
        if _write_lines(rows, words) == lines:
            return words
    return None


def _gap_words(gaps: Sequence[int]) -> list[str]:
    """Return the words for the widths of the gaps between columns."""
    if max(gaps) > 99 or len(gaps) > 31:
        return []
    is_one = len(set(gaps)) == 1
    return [f"gap={gaps[0]}" if is_one else f"gaps={'.'.join(map(str, gaps))}"]


def _read_by_blanks(lines: Sequence[str], end: Sequence[str]) -> tuple[Any, tuple[str, ...]] | None:
    """Read a table with blanks at the same places of all lines between columns, or None."""
    first = lines[0] if lines else ""
    if len(lines) < _FEWEST_LINES or len(first) > LONGEST or not all(lines) or "\t" in first:
        return None
    edges = _columns_between(lines)
    if edges is None or len(edges) < 2:
        return None
    cells = [[line[start:stop] for start, stop in edges] for line in lines]
    rows = [[cell.strip(" ") for cell in row] for row in cells]
    if not are_names(rows[0], rows) or any("  " in cell for row in rows for cell in row):
        return None
    align, bounds = list[str](), list[tuple[int, int]]()
    for (start, _), column in zip(edges, zip(*cells, strict=True), strict=True):
        full = [cell for cell in column if cell.strip(" ")]
        lefts = {start + len(cell) - len(cell.lstrip(" ")) for cell in full}
        rights = {start + len(cell.rstrip(" ")) for cell in full}
        if len(lefts) > 1 and len(rights) > 1:
            return None
        align.append("l" if len(lefts) == 1 else "r")
        bounds.append((min(lefts), max(rights)))
    if not first.isupper() and not (align.count("r") >= 2 and all(map(_TITLE.fullmatch, rows[0]))):
        return None
    gaps = [after[0] - before[1] for before, after in pairwise(bounds)]
    indent = bounds[0][0]
    if indent > _MOST_INDENT or not (gap_words := _gap_words(gaps)):
        return None
    value, digits = records(rows)
    style = [
        *([f"indent={indent}"] if indent else []),
        *gap_words,
        *([f"align={''.join(align)}"] if "r" in align else []),
    ]
    words = _proved(rows, lines, style, digits, end)
    return None if words is None else (value, words)


def _columns_between(lines: Sequence[str]) -> list[tuple[int, int]] | None:
    """Return the start and stop of each column, found by the blanks in all lines, or None."""
    width = max(map(len, lines))
    is_full = [False] * width
    for line in lines:
        for match in _WORDS.finditer(line):
            is_full[match.start() : match.end()] = [True] * (match.end() - match.start())
    marks = "".join("x" if full else " " for full in is_full)
    words = list(_WORDS.finditer(lines[0]))
    if not words:
        return None
    cuts: list[tuple[int, int]] = []
    for before, after in pairwise(words):
        runs = list(_BLANKS.finditer(marks, before.end(), after.start()))
        if not runs:
            continue
        start, stop = runs[-1].span()
        # A name of two words above short cells: below the second word is nothing.
        following = marks.find(" ", after.end())
        beyond = width if following < 0 else following
        is_empty = not any(line[stop:beyond].strip(" ") for line in lines[1:])
        if after.start() - before.end() == 1 and is_empty:
            continue
        cuts.append((start, stop))
    starts = [0, *(stop for _, stop in cuts)]
    return list(zip(starts, [*(start for start, _ in cuts), width], strict=True))


def write(value: Any, words: Sequence[str]) -> str:
    """Return rows as an aligned table."""
    return "\n".join(_write_lines(rows_of(value, words), words))


def _split_cells(line: str, starts: Sequence[int]) -> Iterator[str]:
    """Yield the part of a line from each start to the next one, without the blanks around it."""
    for before, after in pairwise([*starts, len(line) + 1]):
        yield line[before:after].rstrip(" ")


def _write_lines(rows: Sequence[Sequence[str]], words: Sequence[str]) -> list[str]:
    """Return the lines of a table in the style that the words describe, the header first."""
    sizes = dict(word.split("=") for word in words if "=" in word and "=." not in word)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    gap, least = int(sizes.get("gap", 2)), int(sizes.get("least", 0))
    gaps = [*map(int, sizes["gaps"].split(".")), 0] if "gaps" in sizes else [gap] * len(widths)
    align = sizes.get("align", "l" * len(widths))
    if not len(gaps) == len(align) == len(widths):  # columns were cut
        gaps, align = [gap] * len(widths), "l" * len(widths)
    full = [max(width + gap, least) for width, gap in zip(widths, gaps, strict=True)]
    written = list(rows)
    if "ruled" in words:
        written.insert(1, ["-" * width for width in widths])
    elif "ruled=1" in words:
        written.insert(1, ["-" * len(name) for name in rows[0]])
    if "padded" not in words:
        full[-1:] = [0] if full else []
    if "r" in align:
        written = [
            [
                cell.rjust(width) if sign == "r" else cell
                for cell, width, sign in zip(row, widths, align, strict=True)
            ]
            for row in written
        ]
    indent = " " * int(sizes.get("indent", 0))
    lines = [indent + "".join(map(str.ljust, row, full)) for row in written]
    return [line.rstrip(" ") for line in lines] if "stripped" in words else lines
