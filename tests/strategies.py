"""Data for property tests: JSON that looks like everything it is not."""

import json
import os
from collections.abc import Callable
from typing import Any, TypeAlias

from hypothesis import settings
from hypothesis import strategies as st

from tests.cases import cases

Values: TypeAlias = st.SearchStrategy[Any]
"""A strategy for JSON values."""

SCALE = float(os.environ.get("MCKP_TEST_SCALE", "1"))
"""Multiplier of the number of examples; the figures in the docs come from a large one."""

FIXED = os.environ.get("MCKP_TEST_FIXED") == "1"
"""Whether each run takes the same examples, so that only a change can make a test fail."""


def size(most: int) -> int:
    """Return how large an input is: less where a quick run tries few examples."""
    return most if SCALE >= 0.1 else max(5, most // 100)


def examples(count: int) -> settings:
    """Return settings for a number of examples, scaled, without a time limit for each."""
    count = max(size(10), int(count * SCALE))
    return settings(max_examples=count, deadline=None, derandomize=FIXED)


_LOOKALIKES = st.sampled_from(cases(__file__, "_LOOKALIKES"))
_NATIVE = st.sampled_from(cases(__file__, "_NATIVE"))
"""Strings that look like a piece of the native formats."""

TEXTS = _LOOKALIKES | _NATIVE | st.text(max_size=12)
KEYS = st.sampled_from(["id", "name", "a", "b", "c"]) | TEXTS
SCALARS: Values = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
_FLAT = st.dictionaries(KEYS, SCALARS, max_size=4)
_RECORDS = st.lists(_FLAT, min_size=1, max_size=4)


# ---------------------------------------------------------------- records that have a shape

_ODD: Values = st.sampled_from([None, {}, [], "-", "null", 0.0, -0.0, {"a": 1}, ["a", "b"]])
_SENTENCES = st.lists(TEXTS, min_size=2, max_size=3).map(" ".join)
_NUMBERS: Values = st.integers(0, 99) | st.sampled_from([0.5, 1.0, "7", "8 x"])


_PLAIN = st.sampled_from([SCALARS, TEXTS, _SENTENCES, _NUMBERS])
_CONSTANTS = SCALARS | _ODD
_OTHERS = _ODD | _FLAT
_NAMES = st.lists(KEYS, min_size=1, max_size=4, unique=True)
_TWO_NAMES = st.lists(KEYS, min_size=2, max_size=3, unique=True)
_UP_TO = [st.integers(0, most) for most in range(6)]

Drawn: TypeAlias = Callable[[st.DrawFn], Any]
"""What draws a value. Unlike a strategy that is made while drawing, it costs no time to make."""


def _record(draw: st.DrawFn, depth: int) -> Drawn:
    """Draw what the records of one table have in common."""
    columns = {key: (_column(draw, depth), draw(_UP_TO[2]) > 0) for key in draw(_NAMES)}

    def row(draw: st.DrawFn) -> dict[str, Any]:
        record = {key: cell(draw) for key, (cell, always) in columns.items() if always}
        before: dict[str, Any] = {}
        for key, (cell, always) in columns.items():
            if not always and (place := draw(_UP_TO[2])):
                (before if place == 1 else record)[key] = cell(draw)
        return before | record

    return row


def _column(draw: st.DrawFn, depth: int) -> Drawn:
    """Draw what the values of one column have in common."""
    kind = draw(_UP_TO[5 if depth else 2])
    if kind == 0:
        constant = draw(_CONSTANTS)
        return lambda _: constant
    cell = _record(draw, depth - 1) if kind > 2 else _drawn(draw(_PLAIN))
    if kind in (2, 3):
        return lambda draw: cell(draw) if draw(_UP_TO[3]) else draw(_ODD)
    if kind == 4:
        return lambda draw: [cell(draw) for _ in range(draw(_UP_TO[2]))]
    return cell


def _drawn(values: Values) -> Drawn:
    return lambda draw: draw(values)


def _documents(draw: st.DrawFn) -> Any:
    """Draw an array of records, perhaps with odd ones, or an object of them."""
    row = _record(draw, 2)
    kind, size = draw(_UP_TO[2]), 2 + draw(_UP_TO[2])
    if kind == 0:
        return [row(draw) for _ in range(size)]
    if kind == 1:
        return [row(draw) if draw(_UP_TO[1]) else draw(_OTHERS) for _ in range(size)]
    return {key: row(draw) for key in draw(_TWO_NAMES)}


def _events(draw: st.DrawFn) -> Any:
    """Draw an array of records of two shapes, distinguished by a member."""
    kinds = [("view", _record(draw, 1)), ("buy", _record(draw, 1))]
    events = [kinds[draw(_UP_TO[1])] for _ in range(4 + draw(_UP_TO[2]))]
    return [{"type": name, **row(draw)} for name, row in events]


def _nodes(children: Values | None) -> Values:
    always: dict[str, Values] = {"name": TEXTS}
    if children is not None:
        always["children"] = st.lists(children, max_size=3)
    sometimes: dict[str, Values] = {"size": _NUMBERS}
    return st.fixed_dictionaries(always, optional=sometimes)


_TREES: Values = st.recursive(_nodes(None), _nodes, max_leaves=8)
_MATRICES: Values = st.lists(st.lists(SCALARS, max_size=4), min_size=2, max_size=4)
_STYLES: Values = st.sampled_from(
    [{}, {"indent": 2}, {"indent": 4}, {"ensure_ascii": False}, {"separators": (",", ":")}]
)


def _spelled(value: tuple[Any, Any]) -> str:
    """Return a string that holds JSON, as programs write it."""
    return json.dumps(value[0], **value[1])


_FORESTS: Values = st.lists(_TREES, min_size=1, max_size=3)


@st.composite
def _tables(draw: st.DrawFn) -> Any:
    kinds = [_documents, _events, _drawn(_FORESTS), _drawn(_MATRICES)]
    return kinds[draw(_UP_TO[3])](draw)


TABLES: Values = _tables()
"""Records as programs send them: alike, but for what is odd about some."""


# ---------------------------------------------------------------- anything


def _containers(inner: Values) -> Values:
    both: Values = st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4)
    return both | st.tuples(both, _STYLES).map(_spelled)


VALUES: Values = st.recursive(SCALARS | _RECORDS | TABLES, _containers, max_leaves=14)
"""Any JSON value."""
