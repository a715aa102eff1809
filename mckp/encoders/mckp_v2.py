"""``mckp_v2``: an object as ``key: value`` lines and its main array as one table.

The main array is the longest member that is an array of two objects or more (the first
of equals); it keeps its name in the table's heading, its columns are the union of keys,
and every cell that is not a scalar is JSON. Nothing is dropped: an array with anything
but objects in it is no candidate, and other arrays stay on their line as JSON.
"""

from __future__ import annotations

from typing import Any

from mckp.encoders import kv, table
from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.csv import union_of_keys
from mckp.encoders.headers import write_header
from mckp.jsontext import is_object


def main_array(value: Any) -> str | None:
    """Return the name of an object's main array, or None.

    Examples
    --------
    >>> main_array({"page": 1, "a": [{"x": 1}, {"y": 2}], "b": [{"x": 1}]})
    'a'
    """
    if not is_object(value):
        return None
    sizes = {key: len(item) for key, item in value.items() if union_of_keys(item)}
    best = max(sizes, key=lambda key: sizes[key], default=None)
    return best if best is not None and sizes[best] >= 2 else None


def body(value: Any) -> Body | None:
    """Write an object that has a main array."""
    main = main_array(value)
    below = table.body(value[main]) if main is not None else None
    if main is None or below is None:
        return None
    lines = "".join(kv.member(key, item) for key, item in value.items() if key != main)
    heading = write_header(1, main, below.shape, table.TABLE.name)
    return Body(f"{{{len(value)}}}", lines + heading + below.text)


MCKP_V2 = Format("mckp_v2", DataLoss.NONE, body)
