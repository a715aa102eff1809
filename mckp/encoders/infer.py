"""From records to the shape that writes them in the fewest tokens, or nearly so.

Encoders do not see tokens. A name is taken for one token and one more for every
`NAME_LENGTH` characters, a sign for an absent cell and a quotation mark for one each;
that ranks the layouts of a column well, and pricing has the last word on whole tables.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.encoders.derive import filled
from mckp.encoders.shapes import (
    Below,
    Cell,
    Constant,
    Derived,
    Group,
    Items,
    Plain,
    Record,
    Shape,
    Tagged,
)
from mckp.encoders.words import is_word
from mckp.jsontext import LITERAL, dump, is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Path: TypeAlias = tuple[str, ...]

NAME_LENGTH: Final = 6
"""Characters of a member's name for each token beyond its first."""

MOST_TAGS: Final = 26
"""Shapes that the records of one table may have."""

# Free text may not look like what a word may be, nor hold what ends a cell.
_START = rf"(?!(?:{LITERAL}|-)\Z|[=\"{{\[<\s/>]|json[1-9]?[{{\[])"
_TEXT = re.compile(rf"{_START}[^\x00-\x1f\x7f]+(?<!\s)")
_INLINE_TEXT = re.compile(rf"{_START}[^\x00-\x1f\x7f\";{{}}\[\]]+(?<!\s)")


def is_text(value: object, *, inline: bool) -> bool:
    """Whether a value may stand bare as free text, on a line of its own or within one.

    Examples
    --------
    >>> is_text("say no; or yes", inline=False), is_text("say no; or yes", inline=True)
    (True, False)
    """
    pattern = _INLINE_TEXT if inline else _TEXT
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def record_shape(values: Sequence[Any], *, inline: bool, ordered: bool = False) -> Record | None:
    """Return the shape of an array's items as rows of a table, or None if none pays.

    Parameters
    ----------
    values : sequence
        The items.
    inline : bool
        Whether the rows stand within a line, rather than on lines of their own.
    ordered : bool
        Whether members must be read back in their order.
    """
    if len(values) >= 2 and all(is_array(value) for value in values):
        return Plain()
    objects = [value for value in values if is_object(value) and value]
    if len(objects) < 2 or 2 * len(objects) < len(values):
        return None
    shape = _group(objects, len(objects), more=True)
    if shape is None or (ordered and not all(in_order(shape, each) for each in objects)):
        return None
    if not ordered:
        shape = _numbers_first(shape, objects)
    return _with_text(shape, objects, inline=inline)


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
        groups[tag] = _with_text(group, members, inline=False)
    return Tagged(groups)


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
    group = _group(rest, len(rest), more=True) if len(rest) > 1 else None
    if group is None or not (is_tree or isinstance(child, Group)):
        return None
    optional = any(key not in node for node in nodes)
    group = _with_text(group, rest, inline=False)
    below = Below(child if isinstance(child, Group) else None, optional)
    return Group({**group.columns, key: below}, more=group.more)


def _numbers_first(group: Group, objects: Sequence[dict[str, Any]]) -> Group:
    """Return a shape that begins with a column of digits, if there is one.

    A blank before a word belongs to the word's token, before digits it is one of its own;
    the first cell of a row has none.
    """
    for key, shape in group.columns.items():
        if shape is Cell.WORD and all(_is_digits(record.get(key)) for record in objects):
            return Group({key: shape, **group.columns}, more=group.more, led=True)
    return group


def _is_digits(value: object) -> bool:
    if isinstance(value, str):
        return value[:1].isdecimal() and value[:1].isascii() and is_word(value)
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


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
        elif isinstance(shape, Derived):
            if record.get(key) != filled(shape.template, record):
                return False
        elif isinstance(shape, Below):
            if key not in record and shape.optional:
                continue
            value = record.get(key)
            if not is_array(value) or (shape.optional and not value):
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
        usual = _usual(objects)
        group = _group(usual, len(usual), more=False)
        if group is not None:
            optional = len(objects) < total or not all(fits(group, each) for each in objects)
            return Group(group.columns, optional=optional)
    if sum(map(is_array, values)) * 2 > len(values):
        items = [item for value in values if is_array(value) for item in value]
        record = record_shape(items, inline=True) if any(map(is_object, items)) else None
        if record is not None:
            return Items(record)
    return Cell.WORD


def _usual(objects: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return objects without those whose odd names would cost the others more than it saves.

    A column costs a sign where it lacks; an object that does not fit is written in full.
    """
    counts = Counter(key for record in objects for key in record)
    full = 2 + sum(map(_cost, counts))
    odd = {key for key, count in counts.items() if len(objects) - count > count * full}
    return [record for record in objects if odd.isdisjoint(record)] if odd else list(objects)


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


def _with_text(group: Group, objects: Sequence[dict[str, Any]], *, inline: bool) -> Group:
    """Return a shape whose columns of free text need no quotation marks."""
    gains: dict[Path, tuple[int, int]] = {}
    _count_text(group, objects, (), gains, inline=inline)
    ends = [path for path in gains if _may_end_row(group, path)]
    last = max(ends, key=lambda path: gains[path][0], default=None)
    # A tab costs one token a row, two quotation marks two where they are needed.
    tabs = {path for path, (gain, all_) in gains.items() if 4 * gain > 3 * all_ and path != last}
    return _styled(group, (), last, tabs)


def _may_end_row(group: Group, path: Path) -> bool:
    """Whether all optional objects around a column keep a cell that tells if they are there."""
    for key in path[:-1]:
        below = group.columns[key]
        if not isinstance(below, Group) or (below.optional and _count_cells(below) < 2):
            return False
        group = below
    return True


def _count_cells(group: Group) -> int:
    """Return the least number of cells that an object is written as, if it is there."""
    return sum(
        _count_cells(shape) if isinstance(shape, Group) and not shape.optional else 1
        for shape in group.columns.values()
        if not isinstance(shape, Constant)
    )


def _count_text(
    group: Group,
    objects: Iterable[Mapping[str, Any]],
    path: Path,
    gains: dict[Path, tuple[int, int]],
    *,
    inline: bool,
) -> None:
    """Count, for each column, the cells that would need no quotation marks, and all cells."""
    records = list(objects)
    for key, shape in group.columns.items():
        values = [record[key] for record in records if key in record]
        if isinstance(shape, Group):
            _count_text(shape, filter(is_object, values), (*path, key), gains, inline=inline)
        elif shape is Cell.WORD:
            gain = sum(1 for v in values if is_text(v, inline=inline) and not is_word(v))
            if gain:
                gains[(*path, key)] = gain, len(records)


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
    return Group(columns, group.optional, group.more, group.led)
