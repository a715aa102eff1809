"""``derived``: rows whose header spells out the columns that follow from others.

``# issues[20]{number title> html_url~https://github.com/acme/tide/issues/{number}}``: a
reader has to put the row's number into the template to get its address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.encoders import rows
from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.derive import with_derived
from mckp.encoders.infer import record_shape
from mckp.encoders.layouts import below_shape
from mckp.jsontext import is_array

if TYPE_CHECKING:
    from mckp.encoders.shapes import Record


def body(value: Any) -> Body | None:
    """Write records some columns of which follow from others."""
    return _derived(value, record_shape(value, inline=False)) if is_array(value) else None


def below(value: Any) -> Body | None:
    """Write the same with a table on the lines below each record."""
    return _derived(value, below_shape(value)) if is_array(value) else None


def _derived(items: list[Any], record: Record | None) -> Body | None:
    if record is None:
        return None
    found = with_derived(record, items)
    return rows.items(items, found) if found != record else None


DERIVED = Format("derived", DataLoss.NONE, body, rows.read, (below,))
