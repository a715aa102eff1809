"""JSON values one after the other are data, however they are parted and spelled."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.parsers.forms import data_of
from mckp.parsers.sequence import values_of
from tests.strategies import examples

_ROWS = [{"id": n, "name": f"item {n}", "tags": ["a", "b"], "state": "ok"} for n in range(12)]


@pytest.mark.parametrize("indent", [None, 2, 4, "\t"])
@pytest.mark.parametrize("between", ["\n", "\n\n"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
@pytest.mark.parametrize("feed", ["\n", "\r\n"])
def test_values_come_back_to_the_byte(indent: Any, between: str, end: str, feed: str) -> None:
    """Lines or indented values, with blank lines between or not, with either end of line."""
    text = between.join(json.dumps(row, indent=indent) for row in _ROWS) + end
    text = text.replace("\n", feed)
    data, form = data_of(text) or (None, None)
    if form is None:  # several line ends of Windows at the end
        assert (end, feed) == ("\n\n", "\r\n")
        return
    assert (data, form.write(data)) == (_ROWS, text)
    result = mckp.encode(text)
    assert mckp.decode(result.text).source == text
    assert result.tokens < mckp.encode(text, kind="text").tokens / 2


@pytest.mark.parametrize(
    "line",
    [
        '{{"id":{n},"price":1.10}}',
        '{{"id":{n},"price":1.0E5}}',
        '{{"id":{n}, "name" : "é\\u00e9"}}',
        '{{"id":{n},"path":"a\\/b/c"}}',
        '\x1e{{"id": {n},"name": "x"}}',
        '  {{"id": {n}, "name": "x"}}',
    ],
)
def test_irregular_spellings_are_data_within_a_budget(line: str) -> None:
    """Values and types are kept, and a note says that the spelling is not."""
    text = "".join(line.format(n=n) + "\n" for n in range(30))
    wanted = [json.loads(row.strip("\x1e ")) for row in text.split("\n")[:-1]]
    assert mckp.decode(mckp.encode(text).text).source == text
    whole = mckp.encode(text, budget=100_000)
    assert mckp.decode(whole.text) == wanted
    assert whole.notes == ("read as 30 JSON values; their spelling is not kept",)
    part = mckp.decode(mckp.encode(text, budget=100).text)
    assert [row["id"] for row in part] == sorted(row["id"] for row in part)
    assert all(wanted[row["id"]].items() >= row.items() for row in part)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        '{"a": 1, "a": 2}\n{"a": 3}',
        '{"a": NaN}\n{"a": 3}',
        '{"a": 1e999}\n{"a": 3}',
        '{"a": 1}\nnote\n{"a": 3}',
        '{"a": 1}\n{"a": 3',
        '{"a": 1}\n[1, 2]',
        "[1]\n[2]\n[3]\n",
        '{"a": 1}, {"a": 2}',
        "1\n2\n3\n",
    ],
)
def test_what_is_not_certain_stays_text(text: str) -> None:
    """A doubled key, a broken value and words between values make a text."""
    assert values_of(text) is None


_CHARACTERS = st.sampled_from(list('{}[],:"\n\r 01.eE-aé\\/'))


@given(st.integers(0, 200), _CHARACTERS, st.booleans())
@examples(400)
def test_one_changed_character_never_changes_a_value(place: int, sign: str, inserts: bool) -> None:
    """Near a sequence a text is data as Python's own reader has them, or no data."""
    text = "".join(json.dumps(row) + "\n" for row in _ROWS[:4])
    place %= len(text)
    changed = text[:place] + sign + text[place + (not inserts) :]
    values = values_of(changed)
    if values is not None:
        decoder, at, wanted = json.JSONDecoder(), 0, list[Any]()
        while changed[at:].strip():
            at += len(changed[at:]) - len(changed[at:].lstrip())
            value, at = decoder.raw_decode(changed, at)
            wanted.append(value)
        assert json.dumps(values) == json.dumps(wanted)
