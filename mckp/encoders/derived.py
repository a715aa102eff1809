"""``derived``: rows whose header spells out the columns that follow from others.

``# issues[20]{number title> html_url~https://github.com/acme/tide/issues/{number}}``: a
reader has to put the row's number into the template to get its address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.encoders import rows
from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.derive import with_derived
from mckp.encoders.infer import below_shape, record_shape
from mckp.encoders.records import gathered_array

if TYPE_CHECKING:
    from mckp.encoders.records import Records
    from mckp.encoders.shapes import Record


def body(value: Any) -> Body | None:
    """Write records some columns of which follow from others."""
    records = gathered_array(value)
    return _derived(records, record_shape(records, inline=False)) if records is not None else None


def below(value: Any) -> Body | None:
    """Write the same with a table on the lines below each record."""
    records = gathered_array(value)
    return _derived(records, below_shape(records)) if records is not None else None


def _derived(records: Records, record: Record | None) -> Body | None:
    if record is None:
        return None
    found = with_derived(record, records)
    return rows.items(records, found) if found != record else None


DERIVED = Format("derived", DataLoss.NONE, body, rows.read, (below,))
