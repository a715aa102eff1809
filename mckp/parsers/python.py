"""Python data to the tree: values with a JSON counterpart are converted, others refused."""

from __future__ import annotations

import dataclasses
import marshal
import math
import sys
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, cast

import orjson

from mckp.errors import DataError, MckpError
from mckp.jsontext import MAX_DEPTH, JsonValue, depth_of, is_object, path_text
from mckp.parsers.durations import duration_text
from mckp.parsers.frames import data_of, is_frame
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.paths import Path


def from_python(data: object) -> TreeNode:
    """Build a tree from a copy of Python data; later changes to the data do not affect the tree.

    Data are dictionaries and other mappings with string keys, lists, tuples, strings, numbers,
    booleans, None; instances of dataclasses, attrs, msgspec, pydantic, named tuples and rows of
    sqlite3 and SQLAlchemy (as objects); enum members (their value); dates, times
    and UUIDs (their ISO text); durations (``1 day 02:00:00``); decimals (their digits, as text);
    pandas periods and intervals (as text); numpy scalars and arrays of booleans, real numbers,
    text, dates or Python objects; data frames and Arrow tables that speak the Arrow stream or the
    dataframe interchange protocol (as an array of records, or
    their columns if there are no rows; needs the extra ``frames``).

    Everything else raises a `DataError` with the path, such as NaN, keys that are not strings,
    sets, bytes, lone surrogates, nesting beyond 200 levels, and a container inside itself.
    """
    data = _convert(data, ()) if is_frame(data) else data
    try:
        return TreeNode.of(_fast_copy(data))
    except (TypeError, ValueError, RecursionError):  # _checked_copy finds the reason
        return TreeNode.of(_checked_copy(data, ()))


def _fast_copy(data: Any) -> JsonValue:
    """Return a copy of data that are plain already, checked by fast libraries as a whole.

    Data that are not plain, or that the check cannot judge, raise a `TypeError`, a `ValueError` or
    a `RecursionError`.
    """
    # Marshalling accepts only exact built-in types, no subclasses or enum members. If they are
    # not JSON, orjson refuses them or, as with NaN and tuples, gives back unequal data.
    marshal.dumps(data)
    text = orjson.dumps(data)
    value: JsonValue = orjson.loads(text)
    is_too_deep = text.count(b"[") + text.count(b"{") > MAX_DEPTH and depth_of(value) > MAX_DEPTH
    if is_too_deep or value != data:
        raise ValueError("not plain data")
    return value


def _checked_copy(data: Any, path: Path) -> JsonValue:
    """Return a plain copy of data at a path, made value by value.

    A value without a counterpart raises a `DataError`.
    """
    if type(data) is str:
        return _checked_text(data, path)
    if data is None or type(data) is bool:
        return data
    if type(data) is int:
        limit = sys.get_int_max_str_digits()
        if limit and data.bit_length() > limit * 3 and abs(data) >= 10**limit:
            raise DataError(
                f"an integer has more than {limit} digits; use a string", path=path_text(path)
            )
        return data
    if type(data) is float:
        if not math.isfinite(data):
            raise DataError(f"{data} is not JSON; use None or a string", path=path_text(path))
        return data
    if len(path) >= MAX_DEPTH:
        place = path_text(path[:4]) + "…"
        message = f"the data contains itself, or is nested deeper than {MAX_DEPTH} levels,"
        raise DataError(message, path=place)
    if is_object(data) and not dataclasses.is_dataclass(data):
        members = {
            _checked_key(key, path): _checked_copy(member, (*path, key))
            for key, member in data.items()
        }
        if len(members) < len(data):
            message = "two keys become the same text, such as 1 and '1'"
            raise DataError(message, path=path_text(path))
        return members
    if (
        isinstance(data, tuple)
        and (names := getattr(cast("Any", data), "_fields", None)) is not None
    ):
        return _checked_copy(dict(zip(names, cast("Any", data), strict=True)), path)
    if isinstance(data, list | tuple):
        items = cast("Sequence[Any]", data)
        return [_checked_copy(item, (*path, index)) for index, item in enumerate(items)]
    return _checked_copy(_convert(data, path), path)


def _checked_text(data: str, path: Path) -> str:
    """Return a string unchanged; a lone surrogate in it raises a `DataError`."""
    try:
        data.encode()
    except UnicodeEncodeError:
        raise DataError("a string has a lone surrogate", path=path_text(path)) from None
    return data


def _checked_key(key: object, path: Path) -> str:
    """Return a key as a plain string; one that is no string, or no text, raises a `DataError`."""
    if not isinstance(key, str):
        raise DataError(f"the key {key!r} is not a string; convert it first", path=path_text(path))
    return _checked_text(str.__str__(key), path)


def _convert(data: object, path: Path) -> object:
    """Return a counterpart of a value that is plain, or at least closer to plain data.

    A value without a counterpart, or one whose conversion fails, raises a `DataError`.
    """
    try:
        counterpart = _counterpart(data)
    except MckpError:
        raise
    except Exception as error:
        name = type(data).__name__
        message = f"{name} could not be converted ({type(error).__name__}: {error})"
        raise DataError(message, path=path_text(path)) from error
    if counterpart is _NO_COUNTERPART or type(counterpart) is type(data):
        advice = _conversion_advice(data)
        message = f"a value of type {type(data).__name__} is not JSON data; {advice} first"
        raise DataError(message, path=path_text(path))
    return counterpart


_NO_COUNTERPART: Final = object()


def _counterpart(data: Any) -> object:
    """Return the counterpart of a value that is not plain; `_NO_COUNTERPART` if it has none."""
    from decimal import Decimal  # few data have these
    from uuid import UUID

    if isinstance(data, Enum):
        return data.value
    if isinstance(data, datetime | date | time):
        return data.isoformat() if data == data else _NO_COUNTERPART
    if isinstance(data, timedelta):
        return _duration_counterpart(data)
    if isinstance(data, UUID):
        return str(data)
    if isinstance(data, Decimal):
        return str(data) if data.is_finite() else _NO_COUNTERPART
    if isinstance(data, type):
        return _NO_COUNTERPART
    if dataclasses.is_dataclass(data):
        return {field.name: getattr(data, field.name) for field in dataclasses.fields(data)}
    model: type = data.__class__
    if hasattr(model, "model_dump"):
        return _model_members(data)
    if is_frame(data):
        return data_of(data)
    if model.__name__ in ("Period", "Interval") and model.__module__.partition(".")[0] == "pandas":
        return str(data)
    if isinstance(data, str):
        return str.__str__(data)
    if isinstance(data, int):
        return int.__index__(data)
    if isinstance(data, float):
        return float.__float__(data)
    if type(data).__module__ == "numpy" and getattr(data, "dtype", None) is not None:
        if data.dtype.kind == "f" and data.dtype.itemsize < 8:
            return data.astype(str).astype(float).tolist()  # .1, not the digits of a double
        if data.dtype.kind == "M" and (data == data).all():  # none is missing
            return data.astype(str).tolist()
        if data.dtype.names and data.ndim == 1:
            return [dict(zip(data.dtype.names, row, strict=True)) for row in data.tolist()]
        return data.tolist() if data.dtype.kind in "biufUOT" else _NO_COUNTERPART
    return _record_members(data)


def _model_members(data: Any) -> object:
    """Return the members of a pydantic model.

    A row of a database that was committed has none until it is read again; this is an error, as
    the text would be empty.
    """
    model: Any = data.__class__
    members = data.model_dump(mode="json")
    if members == {} and hasattr(data, "_sa_instance_state") and model.model_fields:
        raise ValueError("the row has expired; refresh it first, as by session.refresh()")
    return members


def _record_members(data: Any) -> object:
    """Return the members of a mapping or a record by name; `_NO_COUNTERPART` for other objects.

    Rows of databases are records: those of sqlite3 have ``keys``, those of SQLAlchemy ``_mapping``.
    """
    kind: Any = data.__class__
    for mapping in (data, getattr(data, "_mapping", None)):
        if isinstance(mapping, Mapping):
            return dict(cast("Any", mapping))
    if (attributes := getattr(kind, "__attrs_attrs__", None)) is not None:
        return {attribute.name: getattr(data, attribute.name) for attribute in attributes}
    if (names := getattr(kind, "__struct_fields__", None)) is not None:  # of msgspec
        return {name: getattr(data, name) for name in names}
    if callable(getattr(data, "keys", None)) and hasattr(kind, "__getitem__"):
        return {key: data[key] for key in data.keys()}  # noqa: SIM118  # rows iterate over values
    return _NO_COUNTERPART


def _duration_counterpart(data: timedelta) -> object:
    """Return a duration as text, those of pandas with nanoseconds; `_NO_COUNTERPART` for NaT."""
    if data != data:
        return _NO_COUNTERPART
    count = data // timedelta(microseconds=1) * 1000 + getattr(data, "nanoseconds", 0)
    return duration_text(count, "ns")


_ADVICE: Final = {"collect": "collect it", "read": "read it", "__next__": "make it a list"}
"""What to do with objects that have a method of these names."""


def _conversion_advice(data: object) -> str:
    """Return what the caller can do about a value without a counterpart, for a message."""
    return next((advice for name, advice in _ADVICE.items() if hasattr(data, name)), "convert it")
