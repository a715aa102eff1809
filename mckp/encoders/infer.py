"""From records to the shape that writes them in the fewest tokens, or nearly so.

Encoders do not see tokens. A name is taken for one token and one more for every
`NAME_LENGTH` characters, a sign for an absent cell and a quotation mark for one each;
that ranks the layouts of a column well, and pricing has the last word on whole tables.

Beside the plain table there are records of several shapes, tables below rows, and trees.
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.base import MOST_CELLS
from mckp.encoders.fitting import in_order
from mckp.encoders.free_text import with_text
from mckp.encoders.native_reader import TAG
from mckp.encoders.records import Records
from mckp.encoders.scalars import CUT
from mckp.encoders.shapes import Below, Cell, Constant, Derived, Group, Items, Plain, Tagged
from mckp.encoders.words import is_word
from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mckp.encoders.records import Column
    from mckp.encoders.shapes import Record, Shape

NAME_LENGTH: Final = 6
"""Characters of a member's name for each token beyond its first."""

DEEPEST: Final = 4
"""Objects and tables within one another that become columns; what is deeper is a cell."""


MOST_ABSENT: Final = 0.2
"""Share of the cells of a table that may be absent; rarer members say their names."""


def record_shape(
    values: Records | Sequence[Any],
    *,
    inline: bool,
    ordered: bool = False,
    depth: int = 0,
    wide: bool = False,
) -> Record | None:
    """Return the shape of an array's items as rows of a table, or None if none pays.

    Parameters
    ----------
    values : Records or sequence
        The items.
    inline : bool
        Whether the rows stand within a line, rather than on lines of their own.
    ordered : bool
        Whether members must be read back in their order.
    depth : int
        In how many columns of other tables the table stands.
    wide : bool
        Whether a row may have any number of cells, and of absent ones.
    """
    records = values if isinstance(values, Records) else Records.of(values)
    if records.size >= 2 and not records.objects and all(map(is_array, records.source)):
        return Plain()
    total = len(records.filled)
    if total < 2 or 2 * total < records.size:
        return None
    shape = columns_of(records, total, more=True, depth=depth, wide=wide)
    if shape is None:
        return None
    if ordered and not all(in_order(shape, records.value(row)) for row in records.filled):
        return None
    return with_text(shape, records, total, inline=inline, ordered=ordered)


def columns_of(
    records: Records,
    total: int,
    *,
    more: bool,
    anyway: bool = False,
    depth: int = 0,
    wide: bool = False,
) -> Group | None:
    """Return the columns of objects, or None if they save nothing.

    Parameters
    ----------
    records : Records
        The objects.
    total : int
        How many of them there are, those without members not counted if they are no rows.
    more : bool
        Whether rare members may go without a column.
    anyway : bool
        Whether columns are wanted even if they save nothing.
    depth : int
        In how many columns of other tables the objects stand.
    wide : bool
        Whether a row may have any number of cells, and of absent ones.
    """
    kept = {
        key: column
        for key, column in records.columns.items()
        if _pays(key, column.count, total, more)
    }
    if not wide:
        dense = _dense(kept, total)
        if not more and len(dense) < len(kept):
            return None
        kept = dense
        if 2 * _members(kept) < _members(records.columns):
            return None  # records of different kinds, which a line each would not show
    saved = sum((column.count - 1) * _cost(key) for key, column in kept.items())
    absent = sum(total - column.count for column in kept.values())
    if not kept or (not anyway and saved < absent + 2):
        return None
    columns = {key: _shape(column, total, depth, wide) for key, column in kept.items()}
    if not wide:
        columns = _narrow(columns)
        # Without the full columns that do not fit, others may be too empty again.
        left = _dense({key: kept[key] for key in columns}, total)
        columns = {key: columns[key] for key in left}
    if not columns or (not more and len(columns) < len(kept)):
        return None
    if not any(_has_cells(shape) for shape in columns.values()):
        first = next(iter(columns))
        columns[first] = Cell.WORD
    return Group(columns, more=len(columns) < len(records.columns))


def _dense(columns: dict[str, Column], total: int) -> dict[str, Column]:
    """Return columns without the emptiest, as long as too many of their cells are absent."""
    absent = sum(total - column.count for column in columns.values())
    gone = set[str]()
    for key in sorted(columns, key=lambda key: columns[key].count):
        if absent <= MOST_ABSENT * total * (len(columns) - len(gone)):
            break
        absent -= total - columns[key].count
        gone.add(key)
    return {key: column for key, column in columns.items() if key not in gone}


def _members(columns: Mapping[str, Column]) -> int:
    """Return how many members records have in some columns together."""
    return sum(column.count for column in columns.values())


def _narrow(columns: dict[str, Shape]) -> dict[str, Shape]:
    """Return the first columns that have no more cells than a reader can tell apart."""
    found: dict[str, Shape] = {}
    cells = 0
    for key, shape in columns.items():
        size = _cells(shape)
        if cells + size <= MOST_CELLS:
            found[key] = shape
            cells += size
    return found


def _cells(shape: Shape) -> int:
    """Return how many cells of a row a column takes."""
    if isinstance(shape, Group):
        return sum(map(_cells, shape.columns.values()))
    return not isinstance(shape, Constant | Derived)


def _pays(key: str, count: int, total: int, more: bool) -> bool:
    """Whether a member is common enough for a column, which costs a sign where it lacks."""
    return not more or total - count <= (count - 1) * (_cost(key) + 1) + 1


def _cost(key: str) -> int:
    return 1 + len(key) // NAME_LENGTH


def _shape(column: Column, total: int, depth: int, wide: bool) -> Shape:
    """Return the shape of a column of so many records."""
    if column.count == total > 1 and column.is_constant and column.raw[0] is not CUT:
        return Constant(column.raw[0])
    if depth == DEEPEST or not column.has_containers:
        return Cell.WORD
    found = column.remembered(("shape", depth, wide), partial(_nested_shape, column, depth, wide))
    if isinstance(found, Group):
        objects = column.nested()
        filled = len(objects.filled) if objects is not None else 0
        return Group(found.columns, optional=found.optional or filled < total)
    return found


def _nested_shape(column: Column, depth: int, wide: bool) -> Shape:
    """Return the shape of a column that holds objects or arrays, if all records have them."""
    objects = column.nested()
    filled = len(objects.filled) if objects is not None else 0
    if objects is not None and filled >= 2 and 2 * filled >= column.count:
        usual = _usual(objects)
        group = columns_of(usual, len(usual.filled), more=False, depth=depth + 1, wide=wide)
        if group is not None:
            return Group(group.columns, optional=usual is not objects)
    if len(column.starts) * 2 > column.count and (items := column.items()) is not None:
        record = record_shape(items, inline=True, depth=depth + 1, wide=wide)
        return Cell.WORD if record is None else Items(record)
    return Cell.WORD


def _usual(objects: Records) -> Records:
    """Return objects without those whose odd names would cost the others more than it saves.

    A column costs a sign where it lacks; an object that does not fit is written in full.
    """
    filled = objects.filled
    full = 2 + sum(map(_cost, objects.columns))
    odd = [c.rows for c in objects.columns.values() if len(filled) - c.count > c.count * full]
    if not odd:
        return objects
    left_out = set(chain.from_iterable(odd))
    return objects.taking([row for row in filled if row not in left_out])


def _has_cells(shape: Shape) -> bool:
    if isinstance(shape, Group):
        return shape.optional or any(_has_cells(below) for below in shape.columns.values())
    return not isinstance(shape, Constant)


MOST_TAGS: Final = 26
"""Shapes that the records of one table may have."""


def tagged_shape(records: Records) -> Tagged | None:
    """Return shapes for records that have too little in common for one, or None."""
    if records.size < 4 or len(records.filled) < records.size:
        return None
    if all(column.count == records.size for column in records.columns.values()):
        return None  # all have one shape
    found = _by_value(records) or _by_names(records)
    if found is None:
        return None
    groups: dict[str, Group] = {}
    for tag, rows in found.items():
        members = records.taking(rows)
        group = columns_of(members, members.size, more=False, anyway=True)
        if group is None:
            return None
        groups[tag] = with_text(group, members, members.size, inline=False)
    return Tagged(groups)


def _by_value(records: Records) -> dict[str, list[int]] | None:
    """Return the rows by the value of the member that tells their names apart."""
    most = min(MOST_TAGS, records.size // 2)
    for key in records.value(0):
        column = records.columns[key]
        if column.count < records.size or column.kinds != {str}:
            continue
        if not 1 < len(column.bare) <= most or not all(map(_is_tag, column.bare)):
            continue
        found: dict[str, list[int]] = {}
        for row, tag in enumerate(column.raw):
            found.setdefault(tag, []).append(row)
        if all(len(_names(records, rows)) == 1 for rows in found.values()):
            return found
    return None


def _names(records: Records, rows: Iterable[int]) -> dict[frozenset[str], list[int]]:
    """Return rows by the names of their members."""
    found: dict[frozenset[str], list[int]] = {}
    for row in rows:
        found.setdefault(frozenset(records.value(row)), []).append(row)
    return found


def _by_names(records: Records) -> dict[str, list[int]] | None:
    """Return the rows by the names of their members, under letters."""
    found = _names(records, range(records.size))
    if not 1 < len(found) <= min(MOST_TAGS, records.size // 2):
        return None
    return {chr(ord("A") + number): same for number, same in enumerate(found.values())}


def _is_tag(text: str) -> bool:
    return TAG.fullmatch(text) is not None and is_word(text)


def below_shape(records: Records) -> Group | None:
    """Return a shape for records with lines below them, which may be a tree, or None."""
    key = _largest_table(records) if 0 < records.size == len(records.filled) else None
    items = records.columns[key].items() if key is not None else None
    if key is None or items is None:
        return None
    child: Group | None = None
    inner = items.columns.get(key)
    if inner is not None and any(inner.raw[place] for place in inner.starts):
        records = Records.of(list(_nodes(records.values(), key)))
    else:
        found = record_shape(items, inline=False)
        if not isinstance(found, Group):
            return None
        child = found
    rest = records.keeping([name for name in records.columns if name != key])
    group = columns_of(rest, rest.size, more=True) if rest.size > 1 else None
    if group is None or records.columns[key].cut:
        return None
    group = with_text(group, rest, rest.size, inline=False)
    below = Below(child, optional=records.columns[key].count < records.size)
    return Group({**group.columns, key: below}, more=group.more)


def _largest_table(records: Records) -> str | None:
    """Return the member whose arrays of objects have the most items, the first of several."""
    best: tuple[int, int, int] | None = None
    found = None
    for key, column in records.columns.items():
        count, first = column.remembered("largest", partial(_count_items, column))
        if count:
            place = list(records.source[first]).index(key)
            if best is None or (-count, first, place) < best:
                best, found = (-count, first, place), key
    return found


def _count_items(column: Column) -> tuple[int, int]:
    """Return how many items arrays of objects have in a column, and the first row with one."""
    tables = [p for p in column.starts if column.raw[p] and all(map(is_object, column.raw[p]))]
    first = column.rows[tables[0]] if tables else -1
    return sum(len(column.raw[place]) for place in tables), first


def _nodes(objects: Iterable[dict[str, Any]], key: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a tree."""
    stack = list(objects)
    while stack:
        node = stack.pop()
        yield node
        stack += filter(is_object, _list(node, key))


def _list(record: Mapping[str, Any], key: str) -> list[Any]:
    value = record.get(key)
    return value if is_array(value) else []
