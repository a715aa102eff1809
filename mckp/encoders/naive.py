"""``csv_naive`` and ``table_naive``: the baselines of the literature, with all their losses.

Both keep the largest array of objects only, wherever it is at the top level, and of
its members only those that are never containers. They exist to be measured; nothing
chooses them, and nothing reads them back.
"""

from __future__ import annotations

import csv
import io
from typing import Any

from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.csv import table_records
from mckp.jsontext import is_array, is_container, is_object


def _main_records(value: object) -> list[dict[str, Any]]:
    """Return the largest array at the top level that fits a table; [] if there is none."""
    members: list[Any] = list(value.values()) if is_object(value) else [value]
    arrays: list[list[dict[str, Any]]] = [
        member for member in members if is_array(member) and table_records(member)
    ]
    return max(arrays, key=len, default=list[dict[str, Any]]())


def _scalar_rows(value: object) -> list[list[str]] | None:
    """Return the scalar columns of the largest array as rows below a row of names, or None."""
    records = _main_records(value)
    nested = {
        key for item in records for key, member_value in item.items() if is_container(member_value)
    }
    table = table_records(records)
    columns = [key for key in table.columns if key not in nested] if table else []
    if not columns:
        return None
    return [columns, *([_scalar_text(item.get(key)) for key in columns] for item in records)]


def _scalar_text(value: object) -> str:
    """Return a scalar as text; null and an absent value are empty."""
    return "" if value is None else str(value)


def csv_body(value: object) -> Body | None:
    """Write the scalar columns of the largest array as CSV; return None if there are none."""
    rows = _scalar_rows(value)
    if rows is None:
        return None
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return Body("", buffer.getvalue())


def table_body(value: object) -> Body | None:
    """Write the scalar columns of the largest array as a Markdown table, or return None."""
    rows = _scalar_rows(value)
    if rows is None:
        return None
    rows.insert(1, ["---"] * len(rows[0]))
    lines = ("| " + " | ".join(row).replace("\n", " ") + " |\n" for row in rows)
    return Body("", "".join(lines))


CSV_NAIVE = Format("csv_naive", DataLoss.TOP_LEVEL, csv_body)
TABLE_NAIVE = Format("table_naive", DataLoss.TOP_LEVEL, table_body)
