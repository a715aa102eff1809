"""Lines that have the same fields, such as those of a log, as rows of a table.

A line is split into words. A word that most lines have is the name of the fields behind it, as in
``took 31 ms``; so is the name in ``status=200``. All other words are cells, by the name before them
and by how many words are in between. So a line that has more words than the others, or another one
instead of a name, has fields that few lines have.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from mckp.regexes import regex
from mckp.texts.kinds import TextKind
from mckp.unlike import FieldCells, unlike

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.texts.kinds import Piece
    from mckp.texts.lines import Numbers, Reals, TextLines

    LineWords: TypeAlias = Sequence[tuple[str, str, str, str]]
    """The words of a line: a name with its value, quoted or not; or a word without a name."""

TABLES: Final = frozenset((TextKind.LOG, TextKind.TABLE, TextKind.CSV))
"""Kinds of texts whose lines mostly have fields."""

OTHERS: Final = frozenset((TextKind.PROSE, TextKind.CONFIG))
"""Kinds of texts whose lines may have fields, such as pairs of names and values."""

FEWEST: Final = 8
"""Fewest lines of a table."""

FEWEST_ALIKE: Final = 24
"""Fewest lines that are equal but for numbers, and are a table of their own."""

NAMING: Final = 0.85
"""A word in this share of the lines is the name of a field."""

COMMON: Final = 0.6
"""A field is common if this share of the lines have it."""

RECORD: Final = 0.7
"""A line is a row of the table if it has this share of the common fields and names."""

FEWEST_COMMON: Final = 3
"""Fewest common fields and names of a table."""

REGULAR: Final = 0.6
"""A text is a table if this share of its lines are rows."""

SURELY: Final = 0.9
"""The same of other kinds of texts."""

SAMPLED: Final = 200
"""Lines in which names of fields are sought."""

MOST_WORDS: Final = 10
"""Words behind a name that are fields of their own."""

LONGEST: Final = 400
"""Characters of a line that are looked at."""

SURE: Final = 3.0
"""The minimum worth of a line that is clearly unlike the others."""

SURE_BITS: Final = 4.0
"""The bits of such a line; the worth of others is in proportion."""

_WORD: Final = regex(r"([A-Za-z_][\w.-]*)=(?:\"([^\"]*)\"|([^\s,;|\"]*))|([^\s,;|\"'\[\](){}=]+)")
_NAME: Final = regex(r"[A-Za-z_][A-Za-z_-]+:?")


def exception_worths(lines: TextLines, pieces: Iterable[Piece], groups: Numbers) -> Reals:
    """Return the minimum worth of each line: above 0 for lines unlike those with the same fields.

    `groups` has the number of the group of lines that are equal except for numbers, for each line.
    """
    least = np.zeros(lines.size)
    for piece in pieces:
        places = piece.start + np.flatnonzero(~lines.is_blank[piece.start : piece.end])
        if piece.kind not in TABLES | OTHERS or len(places) < FEWEST:
            continue
        edges = zip(lines.firsts[places].tolist(), lines.lasts[places].tolist(), strict=True)
        words = [
            _WORD.findall(lines.text, first, min(last, first + LONGEST)) for first, last in edges
        ]
        share = REGULAR if piece.kind in TABLES else SURELY
        for rows, cells in _tables(words, groups[places], share):
            found = unlike(cells, len(rows))
            for row in found.exceptional:
                place = places[rows[row]]
                least[place] = max(least[place], SURE * min(1.0, found.rows[row] / SURE_BITS))
    return least


def _tables(
    words: Sequence[LineWords], groups: Numbers, share: float
) -> Iterator[tuple[Sequence[int], list[FieldCells]]]:
    """Yield the rows and fields of each table.

    The records are one if they are this `share` of the lines. If their lines have different
    numbers of words, lines that are equal but for numbers are tables of their own, too.
    """
    size = len(words)
    cells, name_counts = _cells(words)
    common = [field for field in cells if len(field.rows) >= COMMON * size]
    names = int(np.median(name_counts))
    filled, signs = np.minimum(name_counts, names), names
    for field in common:
        rows = _rows_with_sign(field, size)
        filled[rows] += 1
        signs += len(rows) > 0
    records = np.flatnonzero(filled >= RECORD * signs)
    if signs and len(common) + names >= FEWEST_COMMON and len(records) >= share * size:
        yield records.tolist(), _of_rows(cells, records, size)
        lengths = Counter(map(len, words))
        if lengths.most_common(1)[0][1] >= REGULAR * size:
            return
    by_group: defaultdict[int, list[int]] = defaultdict(list)
    for row, group in enumerate(groups.tolist()):
        by_group[group].append(row)
    for rows in by_group.values():
        if FEWEST_ALIKE <= len(rows) < size:
            yield rows, _cells([words[row] for row in rows])[0]


def _rows_with_sign(field: FieldCells, size: int) -> list[int]:
    """Return the rows in which a field begins with a digit; none if few of its rows do.

    Any line has words, but only records have a time, a number or an address at the same place.
    """
    rows = [row for text, row in zip(field.texts, field.rows, strict=True) if text[:1].isdigit()]
    return rows if len(rows) >= COMMON * size else []


def _of_rows(cells: list[FieldCells], rows: Numbers, size: int) -> list[FieldCells]:
    """Return the cells of some of the rows of a table of a `size`, which get new numbers."""
    if len(rows) == size:
        return cells
    new_numbers = np.full(size, -1)
    new_numbers[rows] = np.arange(len(rows))
    kept: list[FieldCells] = []
    for field in cells:
        numbers = new_numbers[np.asarray(field.rows)].tolist()
        pairs = [pair for pair in zip(field.texts, numbers, strict=True) if pair[1] >= 0]
        if pairs:
            kept.append(FieldCells([text for text, _ in pairs], [row for _, row in pairs]))
    return kept


def _cells(words: Sequence[LineWords]) -> tuple[list[FieldCells], Numbers]:
    """Return the fields of lines that are given as words, and how many names each line has."""
    sample = words[:: 1 + len(words) // SAMPLED]
    counts = Counter(word for row in sample for word in {word[3] for word in row})
    names = {
        word
        for word, count in counts.items()
        if count >= NAMING * len(sample) and _NAME.fullmatch(word)
    }
    fields: dict[tuple[str, int], tuple[list[str], list[int]]] = {}
    name_counts = np.zeros(len(words), np.int64)
    for number, row in enumerate(words):
        name, step = "", 0
        for key, quoted, value, word in row:
            if word in names:
                name, step = word, 0
                name_counts[number] += 1
                continue
            if key:
                place, text = (key, 0), quoted or value
                name_counts[number] += 1
            else:
                place, text = (name, step), word.rstrip(":.")
                step += step < MOST_WORDS
            cells = fields.get(place)
            if cells is None:
                fields[place] = ([text], [number])
            elif cells[1][-1] != number:
                cells[0].append(text)
                cells[1].append(number)
            else:
                cells[0][-1] += f" {text}"
    return [FieldCells(texts, rows) for texts, rows in fields.values()], name_counts
