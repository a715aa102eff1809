"""Layouts beside the plain table: records of several shapes, tables below rows, trees."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.column_reader import TAG
from mckp.encoders.free_text import with_text
from mckp.encoders.infer import columns_of, record_shape
from mckp.encoders.shapes import Below, Group, Tagged
from mckp.encoders.words import is_word
from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

MOST_TAGS: Final = 26
"""Shapes that the records of one table may have."""


def tagged_shape(values: Sequence[Any]) -> Tagged | None:
    """Return shapes for records that have too little in common for one, or None."""
    objects = [value for value in values if is_object(value) and value]
    if len(objects) < len(values) or len(objects) < 4:
        return None
    found = _by_value(objects) or _by_names(objects)
    if found is None:
        return None
    groups: dict[str, Group] = {}
    for tag, members in found.items():
        group = columns_of(members, more=False, anyway=True)
        if group is None:
            return None
        groups[tag] = with_text(group, members, inline=False)
    return Tagged(groups)


def _by_value(objects: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]] | None:
    """Return the records by the value of the member that tells their names apart."""
    for key in objects[0]:
        values = [record.get(key) for record in objects]
        if not all(isinstance(value, str) and _is_tag(value) for value in values):
            continue
        found: dict[str, list[dict[str, Any]]] = {}
        for record in objects:
            found.setdefault(record[key], []).append(record)
        one_each = all(len({frozenset(record) for record in same}) == 1 for same in found.values())
        if 1 < len(found) <= min(MOST_TAGS, len(objects) // 2) and one_each:
            return found
    return None


def _by_names(objects: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]] | None:
    """Return the records by the names of their members, under letters."""
    found: dict[frozenset[str], list[dict[str, Any]]] = {}
    for record in objects:
        found.setdefault(frozenset(record), []).append(record)
    if not 1 < len(found) <= min(MOST_TAGS, len(objects) // 2):
        return None
    return {chr(ord("A") + number): same for number, same in enumerate(found.values())}


def _is_tag(text: str) -> bool:
    return TAG.fullmatch(text) is not None and is_word(text)


def below_shape(values: Sequence[Any]) -> Group | None:
    """Return a shape for records with lines below them, which may be a tree, or None."""
    objects = [value for value in values if is_object(value) and value]
    if not objects or len(objects) < len(values):
        return None
    counts: Counter[str] = Counter()
    for record in objects:
        for key, value in record.items():
            if is_array(value) and value and all(map(is_object, value)):
                counts[key] += len(value)
    if not counts:
        return None
    key = counts.most_common(1)[0][0]
    items = [item for record in objects for item in _list(record, key)]
    is_tree = any(_list(item, key) for item in items if is_object(item))
    nodes = list(_nodes(objects, key)) if is_tree else objects
    child = None if is_tree else record_shape(items, inline=False)
    rest = [{name: value for name, value in node.items() if name != key} for node in nodes]
    group = columns_of(rest, more=True) if len(rest) > 1 else None
    if group is None or not (is_tree or isinstance(child, Group)):
        return None
    optional = any(key not in node for node in nodes)
    group = with_text(group, rest, inline=False)
    below = Below(child if isinstance(child, Group) else None, optional)
    return Group({**group.columns, key: below}, more=group.more)


def _list(record: Mapping[str, Any], key: str) -> list[Any]:
    value = record.get(key)
    return value if is_array(value) else []


def _nodes(objects: Iterable[dict[str, Any]], key: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a tree."""
    stack = list(objects)
    while stack:
        node = stack.pop()
        yield node
        stack += filter(is_object, _list(node, key))
