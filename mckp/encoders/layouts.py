"""Layouts beside the plain table: records of several shapes, tables below rows, trees."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.column_reader import TAG
from mckp.encoders.free_text import with_text
from mckp.encoders.infer import columns_of, record_shape
from mckp.encoders.records import Records
from mckp.encoders.shapes import Below, Group, Tagged
from mckp.encoders.words import is_word
from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mckp.encoders.records import Column

MOST_TAGS: Final = 26
"""Shapes that the records of one table may have."""


def tagged_shape(values: Records | Sequence[Any]) -> Tagged | None:
    """Return shapes for records that have too little in common for one, or None."""
    records = values if isinstance(values, Records) else Records.of(values)
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


def below_shape(values: Records | Sequence[Any]) -> Group | None:
    """Return a shape for records with lines below them, which may be a tree, or None."""
    records = values if isinstance(values, Records) else Records.of(values)
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
    if group is None:
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
