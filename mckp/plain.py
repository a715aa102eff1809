"""The type of plain values, and tests of their kind.

This module imports next to nothing, so it loads fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, TypeGuard

JsonValue: TypeAlias = dict[str, "JsonValue"] | list["JsonValue"] | str | int | float | bool | None
"""A plain value: what JSON text is parsed to."""


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a plain value is an object."""
    return isinstance(value, dict)


def is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is a mapping, of any class."""
    return isinstance(value, Mapping)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Whether a plain value is an array."""
    return isinstance(value, list)


def is_container(value: object) -> TypeGuard[dict[str, Any] | list[Any]]:
    """Whether a plain value is an object or an array, empty ones included."""
    return isinstance(value, (dict, list))
