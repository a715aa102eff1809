"""Data frames back from the texts that were made of them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from mckp.answers.reading import decode as decode_text
from mckp.encoders.scalars import ABSENT
from mckp.errors import DataError
from mckp.jsontext import is_array, is_object
from mckp.parsers.frames import array_of, arrow_module, table_of

if TYPE_CHECKING:
    from collections.abc import Iterable

Frame = TypeVar("Frame")


def decode(text: str | bytes | bytearray, like: Frame) -> Frame:
    """Read the rows and columns that a text keeps of a data frame, as a frame like that one.

    Parameters
    ----------
    text : str or bytes
        What ``encode(frame, ...).text`` is, or was.
    like : data frame
        The frame it was made of, or any with its columns: it says which types they have.

    Returns
    -------
    data frame
        Of pandas or polars if `like` is, else an Arrow table. Columns of which nothing was
        kept are missing, unless no row was; a cell that was cut from a row that stays is null.

    Raises
    ------
    DataError
        If the text is no table of these columns and types.

    Examples
    --------
    >>> import datetime, mckp, pyarrow
    >>> table = pyarrow.table({"id": [1, 2], "on": [datetime.date(2026, 3, n) for n in (1, 2)]})
    >>> decode(mckp.encode(table).text, like=table) == table
    True
    """
    model = table_of(like)
    rows = _rows(decode_text(text), model.column_names)
    names = [name for name in model.column_names if not rows or any(name in row for row in rows)]
    columns = {name: _column(rows, name, model.schema.field(name).type) for name in names}
    arrow = arrow_module("pyarrow")
    schema = arrow.schema([model.schema.field(name) for name in names])
    table = arrow.table(columns, schema=schema)
    library = type(like).__module__.partition(".")[0]
    if library == "polars":
        found: Any = import_module("polars").from_arrow(table)
        schema = cast("Any", like).schema
        return cast("Frame", found.cast({name: schema[name] for name in found.columns}))
    return cast("Frame", _pandas(table, like) if library == "pandas" else table)


def _rows(value: Any, names: Iterable[str]) -> list[dict[str, Any]]:
    known = set(names)
    if value is ABSENT:
        return []
    if not is_array(value):
        raise DataError("the text holds no rows", path="$")
    for at, row in enumerate(value):
        if not is_object(row) or not row.keys() <= known:
            raise DataError("this is no row of such a frame", path=f"$[{at}]")
    return value


def _column(rows: list[dict[str, Any]], name: str, kind: Any) -> Any:
    try:
        return array_of([row.get(name) for row in rows], kind)
    except Exception as error:  # of Arrow, which says what did not fit
        raise DataError(f"the column is no {kind}: {error}", path=f"$[*].{name}") from error


def _pandas(table: Any, like: Any) -> Any:
    pandas: Any = import_module("pandas")
    # By way of Arrow's own types: integers beside nulls would become floats.
    found = table.to_pandas(types_mapper=pandas.ArrowDtype)
    names: list[str] = table_of(like).column_names
    index = names[: len(names) - len(like.columns)]
    levels = like.index.dtypes if like.index.nlevels > 1 else [like.index.dtype]
    kinds = dict(zip(names, [*list(levels)[: len(index)], *like.dtypes], strict=True))
    for name in found.columns:
        try:
            found[name] = _typed(found[name], kinds[name], pandas)
        except Exception as error:  # of pandas, whose types of its own read nothing of Arrow
            raise DataError(
                f"the column is no {kinds[name]}: {error}", path=f"$[*].{name}"
            ) from error
    if kept := [name for name in index if name in found]:
        found = found.set_index(kept)
        found.index.names = [like.index.names[index.index(name)] for name in kept]
    return found.rename(columns=dict(zip(names[len(index) :], like.columns, strict=True)))


def _typed(column: Any, kind: Any, pandas: Any) -> Any:
    """Return a column with the type it had; as Arrow has it, if that knows no nulls."""
    if kind == "object":
        values = [None if value is pandas.NA else value for value in column.tolist()]
        return pandas.Series(values, dtype=object, index=column.index)
    has_no_null = isinstance(kind, np.dtype) and kind.kind in "iub"
    return column if has_no_null and column.hasnans else column.astype(kind)
