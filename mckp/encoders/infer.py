"""From records to the shape that writes them in the fewest tokens, or nearly so.

Encoders do not see tokens. A name is taken for one token and one more for every
`NAME_LENGTH` characters, a sign for an absent cell and a quotation mark for one each;
that ranks the layouts of a column well, and pricing has the last word on whole tables.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.encoders.shapes import Cell, Constant, Group, Items, Plain, Record, Shape, Tagged
from mckp.encoders.words import is_word
from mckp.jsontext import LITERAL, dump, is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Path: TypeAlias = tuple[str, ...]

NAME_LENGTH: Final = 6
"""Characters of a member's name for each token beyond its first."""

MOST_TAGS: Final = 26
"""Shapes that the records of one table may have."""

# Free text may not look like what a word may be, nor hold what ends a cell.
_TEXT = re.compile(
    rf"(?!(?:{LITERAL}|-)\Z)(?![=\"{{\[<\s/>]|json[1-9]?[{{\[])[^\t\x00-\x1f\x7f]+(?<!\s)"
)


def is_text(value: object) -> bool:
    """Whether a value may stand bare in a column of free text."""
    return isinstance(value, str) and _TEXT.fullmatch(value) is not None


def record_shape(values: Sequence[Any], *, texts: bool) -> Record | None:
    """Return the shape of an array's items as rows of a table, or None if none pays.

    Parameters
    ----------
    values : sequence
        The items.
    texts : bool
        Whether each row has a line of its own, on which free text may stand.
    """
    if len(values) >= 2 and all(is_array(value) for value in values):
        return Plain()
    objects = [value for value in values if is_object(value) and value]
    if len(objects) < 2 or 2 * len(objects) < len(values):
        return None
    shape = _group(objects, len(objects), more=True)
    return _with_text(shape, objects) if shape and texts else shape


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
        group = _group(members, 1, more=False)
        if group is None:
            return None
        groups[tag] = _with_text(group, members)
    return Tagged(groups)


def tag_of(groups: Mapping[str, Group], record: Mapping[str, Any]) -> str | None:
    """Return the tag under which a record is written, or None if it fits no shape."""
    return next((tag for tag, group in groups.items() if fits(group, record)), None)


def fits(group: Group, record: Mapping[str, Any]) -> bool:
    """Whether an object can be written as cells of a shape."""
    columns = group.columns
    if not group.more and any(key not in columns for key in record):
        return False
    for key, shape in columns.items():
        if isinstance(shape, Constant):
            if key not in record or not _same(record[key], shape.value):
                return False
        elif isinstance(shape, Group) and not shape.optional:
            value = record.get(key)
            if not is_object(value) or not fits(shape, value):
                return False
    return True


def in_order(record: Group, value: Mapping[str, Any]) -> bool:
    """Whether an object's members stand in the order in which a reader of its row adds them."""
    names = [key for key in record.columns if key in value]
    if list(value)[: len(names)] != names:
        return False
    return all(
        _in_order(shape, value[key]) for key, shape in record.columns.items() if key in value
    )


def _in_order(shape: Shape, value: Any) -> bool:
    if isinstance(shape, Group):
        return not is_object(value) or not fits(shape, value) or in_order(shape, value)
    if isinstance(shape, Items) and isinstance(shape.record, Group) and is_array(value):
        return all(not is_object(item) or in_order(shape.record, item) for item in value)
    return True


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
    return text.isidentifier() and text.isascii() and is_word(text)


def _group(objects: Sequence[dict[str, Any]], least: int, *, more: bool) -> Group | None:
    """Return the columns of objects; None if less than `least` names would be saved twice."""
    present: dict[str, list[Any]] = {}
    for record in objects:
        for key, value in record.items():
            present.setdefault(key, []).append(value)
    total = len(objects)
    kept = {key: values for key, values in present.items() if _pays(key, len(values), total, more)}
    saved = sum((len(values) - 1) * _cost(key) for key, values in kept.items())
    absent = sum(total - len(values) for values in kept.values())
    if not kept or (least > 1 and saved < absent + 2):
        return None
    columns = {key: _shape(values, total) for key, values in kept.items()}
    if not any(_has_cells(shape) for shape in columns.values()):
        first = next(iter(columns))
        columns[first] = Cell.WORD
    return Group(columns, more=len(kept) < len(present))


def _pays(key: str, count: int, total: int, more: bool) -> bool:
    """Whether a member is common enough for a column, which costs a sign where it lacks."""
    return not more or total - count <= (count - 1) * (_cost(key) + 1) + 1


def _cost(key: str) -> int:
    return 1 + len(key) // NAME_LENGTH


def _shape(values: Sequence[Any], total: int) -> Shape:
    """Return the shape of a column from the values that are there."""
    first = values[0]
    if len(values) == total > 1 and all(_same(value, first) for value in values):
        return Constant(first)
    objects = [value for value in values if is_object(value) and value]
    if len(objects) >= 2 and 2 * len(objects) >= len(values):
        group = _group(objects, len(objects), more=False)
        if group is not None:
            optional = len(objects) < total or not all(fits(group, each) for each in objects)
            return Group(group.columns, optional=optional)
    if sum(map(is_array, values)) * 2 > len(values):
        items = [item for value in values if is_array(value) for item in value]
        record = record_shape(items, texts=False) if any(map(is_object, items)) else None
        if record is not None:
            return Items(record)
    return Cell.WORD


def _has_cells(shape: Shape) -> bool:
    if isinstance(shape, Group):
        return shape.optional or any(_has_cells(below) for below in shape.columns.values())
    return not isinstance(shape, Constant)


def _same(left: Any, right: Any) -> bool:
    if left is right:
        return True
    if type(left) is not type(right) or left != right:
        return False
    # Floats and what may hold them are compared as text: 0.0 is not -0.0.
    return isinstance(left, str | int) or dump(left) == dump(right)


def _with_text(group: Group, objects: Sequence[dict[str, Any]]) -> Group:
    """Return a shape whose columns of free text need no quotation marks."""
    gains: Counter[Path] = Counter()
    _count_text(group, objects, (), gains)
    total = len(objects)
    movable = [] if group.more else [path for path in gains if _is_sure(group, path)]
    last = max(movable, key=lambda path: gains[path], default=None)
    tabs = {path for path, gain in gains.items() if 4 * gain > 3 * total and path != last}
    return _styled(group, (), last, tabs)


def _is_sure(group: Group, path: Path) -> bool:
    """Whether no group on the way to a column may be missing."""
    if len(path) == 1:
        return True
    below = group.columns[path[0]]
    return isinstance(below, Group) and not below.optional and _is_sure(below, path[1:])


def _count_text(
    group: Group, objects: Iterable[Mapping[str, Any]], path: Path, gains: Counter[Path]
) -> None:
    """Count, for each column, the cells that would need no quotation marks as free text."""
    records = list(objects)
    for key, shape in group.columns.items():
        values = [record[key] for record in records if key in record]
        if isinstance(shape, Group):
            _count_text(shape, filter(is_object, values), (*path, key), gains)
        elif shape is Cell.WORD:
            gain = sum(1 for value in values if is_text(value) and not is_word(value))
            if gain:
                gains[(*path, key)] = gain


def _styled(group: Group, path: Path, last: Path | None, tabs: set[Path]) -> Group:
    columns: dict[str, Shape] = {}
    for key, shape in group.columns.items():
        here = (*path, key)
        if isinstance(shape, Group):
            columns[key] = _styled(shape, here, last, tabs)
        elif here == last:
            columns[key] = Cell.LAST
        else:
            columns[key] = Cell.TAB if here in tabs else shape
    return Group(columns, group.optional, group.more)
