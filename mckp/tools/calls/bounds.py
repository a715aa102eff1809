"""Bounds of numbers, and of the lengths of texts, arrays and objects."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from mckp.jsontext import canonical, is_array

if TYPE_CHECKING:
    from collections.abc import Callable

_NUMBERS: Final[dict[str, tuple[Callable[[Any, Any], bool], str]]] = {
    "minimum": (operator.ge, "is below the minimum of"),
    "maximum": (operator.le, "is above the maximum of"),
    "exclusiveMinimum": (operator.gt, "must be above"),
    "exclusiveMaximum": (operator.lt, "must be below"),
}
_SIZES: Final[dict[type, tuple[str, str, str]]] = {
    str: ("minLength", "maxLength", "characters"),
    list: ("minItems", "maxItems", "items"),
    dict: ("minProperties", "maxProperties", "members"),
}


def broken_bound(value: Any, schema: dict[str, Any]) -> str | None:
    """Return what bound of a schema a value breaks, None if it keeps all.

    Examples
    --------
    >>> broken_bound(0, {"minimum": 1}), broken_bound("abc", {"maxLength": 2})
    ('0 is below the minimum of 1', '3 characters are more than 2')
    """
    if _is_number(value):
        return _number(value, schema)
    found = _size(value, schema) if type(value) in _SIZES else None
    if found is None and is_array(value) and schema.get("uniqueItems") is True:
        return _repeated(value)
    return found


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: float, schema: dict[str, Any]) -> str | None:
    for keyword, (keeps, words) in _NUMBERS.items():
        bound = schema.get(keyword)
        if _is_number(bound) and not keeps(value, bound):
            return f"{value} {words} {bound}"
    step = schema.get("multipleOf")
    if isinstance(step, int) and not isinstance(step, bool) and step and not _divides(step, value):
        return f"{value} is no multiple of {step}"
    return None


def _divides(step: int, value: float) -> bool:
    try:
        return not value % step
    except OverflowError:  # an integer beyond all floats divides none of them but 0
        return not value


def _size(value: Any, schema: dict[str, Any]) -> str | None:
    least, most, unit = _SIZES[type(value)]
    size, low, high = len(value), schema.get(least), schema.get(most)
    if _is_number(low) and size < low:
        return f"{size} {unit} are fewer than {low}"
    return f"{size} {unit} are more than {high}" if _is_number(high) and size > high else None


def _repeated(value: list[Any]) -> str | None:
    seen = {canonical(item) for item in value}
    return None if len(seen) == len(value) else "items are not all different"
