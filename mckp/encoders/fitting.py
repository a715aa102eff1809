"""Whether a record can be written in a shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.encoders.derive import filled_all
from mckp.encoders.records import Column, Records, same
from mckp.encoders.shapes import Cell, Constant, Derived, Group, Items

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.encoders.shapes import Shape


def misfits(group: Group, records: Records) -> set[int]:
    """Return the rows that cannot be written as cells of a shape; what is no object cannot."""
    rows = set(records.odd)
    if not group.more:
        for key, column in records.columns.items():
            if key not in group.columns:
                rows.update(column.rows)
    for key, shape in group.columns.items():
        if isinstance(shape, Cell | Items) or (isinstance(shape, Group) and shape.optional):
            continue
        found = records.columns.get(key) or Column((), (), records.size)
        if found.count < records.size:
            rows.update(set(range(records.size)).difference(found.rows))
        if found.count:
            rows.update(_unlike(shape, found, records))
    return rows


def _unlike(shape: Shape, column: Column, records: Records) -> Iterable[int]:
    """Return the rows whose values are not as a shape says."""
    if isinstance(shape, Constant):
        if column.is_constant and same(column.raw[0], shape.value):
            return ()
        wrong = [not same(value, shape.value) for value in column.raw]
    elif isinstance(shape, Derived):
        objects = (row for row in range(records.size) if row not in records.odd)
        texts = dict(zip(objects, filled_all(shape.template, records), strict=True))
        wrong = [texts[row] != column.raw[place] for place, row in enumerate(column.rows)]
    elif isinstance(shape, Group):
        nested = column.nested()
        inner = misfits(shape, nested) if nested is not None else set[int]()
        if not inner and len(column.objects) == column.count:
            return ()
        places = (column.objects.get(place) for place in range(column.count))
        wrong = [row is None or row in inner for row in places]
    else:
        return ()
    return (row for row, is_wrong in zip(column.rows, wrong, strict=True) if is_wrong)
