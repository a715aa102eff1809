"""Tables, and data that repeat in parts; what is only like one is none."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from mckp.agents.session.classify import has_table, is_of_parts, json_value
from mckp.encoders.fakes import escape


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("so:\n\n| a | b |\n|---|:-:|\n| 1 | 2 |", True),
        ("text\n  | a |  \n  |---|", True),
        ("| a | b |\n| c | d |", False),
        ("| a | b |\n|   |   |", False),
        ("a | b\n---|---", False),
        ("no table", False),
    ],
)
def test_tables(text: str, found: bool) -> None:
    assert has_table(text) is found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (' {"a": 1}', {"a": 1}),
        ("[]", []),
        ('{"a": 1', None),
        ('{"a": 1, "a": 2}', None),
        ("7", None),
        ('\ufeff{"a": 1}', None),
    ],
)
def test_data(text: str, value: Any) -> None:
    assert json_value(text) == value


URL, TIME, COMMIT = "see https://x.org/a", "2024-05-01 10:02 started", "commit 9fceb02 is it"


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ({"a": [URL, TIME], "b": COMMIT}, True),
        ({"a": {"b": f"{URL} {TIME} {COMMIT}"}}, True),
        ({"a": URL, "b": TIME, "c": COMMIT}, False),
        ([{"a": URL, "b": TIME, "c": COMMIT}], False),
        ({"a": [URL, TIME], "b": "feedback effaced defaced"}, False),
        ({"a": [URL, TIME], "b": "id 1234567 and 12345678, abcdef012 is of nine"}, False),
        ({"a": [URL, TIME], "b": "x9fceb02y is a word"}, False),
        ({"a": ["http:// alone", TIME], "b": COMMIT}, False),
        ({"a": [URL, "2024-05-01 is a day"], "b": COMMIT}, False),
    ],
)
def test_parts(data: Any, found: bool) -> None:
    """Addresses, times and hashes, all of them, in an object that nests."""
    assert is_of_parts(json.dumps(data), data) is found


@pytest.mark.parametrize(
    "piece", ["<a ", "<a>", "| ", "|-", "> [", "a:", "1", "abcdef0", "@@ -1 ", "```\n"]
)
def test_long_texts_of_anything_take_linear_time(piece: str) -> None:
    start = time.process_time()
    text = "| a |\n|" + piece * 100_000 + "x"
    has_table(text)
    is_of_parts(text, {"a": [1]})
    escape(text, raw=True)
    assert time.process_time() - start < 2
