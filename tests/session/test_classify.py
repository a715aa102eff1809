"""Tables, and data that repeat in parts; what is only like one is none."""

import time
from typing import Any

import pytest

from mckp.agents.session.classify import has_table, json_value
from mckp.encoders.fakes import escape
from tests.cases import cases


@pytest.mark.parametrize(
    ("text", "expected"),
    cases(__file__, "test_tables"),
)
def test_tables(text: str, expected: bool) -> None:
    """A Markdown table is recognised by its header and rule."""
    assert has_table(text) is expected


@pytest.mark.parametrize(
    ("text", "value"),
    cases(__file__, "test_data"),
)
def test_data(text: str, value: Any) -> None:
    """A text that is JSON is recognised as data."""
    assert json_value(text) == value


@pytest.mark.parametrize(
    "piece", ["<a ", "<a>", "| ", "|-", "> [", "a:", "1", "abcdef0", "@@ -1 ", "```\n"]
)
def test_long_texts_of_anything_take_linear_time(piece: str) -> None:
    """Looking for tables and escaping a megabyte of signs takes less than two seconds."""
    start = time.process_time()
    text = "| a |\n|" + piece * 100_000 + "x"
    has_table(text)
    escape(text, raw=True)
    assert time.process_time() - start < 2
