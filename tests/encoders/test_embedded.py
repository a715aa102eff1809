"""Strings that hold JSON come back to the byte."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import decode
from mckp.encoders import FLOW, ROWS, write, write_all
from mckp.encoders.embedded import MOST_DEPTH, SPELLINGS, embedded
from mckp.jsontext import difference, dump, is_array, is_object
from tests.strategies import TABLES, VALUES, examples

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = sorted(SPELLINGS)


def flow(value: Any) -> str:
    """Return a value in flow notation."""
    text = write(value, FLOW)
    assert text is not None
    return text


@given(value=TABLES | VALUES, name=st.sampled_from(NAMES))
@examples(400)
def test_text_is_spelled_again_to_the_byte(value: Any, name: str) -> None:
    """What is found in a string gives the string again, and may be found under its own name."""
    text = SPELLINGS[name](value)
    found = embedded(text)
    if found is not None:
        assert SPELLINGS[found[0]](found[1]) == text


@given(value=TABLES | VALUES, name=st.sampled_from(NAMES), shuffle=st.randoms())
@examples(300)
def test_order_of_members_survives(value: Any, name: str, shuffle: Any) -> None:
    """Records in a string have their members in the order in which they were, each its own."""
    text = SPELLINGS[name](shuffled(value, shuffle))
    document = [{"id": 1, "body": text}, {"id": 2, "body": text + " "}, {"id": 3, "body": [text]}]
    for written in (*write_all(document, ROWS), *write_all(document, FLOW)):
        assert difference(document, decode(written)) is None


def shuffled(value: Any, random: Any) -> Any:
    """Return a value with the members of its objects in another order each."""
    if is_array(value):
        return [shuffled(item, random) for item in value]
    if is_object(value):
        members = [(key, shuffled(item, random)) for key, item in value.items()]
        random.shuffle(members)
        return dict(members)
    return value


@pytest.mark.parametrize(
    ("spell", "name"),
    [
        (dump, "json"),
        (partial(json.dumps, ensure_ascii=False), "json1"),
        (partial(json.dumps, ensure_ascii=False, indent=2), "json2"),
        (json.dumps, "json3"),
        (partial(json.dumps, ensure_ascii=False, indent=4), "json4"),
        (partial(json.dumps, separators=(",", ":")), "json5"),
    ],
)
def test_spelling_is_recognised(spell: Callable[[Any], str], name: str) -> None:
    """The ways in which programs write JSON each have a word."""
    value = {"b": [1, {"ü": None}], "a": 0.5}
    assert embedded(spell(value)) == (name, value)
    assert flow([spell(value)]) == f"[{name}{{b[1 {{ü null}}] a 0.5}}]\n"


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "1", '"a"', "null", "[]", "{}", "[ 1]", "[1 ]", "[1, 2,3]", '{"a":1,"a":2}'),
        *("[1.0e1]", "[1.50]", "[1e400]", "[NaN]", "[1", '{"a"}', "[1]\n", '["\\u00e9","é"]'),
        *('["\\/"]', '["\\ud800"]', "[1]]", "[1}", "{1}", "[01]", "[-0.00]"),
    ],
)
def test_other_texts_are_strings(text: str) -> None:
    """What would come back with another byte stays a string."""
    assert embedded(text) is None
    assert decode(flow([text, 1])) == [text, 1]


def test_strings_in_strings_are_looked_into_twice() -> None:
    """A third level is a string again."""
    text = "[1]"
    for _ in range(3):
        text = dump([text])
    assert flow([text]).count("json[") == 2
    assert decode(flow([text])) == [text]


@pytest.mark.parametrize("bracket", ["[", '{"a":'])
def test_deep_json_is_left_alone(bracket: str) -> None:
    """What is nested deeper than a reader follows is a string as any other."""
    closing = "]" if bracket == "[" else "}"
    for depth, is_found in ((MOST_DEPTH, True), (MOST_DEPTH + 1, False), (100_000, False)):
        text = bracket * depth + "1" + closing * depth
        assert (embedded(text) is not None) is is_found
        assert decode(flow([text])) == [text]
