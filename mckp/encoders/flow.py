"""``flow``: JSON without what can be left out, on one line.

``{name oauth2 scopes[read write] owner{login ann id 7}}``: names and values alternate,
strings are quoted only where they hold a blank, a bracket or a semicolon, or look like
something else. Arrays of records inside are tables inside; strings of many lines stand
below the line.
"""

from __future__ import annotations

from typing import Any

from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.native import write_flow
from mckp.jsontext import is_container


def body(value: Any) -> Body | None:
    """Write an object or an array that is not empty."""
    return Body("", write_flow(value)) if is_container(value) and value else None


FLOW = Format("flow", DataLoss.NONE, body)
