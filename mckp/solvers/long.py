"""Tables as long data frames with one row per option, for pandas and polars."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from mckp.errors import MissingExtraError, UnknownNameError
from mckp.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

LIBRARIES: Final = ("pandas", "polars")
"""Libraries whose frames can be written; others are read if their columns have ``to_numpy``."""

NEEDED: Final = ("class", "cost", "value")
OPTIONAL: Final[Mapping[str, int]] = {"parent_option": -1, "setup": 0, "owing": 0}
"""Columns that may be missing, with their default values."""


def to_frame(table: Table, library: Literal["pandas", "polars"] = "pandas") -> Any:
    """Return a table as a long frame, with one row per option in the order of the table.

    Parameters
    ----------
    table : Table
        A flat or nested table.
    library : {"pandas", "polars"}, default "pandas"
        The library of the frame.

    Returns
    -------
    data frame [options]
        The columns are ``class`` (its number), ``cost``, ``value``, ``parent_option`` (the row that
        opens the class, -1 at the root), ``setup`` and ``owing``; see `mckp.solvers.Table`.
        `from_frame` turns the frame back into the table.

    Raises
    ------
    MissingExtraError
        If the library is not installed.

    Examples
    --------
    >>> to_frame(Table.flat([[0, 40]], [[0, 9]]))[["class", "cost", "value"]].values.tolist()
    [[0, 0, 0], [0, 40, 9]]
    """
    return make_frame(frame_columns(table), library)


def frame_columns(table: Table) -> dict[str, NDArray[Any]]:
    """Return the columns of a table's long frame by name; see `to_frame`."""
    class_numbers = table.class_of
    return {
        "class": class_numbers,
        "cost": table.cost,
        "value": table.value,
        "parent_option": table.parent_option[class_numbers],
        "setup": table.setup,
        "owing": table.owing,
    }


def make_frame(named_columns: Mapping[str, Any], library: str) -> Any:
    """Return columns as a data frame of the named library.

    Raises `UnknownNameError` for a library not in `LIBRARIES`, and `MissingExtraError` if it is not
    installed.
    """
    if library not in LIBRARIES:
        raise UnknownNameError("library of frames", library, LIBRARIES)
    try:
        module = import_module(library)
    except ImportError:
        raise MissingExtraError(library, "test") from None
    return module.DataFrame(dict(named_columns))


def from_frame(frame: Any) -> Table:
    """Return the table of a long frame with one row per option.

    Parameters
    ----------
    frame : data frame [options]
        A frame of pandas, polars or pyarrow, or a mapping of names to arrays. The columns
        ``class``, ``cost`` and ``value`` are needed; ``parent_option``, ``setup`` and ``owing`` may
        be missing. Classes may have any labels, and are numbered in the order in which they appear.
        In a flat table, the rows of a class may be anywhere; in a nested one, they are consecutive,
        and classes are in preorder.

    Returns
    -------
    Table
        Its options are ordered by class, then by row.

    Raises
    ------
    ValueError
        If a column is missing or not numeric, or the rows do not form a table; the message names
        the column, row or class.

    Examples
    --------
    >>> table = from_frame({"class": ["a", "b", "a"], "cost": [0, 5, 40], "value": [0, 1, 9]})
    >>> table.start.tolist(), table.cost.tolist()
    ([0, 2, 3], [0, 40, 5])
    """
    names = _column_names(frame)
    if missing := [name for name in NEEDED if name not in names]:
        raise ValueError(
            f"expected the columns {', '.join(NEEDED)}, with one row per option; "
            f"{missing[0]!r} is missing among {', '.join(map(str, names)) or 'none'}"
        )
    labels = _column_array(frame, "class")
    class_numbers = _number_labels(labels)
    columns = {name: _column_array(frame, name) for name in NEEDED[1:]}
    for name, default in OPTIONAL.items():
        columns[name] = (
            _column_array(frame, name) if name in names else np.full(len(class_numbers), default)
        )
    for name, column in columns.items():
        if column.dtype.kind not in "iufb":
            row = next((n for n, cell in enumerate(column.tolist()) if not _is_number(cell)), 0)
            raise ValueError(
                f"column {name!r} needs a number in row {row}, not {column.tolist()[row]!r:.40}"
            )
    if (class_numbers[1:] < class_numbers[:-1]).any():
        if (columns["parent_option"] >= 0).any():
            row = int(np.flatnonzero(class_numbers[1:] < class_numbers[:-1])[0]) + 1
            raise ValueError(
                f"row {row} has class {labels.tolist()[row]!r}, whose rows are not together; "
                "sort the rows of a nested table by class"
            )
        order = np.argsort(class_numbers, kind="stable")
        class_numbers, columns = (
            class_numbers[order],
            {name: column[order] for name, column in columns.items()},
        )
    first = np.flatnonzero(np.diff(class_numbers, prepend=-1))
    parents = columns["parent_option"]
    if (differing := np.flatnonzero(parents != parents[first][class_numbers])).size:
        raise ValueError(
            f"row {differing[0]} has the parent option {parents[differing[0]]}, but other rows of "
            "its class have another one"
        )
    return Table(
        start=np.append(first, len(class_numbers)),
        cost=columns["cost"],
        value=columns["value"],
        parent_option=parents[first],
        setup=columns["setup"],
        owing=columns["owing"].astype(np.bool_),
    )


def _column_names(frame: Any) -> list[str]:
    """Return the names of a frame's columns."""
    if hasattr(frame, "column_names"):  # Arrow, whose `columns` are the columns themselves
        return list(frame.column_names)
    return list(frame.columns if hasattr(frame, "columns") else frame)


def _column_array(frame: Any, name: str) -> NDArray[Any]:
    """Return a column of a frame as an array."""
    column = frame[name]
    return np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)


def _is_number(value: object) -> bool:
    """Whether a value is a number."""
    return isinstance(value, int | float)


def _number_labels(labels: NDArray[Any]) -> NDArray[np.int64]:
    """Return the number of each label, in the order in which labels first appear."""
    numbers: dict[Any, int] = {}
    return np.array(
        [numbers.setdefault(label, len(numbers)) for label in labels.tolist()], np.int64
    )
