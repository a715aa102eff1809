"""How data is built: how many records, which fields, what is first and last, how long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.accuracy.asking.draft import Draft, one
from mckp.accuracy.query import Query
from mckp.accuracy.tables import spelled
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from mckp.accuracy.tables import Table

_COMMAS: Final = ", with commas between"


def drafts(data: Any, table: Table | None, random: Random) -> Iterator[Draft]:
    """Yield questions for sizes, names and places."""
    if table is not None:
        yield from _of_table(table)
        yield from _sizes(table, random)
    if is_object(data) and (table is None or table.at):
        asked = f"What are the names at the top of the document{_COMMAS}?"
        yield Draft(asked, Query("members", ()))
        for key, below in data.items():
            if is_object(below):
                asked = f"What are the names in `{spelled((key,))}`{_COMMAS}?"
                yield Draft(asked, Query("members", (key,)))


def _of_table(table: Table) -> Iterator[Draft]:
    yield Draft(f"How many records are there in {table.name}?", Query("records", table.at))
    asked = f"Which fields do the records of {table.name} have{_COMMAS}?"
    yield Draft(asked, Query("columns", table.at))
    if (key := table.key) is not None and not table.is_map:
        for edge in ("first", "last"):
            asked = f"What is {key.name} of the {edge} record of {table.name}?"
            yield Draft(asked, Query(edge, table.at, key.field))


def _sizes(table: Table, random: Random) -> Iterator[Draft]:
    if (key := table.key) is None:
        return
    for column in table.columns:
        if column.is_list or column.is_long:
            words, test = one(table, key, random.choice(table.records))
            asked = "How many items are there in" if column.is_list else "How many characters has"
            query = Query("size", table.at, column.field, (test,))
            yield Draft(f"{asked} {column.name} of {words}?", query)
