"""How a table declares its columns."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

from mckp.encoders.shapes import Below, Cell, Constant, Derived, Items, Plain, Tagged
from mckp.encoders.words import write_name, write_word

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.encoders.shapes import Record, Shape

Counts: TypeAlias = Counter[Items | Below]
"""Rows of each table within a table."""


class ColumnWriter:
    """What declares columns.

    Parameters
    ----------
    counts : Counter
        Rows written for each table within the rows.
    flow : callable
        What writes the value of a constant.
    """

    def __init__(self, counts: Counts, flow: Callable[[Any], str]) -> None:
        self.counts = counts
        self.flow = flow

    def record(self, record: Record, *, named: bool = False) -> str:
        """Return the header of rows, which may have names."""
        if isinstance(record, Plain):
            return "[]"
        if isinstance(record, Tagged):
            groups = (f"{tag}{self.record(group)}" for tag, group in record.groups.items())
            return f"<{' '.join(groups)}>"
        parts = [self.column(write_name(key), shape) for key, shape in record.columns.items()]
        if named:
            parts.insert(int(record.led), "@ ")
        text = "".join([*parts, "*"] if record.more else parts)
        return f"{{{text.removesuffix(' ')}}}"

    def column(self, name: str, shape: Shape) -> str:
        """Return a column's name and all that is to be known of it, with a blank or a tab."""
        if shape is Cell.TAB:
            return f"{name}\t"
        if isinstance(shape, Cell):
            return f"{name}{shape.value} "
        if isinstance(shape, Constant):
            return f"{name}={self.flow(shape.value)} "
        if isinstance(shape, Derived):
            return f"{name}~{write_word(shape.template)} "
        if isinstance(shape, Items):
            return f"{name}[{self.counts[shape]}]{self.record(shape.record)} "
        if isinstance(shape, Below):
            columns = "{}" if shape.record is None else self.record(shape.record)
            return f"{name}[{self.counts[shape]}]>{'?' * shape.optional}{columns} "
        return f"{name}{'?' * shape.optional}{self.record(shape)} "
