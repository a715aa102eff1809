"""Data frames as rows, and rows as the columns they came from.

Most columns pass through Arrow. Columns for which Arrow has no type, or one with a different
meaning, are read as Python values: pandas objects and periods, and 128-bit integers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from mckp.errors import DataError
from mckp.jsontext import path_text
from mckp.parsers.arrays import PLAIN_EXTENSIONS, arrow_module, types_in, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_TEXT_TYPES: Final = ("period[", "interval[", "interval", "geometry")
"""The beginnings of names of pandas types whose values are written as their text.

That of a geometry, a type of geopandas, is WKT.
"""


_LIBRARIES: Final = ("pandas", "polars", "pyarrow")
"""Libraries whose frames are read each in its own way."""


class FrameColumn(NamedTuple):
    """A column of a frame: as an Arrow array, or as Python values where Arrow has no type."""

    name: str
    array: Any
    """The Arrow array, or None if there is none."""
    values: list[object] | None = None
    """The Python values, which are used in place of the array if they are not None."""
    is_index: bool = False
    """Whether the column is a level of a pandas index."""

    @property
    def type(self) -> Any:
        """The Arrow type for reading the column back; None if there is no Arrow array."""
        return None if self.array is None else self.array.type

    def cells(self) -> list[object]:
        """Return the values as Python objects, such as dates, not all of them JSON values yet.

        A `DataError` names the column if Arrow cannot represent a value in Python.
        """
        if self.values is not None:
            return self.values
        try:
            return values_of(self.array)
        except (OverflowError, ValueError) as error:
            message = f"the column cannot be written ({error}); cast it to text"
            raise DataError(message, path=_column_path(self.name)) from error


def is_frame(data: object) -> bool:
    """Whether an object is a Series or an index, or supports a data frame protocol.

    Before pandas 3, a pandas Series supports none.
    """
    protocol_names = ("__arrow_c_stream__", "__arrow_c_array__", "__dataframe__")
    has_protocol = any(hasattr(data, name) for name in protocol_names)
    return has_protocol or is_index(data) or is_series(data)


def is_index(data: object) -> bool:
    """Whether an object is a pandas index, of one level or several."""
    return library_of(data) == "pandas" and _has_class(data, "Index")


def data_of(frame: Any) -> list[dict[str, object]] | dict[str, object]:
    """Return the rows of a frame as dictionaries; not all values are JSON values yet.

    A frame without rows becomes an object that names its columns, so that a reader sees what was
    asked for.
    """
    columns = columns_of(frame)
    names = [column.name for column in columns]
    cells = [column.cells() for column in columns]
    if names and not cells[0]:
        return {"columns": names, "rows": []}
    return [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]


def columns_of(frame: Any) -> list[FrameColumn]:
    """Return the columns of a frame; a pandas index other than 0, 1, 2, ... comes first.

    A `DataError` names a column that cannot be written correctly, and says what to do.
    """
    frame = as_frame(frame)
    library = library_of(frame)
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
        repeated_name = next(name for name in names if names.count(name) > 1)
        place = "an index and a column" if columns[0].is_index else "two columns"
        raise DataError(f"{place} have the same name, {repeated_name!r}; rename one", path="$")
    for column in columns:
        _check_types(column)
    return columns


def is_series(data: object) -> bool:
    """Whether an object is a pandas or polars Series."""
    return library_of(data) in ("pandas", "polars") and _has_class(data, "Series")


def _has_class(data: object, name: str) -> bool:
    """Whether an object is of a class of pandas or polars of this name, or of one derived from it.

    The module is compared as well, since classes of users may have any name.
    """
    return any(
        base.__name__ == name and _package_of(base) in ("pandas", "polars")
        for base in type(data).__mro__
    )


def as_frame(data: Any) -> Any:
    """Return a Series, an index or an Arrow array as a frame; a frame is returned unchanged.

    An object of narwhals is first replaced by that of the library behind it. A column without a
    name is called ``value``; an index of several levels gives several columns.
    """
    if library_of(data) == "narwhals":
        data = data.to_native()
    if library_of(data) == "pyarrow" and hasattr(data, "to_pylist") and hasattr(data, "type"):
        return arrow_module("pyarrow").table({"value": data})
    if is_index(data):
        if data.nlevels == 1:
            return data.to_frame(index=False, name="value" if data.name is None else data.name)
        names = [f"level_{n}" if name is None else name for n, name in enumerate(data.names)]
        return data.to_frame(index=False, name=names)
    if not is_series(data):
        return data
    return data.to_frame("value" if data.name in (None, "") else data.name)


def library_of(frame: object) -> str:
    """Return the name of the package that defines an object's class, such as ``pandas``.

    That is also said of classes that are derived from those of a library, such as a GeoDataFrame.
    """
    packages = [_package_of(base) for base in type(frame).__mro__]
    return next((package for package in packages if package in _LIBRARIES), packages[0])


def _package_of(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _arrow_columns(frame: Any) -> Iterator[FrameColumn]:
    """Yield the columns of a frame with an Arrow stream or the interchange protocol of frames."""
    _check_duckdb_types(frame)
    if hasattr(frame, "__arrow_c_stream__"):
        table = arrow_module("pyarrow").table(frame)
    else:
        table = arrow_module("pyarrow.interchange").from_dataframe(frame)
    for name, array in zip(table.column_names, table.columns, strict=True):
        yield FrameColumn(name, array)


def _check_duckdb_types(frame: Any) -> None:
    """Raise a `DataError` for a column of a DuckDB relation that Arrow receives wrong."""
    if library_of(frame) not in ("duckdb", "_duckdb"):
        return
    for name, kind in zip(frame.columns, frame.types, strict=True):
        if "UHUGEINT" in str(kind):
            message = "DuckDB gives its UHUGEINT values to Arrow as -1; cast the column to VARCHAR"
            raise DataError(message, path=_column_path(name))


def _pandas_columns(frame: Any) -> Iterator[FrameColumn]:
    """Yield the levels of a pandas index other than 0, 1, 2, ..., then the frame's columns."""
    index, level_count = frame.index, frame.index.nlevels
    if type(index).__name__ != "RangeIndex" or (index.start, index.step) != (0, 1):
        for number in range(level_count):
            level = index.get_level_values(number)
            name = (
                "index" if level_count == 1 and "index" not in frame.columns else f"level_{number}"
            )
            name = name if level.name is None else _column_name(level.name)
            yield _pandas_column(name, level.to_series(), is_index=True)
    names = list(map(_column_name, frame.columns))
    if len(set(names)) < len(names):
        names = list(map(str, frame.columns))
    for number, name in enumerate(names):
        yield _pandas_column(name, frame.iloc[:, number], is_index=False)


def _column_name(name: object) -> str:
    """Return a column's name as text; names of several levels are joined, as in ``price_mean``."""
    if isinstance(name, tuple):
        levels = cast("tuple[object, ...]", name)
        return "_".join(str(level) for level in levels if level != "")
    return str(name)


def _pandas_column(name: str, series: Any, *, is_index: bool) -> FrameColumn:
    """Return a pandas Series as a column: as an Arrow array if possible, else as Python values.

    A type without a counterpart in JSON raises a `DataError`.
    """
    arrow = arrow_module("pyarrow")
    kind = series.dtype
    if str(kind).startswith(_TEXT_TYPES):
        return FrameColumn(name, None, _values_with_none(series, str), is_index)
    if _has_special_categories(kind):
        return FrameColumn(name, None, _values_with_none(series), is_index)
    if str(kind) == "object":
        values = _values_with_none(series)
        return FrameColumn(name, _infer_array(values), values, is_index)
    if hasattr(kind, "fill_value"):  # sparse
        series = series.sparse.to_dense()
    try:
        return FrameColumn(name, _pandas_array(series), None, is_index)
    except (arrow.ArrowException, TypeError, ValueError, OverflowError) as error:
        message = (
            f"{series.dtype} has no counterpart in JSON; cast the column, as by "
            f"astype(str) ({error})"
        )
        raise DataError(message, path=_column_path(name)) from None


def _has_special_categories(kind: Any) -> bool:
    """Whether the categories of a pandas type are objects, or values that are written as text."""
    categories = getattr(kind, "categories", None)
    if categories is None:
        return False
    return str(categories.dtype).startswith(("object", *_TEXT_TYPES))


def _pandas_array(series: Any) -> Any:
    """Return a pandas Series as an Arrow array, with its time zone if it has one."""
    arrow = arrow_module("pyarrow")
    zone = getattr(series.dtype, "tz", None)
    if zone is None:
        return arrow.array(series, from_pandas=True)
    # Arrow asks pandas for times without the zone in a way that pandas warns of.
    times = arrow.array(series.dt.tz_convert("UTC").dt.tz_localize(None), from_pandas=True)
    zone_type = arrow.timestamp(times.type.unit, arrow.lib.tzinfo_to_string(zone))
    return times.cast("int64").cast(zone_type)


def _values_with_none(
    series: Any, change: Callable[[object], object] = lambda value: value
) -> list[object]:
    """Return the values of a pandas Series, each passed through `change`; None for missing ones."""
    missing = series.isna().tolist()
    pairs = zip(series.tolist(), missing, strict=True)
    return [None if is_missing else change(value) for value, is_missing in pairs]


def _infer_array(values: Sequence[object]) -> Any:
    """Return an Arrow array of the values; None if they have no common type, or would change."""
    arrow = arrow_module("pyarrow")
    try:
        inferred = arrow.array(values)
        is_same = not arrow.types.is_nested(inferred.type) or inferred.to_pylist() == values
    except (arrow.ArrowException, TypeError, ValueError, OverflowError):
        return None
    return inferred if is_same else None


def _polars_columns(frame: Any) -> Iterator[FrameColumn]:
    """Yield the columns of a polars frame, those without an Arrow type as Python values."""
    for name, kind in frame.schema.items():
        if "Int128" in str(kind) or str(kind) == "Object":
            yield FrameColumn(name, None, frame[name].to_list())
        else:
            yield from _arrow_columns(frame.select(name))


def _check_types(column: FrameColumn) -> None:
    """Raise a `DataError` if an Arrow type in a column has no counterpart in JSON."""
    arrow = arrow_module("pyarrow")
    for kind in types_in(column.type) if column.values is None else ():
        if arrow.types.is_struct(kind):
            names = [kind.field(number).name for number in range(kind.num_fields)]
            if len(set(names)) < len(names):
                repeated = next(name for name in names if names.count(name) > 1)
                message = f"two members of a struct have the same name, {repeated!r}; rename one"
                raise DataError(message, path=_column_path(column.name))
        name = (
            kind.extension_name
            if isinstance(kind, arrow.BaseExtensionType)
            else PLAIN_EXTENSIONS[0]
        )
        if name not in PLAIN_EXTENSIONS:
            message = f"values of the type {name} have no counterpart; cast the column to text"
            raise DataError(message, path=_column_path(column.name))


def _column_path(name: str) -> str:
    """Return the path of a column as it is printed in messages."""
    return path_text((slice(None), name))
