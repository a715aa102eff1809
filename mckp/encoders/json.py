"""``json``: the value as compact JSON, on one line.

Any value. Every type as JSON has it.
"""

from __future__ import annotations

from typing import Any

from mckp.encoders.base import Body, DataLoss, Format
from mckp.jsontext import dump


def body(value: Any) -> Body:
    """Write any value."""
    return Body("", dump(value) + "\n")


JSON = Format("json", DataLoss.NONE, body)
