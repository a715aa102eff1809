"""Lines that have the same fields, such as those of a log, as rows of a table.

A line is split into words. A word that most lines have is the name of the fields behind it, as in
``took 31 ms``; so is the name in ``status=200``. All other words are cells, by the name before them
and by how many words are in between. So a line that has more words than the others, or another one
instead of a name, has fields that few lines have.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain, compress
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from mckp.regexes import regex
from mckp.unlike import FieldCells, unlike

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.texts.kinds import Piece
    from mckp.texts.lines import Numbers, Reals, TextLines
    from mckp.unlike import Unlike

    Strings: TypeAlias = tuple[str, ...]
    Fields: TypeAlias = dict[tuple[str, int], FieldCells]
    """Fields by the name before them and the number of words in between."""

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

FEWEST_SIGNS: Final = 2
"""Fewest names, and fields of numbers, of a table in other kinds of texts. With one, they may be
lines of a program that a search shows with their numbers."""

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


class Exceptions(NamedTuple):
    """Lines unlike those with the same fields."""

    least: Reals
    """The minimum worth of each line of the text: above 0 for these lines."""
    groups: dict[str, list[int]]
    """These lines, by the value that each has and the others lack, such as ``status 502``."""


class LineWords(NamedTuple):
    """The words of a line, as columns."""

    keys: Strings = ()
    """The name of each word that is a name with its value; empty for others."""
    words: Strings = ()
    """Each of the other words; empty for these."""
    values: Strings = ()
    """What a cell has of each word: its value, or the word without a colon or dot behind it."""
    none: Strings = ()
    """As many empty texts."""


def _words(text: str, first: int, last: int) -> LineWords:
    """Return the words of a line that goes from `first` to `last` in a text."""
    found = _WORD.findall(text, first, last)
    if not found:
        return LineWords()
    keys, quoted, plain, words = zip(*found, strict=True)
    values = [word.rstrip(":.") for word in words]
    if any(keys):
        values = [*map("".join, zip(values, quoted, plain, strict=True))]
    return LineWords(keys, words, tuple(values), ("",) * len(keys))


def exceptions(lines: TextLines, pieces: Iterable[Piece], groups: Numbers) -> Exceptions:
    """Return the lines unlike those with the same fields.

    `groups` has the number of the group of lines that are equal except for numbers, for each line.
    """
    least = np.zeros(lines.size)
    by_value: dict[str, list[int]] = {}
    for piece in pieces:
        places = piece.start + np.flatnonzero(~lines.is_blank[piece.start : piece.end])
        has_fields = piece.record.fields
        if not has_fields or len(places) < FEWEST:
            continue
        edges = zip(lines.firsts[places].tolist(), lines.lasts[places].tolist(), strict=True)
        words = [_words(lines.text, first, min(last, first + LONGEST)) for first, last in edges]
        is_mostly = has_fields == "mostly"
        share, least_signs = (REGULAR, 1) if is_mostly else (SURELY, FEWEST_SIGNS)
        for rows, cells in _tables(words, groups[places], share, least_signs):
            found = unlike([*cells.values()], len(rows))
            for row, value in _telling_values(cells, found):
                place = int(places[rows[row]])
                least[place] = max(least[place], SURE * min(1.0, found.rows[row] / SURE_BITS))
                by_value.setdefault(value, []).append(place)
    return Exceptions(least, by_value)


def _telling_values(cells: Fields, found: Unlike) -> Iterator[tuple[int, str]]:
    """Yield each exceptional row and the value that makes it one, with the name before it.

    Of several values, it is the one that most of these rows have; a row that lacks something has
    none.
    """
    values: dict[int, list[str]] = {row: [] for row in sorted(found.exceptional)}
    for ((name, step), field), own in zip(cells.items(), found.cells, strict=True):
        label = f"{name.removesuffix(':')} " if name and not step else ""
        for text, row in zip(field.texts, field.rows, strict=True) if own else ():
            if text in own and row in values:
                values[row].append(label + text)
    counts = Counter(chain.from_iterable(values.values()))
    for row, own_values in values.items():
        yield row, max(own_values, key=counts.__getitem__, default="")


def _tables(
    words: Sequence[LineWords], groups: Numbers, share: float, least_signs: int
) -> Iterator[tuple[Sequence[int], Fields]]:
    """Yield the rows and fields of each table.

    The records are one if they are this `share` of the lines and at least so many of their fields
    are numbers or have names. If their lines have different numbers of words, lines that are equal
    but for numbers are tables of their own, too.
    """
    size = len(words)
    cells, name_counts = _cells(words)
    common = [field for field in cells.values() if len(field.rows) >= COMMON * size]
    names = int(np.median(name_counts))
    filled, signs = np.minimum(name_counts, names), names
    for field in common:
        rows = _rows_with_sign(field, size)
        filled[rows] += 1
        signs += len(rows) > 0
    records = np.flatnonzero(filled >= RECORD * signs)
    is_regular = len(records) >= share * size
    if signs >= least_signs and len(common) + names >= FEWEST_COMMON and is_regular:
        yield records.tolist(), _of_rows(cells, records, size)
        lengths = Counter(len(row.words) for row in words)
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


def _of_rows(cells: Fields, rows: Numbers, size: int) -> Fields:
    """Return the cells of some of the rows of a table of a `size`, which get new numbers."""
    if len(rows) == size:
        return cells
    new_numbers = np.full(size, -1)
    new_numbers[rows] = np.arange(len(rows))
    kept: Fields = {}
    for place, field in cells.items():
        numbers = new_numbers[field.rows]
        stays = numbers >= 0
        if stays.any():
            texts = [*compress(field.texts, stays.tolist())]
            kept[place] = FieldCells(texts, numbers[stays].tolist())
    return kept


def _cells(words: Sequence[LineWords]) -> tuple[Fields, Numbers]:
    """Return the fields of lines that are given as words, and how many names each line has.

    Lines of one shape, which have the same names at the same places, are looked at together.
    """
    sample = words[:: 1 + len(words) // SAMPLED]
    counts = Counter(word for row in sample for word in set(row.words))
    names = {
        word
        for word, count in counts.items()
        if count >= NAMING * len(sample) and _NAME.fullmatch(word)
    }
    by_shape: defaultdict[tuple[Strings, Strings], list[int]] = defaultdict(list)
    for number, row in enumerate(words):
        own = tuple([word if word in names else "" for word in row.words]) if names else row.none
        by_shape[row.keys, own].append(number)
    fields: dict[tuple[str, int], list[FieldCells]] = {}
    name_counts = np.zeros(len(words), np.int64)
    for (keys, own), numbers in by_shape.items():
        rows = [words[number] for number in numbers]
        name_counts[numbers] = sum(map(bool, keys)) + sum(map(bool, own))
        values = [*zip(*[row.values for row in rows], strict=True)]
        for place, columns in _places(keys, own).items():
            texts: Sequence[str] = values[columns[0]]
            if len(columns) > 1:
                texts = [*map(" ".join, zip(*[values[column] for column in columns], strict=True))]
            fields.setdefault(place, []).append(FieldCells(texts, numbers))
    return {place: _merged(parts) for place, parts in fields.items()}, name_counts


def _places(keys: Strings, names: Strings) -> dict[tuple[str, int], list[int]]:
    """Return the fields of lines of one shape, with the numbers of the words that are in each.

    A field is a name, and the number of words behind it.
    """
    places: dict[tuple[str, int], list[int]] = {}
    behind, step = "", 0
    for column, (key, name) in enumerate(zip(keys, names, strict=True)):
        if name:
            behind, step = name, 0
        elif key:
            places.setdefault((key, 0), []).append(column)
        else:
            places.setdefault((behind, step), []).append(column)
            step += step < MOST_WORDS
    return places


def _merged(parts: Sequence[FieldCells]) -> FieldCells:
    """Return one field whose cells are given as several, each by rising rows."""
    if len(parts) == 1:
        return parts[0]
    rows = np.concatenate([part.rows for part in parts])
    texts = [*chain.from_iterable(part.texts for part in parts)]
    order = np.argsort(rows, kind="stable")
    return FieldCells([texts[place] for place in order.tolist()], rows[order].tolist())
