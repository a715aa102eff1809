"""Data frames as rows, and rows as the columns they came from.

Most columns pass through Arrow. Columns for which Arrow has no type, or one with a different
meaning, are read as Python values: pandas objects and periods, and 128-bit integers.
"""

from __future__ import annotations

from datetime import time
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.errors import DataError, extra
from mckp.jsontext import is_array, is_object, path_text
from mckp.parsers.durations import duration_count, duration_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_PLAIN_EXTENSIONS: Final = ("arrow.bool8", "arrow.json", "arrow.uuid")
"""Extension types whose Python values have the right meaning."""

_SPAN: Final = ("months", "days", "nanoseconds")
"""The parts of an interval."""


class Column(NamedTuple):
    """A column of a frame: as an Arrow array, or as Python values where Arrow has no type."""

    name: str
    array: Any
    values: list[Any] | None = None
    is_index: bool = False

    @property
    def type(self) -> Any:
        """The Arrow type for reading the column back; None if its values are plain JSON values."""
        return None if self.array is None else self.array.type

    def cells(self) -> list[Any]:
        """Return the values, not all of them JSON values yet."""
        if self.values is not None:
            return self.values
        kind, array = self.type, self.array
        if _has_nanoseconds(array):
            array = array.cast("string")
        elif arrow_module("pyarrow").types.is_duration(kind):
            counts = array.cast("int64").to_pylist()
            return [None if count is None else duration_text(count, kind.unit) for count in counts]
        values: list[Any] = array.to_pylist()
        if (change := _conversion_of(kind)) is not None:
            values = list(map(change, values))
        return values


def is_frame(data: Any) -> bool:
    """Whether something is a Series or an index, or supports a data frame protocol.

    Before pandas 3, a pandas Series supports none.
    """
    is_spoken = hasattr(data, "__arrow_c_stream__") or hasattr(data, "__dataframe__")
    return is_spoken or is_index(data) or is_series(data)


def is_index(data: Any) -> bool:
    """Whether something is a pandas index, of one level or several."""
    return type(data).__name__.endswith("Index") and library_of(data) == "pandas"


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a frame as Python data, not all of it JSON data yet."""
    columns = columns_of(frame)
    names = [column.name for column in columns]
    cells = [column.cells() for column in columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]


def columns_of(frame: Any) -> list[Column]:
    """Return the columns of a frame, after a pandas index other than 0, 1, 2, ...

    A `DataError` names a column that cannot be written correctly, and says what to do.
    """
    library, frame = library_of(frame), as_frame(frame)
    columns_of_library = (
        _pandas_columns
        if library == "pandas"
        else _polars_columns
        if library == "polars"
        else _arrow_columns
    )
    columns = list(columns_of_library(frame))
    names = [column.name for column in columns]
    if len(set(names)) < len(names):
        raise ValueError(f"a column name occurs twice among {names}")
    for column in columns:
        _check_types(column)
    return columns


def is_series(data: Any) -> bool:
    """Whether something is a pandas or polars Series."""
    return library_of(data) in ("pandas", "polars") and type(data).__name__ == "Series"


def as_frame(data: Any) -> Any:
    """Return a Series or an index as a frame, and a frame as it is.

    A column without a name is called ``value``; an index of several levels gives several columns.
    """
    if is_index(data):
        if data.nlevels == 1:
            return data.to_frame(index=False, name="value" if data.name is None else data.name)
        names = [f"level_{n}" if name is None else name for n, name in enumerate(data.names)]
        return data.to_frame(index=False, name=names)
    if not is_series(data):
        return data
    return data.to_frame("value" if data.name in (None, "") else data.name)


def library_of(frame: Any) -> str:
    """Return the name of the library that a frame comes from."""
    return type(frame).__module__.partition(".")[0]


def _arrow_columns(frame: Any) -> Iterator[Column]:
    if hasattr(frame, "__arrow_c_stream__"):
        table = arrow_module("pyarrow").table(frame)
    else:
        table = arrow_module("pyarrow.interchange").from_dataframe(frame)
    for name, array in zip(table.column_names, table.columns, strict=True):
        yield Column(name, array)


def _pandas_columns(frame: Any) -> Iterator[Column]:
    index, levels = frame.index, frame.index.nlevels
    if type(index).__name__ != "RangeIndex" or (index.start, index.step) != (0, 1):
        for number in range(levels):
            level = index.get_level_values(number)
            name = "index" if levels == 1 else f"level_{number}"
            name = name if level.name is None else str(level.name)
            yield _column(name, level.to_series(), is_index=True)
    for number, name in enumerate(frame.columns):
        yield _column(str(name), frame.iloc[:, number], is_index=False)


def _column(name: str, series: Any, *, is_index: bool) -> Column:
    arrow = arrow_module("pyarrow")
    if str(series.dtype).startswith("period["):
        return Column(name, None, _with_none(series, str), is_index)
    if series.dtype == object:
        values = _with_none(series)
        return Column(name, _infer_array(values), values, is_index)
    try:
        return Column(name, arrow.array(series, from_pandas=True), None, is_index)
    except (arrow.ArrowException, TypeError, ValueError, OverflowError) as error:
        message = (
            f"{series.dtype} has no counterpart in JSON; cast the column, as by "
            f"astype(str) ({error})"
        )
        raise DataError(message, path=_path(name)) from None


def _with_none(series: Any, change: Callable[[Any], Any] = lambda value: value) -> list[Any]:
    """Return the changed values of a pandas Series, with None for missing ones."""
    missing = series.isna().tolist()
    pairs = zip(series.tolist(), missing, strict=True)
    return [None if gone else change(value) for value, gone in pairs]


def _infer_array(values: Sequence[Any]) -> Any:
    """Return an Arrow array of values of one type, or None if Arrow does not keep all of them."""
    arrow = arrow_module("pyarrow")
    try:
        inferred = arrow.array(values)
    except (arrow.ArrowException, TypeError, ValueError, OverflowError):
        return None
    same = not arrow.types.is_nested(inferred.type) or inferred.to_pylist() == values
    return inferred if same else None


def _polars_columns(frame: Any) -> Iterator[Column]:
    for name, kind in frame.schema.items():
        if str(kind) in ("Int128", "UInt128", "Object"):
            yield Column(name, None, frame[name].to_list())
        else:
            yield from _arrow_columns(frame.select(name))


def _check_types(column: Column) -> None:
    arrow = arrow_module("pyarrow")
    for kind in _kinds(column.type) if column.values is None else ():
        name = (
            kind.extension_name
            if isinstance(kind, arrow.BaseExtensionType)
            else _PLAIN_EXTENSIONS[0]
        )
        if name not in _PLAIN_EXTENSIONS:
            message = f"values of the type {name} have no counterpart; cast the column to text"
            raise DataError(message, path=_path(column.name))


def _kinds(kind: Any) -> Iterator[Any]:
    """Yield an Arrow type and all types within it."""
    yield kind
    for number in range(kind.num_fields):
        yield from _kinds(kind.field(number).type)


def _path(name: str) -> str:
    return path_text((slice(None), name))


def _has_nanoseconds(array: Any) -> bool:
    """Whether an array has times of day with nanoseconds, which Python cannot represent."""
    arrow = arrow_module("pyarrow")
    if array.type != arrow.time64("ns"):
        return False
    try:
        array.cast(arrow.time64("us"))
    except arrow.ArrowInvalid:
        return True
    return False


def _conversion_of(kind: Any) -> Callable[[Any], Any] | None:
    """Return a function that turns values of a type into plain data, or None if none is needed.

    A decimal without digits after the point becomes an integer, as DuckDB's sums are decimals. The
    parts of an interval get names. A float of 32 bits or less keeps its own digits: .1, not those
    of the nearest double.
    """
    types = arrow_module("pyarrow").types
    if types.is_float32(kind) or types.is_float16(kind):
        import numpy as np  # pyarrow was imported, so this costs nothing

        own_type = np.float32 if types.is_float32(kind) else np.float16
        return lambda value: None if value is None else float(str(own_type(value)))
    if types.is_decimal(kind) and kind.scale <= 0:
        return lambda value: None if value is None else int(value)
    if types.is_interval(kind):
        return lambda value: None if value is None else dict(zip(_SPAN, value, strict=True))
    if types.is_struct(kind):
        inner = {field.name: _conversion_of(field.type) for field in kind}
        if any(inner.values()):
            return lambda value: _convert_struct(value, inner)
    elif types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        change_item = _conversion_of(kind.value_type)
        if change_item is not None:
            return lambda value: None if value is None else list(map(change_item, value))
    return None


def _convert_struct(value: Any, changes: dict[str, Callable[[Any], Any] | None]) -> Any:
    if value is None:
        return None
    return {
        name: item if (change := changes[name]) is None else change(item)
        for name, item in value.items()
    }


def array_of(values: Sequence[Any], kind: Any) -> Any:
    """Return values that were read back as an Arrow array of their original type.

    Dates and decimals are text in JSON. A value that does not fit the type raises an
    `ArrowException`.
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
    if types.is_interval(kind):
        made = [
            None if value is None else arrow.MonthDayNano([value[part] for part in _SPAN])
            for value in values
        ]
        return arrow.array(made, type=kind)
    if types.is_duration(kind):
        counts = [None if value is None else duration_count(value, kind.unit) for value in values]
        return arrow.array(counts, type=arrow.int64()).cast(kind)
    if types.is_temporal(kind) or types.is_decimal(kind):
        texts = [None if value is None else str(value) for value in values]
        return arrow.array(texts, type=arrow.string()).cast(kind)
    return arrow.array(values, type=kind)


def fits(value: Any, kind: Any) -> bool:
    """Whether a value that was read has exactly the members and items of a type."""
    types = arrow_module("pyarrow").types
    if value is None:
        return True
    if types.is_struct(kind):
        names = [field.name for field in kind]
        return (
            is_object(value)
            and sorted(value) == sorted(names)
            and all(fits(value[field.name], field.type) for field in kind)
        )
    if types.is_list(kind):
        return is_array(value) and all(fits(item, kind.value_type) for item in value)
    return True


def _structs(values: Sequence[Any], kind: Any) -> Any:
    # Not with a cast: a null would leave empty texts in its members, which are not dates.
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
    """Import a pyarrow module, or raise an error that names the extra to install."""
    return extra(name, "pyarrow", "frames")
