"""What stands in one field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.accuracy.asking.draft import Draft, one
from mckp.accuracy.query import Query
from mckp.accuracy.tables import scalars, spelled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from mckp.accuracy.tables import Table

_TRIES: Final = 3


def drafts(data: Any, table: Table | None, random: Random) -> Iterator[Draft]:
    """Yield questions for single values, of records and of objects around them."""
    for path, _ in scalars(data):
        yield Draft(f"What is `{spelled(path)}`?", Query("scalar", path))
    if table is None or (key := table.key) is None:
        return
    for column in table.columns:
        if column is not key and column.is_short:
            for record in random.sample(table.records, min(_TRIES, len(table.records))):
                words, test = one(table, key, record)
                query = Query("value", table.at, column.field, (test,))
                yield Draft(f"What is {column.name} of {words}?", query)
