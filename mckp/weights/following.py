"""Which columns follow from others in the same records, and which record of a series is newest.

A column adds no information if it counts the records, or if it is another column with constant text
before or after it, such as the title ``get_pageArguments`` beside the name ``get_page``.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mckp.weights.columns import ITEM

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mckp.weights.columns import LeafColumn

LEAST: Final = 3
"""Fewest records that show that a column follows from another one."""
_LONGEST: Final = 60
"""Most characters of a name that another column may contain."""
_SERIES: Final = 4
"""Fewest records of a series."""


def counts_records(column: LeafColumn) -> bool:
    """Whether a column just numbers the records: 0, 1, 2 ... or 1, 2, 3 ...

    A column with fewer than `LEAST` values, a key, or a column of array items never does.

    Examples
    --------
    >>> from mckp.weights.columns import Columns
    >>> heads = enumerate(("City", "Rank", "Fee"))
    >>> rows = Columns([{"cell": head, "column": n} for n, head in heads])
    >>> [counts_records(column) for column in rows.all]
    [False, True]
    """
    values = column.values
    return (
        len(values) >= LEAST
        and not column.is_key
        and column.path[-1] != ITEM
        and values[0] in (0, 1)
        and all(type(value) is int for value in values)
        and values == list(range(values[0], values[0] + len(values)))
    )


def extends_another(column: LeafColumn, others: Iterable[LeafColumn]) -> bool:
    """Whether each text of a column has the text of one other column within constant text.

    The other column has the same rows and at least `LEAST` different texts.

    Examples
    --------
    >>> from mckp.weights.columns import Columns
    >>> tools = [{"name": name, "title": f"{name}Arguments"} for name in ("open", "read", "close")]
    >>> [extends_another(column, Columns(tools).all) for column in Columns(tools).all]
    [False, True]
    """
    texts = column.values
    if len(texts) < LEAST or not all(isinstance(text, str) for text in texts):
        return False
    for other in others:
        first = other.values[0]
        if other is column or len(other.values) != len(texts) or other.rows != column.rows:
            continue
        if not isinstance(first, str) or not 1 < len(first) <= _LONGEST:
            continue
        prefix, match, suffix = texts[0].partition(first)
        if (
            match
            and (prefix or suffix)
            and len(set(other.values)) >= LEAST
            and all(
                text == f"{prefix}{value}{suffix}"
                for text, value in zip(texts, other.values, strict=True)
            )
        ):
            return True
    return False


def newest_row(columns: Sequence[LeafColumn], is_date: Sequence[bool]) -> int | None:
    """Return the last row if the records are numbers over time, the oldest first; else None.

    Most readers ask for the newest record of such a series, which is the last one. At least half of
    the columns must be numbers. The first column of dates must have at least `_SERIES` texts of one
    length, in rising order. `columns` are those of one array of records, and `is_date` says which
    of them are dates.

    Examples
    --------
    >>> from mckp.weights.columns import Columns
    >>> prices = Columns([{"day": f"2026-01-0{n}", "close": n / 7} for n in range(1, 6)])
    >>> newest_row(prices.all, [True, False])
    5
    """
    times = [column for column, has_dates in zip(columns, is_date, strict=True) if has_dates]
    number_columns = sum(
        all(type(value) in (int, float) for value in column.values) for column in columns
    )
    if not times or 2 * number_columns < len(columns):
        return None
    moments = times[0].values
    if len(moments) < _SERIES or any(
        not isinstance(moment, str) or len(moment) != len(moments[0]) for moment in moments
    ):
        return None
    if any(before >= after for before, after in pairwise(moments)):
        return None
    return times[0].rows[-1]
