"""Records as JSON has them: with a version, and room for what newer versions add."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mckp.errors import RecordError
from mckp.jsontext import is_array

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

R = TypeVar("R")


def to_record(record: Any) -> dict[str, Any]:
    """Return a record as JSON has it: fields that are known, then those of newer versions."""
    found = {
        each.name: _plain(getattr(record, each.name))
        for each in fields(record)
        if each.name != "extra" and getattr(record, each.name) is not None
    }
    return {**record.extra, **found}


def of_record(kind: Callable[..., R], data: Mapping[str, Any], newest: int) -> R:
    """Read a record of a kind that has a version and what newer versions add."""
    version = data.get("version", 1)
    if not isinstance(version, int) or version > newest:
        raise RecordError("version", f"{version!r} is newer than {newest}, the newest known here")
    described: Any = kind  # a dataclass
    known = {each.name: each for each in fields(described) if each.name != "extra"}
    given: dict[str, Any] = {name: data[name] for name in known if data.get(name) is not None}
    for name, each in known.items():
        if name in given:
            given[name] = _read(name, given[name], str(each.type))
        elif each.default is MISSING and each.default_factory is MISSING:
            raise RecordError(name, "is missing")
    extra = {name: value for name, value in data.items() if name not in known}
    return kind(**given, extra=extra)


def _read(name: str, value: Any, wanted: str) -> Any:
    """Return a value of JSON as the type of its field has it."""
    right = _TYPES[wanted.removesuffix(" | None")]
    if right is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if right is tuple and is_array(value) and all(isinstance(each, str) for each in value):
        return tuple(value)
    if isinstance(value, right) and (right is bool or not isinstance(value, bool)):
        return value
    raise RecordError(name, f"{str(value)[:40]!r} is no {wanted}")


_TYPES: Final[dict[str, type]] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "tuple[str, ...]": tuple,
    "dict[str, float]": dict,
    "dict[str, int]": dict,
}


def _plain(value: Any) -> Any:
    return [*value] if isinstance(value, tuple) else value
