"""What is not there: absent fields, nulls, and what the data does not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.accuracy.asking.draft import Draft, one, those
from mckp.accuracy.query import Condition, Query
from mckp.accuracy.tables import scalars, spelled
from mckp.encoders.scalars import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from mckp.accuracy.tables import Column, Table


def drafts(data: Any, table: Table | None, random: Random) -> Iterator[Draft]:
    """Yield questions for gaps, some of which have no answer."""
    for path, _ in scalars(data):
        near = (*path[:-1], f"{path[-1]}_before")
        yield Draft(f"What is `{spelled(near)}`?", Query("scalar", near), unknown=True)
    if table is None:
        return
    for column in table.columns:
        yield from _gaps(table, column)
    if (key := table.key) is not None:
        for column in table.columns:
            if ABSENT in column.values:
                words, test = one(table, key, random.choice(table.records))
                query = Query("has", table.at, column.field, (test,))
                yield Draft(f"Has {words} a field {column.name} (null counts as one)?", query)
        yield from _nobody(table, key, random)


def _gaps(table: Table, column: Column) -> Iterator[Draft]:
    if any(value is ABSENT for value in column.values):
        query = Query("count", table.at, (), (Condition(column.field, "absent"),))
        yield Draft(f"How many records of {table.name} have no field {column.name}?", query)
    if any(value is None for value in column.values):
        query = Query("count", table.at, (), (Condition(column.field, "null"),))
        yield Draft(f"In how many records of {table.name} is {column.name} null?", query)


def _nobody(table: Table, key: Column, random: Random) -> Iterator[Draft]:
    """Yield questions for a record that there is not."""
    values = key.present
    if all(isinstance(value, int) for value in values):
        nobody: Any = max(values) + random.randint(1, 99)
    else:
        nobody = next(name for value in values if (name := f"{value}-x") not in values)
    for column in table.columns:
        if column is not key and column.is_short:
            words, test = those(key, nobody)
            query = Query("value", table.at, column.field, (test,))
            asked = f"What is {column.name} of the record of {table.name} {words}?"
            yield Draft(asked, query, unknown=True)
