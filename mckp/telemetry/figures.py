"""Figures by name that are added up in any number of steps, on any number of machines."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Figures: TypeAlias = dict[str, Any]
"""Numbers by name, or by names below names."""

_OTHERWISE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "first_seen_ms": min,
    "last_seen_ms": max,
}


def add(total: Figures, more: Mapping[str, Any]) -> None:
    """Add figures to others.

    Numbers are added up, but of ``first_seen_ms`` the smallest is taken, and of ``last_seen_ms``
    the largest.

    Examples
    --------
    >>> total = {"a": 1, "b": {"c": 2}, "first_seen_ms": 5}
    >>> add(total, {"b": {"c": 3, "d": 4}, "first_seen_ms": 7})
    >>> total
    {'a': 1, 'b': {'c': 5, 'd': 4}, 'first_seen_ms': 5}
    """
    for name, value in more.items():
        if is_object(value):
            add(total.setdefault(name, {}), value)
        elif name in total:
            total[name] = _OTHERWISE.get(name, operator.add)(total[name], value)
        else:
            total[name] = value
