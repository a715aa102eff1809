"""``json``: the value as compact JSON, on one line.

Any value. Every type as JSON has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.scalars import read_json
from mckp.jsontext import dump

if TYPE_CHECKING:
    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines


def body(value: Any) -> Body:
    """Write any value."""
    return Body("", dump(value) + "\n")


def read(lines: Lines, header: Header) -> Any:
    """Read the value back."""
    return read_json(lines.take())


JSON = Format("json", DataLoss.NONE, body, read)
