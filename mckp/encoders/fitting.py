"""Whether a record can be written in a shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.encoders.derive import filled
from mckp.encoders.shapes import Below, Cell, Constant, Derived, Group, Items
from mckp.jsontext import dump, is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.encoders.shapes import Shape


def fits(group: Group, record: Mapping[str, Any]) -> bool:
    """Whether an object can be written as cells of a shape."""
    columns = group.columns
    if not group.more and not record.keys() <= columns.keys():
        return False
    for key, shape in columns.items():
        if isinstance(shape, Cell):
            continue
        if isinstance(shape, Constant):
            if key not in record or not same(record[key], shape.value):
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


def tag_of(groups: Mapping[str, Group], record: Mapping[str, Any]) -> str | None:
    """Return the tag under which a record is written, or None if it fits no shape."""
    return next((tag for tag, group in groups.items() if fits(group, record)), None)


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


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal in types as well."""
    if left is right:
        return True
    if type(left) is not type(right) or left != right:
        return False
    # Floats and what may hold them are compared as text: 0.0 is not -0.0.
    return isinstance(left, str | int) or dump(left) == dump(right)
