"""Decode texts into data frames, of the same library and types as those that were encoded."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from mckp.answers.reading import decode as decode_text
from mckp.encoders.scalars import ABSENT
from mckp.errors import DataError
from mckp.jsontext import dump, is_array, is_object
from mckp.parsers.arrays import array_of, arrow_module, matches_type
from mckp.parsers.frames import (
    FrameColumn,
    as_frame,
    columns_of,
    is_frame,
    is_index,
    is_series,
    library_of,
)
from mckp.parsers.python import from_python

if TYPE_CHECKING:
    from collections.abc import Iterable

Frame = TypeVar("Frame")


def decode(text: str | bytes | bytearray, like: Frame) -> Frame:
    """Decode a text into a data frame of the same library and types as another frame.

    A Series is read back as a Series.

    Parameters
    ----------
    text : str or bytes
        The text that ``encode(frame, ...)`` returned.
    like : data frame
        The frame that was encoded, or any frame with the same columns and types.

    Returns
    -------
    data frame
        Of pandas or polars if `like` is, else an Arrow table. Columns of which nothing was
        kept are missing, unless no row was; a cell that was cut from a row that stays is null.

    Raises
    ------
    DataError
        If the text is no table of these columns and types, or `like` is an index.
    TypeError
        If `like` is no data frame, series, index or Arrow table.

    Examples
    --------
    >>> import datetime, mckp, pyarrow
    >>> table = pyarrow.table({"id": [1, 2], "on": [datetime.date(2026, 3, n) for n in (1, 2)]})
    >>> decode(mckp.encode(table).text, like=table) == table
    True
    """
    if is_series(like):
        column: Any = like
        frame = as_frame(column)
        made = decode(text, frame)
        name = frame.columns[-1]
        series = made[name] if name in made.columns else frame[name][:0]
        return cast("Frame", series.rename(column.name))
    if is_index(like):
        raise DataError("to read an index back, pass like=index.to_frame(index=False)", path="$")
    if not is_frame(like):
        kind = type(like).__name__
        raise TypeError(f"like must be a data frame, a series or an Arrow table, not {kind}")
    model = columns_of(like)
    rows = _kept_rows(decode_text(text), [column.name for column in model])
    kept = [column for column in model if not rows or any(column.name in row for row in rows)]
    cells = {column.name: _column_cells(rows, column) for column in kept}
    library = library_of(like)
    if library == "polars":
        return cast("Frame", _polars_frame(cells, kept, like))
    if library == "pandas":
        return cast("Frame", _pandas_frame(cells, model, like))
    arrow = arrow_module("pyarrow")
    schema = arrow.schema([arrow.field(column.name, column.type) for column in kept])
    return cast("Frame", arrow.table(cells, schema=schema))


def _kept_rows(value: object, names: Iterable[str]) -> list[dict[str, Any]]:
    """Return the kept rows as dictionaries by column name; raise a `DataError` for other data."""
    known = set(names)
    if value is ABSENT or (is_object(value) and value.keys() <= {"columns", "rows"}):
        return []  # nothing is left, or a frame without rows
    if not is_array(value):
        raise DataError("the text has no rows", path="$")
    for at, row in enumerate(value):
        if not is_object(row) or not row.keys() <= known:
            raise DataError("this row has other columns than the frame", path=f"$[{at}]")
    return value


def _column_cells(rows: list[dict[str, Any]], column: FrameColumn) -> Any:
    """Return the cells of a column, as an Arrow array if the column has an Arrow type.

    Cells that do not fit the type raise a `DataError`.
    """
    values = [row.get(column.name) for row in rows]
    if column.type is None:
        return values
    if column.values is not None and not all(matches_type(value, column.type) for value in values):
        return values  # objects of other kinds than those of the frame that is given
    try:
        return array_of(values, column.type)
    except Exception as error:  # of Arrow, which says what did not fit
        message = f"the column cannot be read as {column.type}: {error}"
        raise DataError(message, path=f"$[*].{column.name}") from error


def _polars_frame(cells: dict[str, Any], columns: Iterable[FrameColumn], like: Any) -> Any:
    """Return cells as a polars frame with the types of another frame."""
    polars: Any = import_module("polars")
    # Integers beyond 64 bits are read from their digits.
    schema = {column.name: like.schema[column.name] for column in columns}
    series = {
        column.name: polars.from_arrow(cells[column.name])
        if column.type is not None
        else _polars_values(cells[column.name], schema[column.name])
        for column in columns
    }
    typed = {name: dtype for name, dtype in schema.items() if dtype != polars.Object}
    return polars.DataFrame(series).cast(typed)


def _polars_values(values: list[Any], dtype: Any) -> Any:
    """Return a column without an Arrow type: objects, or the digits of integers beyond 64 bits."""
    polars: Any = import_module("polars")
    if dtype.is_integer():
        return polars.Series([None if value is None else str(value) for value in values])
    return polars.Series(values, dtype=dtype)


def _pandas_frame(cells: dict[str, Any], model: list[FrameColumn], like: Any) -> Any:
    """Return cells as a pandas frame with the types and the index of another frame.

    `model` has the columns of that frame. Cells that do not fit raise a `DataError`.
    """
    pandas: Any = import_module("pandas")
    index = [column.name for column in model if column.is_index]
    levels = like.index.dtypes if like.index.nlevels > 1 else [like.index.dtype]
    dtypes = dict(
        zip(
            (column.name for column in model),
            [*list(levels)[: len(index)], *like.dtypes],
            strict=True,
        )
    )
    series: dict[str, Any] = {}
    for name, values in cells.items():
        try:
            series[name] = _typed_column(_pandas_series(values, pandas), dtypes[name], pandas)
        except Exception as error:  # of pandas, whose types of its own read nothing of Arrow
            message = f"the column cannot be read as {dtypes[name]}: {error}"
            raise DataError(message, path=f"$[*].{name}") from error
    made = pandas.DataFrame(series)
    if index_names := [name for name in index if name in series]:
        made = made.set_index(index_names)
        made.index.names = [like.index.names[index.index(name)] for name in index_names]
    else:
        made.index.name = like.index.name if not index else None
    if isinstance(like.index, pandas.DatetimeIndex | pandas.TimedeltaIndex):
        with suppress(ValueError):  # not of rows that have gaps now
            made.index.freq = like.index.freq
    names = [column.name for column in model if not column.is_index]
    kept = [number for number, name in enumerate(names) if name in made.columns]
    made = made[[names[number] for number in kept]]
    made.columns = like.columns[kept]
    return made


def _pandas_series(values: Any, pandas: Any) -> Any:
    """Return a list as a pandas Series of objects, an Arrow array as one of its own type."""
    if is_array(values):
        return pandas.Series(values, dtype=object)
    # By way of Arrow's own types: integers beside nulls would become floats.
    return pandas.Series(pandas.arrays.ArrowExtensionArray(values))


def _typed_column(column: Any, dtype: Any, pandas: Any) -> Any:
    """Return a column with the given type; unchanged if it has nulls that the type cannot hold.

    Values that do not fit the type raise an error, such as a `ValueError`.
    """
    if dtype == "object":
        values = [None if value is pandas.NA else value for value in column.tolist()]
        return pandas.Series(values, dtype=object, index=column.index)
    if isinstance(dtype, pandas.IntervalDtype):
        return pandas.Series(_interval_array(column.tolist(), dtype, pandas), index=column.index)
    if isinstance(dtype, pandas.CategoricalDtype):
        return _category_column(column, dtype, pandas)
    if isinstance(dtype, pandas.SparseDtype):
        dense = column.astype(dtype.subtype)
        return dense.astype(dtype)
    has_no_null = isinstance(dtype, np.dtype) and dtype.kind in "iub"
    return column if has_no_null and column.hasnans else column.astype(dtype)


def _interval_array(texts: list[str | None], dtype: Any, pandas: Any) -> Any:
    """Return the intervals that texts such as ``(0, 1]`` show.

    Other texts, and intervals of another type, raise a `ValueError`.
    """
    ends = [("", "") if text is None else text[1:-1].split(", ") for text in texts]
    if any(len(pair) != 2 for pair in ends):
        raise ValueError("not all texts are intervals")
    left, right = (
        pandas.Series([pair[end] if pair[0] else None for pair in ends], dtype=object)
        for end in (0, 1)
    )
    if dtype.subtype == "int64" and not all(texts):
        dtype = pandas.IntervalDtype("float64", dtype.closed)
    intervals = pandas.arrays.IntervalArray.from_arrays(
        left.astype(dtype.subtype), right.astype(dtype.subtype), closed=dtype.closed, dtype=dtype
    )
    if [
        None if value is pandas.NaT or value != value else str(value) for value in intervals
    ] != texts:
        raise ValueError(f"not all texts are intervals of {dtype.subtype}, closed {dtype.closed}")
    return intervals


def _category_column(column: Any, dtype: Any, pandas: Any) -> Any:
    """Return a column with a categorical type.

    A value that is none of the categories raises a `ValueError`.
    """
    if column.dtype == object:
        texts = from_python(dtype.categories.tolist()).value
        codes = {dump(text): code for code, text in enumerate(texts)}
        values = [
            -1 if category is None else codes.get(dump(category)) for category in column.tolist()
        ]
        if None in values:
            raise ValueError("not all values are categories of the frame")
        made = pandas.Categorical.from_codes(values, dtype=dtype)
        return pandas.Series(made, index=column.index)
    timestamps = dtype.categories.dtype
    if timestamps.kind in "mM":  # older versions of pandas do not compare these with Arrow's
        column = column.astype(timestamps)
    made = column.astype(dtype)
    if made.isna().sum() > column.isna().sum():
        raise ValueError("not all values are categories of the frame")
    return made
