"""Whether the fields of a dataclass hold what they are declared to hold."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import is_dataclass
from functools import cache
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Final, cast, get_args, get_origin, get_type_hints

from mckp.config.checks import below, shown

_WORDS: Final[dict[Any, str]] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a str",
    NoneType: "None",
}
_NUMBERS: Final[dict[Any, type]] = {int: Integral, float: Real}


def check_fields(record: Any, name: str = "") -> None:
    """Raise where a field holds something else than its annotation says.

    Examples
    --------
    >>> from mckp.session.savings import Savings
    >>> check_fields(Savings("o200k", exact=True))
    >>> check_fields(Savings("o200k", exact=True, hits="3"))
    Traceback (most recent call last):
        ...
    TypeError: hits='3' is not allowed; expected a whole number
    """
    for field, kind in _kinds(cast("Hashable", type(record))).items():
        _check(getattr(record, field), kind, below(name, field))


@cache
def _kinds(record: Hashable) -> dict[str, Any]:
    return get_type_hints(cast("type", record), localns={"Mapping": Mapping})


def _check(value: Any, kind: Any, name: str) -> None:
    if isinstance(value, Mapping) and (values := _values(kind)) is not None:
        for key, each in _items(value):
            _check(key, str, f"a name in {name}")
            _check(each, values, below(name, key))
    elif not _is_of(value, kind):
        raise TypeError(f"{name}={shown(value)} is not allowed; expected {_said(kind)}")
    elif is_dataclass(kind):
        check_fields(value, name)


def _items(value: Any) -> list[tuple[Any, Any]]:
    return list(value.items())


def _values(kind: Any) -> Any:
    """Return what the values of a mapping are; None for other types."""
    return get_args(kind)[1] if get_origin(kind) in (Mapping, dict) else None


def _is_of(value: Any, kind: Any) -> bool:
    if kind is Any:
        return True
    if isinstance(kind, UnionType):
        return any(_is_of(value, each) for each in get_args(kind))
    if get_origin(kind) is tuple:
        each = get_args(kind)[0]
        several = isinstance(value, tuple | list)
        return several and all(_is_of(item, each) for item in cast("tuple[Any, ...]", value))
    if kind in _NUMBERS:
        return isinstance(value, _NUMBERS[kind]) and not isinstance(value, bool)
    return get_origin(kind) is None and isinstance(value, kind)


def _said(kind: Any) -> str:
    if isinstance(kind, UnionType):
        return " or ".join(map(_said, get_args(kind)))
    if get_origin(kind) is tuple:
        return f"a tuple, each of it {_said(get_args(kind)[0])}"
    if _values(kind) is not None:
        return "a mapping from names"
    return _WORDS.get(kind) or f"a {kind.__name__}"
