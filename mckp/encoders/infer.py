"""Find the shape that writes records in the fewest tokens, or nearly so.

Encoders do not count tokens. A name is estimated at one token plus one for every `NAME_LENGTH`
characters, and the sign for an absent cell and a quotation mark at one each. That suffices to rank
the layouts of a column; whole tables are priced exactly later.
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.base import MOST_CELLS
from mckp.encoders.free_text import with_free_text
from mckp.encoders.records import Records
from mckp.encoders.scalars import CUT
from mckp.encoders.shapes import ROW_NAME, Cell, Constant, Derived, Group, Items, PlainArrays
from mckp.jsontext import is_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.encoders.records import Column
    from mckp.encoders.shapes import Record, Shape

NAME_LENGTH: Final = 6
"""Characters of a name for each token after its first."""

DEEPEST: Final = 4
"""Levels of nested objects and tables that become columns; a deeper value is a cell."""


MOST_ABSENT: Final = 0.2
"""Largest share of absent cells in a table; rarer members are written with their names."""


def record_shape(
    values: Records | Sequence[Any],
    *,
    inline: bool,
    depth: int = 0,
    wide: bool = False,
) -> Record | None:
    """Return the shape of an array's items as table rows, or None if no table pays.

    Rows that are `inline` are within a line rather than on their own lines; `wide` rows may have
    any number of cells and of absent cells. `depth` is the number of columns that the array is in.
    """
    records = values if isinstance(values, Records) else Records.of(values)
    if records.size >= 2 and not records.object_count and all(map(is_array, records.source)):
        return PlainArrays()
    total = len(records.filled_rows)
    if total < 2 or 2 * total < records.size:
        return None
    shape = group_shape(records, total, more=True, depth=depth, wide=wide)
    return shape and with_free_text(shape, records, total, inline=inline)


def group_shape(
    records: Records,
    total: int,
    *,
    more: bool,
    depth: int = 0,
    wide: bool = False,
) -> Group | None:
    """Return the columns of objects, or None if columns save nothing.

    `total` is the number of objects that have members. With `more`, rare members may be written
    without a column, unless these are most of the values; otherwise, the result is None if a member
    gets no column. `depth` and `wide` are as in `record_shape`.
    """
    kept = {
        key: column
        for key, column in records.columns.items()
        # A column pays if it is common enough: it costs a sign where it is absent.
        if not more or total - column.count <= (column.count - 1) * (_name_cost(key) + 1) + 1
    }
    if not wide:
        dense = _denser_columns(kept, total)
        if not more and len(dense) < len(kept):
            return None
        kept = dense
        if len(kept) < len(records.columns):
            value_count = sum([column.count for column in records.columns.values()])
            if 2 * sum([column.count for column in kept.values()]) < value_count:
                return None  # records of different kinds, which rows would hide
    saved = sum([(column.count - 1) * _name_cost(key) for key, column in kept.items()])
    absent = total * len(kept) - sum([column.count for column in kept.values()])
    if not kept or saved < absent + 2:
        return None
    columns = {key: _column_shape(column, total, depth, wide) for key, column in kept.items()}
    names = tuple(records.names or ())
    name_columns = [key for key, column in kept.items() if names and tuple(column.raw) == names]
    columns.update(dict.fromkeys(name_columns[:1], ROW_NAME))
    if not wide:
        narrow = _narrow_columns(columns)
        # Without the full columns that do not fit, others may again be too empty.
        columns = {
            key: columns[key] for key in _denser_columns({key: kept[key] for key in narrow}, total)
        }
    if not columns or (not more and len(columns) < len(kept)):
        return None
    if not any(map(_is_in_rows, columns.values())):
        columns[next(iter(columns))] = Cell.WORD
    return Group(columns, more=len(columns) < len(records.columns))


def _denser_columns(columns: dict[str, Column], total: int) -> dict[str, Column]:
    """Return columns without the sparsest ones, so that few cells are absent; see `MOST_ABSENT`.

    `total` is the number of cells of each column.
    """
    absent = total * len(columns) - sum([column.count for column in columns.values()])
    if absent <= MOST_ABSENT * total * len(columns):
        return columns
    sparse_keys = set[str]()
    for key in sorted(columns, key=lambda key: columns[key].count):
        if absent <= MOST_ABSENT * total * (len(columns) - len(sparse_keys)):
            break
        absent -= total - columns[key].count
        sparse_keys.add(key)
    return {key: column for key, column in columns.items() if key not in sparse_keys}


def _narrow_columns(columns: dict[str, Shape]) -> list[str]:
    """Return the keys of the columns that fit into a row of `MOST_CELLS` cells.

    A column with more cells than are left is skipped.
    """
    fitting: list[str] = []
    room = MOST_CELLS
    for key, shape in columns.items():
        cells = shape.flat_columns() if isinstance(shape, Group) else (shape,)
        size = sum([not isinstance(cell, Constant | Derived) for cell in cells])
        if size <= room:
            fitting.append(key)
            room -= size
    return fitting


def _name_cost(key: str) -> int:
    """Return the estimated number of tokens of a name."""
    return 1 + len(key) // NAME_LENGTH


def _column_shape(column: Column, total: int, depth: int, wide: bool) -> Shape:
    """Return the shape of a column; `total` is the number of records with members.

    `depth` is the number of columns around it; `wide` rows may have any number of cells.
    """
    if column.count == total > 1 and column.is_constant and column.raw[0] is not CUT:
        return Constant(column.raw[0])
    if depth == DEEPEST or not column.has_containers:
        return Cell.WORD
    shape = column.get_or_find(("shape", depth, wide), partial(_nested_shape, column, depth, wide))
    if isinstance(shape, Group) and len(column.nested.filled_rows) < total:
        return Group(shape.columns, optional=True)
    return shape


def _nested_shape(column: Column, depth: int, wide: bool) -> Shape:
    """Return the shape of a column with objects or arrays, as if all records had the member.

    `depth` is the number of columns around it; `wide` rows may have any number of cells.
    """
    filled_count = len(column.nested.filled_rows)
    if filled_count >= 2 and 2 * filled_count >= column.count:
        usual = _usual_objects(column.nested)
        group = group_shape(usual, len(usual.filled_rows), more=False, depth=depth + 1, wide=wide)
        if group is not None:
            return Group(group.columns, optional=usual is not column.nested)
    if len(column.starts) * 2 > column.count and column.items.object_count:
        record = record_shape(column.items, inline=True, depth=depth + 1, wide=wide)
        return Cell.WORD if record is None else Items(record)
    return Cell.WORD


def _usual_objects(objects: Records) -> Records:
    """Return the objects without those that have a member too rare for a column.

    A column costs a sign in each row that lacks it; an object that does not fit is written in full.
    If there are such objects, empty ones are left out, too.
    """
    filled = objects.filled_rows
    full_cost = 2 + sum(map(_name_cost, objects.columns))
    rows_of_rare = [
        column.rows
        for column in objects.columns.values()
        if len(filled) - column.count > column.count * full_cost
    ]
    if not rows_of_rare:
        return objects
    left_out = set(chain.from_iterable(rows_of_rare))
    return Records.of([objects.value(row) for row in filled if row not in left_out])


def _is_in_rows(shape: Shape) -> bool:
    """Whether rows show a column, as cells or as their names; they do not show constants."""
    if isinstance(shape, Group):
        return shape.optional or any(_is_in_rows(below) for below in shape.columns.values())
    return not isinstance(shape, Constant)
