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
from typing import TYPE_CHECKING, Final

from mckp.parsers.cells import are_names, records, rows_of
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.jsontext import JsonValue

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
_LISTED: Final = regex(r" *(?:[-*+•]|[0-9]+[.)]) ")
"""How a point of a list begins: ``TODO LIST`` above such points is a title."""
_TITLE: Final = regex(r"[%A-Z0-9][^a-z\n]*(?:[a-z].*)?")
_MOST_INDENT: Final = 20
_FEWEST_LINES: Final = 4
"""Fewest lines of a table whose columns are found by the blanks in all lines."""


def is_known(words: Iterable[str]) -> bool:
    """Whether all words of a form describe the style of an aligned table."""
    return all("=." in word or _WORD.fullmatch(word) for word in words)


def read(text: str) -> tuple[JsonValue, tuple[str, ...]] | None:
    r"""Return the rows of an aligned table and the words of its style; None for any other text.

    Examples
    --------
    >>> read("NAME   READY\na-1    0\nlong   2\n")
    ([{'NAME': 'a-1', 'READY': 0}, {'NAME': 'long', 'READY': 2}], ('gap=3',))
    """
    header, second, *_ = *text[: 2 * LONGEST].split("\n", 2), ""
    is_ruled, is_uppercase = _RULE.fullmatch(second) is not None, header.isupper()
    if (
        not is_ruled
        and not is_uppercase
        and ("  " not in header or not _TITLE.fullmatch(header.strip()))
    ):
        return None
    lines = text.split("\n")
    end_words = ["open"] if lines[-1] else []
    lines = lines if end_words else lines[:-1]
    if is_ruled or (is_uppercase and _HEADER.fullmatch(header)):
        value_and_words = _read_by_header(header, second if is_ruled else "", lines, end_words)
        if value_and_words is not None:
            return value_and_words
    return None if is_ruled else _read_by_blanks(lines, end_words)


def _read_by_header(
    header: str, rule: str, lines: Sequence[str], end_words: Sequence[str]
) -> tuple[JsonValue, tuple[str, ...]] | None:
    """Read a table whose columns begin where their names begin in the header, or return None.

    Parameters
    ----------
    header : str
        The first line.
    rule : str
        The dashes in the second line, or an empty text if there are none.
    lines : sequence of str
        All lines, with the header and the dashes.
    end_words : sequence of str
        The words for the end of the text.
    """
    is_ruled = bool(rule)
    heading_matches = _DASHES.finditer(rule) if is_ruled else _NAMES.finditer(header)
    starts = [match.start() for match in heading_matches]
    rows = [list(_split_cells(line, starts)) for line in [*lines[:1], *lines[1 + is_ruled :]]]
    if len(rows) < FEWEST_ROWS or not are_names(rows[0], rows):
        return None
    # A column begins after a blank in each line; a cell with two blanks may be two columns.
    if any(line[start - 1 : start].strip() for line in lines for start in starts[1:]):
        return None
    if not is_ruled and any("  " in cell for row in rows for cell in row):
        return None
    value, digit_words = records(rows)
    text_widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    widths = [after - before for before, after in pairwise(starts)]
    gaps = [width - text_width for width, text_width in zip(widths, text_widths, strict=False)]
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
            if (
                words := _exact_words(rows, lines, [*style, ruled], digit_words, end_words)
            ) is not None:
                return value, words
    return None


def _exact_words(
    rows: Sequence[Sequence[str]],
    lines: Sequence[str],
    style: Sequence[str],
    digit_words: Sequence[str],
    end_words: Sequence[str],
) -> tuple[str, ...] | None:
    """Return all words of a style in which writing the rows gives exactly the lines, or None.

    Parameters
    ----------
    rows : sequence of sequence of str
        The cells, the header first.
    lines : sequence of str
        The lines of the text.
    style : sequence of str
        The words for indent, gaps, widths, alignment and dashes; empty ones are left out.
    digit_words : sequence of str
        The words for columns with fixed digits after the point.
    end_words : sequence of str
        The words for the end of the text.
    """
    for line_end in _ENDS:
        words = tuple(filter(None, [*style, line_end, *digit_words, *end_words]))
        if _table_lines(rows, words) == lines:
            return words
    return None


def _gap_words(gaps: Sequence[int]) -> list[str]:
    """Return the word for the widths of the gaps between columns, in a list.

    The list is empty if there are too many gaps, or if one of them is too wide for a word.
    """
    if max(gaps) > 99 or len(gaps) > 31:
        return []
    is_uniform = len(set(gaps)) == 1
    return [f"gap={gaps[0]}" if is_uniform else f"gaps={'.'.join(map(str, gaps))}"]


def _read_by_blanks(
    lines: Sequence[str], end_words: Sequence[str]
) -> tuple[JsonValue, tuple[str, ...]] | None:
    """Read a table whose columns are separated by blanks at the same places in all lines.

    Return None for any other text. The cells of a column begin or end at the same place.
    `end_words` are the words for the end of the text.
    """
    header = lines[0] if lines else ""
    if len(lines) < _FEWEST_LINES or len(header) > LONGEST or not all(lines) or "\t" in header:
        return None
    if all(map(_LISTED.match, lines[1:])):
        return None
    edges = _column_edges(lines)
    if edges is None or len(edges) < 2:
        return None
    cells = [[line[start:stop] for start, stop in edges] for line in lines]
    rows = [[cell.strip(" ") for cell in row] for row in cells]
    if not are_names(rows[0], rows) or any("  " in cell for row in rows for cell in row):
        return None
    if not _are_filled(rows) or not _are_filled_apart(cells, rows):
        return None
    alignments, text_edges = list[str](), list[tuple[int, int]]()
    for (start, _), column in zip(edges, zip(*cells, strict=True), strict=True):
        filled_cells = [cell for cell in column if cell.strip(" ")]
        lefts = {start + len(cell) - len(cell.lstrip(" ")) for cell in filled_cells}
        rights = {start + len(cell.rstrip(" ")) for cell in filled_cells}
        if len(lefts) > 1 and len(rights) > 1:
            return None
        alignments.append("l" if len(lefts) == 1 else "r")
        text_edges.append((min(lefts), max(rights)))
    if not header.isupper() and not (
        alignments.count("r") >= 2 and all(map(_TITLE.fullmatch, rows[0]))
    ):
        return None
    gaps = [after[0] - before[1] for before, after in pairwise(text_edges)]
    indent = text_edges[0][0]
    if indent > _MOST_INDENT or not (gap_words := _gap_words(gaps)):
        return None
    value, digit_words = records(rows)
    style = [
        *([f"indent={indent}"] if indent else []),
        *gap_words,
        *([f"align={''.join(alignments)}"] if "r" in alignments else []),
    ]
    words = _exact_words(rows, lines, style, digit_words, end_words)
    return None if words is None else (value, words)


def _are_filled(rows: Sequence[Sequence[str]]) -> bool:
    """Whether each column has a cell below its name."""
    return all(map(any, zip(*rows[1:], strict=True)))


def _are_filled_apart(cells: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]) -> bool:
    """Whether names with one blank between them are those of two columns, not two words of a title.

    They are if all rows have cells in both. `cells` are the rows with their blanks. Sentences that
    are indented below a title may begin with words that end where its first word does, so that
    only numbers make a column there.
    """
    firsts = [row[0] for row in cells]
    is_indented = firsts[0][:1] != " " and all(first[:1] == " " for first in firsts[1:])
    is_prose = is_indented and not all(any(map(str.isdigit, first)) for first in firsts[1:])
    for number, (before, after) in enumerate(pairwise(cells[0])):
        gap = len(before) - len(before.rstrip(" ")) + len(after) - len(after.lstrip(" "))
        both = sum(bool(row[number] and row[number + 1]) for row in rows[1:])
        if gap <= 1 and (both < len(rows) - 1 or (is_prose and number == 0)):
            return False
    return True


def _column_edges(lines: Sequence[str]) -> list[tuple[int, int]] | None:
    """Return the start and stop of each column, found by the blanks that all lines share.

    Return None if the first line is blank.
    """
    width = max(map(len, lines))
    is_full = [False] * width
    for start, end in {match.span() for line in lines for match in _WORDS.finditer(line)}:
        is_full[start:end] = [True] * (end - start)
    occupied = "".join("x" if is_filled else " " for is_filled in is_full)
    words = list(_WORDS.finditer(lines[0]))
    if not words:
        return None
    gaps: list[tuple[int, int]] = []
    for before, after in pairwise(words):
        blank_runs = list(_BLANKS.finditer(occupied, before.end(), after.start()))
        if not blank_runs:
            continue
        start, stop = blank_runs[-1].span()
        # A name of two words above short cells: below the second word is nothing.
        following = occupied.find(" ", after.end())
        column_end = width if following < 0 else following
        is_empty_below = not any(line[stop:column_end].strip(" ") for line in lines[1:])
        if after.start() - before.end() == 1 and is_empty_below:
            continue
        gaps.append((start, stop))
    starts = [0, *(stop for _, stop in gaps)]
    return list(zip(starts, [*(start for start, _ in gaps), width], strict=True))


def write(value: JsonValue, words: Sequence[str]) -> str:
    """Return rows as the text of an aligned table, without a line feed at the end."""
    return "\n".join(_table_lines(rows_of(value, words), words))


def _split_cells(line: str, starts: Sequence[int]) -> Iterator[str]:
    """Yield the part of a line from each start to the next one, without the blanks at its end."""
    for before, after in pairwise([*starts, len(line) + 1]):
        yield line[before:after].rstrip(" ")


def _table_lines(rows: Sequence[Sequence[str]], words: Sequence[str]) -> list[str]:
    """Return the lines of a table in the style that the words describe, the header first."""
    options = dict(word.split("=") for word in words if "=" in word and "=." not in word)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    gap, least = int(options.get("gap", 2)), int(options.get("least", 0))
    gaps = [*map(int, options["gaps"].split(".")), 0] if "gaps" in options else [gap] * len(widths)
    alignments = options.get("align", "l" * len(widths))
    if not len(gaps) == len(alignments) == len(widths):  # columns were cut
        gaps, alignments = [gap] * len(widths), "l" * len(widths)
    padded_widths = [max(width + gap, least) for width, gap in zip(widths, gaps, strict=True)]
    printed_rows = list(rows)
    if "ruled" in words:
        printed_rows.insert(1, ["-" * width for width in widths])
    elif "ruled=1" in words:
        printed_rows.insert(1, ["-" * len(name) for name in rows[0]])
    if "padded" not in words:
        padded_widths[-1:] = [0] if padded_widths else []
    if "r" in alignments:
        printed_rows = [
            [
                cell.rjust(width) if alignment == "r" else cell
                for cell, width, alignment in zip(row, widths, alignments, strict=True)
            ]
            for row in printed_rows
        ]
    indent = " " * int(options.get("indent", 0))
    lines = [indent + "".join(map(str.ljust, row, padded_widths)) for row in printed_rows]
    return [line.rstrip(" ") for line in lines] if "stripped" in words else lines
