"""A tape says of a document what a slow walk over its values says."""

from __future__ import annotations

import json
import time
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mckp.columns import document
from mckp.columns.document import document_tape
from mckp.columns.ready import is_compiled
from mckp.columns.tape import (
    AFTER,
    ARRAY,
    FACTS,
    INNER,
    KIND,
    LENGTH,
    LITERAL,
    NAME,
    NUMBER,
    OBJECT,
    SAME,
    SPELLING,
    STRING,
    scan,
)
from mckp.encoders.embedded import MOST_LEVELS, SPELLINGS, embedded
from mckp.jsontext import depth_of, dump, dumped, is_array, is_container, is_object
from tests.columns.tapes import bytes_of, content_of, entries_of, json_at, name_of, tape_of
from tests.strategies import TABLES, TEXTS, VALUES, Values, examples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.columns.tape import Tape

_WORDS = list(SPELLINGS)


def _kind(value: Any) -> int:
    if is_container(value):
        return OBJECT if is_object(value) else ARRAY
    if isinstance(value, str):
        return STRING
    return LITERAL if value is None or isinstance(value, bool) else NUMBER


def _facts(value: Any) -> int:
    if not is_container(value) or not value:
        return 1
    return sum(map(_facts, value.values() if is_object(value) else value))


def _names(value: Any, name: str | None = None) -> Iterator[str | None]:
    """Yield the name of a value and of all below it, None for items and the root."""
    yield name
    if is_object(value):
        for key, below in value.items():
            yield from _names(below, key)
    elif is_array(value):
        for below in value:
            yield from _names(below)


def _check(tape: Tape, value: Any, root: int = 0) -> None:
    """Compare the entries from a root on with a value and all below it."""
    for entry, each, name in zip(count(root), entries_of(value), _names(value), strict=False):
        node = tape.nodes[entry]
        assert node[KIND] == _kind(each)
        assert (name_of(tape, node[NAME]) if node[NAME] >= 0 else None) == name
        assert node[AFTER] == entry + len(list(entries_of(each)))
        assert node[LENGTH] == (len(each) if is_container(each) else 0)
        assert node[FACTS] == _facts(each)
        assert json_at(tape, entry) == dump(each)
        assert content_of(tape, entry) == (each if isinstance(each, str) else "")


def _check_same(tape: Tape, first: int, stop: int) -> None:
    """Check which of some entries have the same JSON."""
    known: dict[str, int] = {}
    for entry in range(first, stop):
        assert tape.nodes[entry, SAME] == known.setdefault(json_at(tape, entry), entry)


@examples(200)
@given(VALUES | TABLES)
@example({})
@example([])
@example("")
@example([[], {}, [[]], {"": {}}, "[]", "{}"])
@example({'"\\\b\f\n\r\t\x00\x1f/': '"\\\b\f\n\r\t\x00\x1f/', "a": '"\\\b\f\n\r\t\x00\x1f/'})
@example([0, -0.0, 1, 1.0, "1", True, "true", None, "null", 10**30, -(10**30)])
@example([{"a": 1, "b": [2]}, {"b": [2], "a": 1}, {"a": 1, "b": [2]}, {"c": 1, "b": [2]}])
def test_a_tape_is_what_a_walk_finds(value: Any) -> None:
    tape, depth, size = scan(bytes_of(dumped(value)))
    assert depth == depth_of(value)
    assert size == tape.text.size
    assert len(tape.nodes) == len(tape.spans) == len(list(entries_of(value)))
    _check(tape, value)
    _check_same(tape, 0, len(tape.nodes))
    names = [name_of(tape, key) for key in range(len(tape.keys))]
    assert names == list(dict.fromkeys(name for name in _names(value) if name is not None))
    assert (tape.nodes[:, INNER] == -1).all()


@pytest.mark.parametrize("depth", [1, 2, 199, 5000])
def test_depth_has_no_limit_of_its_own(depth: int) -> None:
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        text = f"{opening * depth}1{closing * depth}"
        tape, found, _ = scan(bytes_of(text.encode()))
        assert found == depth
        assert tape.nodes[:, AFTER].tolist() == [depth + 1] * (depth + 1)
        assert tape.nodes[:, SAME].tolist() == list(range(depth + 1))
        assert (tape.nodes[:, FACTS] == 1).all()


def test_escapes_that_this_library_does_not_write_are_declined() -> None:
    for text in ('"\\u0141"', '["a\\n","\\ud83d\\ude80"]', '{"\\u4e00":1}'):
        assert scan(bytes_of(text.encode()))[2] == -1
        assert document_tape(text.encode()) is None


def test_names_are_numbered_in_the_order_of_their_first_use() -> None:
    names = [f"name {number}" for number in range(1000)]
    tape = tape_of([dict.fromkeys(names, 1), dict.fromkeys(reversed(names), 2)])
    numbers = list(range(1000))
    assert tape.nodes[2:1002, NAME].tolist() == numbers
    assert tape.nodes[1003:, NAME].tolist() == numbers[::-1]


@pytest.mark.skipif(not is_compiled(), reason="as plain Python it takes long whatever it does")
def test_time_is_linear_in_distinct_names_and_values() -> None:
    many = dumped({f"key_{number}": f"value {number}" for number in range(100_000)})
    few = dumped([{"key": f"value {number}"} for number in range(100_000)])
    scan(bytes_of(b"1"))
    start = time.process_time()
    tape, _, _ = scan(bytes_of(few))
    assert len(tape.keys) == 1
    between = time.process_time()
    tape, _, _ = scan(bytes_of(many))
    assert len(tape.keys) == 100_000
    # A search through all names would take minutes.
    assert time.process_time() - between < 1 + 20 * (between - start)


# ---------------------------------------------------------------- strings that hold JSON


def _spelled(word: str, value: Any) -> str:
    return SPELLINGS[word](value)


def _around(inner: Values) -> Values:
    held = st.builds(_spelled, st.sampled_from(_WORDS), st.lists(inner, max_size=2))
    return st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3) | held


_HOLDING = st.recursive(st.builds(_spelled, st.sampled_from(_WORDS), VALUES) | TEXTS, _around)


def _check_held(tape: Tape, value: Any, root: int, levels: int) -> set[int]:
    """Check what the strings of a value hold; return the entries that stand for it."""
    seen: set[int] = set()
    for entry, each in zip(count(root), entries_of(value), strict=False):
        holds = embedded(each) if isinstance(each, str) and levels else None
        inner = int(tape.nodes[entry, INNER])
        if holds is None:
            assert inner == -1
            continue
        assert _WORDS[tape.nodes[entry, SPELLING]] == holds[0]
        assert tape.nodes[inner, NAME] == -1
        _check(tape, holds[1], inner)
        seen |= {*range(inner, int(tape.nodes[inner, AFTER]))}
        seen |= _check_held(tape, holds[1], inner, levels - 1)
    return seen


def test_more_text_than_places_reach_is_declined(monkeypatch: pytest.MonkeyPatch) -> None:
    text = dumped({"a": "[1]"})
    size = len(text) + len("[[1]]")
    for most, is_declined in ((size, False), (size - 1, True)):
        monkeypatch.setattr(document, "MOST_TEXT", most)
        assert (document_tape(text) is None) == is_declined


@examples(200)
@given(_HOLDING)
@example({"a": '{"b": [1, {"c": "[2,3]"}]}', "c": "[2,3]"})
@example(['{"a":1}', '{"a": 1}', '{\n  "a": 1\n}', '{"a":1}', "[1]", "[ 1]", "{}", "[]"])
@example([dump([dump([dump([dump([1])])])])])
@example({'"\n': json.dumps({'"\n': ['"\n', "é"]}), "é": json.dumps({"é": '"\n'})})
def test_strings_of_json_point_to_what_they_hold(value: Any) -> None:
    tape = document_tape(dumped(value))
    assert tape is not None
    last = int(tape.nodes[0, AFTER])
    _check(tape, value)
    _check_same(tape, 0, last)
    assert _check_held(tape, value, 0, MOST_LEVELS) == {*range(last, len(tape.nodes))}
    names = [name_of(tape, key) for key in range(len(tape.keys))]
    assert len(names) == len(set(names))
    assert (tape.nodes[tape.nodes[:, SAME], INNER] == tape.nodes[:, INNER]).all()
