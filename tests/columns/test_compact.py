"""Compact JSON made in one pass is that of the value, and of nothing that is no JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mckp.columns.compact import compact_json
from mckp.errors import ParseError
from mckp.jsontext import dumped
from mckp.parsers import as_tree
from tests.strategies import TABLES, VALUES, examples


def _written(value: Any, how: str) -> str:
    """Write JSON as one of the programs does that write it."""
    if how == "orjson":
        return dumped(value).decode()
    mark = "\ufeff" if how == "marked" else ""
    return mark + json.dumps(value, indent=1 if how == "lines" else None, ensure_ascii=how != "raw")


_HOW = st.sampled_from(["orjson", "marked", "lines", "raw", "plain"])
_ODD = st.sampled_from(
    [
        *("", " ", "\n", "\x0b", "\x01", '"', "\\", "0", "1", "-", ".", "e", "e5", "é", "nul"),
        *(
            ",",
            ":",
            "{",
            "}",
            "[",
            "]",
            '"a":1,',
            "\\u0022",
            "\\u00e9",
            "\\ud83d\\ude00",
            "\\ud83d",
        ),
        *("\\/", "\\u001f", "\\u000A", "\ud800", "1e400", "9" * 25, "0.30000000000000004"),
    ]
)
_CHANGES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1), _ODD), max_size=2)


def _told(text: str | bytes) -> bytes | None:
    """Return the compact JSON of the value of a text, by way of the value."""
    try:
        tree = as_tree(text)
    except ParseError:
        return None
    return dumped(tree.value) if tree.is_json else None


def _changed(text: str, changes: list[tuple[float, int, str]]) -> str:
    for where, gone, odd in changes:
        place = int(where * len(text))
        text = text[:place] + odd + text[place + gone :]
    return text


@given(value=VALUES | TABLES, how=_HOW, changes=_CHANGES)
@example(value=[1, 2], how="plain", changes=[(0.5, 1, "")])
@example(value={"a": 1}, how="plain", changes=[(0.2, 0, '"a":1,')])
@examples(600)
def test_is_the_compact_json_of_the_value_or_nothing(
    value: Any, how: str, changes: list[tuple[float, int, str]]
) -> None:
    text = _changed(_written(value, how), changes)
    found = compact_json(text)
    assert found is None or found.tobytes() == _told(text)


@given(value=st.lists(VALUES, max_size=4), how=_HOW)
@examples(200)
def test_takes_bytes_for_what_they_say(value: Any, how: str) -> None:
    text = _written(value, how)
    found = compact_json(text)
    for raw in (text.encode(), bytearray(text.encode())):
        again = compact_json(raw)
        assert (found is None) == (again is None)
        assert found is None or again is None or found.tobytes() == again.tobytes()


@pytest.mark.parametrize(
    "text",
    [
        ' { "a" : [ 1 , 2.50e1 ] } '.replace("2.50e1", "25.0"),
        '["\\u00e9\\ud83d\\ude00\\/\\u0022\\u000a\\u001F", true, null]',
        "[0.30000000000000004,1e-7,1.5e+300,123456789012345678901234567890]",
        "[[],{},[{}]]",
        '[""]\n',
    ],
)
def test_takes_json_as_programs_write_it(text: str) -> None:
    found = compact_json(text)
    assert found is not None
    assert found.tobytes() == _told(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "1", '"a"', "[1 2]", '["a" "b"]', "[1,]", "[", "[1]]", "[1] 2", "[NaN]", "[01]"),
        *('{"a":1,"a":2}', '{"a":1,"\\u0061":2}', "[-0]", "[1e5]", "[1.50]", '["\\x"]', "[\x0b1]"),
        *('["\\ud800"]', '["\ud800"]', '["a\nb"]', "[" * 201 + "]" * 201, "# Title", "[1e400]"),
    ],
)
def test_leaves_the_rest_to_the_parser(text: str) -> None:
    assert compact_json(text) is None


def test_leaves_bytes_that_are_no_text_to_the_parser() -> None:
    assert compact_json(b'["\xff"]') is None


def test_many_numbers_are_looked_at_piece_by_piece() -> None:
    numbers = [0.1 + 0.7 * n for n in range(20_000)]
    found = compact_json(json.dumps(numbers))
    assert found is not None
    assert found.tobytes() == dumped(numbers)
    assert compact_json(json.dumps(numbers)[:-1] + ", 1.10]") is None
