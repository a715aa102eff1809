"""``rows``: an array or an object of records, one a line, below a header that names columns.

``# jobs[20]{id name user{login id} labels[31]{name color} state=open title>}`` counts the
rows and says what their words are. Nested objects are columns in braces, nested tables
cells in brackets, constants stand in the header only, and free text comes last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.infer import below_shape, record_shape, tagged_shape
from mckp.encoders.native import write_table
from mckp.encoders.native_reader import Line, read_columns
from mckp.encoders.records import gathered, gathered_array
from mckp.encoders.row_reader import RowReader
from mckp.encoders.shapes import Group

if TYPE_CHECKING:
    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines
    from mckp.encoders.records import Records
    from mckp.encoders.shapes import Record


def body(value: Any) -> Body | None:
    """Write records that have enough in common for one list of columns, or arrays."""
    records = gathered(value)
    record = record_shape(records, inline=False) if records is not None else None
    if records is None or record is None:
        return None
    return items(records, record) if records.names is None or isinstance(record, Group) else None


def below(value: Any) -> Body | None:
    """Write records whose largest table stands on the lines below each, or trees."""
    records = gathered_array(value)
    record = below_shape(records) if records is not None else None
    return items(records, record) if records is not None and record is not None else None


def tagged(value: Any) -> Body | None:
    """Write records of several shapes."""
    records = gathered_array(value)
    record = tagged_shape(records) if records is not None else None
    return items(records, record) if records is not None and record is not None else None


def items(records: Records, record: Record) -> Body:
    """Write records in a shape."""
    columns, rows = write_table(record, records)
    start, end = "[]" if records.names is None else "{}"
    return Body(f"{start}{records.size}{end}{columns}", "", rows)


def read(lines: Lines, header: Header) -> Any:
    """Read the records back, as many as the header declares or are left before its hint."""
    named = header.bracket == "{"
    above = lines.items[lines.index - 1]
    columns = Line(above, lines, len(above) - len(header.columns))
    record = read_columns(columns, named=named)
    columns.close()
    found, is_cut = RowReader(record, lines, named=named).read(header.size)
    if not is_cut:
        columns.check(record)
    if not named:
        return found
    if len({key for key, _ in found}) < len(found):
        lines.fail("a name stands twice")
    return dict(found)


ROWS = Format("rows", DataLoss.NONE, body, read, (below, tagged))
