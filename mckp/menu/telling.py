"""Narrower tables in which the telling records are whole.

A record that tells far more than the others, such as the one failure among passes, has all of its
members: those that the others lack are below ``*``, each with its name. The other records need no
sign for them, as a note says what these lack.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mckp.encoders.infer import record_shape
from mckp.encoders.records import Column
from mckp.encoders.rows import table_body
from mckp.encoders.shapes import Group
from mckp.menu.projection import rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.encoders.base import Body
    from mckp.encoders.records import Records
    from mckp.menu.classes import CutPart
    from mckp.menu.projection import Narrow


@dataclass(frozen=True, eq=False)
class WithTelling:
    """A narrower version of records, of which the telling ones are as in another version."""

    part: CutPart
    worths: list[float]
    """The worth of each record."""
    bare: Narrow
    full: Narrow
    telling: Sequence[int]
    """The numbers of the telling records."""
    added: frozenset[str]
    """The columns that they have from the other version."""

    @cached_property
    def _records(self) -> Records:
        """The records, as columns."""
        bare, full = self.bare.records(), self.full.records()
        first = frozenset(self.telling)
        columns = dict(bare.columns)
        for key, column in full.columns.items():
            left = bare.columns.get(key)
            if left is column or key not in self.added:
                continue
            values = {row: column.get(row) for row in column.rows if row in first}
            if left is not None:  # a telling record may have nothing more than it had
                values = dict(zip(left.rows, left.raw, strict=True)) | values
            rows = sorted(values)
            columns[key] = Column([values[row] for row in rows], rows, column.size)
        return self.bare.columns.records.with_columns(columns)

    def records(self) -> Records:
        """Return the records, as columns."""
        return self._records

    def body(self) -> Body | None:
        """Return the table; None if the other records are none."""
        records, columns = self._records, self.bare.records().columns
        shared = records.with_columns({key: records.columns[key] for key in columns})
        shape = record_shape(shared, inline=False) or record_shape(shared, inline=False, wide=True)
        if not isinstance(shape, Group):
            return None
        shape = replace(shape, more=len(shape.columns) < len(records.columns))
        return table_body(records, self.bare.columns.ruled(shape, records))

    def of(self, rows: Sequence[int]) -> Any:
        """Return the kept part of the records with the given numbers."""
        return rows_of(self.value(), rows)

    def value(self) -> Any:
        """Return the kept part of the records."""
        return self._records.values()
