"""Data for property tests: JSON that looks like everything it is not."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

SCALE = float(os.environ.get("MCKP_TEST_SCALE", "1"))
"""Multiplier of the number of examples; the figures in the docs come from a large one."""


def examples(count: int) -> settings:
    """Return settings for a number of examples, scaled, without a time limit for each."""
    return settings(max_examples=max(10, int(count * SCALE)), deadline=None)


_LOOKALIKES = st.sampled_from(
    [
        *("1", "-0", "01", "1.0", "1e5", "true", "false", "null", "NaN", "", " ", "a b", "\n"),
        *("a: b", "# jobs[2] csv", "## x", "[2] csv", "{5}", "(3) prose", "- x", "3: y", "> x"),
        *("> [+3 of 4 rows]", "> [+1 facts]", "> [text]", "/etc", "//", "|", "a|b", "\\|", "\\"),
        *("a,b", '"', '""', 'say "hi"', "'", "`", "```", "```json", "~~~", "; ", "x; y.", "end."),
        *("a is b", " is ", "k is v; k is v.", "[1,2]", '{"a":1}', "[", "{", "}", "]", "\t", "\r"),
        *(
            "\x00",
            "\x1f",
            "\x7f",
            "\x85",
            "\u2028",
            "\u00a0",
            "\u3000",
            "\ufeff",
            "é",
            "日本",
            "🚀",
        ),
        *("line\nline", "\n\n", "a\n```\nb", "x\r\ny", "<|endoftext|>", "key", "id", "name"),
        *(
            "\u017f",
            "'s",
            "\u0130",
            "²",
            "\u0661",
            "1_000",
            "0x1",
            "+1",
            ".5",
            "5.",
            "1 ",
            "--- ",
            "---",
        ),
    ]
)
TEXTS = _LOOKALIKES | st.text(max_size=12)
KEYS = st.sampled_from(["id", "name", "a", "b", "c"]) | TEXTS
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
_FLAT = st.dictionaries(KEYS, SCALARS, max_size=4)
_RECORDS = st.lists(_FLAT, min_size=1, max_size=4)


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4)


VALUES: st.SearchStrategy[Any] = st.recursive(SCALARS | _RECORDS, _containers, max_leaves=14)
"""Any JSON value."""
