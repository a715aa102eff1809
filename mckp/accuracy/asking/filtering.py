"""Which records pass one test, or two, and how many."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from mckp.accuracy.asking.draft import Draft, drawn, those
from mckp.accuracy.query import Query

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from mckp.accuracy.query import Condition
    from mckp.accuracy.tables import Table


def drafts(_: Any, table: Table | None, random: Random) -> Iterator[Draft]:
    """Yield questions for records, by their keys or by their number."""
    if table is None:
        return
    tests = list(_tests(table, random))
    if (key := table.key) is not None:
        for words, test in tests:
            if test.field != key.field:
                asked = f"List {key.name} of all records of {table.name} {words}"
                query = Query("names", table.at, key.field, (test,))
                yield Draft(f"{asked}, in their order, with commas between.", query)
    for (words, test), (more, other) in combinations(tests, 2):
        if test.field != other.field:
            asked = f"How many records are there in {table.name} {words} and {more}?"
            yield Draft(asked, Query("count", table.at, (), (test, other)))


def _tests(table: Table, random: Random) -> Iterator[tuple[str, Condition]]:
    for column in table.columns:
        if column.is_class:
            yield those(column, drawn(column, random))
        if column.is_numeric:
            yield those(column, drawn(column, random), random.choice(("above", "below")))
