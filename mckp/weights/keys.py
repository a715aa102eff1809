"""Which column of a table identifies its records."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, islice, pairwise
from math import prod
from typing import TYPE_CHECKING, Any, Final

from mckp.regexes import regex
from mckp.weights.terms import words_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

NAMES: Final = frozenset(
    words_of(
        "id key number iid sha symbol slug uuid guid name title code sku ticker path filename "
        "identifier login username email ref tag"
    )
)
"""The last words of names of keys."""

LABELS: Final = frozenset({"name", "title", "summary", "subject"})
"""Names of columns that say what a record is, in lower case."""

LONGEST: Final = 80
"""Most characters of a key on average."""


def key_of(
    columns: Sequence[tuple[str, Sequence[Any], Sequence[int]]], tables: Sequence[Hashable]
) -> int | None:
    """Return the index of the key column; None if there is none, or fewer than two records.

    All records have a text or a whole number in it, of at most `LONGEST` characters on average, and
    these differ within each table. If several columns qualify, one whose whole name is that of a
    key comes first, then one whose last word is, then texts; among equals, the one with the
    shortest values. A column of numbers without such a name is a key only if it rises from record
    to record, as years and times do: measurements are no keys, even if all of them differ.

    Parameters
    ----------
    columns : sequence of tuple
        For each column its name, its values, and the record number of each value.
    tables : sequence [records]
        For each record, what identifies its array.

    Examples
    --------
    >>> rows = [0, 1, 2]
    >>> columns = [("city", ["A", "B", "A"], rows), ("user_id", [17, 18, 19], rows)]
    >>> key_of(columns, ["users"] * 3)
    1
    >>> key_of([("volume", [52, 17, 40], rows), ("day", ["Mo", "Tu", "We"], rows)], ["days"] * 3)
    1
    """
    if len(tables) < 2:
        return None
    complete = [
        (number, column) for number, column in enumerate(columns) if len(column[1]) == len(tables)
    ]
    ranks = [_name_rank(name, values) for _, (name, values, _) in complete]
    is_single_table = len(set(tables)) == 1
    for rank in sorted(set(ranks)):
        candidates: list[tuple[float, int]] = []
        for (number, (_, values, records)), its_rank in zip(complete, ranks, strict=True):
            length = _mean_length(values) if its_rank == rank else None
            if length is None or length > LONGEST:
                continue
            if rank == _RISING and not _is_rising(values, records, tables):
                continue
            keys = (
                values
                if is_single_table
                else [
                    (tables[record], value) for value, record in zip(values, records, strict=True)
                ]
            )
            if len(set(keys)) == len(tables):
                candidates.append((length, number))
        if candidates:
            return min(candidates)[1]
    return None


def composite_key(
    columns: Sequence[tuple[str, Sequence[Any], Sequence[int]]], tables: Sequence[Hashable]
) -> tuple[int, ...]:
    """Return the indexes of the first columns that together identify records, or () if none do.

    They are two columns of short texts, else two or three with whole numbers among them, such as
    country and year. The arguments are those of `key_of`; each column must have a value in every
    record.

    Examples
    --------
    >>> rows = range(4)
    >>> day = ("date", ["May 1", "May 1", "May 2", "May 2"], rows)
    >>> symbol = ("symbol", ["TIDE", "QUAY", "TIDE", "QUAY"], rows)
    >>> composite_key([day, ("close", [3, 5, 3, 6], rows), symbol], ["days"] * 4)
    (0, 2)
    >>> year = ("year", [2024, 2025, 2026] * 2, range(6))
    >>> composite_key([("country", ["A"] * 3 + ["B"] * 3, range(6)), year], [0] * 6)
    (0, 1)
    """
    texts = [
        (place, values)
        for place, (_, values, _) in enumerate(columns)
        if set(map(type, values)) <= _TEXTS and sum(map(len, values)) <= _SHORT * len(tables)
    ][:_MOST_TEXTS]
    for (place, first), (next_place, second) in combinations(texts, 2):
        if len(set(zip(tables, first, second, strict=True))) == len(tables):
            return place, next_place
    return _numeric_composite_key(columns, texts, tables)


def _numeric_composite_key(
    columns: Sequence[tuple[str, Sequence[Any], Sequence[int]]],
    texts: Sequence[tuple[int, Sequence[Any]]],
    tables: Sequence[Hashable],
) -> tuple[int, ...]:
    """Return the indexes of two or three columns, some of numbers, that identify records; else ().

    Numbers may be measurements, which differ by chance. So at least half of the combinations of the
    values must occur, as those of countries and years do, or the numbers must rise from record to
    record for each text. `texts` has the index and the values of each column of short texts.
    """
    size = len(tables)
    if size < _FEWEST_CELLS:
        return ()
    numbers = (
        (place, values)
        for place, (_, values, _) in enumerate(columns)
        if set(map(type, values)) == {int} and 1 < len(set(values)) <= size / 2
    )
    repeated = [(place, values) for place, values in texts if 1 < len(set(values)) <= size / 2]
    dimensions = sorted(
        [*repeated, *islice(numbers, _MOST_TEXTS)], key=lambda dimension: dimension[0]
    )
    distinct_counts = {place: len(set(values)) for place, values in dimensions}
    for count in (2, 3):
        for combination in combinations(dimensions, count):
            if prod(distinct_counts[place] for place, _ in combination) <= _MOST_EMPTY * size:
                values_of_parts = [values for _, values in combination]
                if len(set(zip(tables, *values_of_parts, strict=True))) == size:
                    return tuple(place for place, _ in combination)
    for place, values_of_text in repeated:
        groups: dict[tuple[Any, Any], list[int]] = {}
        for row, group in enumerate(zip(tables, values_of_text, strict=True)):
            groups.setdefault(group, []).append(row)
        if size - len(groups) < _FEWEST_CELLS:
            continue
        for next_place, (_, values, _) in enumerate(columns):
            if set(map(type, values)) == {int} and all(
                values[before] < values[after]
                for rows in groups.values()
                for before, after in pairwise(rows)
            ):
                return tuple(sorted((place, next_place)))
    return ()


def are_times(values: Sequence[Any]) -> bool:
    """Whether each value is a text with a date, then perhaps a time, or with a time of day.

    Examples
    --------
    >>> are_times(["2026-05-01 12:00", "2026/05/02"]), are_times(["May", "2026-05-02"])
    (True, False)
    """
    return all(isinstance(value, str) and _TIME.match(value) is not None for value in values)


def key_with_gaps(columns: Sequence[tuple[str, Sequence[Any]]]) -> int | None:
    """Return the index of the column of distinct texts that nearly all records have, or None.

    It is used for tables without another key, such as a sheet with blank rows. `columns` has the
    name of each column and its values, with None where a record has no value.

    Examples
    --------
    >>> key_with_gaps([("plan", [859, 753, 97, 20, 4]), ("place", ["A", "B", None, "C", "D"])])
    1
    """
    candidates: list[tuple[int, float, int]] = []
    for place, (name, values) in enumerate(columns):
        texts = [value for value in values if value is not None]
        size = _mean_length(texts) if texts and set(map(type, texts)) <= _TEXTS else None
        if size is None or size > LONGEST or len(texts) < (1 - _MOST_GAPS) * len(values):
            continue
        if len(set(texts)) == len(texts):
            candidates.append((_name_rank(name, texts), size, place))
    return min(candidates)[2] if candidates else None


def label_of(columns: Sequence[tuple[str, Sequence[Any]]]) -> int | None:
    """Return the index of the first column that says what a record is, or None.

    Its values need not be distinct: it is for tables whose records no readable column identifies,
    such as spans with random ids. `columns` has the name of each column and its values.

    Examples
    --------
    >>> label_of([("took", [3, 5]), ("name", ["GET /", "GET /"])]) is None
    True
    >>> label_of([("took", [3, 5, 3]), ("name", ["GET", "PUT", "GET"])])
    1
    """
    for place, (name, values) in enumerate(columns):
        if name.casefold() in LABELS and set(map(type, values)) <= _TEXTS and len(set(values)) > 1:
            size = _mean_length(values)
            if size is not None and size <= LONGEST:
                return place
    return None


def _mean_length(values: Sequence[Any]) -> float | None:
    """Return the mean number of characters of values, or None if one cannot be part of a key."""
    types = set(map(type, values))
    if not types <= _PARTS or "" in values:
        return None
    return sum(map(len, values if types <= _TEXTS else map(str, values))) / len(values)


def _is_rising(values: Sequence[Any], records: Sequence[int], tables: Sequence[Hashable]) -> bool:
    """Whether all values are whole numbers, each greater than the one before it in its table."""
    return set(map(type, values)) == {int} and all(
        tables[records[at]] != tables[records[at - 1]] or values[at] > values[at - 1]
        for at in range(1, len(values))
    )


_TIME: Final = regex(
    r"[0-9]{4}([-/])[0-9]{2}\1[0-9]{2}(?:[T ,].{1,40})?\Z|[0-9]{2}:[0-9]{2}.{0,10}\Z"
)
_RISING: Final = 3
_MOST_GAPS: Final = 0.2
_SHORT: Final = 24
_MOST_TEXTS: Final = 6
_MOST_EMPTY: Final = 2
"""Most combinations of the values of columns that are a key, as a multiple of the records."""
_FEWEST_CELLS: Final = 6
"""Fewest records in which numbers count as a part of a key; in fewer it may be chance."""
_TEXTS: Final = frozenset({str})
_PARTS: Final = frozenset({str, int})


def _name_rank(name: str, values: Sequence[Any]) -> int:
    """Return how well a column's name, or else its first value, suits a key; 0 is best."""
    if name.casefold() in NAMES:
        return 0
    words = words_of_name(name)
    if words and words[-1] in NAMES:
        return 1
    return 2 if isinstance(values[0], str) else _RISING


@lru_cache(1024)  # the same names come again and again, in one document and in the next
def words_of_name(name: str) -> tuple[str, ...]:
    """Return the words of a name, normalised for comparison (see `words_of`)."""
    return tuple(words_of(name))
