"""Replies are compared as what the answer is, whatever a model writes around it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.accuracy import is_right, is_unknown
from mckp.accuracy.query import UNKNOWN, type_of
from mckp.accuracy.replies import spelled
from tests.strategies import examples

RIGHT: list[tuple[str, Any, str]] = [
    ("42", 42, "integer"),
    ("There are 42 of them.", 42, "integer"),
    ("1,234,567", 1234567, "integer"),
    ("-3", -3, "integer"),
    ("42.0", 42, "integer"),
    ("$1,204.50", 1204.5, "number"),
    ("about 0.33", 0.33, "number"),
    ("3.0000001", 3.0, "number"),
    ("1e3", 1000.0, "number"),
    ("Yes, it is.", True, "boolean"),
    ("false", False, "boolean"),
    ("**No**", False, "boolean"),
    ('"Ann Lee"', "Ann Lee", "string"),
    ("ann lee.", "Ann Lee", "string"),
    ("Answer: Ann Lee", "Ann Lee", "string"),
    ("```\nAnn Lee\n```", "Ann Lee", "string"),
    ("e\u0301t\u00e9", "\u00e9t\u00e9", "string"),
    ("2025-06-01T12:00:00+00:00", "2025-06-01T12:00:00Z", "string"),
    ("unknown", "unknown", "string"),
    ("unknown", "Unknown", "string"),
    ("1\u202f204", 1204, "integer"),
    ("7, 9, 10", [7, 9, 10], "list"),
    ("- a\n- b", ["a", "b"], "list"),
    ('["a", "b"]', ["a", "b"], "list"),
    ("b; a", ["a", "b"], "set"),
    ("\u03ac", ["\u1f71"], "list"),
    ("Unknown.", UNKNOWN, "unknown"),
    ("N/A", UNKNOWN, "unknown"),
]
WRONG: list[tuple[str, Any, str]] = [
    ("43", 42, "integer"),
    ("42.5", 42, "integer"),
    ("none", 42, "integer"),
    ("unknown", 42, "integer"),
    ("0.34", 0.33, "number"),
    ("nothing", True, "boolean"),
    ("yes", False, "boolean"),
    ("Ann", "Ann Lee", "string"),
    ("2025-06-02", "2025-06-01", "string"),
    ("10, 9, 7", [7, 9, 10], "list"),
    ("7, 9", [7, 9, 10], "set"),
    ("7, 9, 9, 10", [7, 9, 10], "set"),
    ("", "x", "string"),
    ("0", UNKNOWN, "unknown"),
    ("", UNKNOWN, "unknown"),
]


@pytest.mark.parametrize(("reply", "gold", "type"), RIGHT)
def test_right(reply: str, gold: Any, type: str) -> None:
    assert is_right(reply, gold, type)


@pytest.mark.parametrize(("reply", "gold", "type"), WRONG)
def test_wrong(reply: str, gold: Any, type: str) -> None:
    assert not is_right(reply, gold, type)


WORDS = st.text(st.characters(categories=["Ll", "Lu", "Nd"]), min_size=1, max_size=12)
GOLDS = st.one_of(
    st.integers(),
    st.booleans(),
    WORDS,
    st.floats(-1e9, 1e9).map(lambda number: round(number, 2)),
    st.lists(st.one_of(st.integers(), WORDS), min_size=1, max_size=5),
)


@examples(200)
@given(GOLDS)
def test_what_is_spelled_is_right(gold: Any) -> None:
    assert is_right(spelled(gold), gold, type_of(gold))


@examples(200)
@given(st.text(), GOLDS)
def test_any_reply(reply: str, gold: Any) -> None:
    assert is_right(reply, gold, type_of(gold)) in (True, False)
    assert is_unknown(reply) in (True, False)
