"""Data frames as rows, by way of Arrow, and rows as the Arrow table they came from."""

from __future__ import annotations

from datetime import time
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import extra
from mckp.jsontext import is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNNAMED: Final = regex(r"__index_level_(\d+)__")


def is_frame(data: Any) -> bool:
    """Whether something speaks one of the two protocols of data frames."""
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__dataframe__")


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a frame as Python data, not yet as JSON can hold it."""
    table = table_of(frame)
    for place, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if _is_finer(column):
            table = table.set_column(place, name, column.cast("string"))
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def _is_finer(column: Any) -> bool:
    """Whether there are times of day between the microseconds, which Python's own cannot say."""
    arrow = arrow_module("pyarrow")
    if column.type != arrow.time64("ns"):
        return False
    try:
        column.cast(arrow.time64("us"))
    except arrow.ArrowInvalid:
        return True
    return False


def table_of(frame: Any) -> Any:
    """Return a frame as an Arrow table; an index of pandas other than 0, 1, 2, ... comes first."""
    arrow = arrow_module("pyarrow")
    if hasattr(frame, "__arrow_c_stream__"):
        table = arrow.table(frame)
        if _counts_otherwise(table):
            table = arrow.Table.from_pandas(frame, preserve_index=True)
    else:
        table = arrow_module("pyarrow.interchange").from_dataframe(frame)
    index = [name for name in _index_columns(table) if isinstance(name, str)]
    names = [*index, *(name for name in table.column_names if name not in index)]
    if len(set(names)) < len(names) or len(names) < table.num_columns:
        raise ValueError(f"a column name stands twice among {table.column_names}")
    return table.select(names).rename_columns([_named(name, len(index)) for name in names])


def _index_columns(table: Any) -> list[Any]:
    """Return the columns of an Arrow table that are the index of a pandas frame, and ranges."""
    known: dict[str, Any] = table.schema.pandas_metadata or {}
    return list(known.get("index_columns", ()))


def _counts_otherwise(table: Any) -> bool:
    """Whether an index that Arrow leaves out, for it just counts, says more than that."""
    ranges = [each for each in _index_columns(table) if is_object(each)]
    return any((each["start"], each["step"]) != (0, 1) for each in ranges)


def _named(name: str, levels: int) -> str:
    """Return what an index without a name is called, as pandas calls it when it is reset."""
    found = _UNNAMED.fullmatch(name)
    if found is None:
        return name
    return "index" if levels == 1 else f"level_{found[1]}"


def array_of(values: Sequence[Any], kind: Any) -> Any:
    """Return values as they are read back, as an Arrow array of the type they had.

    Dates and decimals are text in JSON. There is an `ArrowException` for a value of no such type.
    """
    arrow = arrow_module("pyarrow")
    types = arrow.types
    if types.is_struct(kind):
        return _structs(values, kind)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _lists(values, kind)
    if kind == arrow.time64("ns"):
        stamps = [None if value is None else f"1970-01-01T{value}" for value in values]
        return arrow.array(stamps, type=arrow.string()).cast(arrow.timestamp("ns")).cast(kind)
    if types.is_time(kind):
        times = [None if value is None else time.fromisoformat(value) for value in values]
        return arrow.array(times, type=kind)
    if types.is_dictionary(kind):
        return array_of(values, kind.value_type).dictionary_encode().cast(kind)
    if types.is_temporal(kind) or types.is_decimal(kind):
        return arrow.array(values, type=arrow.string()).cast(kind)
    return arrow.array(values, type=kind)


def _structs(values: Sequence[Any], kind: Any) -> Any:
    # Not by a cast: a null would leave empty texts in its members, which are no dates.
    arrow, fields = arrow_module("pyarrow"), list(kind)
    members = [
        array_of([None if value is None else value.get(field.name) for value in values], field.type)
        for field in fields
    ]
    missing = arrow.array([value is None for value in values], type=arrow.bool_())
    return arrow.StructArray.from_arrays(members, fields=fields, mask=missing)


def _lists(values: Sequence[Any], kind: Any) -> Any:
    arrow = arrow_module("pyarrow")
    lengths = [0 if value is None else len(value) for value in values]
    items = array_of(
        [item for value in values if value is not None for item in value], kind.value_type
    )
    missing = arrow.array([value is None for value in values], type=arrow.bool_())
    ends = arrow.array(accumulate(lengths, initial=0), type=arrow.int64())
    return arrow.LargeListArray.from_arrays(ends, items, mask=missing).cast(kind)


def arrow_module(name: str) -> Any:
    """Import a module of pyarrow, or say which extra brings it."""
    return extra(name, "pyarrow", "frames")
