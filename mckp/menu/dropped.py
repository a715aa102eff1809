"""Data without what is to be dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_object, left_of

if TYPE_CHECKING:
    from collections.abc import Sequence

GONE: Final = object()
"""What is left of a value of which everything is dropped or cut."""


def without(value: Any, dropped: Sequence[int]) -> Any:
    """Return a plain value without some of its leaves, or `GONE`.

    `dropped` counts the dropped ones up to each leaf, 0 first. A container of which nothing is left
    goes as well.

    Examples
    --------
    >>> without({"id": 7, "user": {"url": "x"}, "tags": ["a", "b"]}, [0, 0, 1, 1, 2])
    {'id': 7, 'tags': ['a']}
    """
    number = -1

    def left(item: Any) -> Any:
        nonlocal number
        if is_object(item) and item:
            members = {key: left(below) for key, below in item.items()}
            gone = [key for key, below in members.items() if below is GONE]
            kept = {key: below for key, below in members.items() if below is not GONE}
            return left_of(item, kept, gone) or GONE
        if is_array(item) and item:
            return [below for below in map(left, item) if below is not GONE] or GONE
        number += 1
        return GONE if dropped[number + 1] > dropped[number] else item

    return left(value)


def is_shifted(value: Any, left: Any) -> bool:
    """Whether an array in a plain value has lost items, as far as it is left.

    Examples
    --------
    >>> is_shifted({"a": [1, 2], "b": 3}, {"a": [1, 2]}), is_shifted([[1, 2]], [[2]])
    (False, True)
    """
    if is_object(value):
        return any(is_shifted(value[key], below) for key, below in left.items())
    if is_array(value):
        return len(value) > len(left) or any(map(is_shifted, value, left))
    return False
