"""Counts, sums, means, extremes and numbers of distinct values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.accuracy.asking.draft import Draft, drawn, those
from mckp.accuracy.query import DIGITS, Query

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from mckp.accuracy.tables import Column, Table

_WORDS: Final = {
    "sum": "What is the sum of",
    "mean": f"What is the mean, rounded to {DIGITS} digits behind the point, of",
    "least": "What is the smallest",
    "most": "What is the largest",
}


def drafts(_: Any, table: Table | None, random: Random) -> Iterator[Draft]:
    """Yield questions for numbers that records are to be summed up to."""
    if table is None:
        return
    classes = [column for column in table.columns if column.is_class]
    for column in classes:
        query = Query("distinct", table.at, column.field)
        yield Draft(f"How many different {column.name} are there in {table.name}?", query)
        words, test = those(column, drawn(column, random))
        asked = f"How many records are there in {table.name} {words}?"
        yield Draft(asked, Query("count", table.at, (), (test,)))
    for column in table.columns:
        if column.is_numeric and not column.is_key:
            yield from _numbers(table, column, classes, random)


def _numbers(
    table: Table, column: Column, classes: list[Column], random: Random
) -> Iterator[Draft]:
    for ask, words in _WORDS.items():
        asked = f"{words} {column.name} over all records of {table.name}?"
        yield Draft(asked, Query(ask, table.at, column.field))
    if others := [other for other in classes if other is not column]:
        other = random.choice(others)
        which, test = those(other, drawn(other, random))
        for ask in ("sum", "most"):
            asked = f"{_WORDS[ask]} {column.name} over the records of {table.name} {which}?"
            yield Draft(asked, Query(ask, table.at, column.field, (test,)))
