"""Python data to the tree: what JSON can hold is taken as it is, the rest is refused."""

from __future__ import annotations

import dataclasses
import math
from datetime import date, datetime, time
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from mckp.errors import DataError, MissingExtraError
from mckp.jsontext import MAX_DEPTH, is_object, path_text
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from collections.abc import Sequence

_Path = tuple[str | int, ...]


def from_python(data: Any) -> TreeNode:
    """Build the tree of Python data.

    Parameters
    ----------
    data
        Dictionaries with string keys, lists, tuples, strings, numbers, booleans, None;
        dataclass instances and pydantic models (as objects); enum members (their
        value); dates, times and UUIDs (their ISO text); numpy scalars; data frames and
        Arrow tables that speak the Arrow stream or the dataframe interchange protocol
        (as an array of records; needs the extra ``frames``).

    Returns
    -------
    TreeNode
        A tree of its own: later changes of `data` do not reach it.

    Raises
    ------
    DataError
        With the path, for anything else: NaN, keys that are not strings, sets, bytes,
        lone surrogates, nesting beyond 200 levels or a container inside itself.

    Examples
    --------
    >>> from_python({"a": (1, 2)}).value
    {'a': [1, 2]}
    """
    return TreeNode.of(_plain(data, ()))


def _plain(data: Any, path: _Path) -> Any:
    if type(data) is str:
        return _text(data, path)
    if data is None or type(data) is bool or type(data) is int:
        return data
    if type(data) is float:
        return _finite(data, path)
    if len(path) >= MAX_DEPTH:
        raise DataError(f"nested deeper than {MAX_DEPTH} levels (or inside itself)", path="$…")
    if is_object(data):
        return {_key(k, path): _plain(v, (*path, k)) for k, v in data.items()}
    if isinstance(data, list | tuple):
        items = cast("Sequence[Any]", data)
        return [_plain(item, (*path, i)) for i, item in enumerate(items)]
    return _plain(_converted(data, path), path)


def _text(data: str, path: _Path) -> str:
    try:
        data.encode()
    except UnicodeEncodeError:
        raise DataError("a string with a lone surrogate", path=path_text(path)) from None
    return data


def _finite(data: float, path: _Path) -> float:
    if not math.isfinite(data):
        raise DataError(f"{data} is not JSON; use None or a string", path=path_text(path))
    return data


def _key(key: Any, path: _Path) -> str:
    if not isinstance(key, str):
        raise DataError(f"the key {key!r} is not a string", path=path_text(path))
    return _text(str(key), path)


def _converted(data: Any, path: _Path) -> Any:
    """Turn one value that is not plain into one that is, or nearer to it."""
    if isinstance(data, Enum):
        return data.value
    if isinstance(data, datetime | date | time):
        return data.isoformat()
    if isinstance(data, UUID):
        return str(data)
    if dataclasses.is_dataclass(data) and not isinstance(data, type):
        return {field.name: getattr(data, field.name) for field in dataclasses.fields(data)}
    if hasattr(data, "model_dump") and not isinstance(data, type):
        return data.model_dump(mode="json")
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__dataframe__"):
        return _records(data)
    return _subtype(data, path)


def _subtype(data: Any, path: _Path) -> Any:
    for plain in (bool, str, int, float):
        if isinstance(data, plain):
            return plain(data)
    if type(data).__module__ == "numpy" and hasattr(data, "tolist"):
        return data.tolist()
    raise DataError(
        f"{type(data).__name__} is not JSON data; convert it first", path=path_text(path)
    )


def _records(frame: Any) -> list[dict[str, Any]]:
    try:
        arrow: Any = import_module("pyarrow")
        interchange: Any = import_module("pyarrow.interchange")
    except ImportError as error:
        raise MissingExtraError("pyarrow", "frames") from error
    stream = hasattr(frame, "__arrow_c_stream__")
    table = arrow.table(frame) if stream else interchange.from_dataframe(frame)
    records: list[dict[str, Any]] = table.to_pylist()
    return records
