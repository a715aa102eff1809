"""``rows``: an array or an object of records, one a line, below a header that names columns.

``# jobs[20]{id name user{login id} labels[31]{name color} state=open title>}`` counts the
rows and says what their words are. Nested objects are columns in braces, nested tables
cells in brackets, constants stand in the header only, and free text comes last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.column_reader import read_columns
from mckp.encoders.hints import take_hint
from mckp.encoders.infer import record_shape
from mckp.encoders.layouts import below_shape, tagged_shape
from mckp.encoders.native import write_table
from mckp.encoders.native_reader import Line
from mckp.encoders.shapes import Group
from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines
    from mckp.encoders.shapes import Record


def body(value: Any) -> Body | None:
    """Write records that have enough in common for one list of columns, or arrays."""
    if is_array(value):
        record = record_shape(value, inline=False)
        return items(value, record) if record is not None else None
    if is_object(value) and len(value) > 1:
        named = record_shape(list(value.values()), inline=False)
        if isinstance(named, Group):
            columns, rows = write_table(named, list(value.values()), list(value))
            return Body(f"{{{len(value)}}}{columns}", "", rows)
    return None


def below(value: Any) -> Body | None:
    """Write records whose largest table stands on the lines below each, or trees."""
    record = below_shape(value) if is_array(value) else None
    return items(value, record) if record is not None else None


def tagged(value: Any) -> Body | None:
    """Write records of several shapes."""
    record = tagged_shape(value) if is_array(value) else None
    return items(value, record) if record is not None else None


def items(values: list[Any], record: Record) -> Body:
    """Write an array in a shape."""
    columns, rows = write_table(record, values)
    return Body(f"[{len(values)}]{columns}", "", rows)


def read(lines: Lines, header: Header) -> Any:
    """Read the records back, as many as the header declares or are left before its hint."""
    named = header.bracket == "{"
    above = lines.items[lines.index - 1]
    columns = Line(above, lines, len(above) - len(header.columns))
    record = read_columns(columns, named=named)
    columns.close()
    found: list[Any] = []
    is_cut = False
    while len(found) < header.size and not (is_cut := take_hint(lines, len(found), header.size)):
        line = Line(lines.take(), lines)
        found.append(
            line.named_row(record, inline=False) if named else line.row(record, inline=False)
        )
        line.close()
    if not is_cut:
        columns.check(record)
    if not named:
        return found
    if len({key for key, _ in found}) < len(found):
        lines.fail("a name stands twice")
    return dict(found)


ROWS = Format("rows", DataLoss.NONE, body, read, (below, tagged))
