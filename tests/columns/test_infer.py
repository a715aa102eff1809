"""The inference of shapes in kernels gives the shapes of its twin."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given

from mckp.columns.infer import record_shape
from mckp.columns.infer_fit import fits, in_order, tag_of
from mckp.columns.infer_layouts import below_shape, tagged_shape
from mckp.columns.infer_members import FEW, index_of, member
from mckp.columns.shapes import WIDTH, Shapes, room_for
from mckp.columns.tape import AFTER, NAME
from mckp.encoders import fitting
from mckp.encoders import infer as twin
from mckp.encoders import layouts as twin_layouts
from mckp.encoders.shapes import Group, Tagged
from mckp.jsontext import is_array, is_container, is_object
from tests.columns.shapes_of import plain, record_of
from tests.columns.tapes import children, entries_of, tape_of
from tests.strategies import TABLES, VALUES, examples

if TYPE_CHECKING:
    from mckp.columns.tape import Tape
    from mckp.encoders.shapes import Record

ROOM = 2000


def _rows(value: Any) -> list[Any]:
    return list(value.values()) if is_object(value) else list(value)


def _check(tape: Tape, shapes: Shapes, place: int, expected: Record | None) -> None:
    """Check that the shape at a place, the first in the arena, is the expected one."""
    assert shapes.state[1] == 0
    if place < 0:
        assert shapes.state[0] == 0
    assert plain(record_of(tape, shapes, place)) == plain(expected)


def _check_fits(tape: Tape, shapes: Shapes, group: int, expected: Group, value: Any) -> None:
    """Check which of all objects in a document can be written in a shape."""
    for entry, each in enumerate(entries_of(value)):
        if is_object(each):
            assert fits(tape, shapes, group, entry) == fitting.fits(expected, each)
            is_ordered = in_order(tape.nodes, shapes.fields, group, entry)
            assert is_ordered == fitting.in_order(expected, each)


def _check_value(value: Any) -> None:
    """Check all shapes of all containers in a document."""
    tape, shapes = tape_of(value), room_for(ROOM)
    for entry, each in enumerate(entries_of(value)):
        if not is_container(each):
            continue
        below, rows = children(tape, entry), _rows(each)
        for inline, ordered in ((False, False), (True, False), (True, True)):
            for depth in (0, 3):
                shapes.state[0] = 0
                place = record_shape(tape, below, inline, ordered, depth, shapes)
                expected = twin.record_shape(rows, inline=inline, ordered=ordered, depth=depth)
                _check(tape, shapes, place, expected)
                if isinstance(expected, Group):
                    _check_fits(tape, shapes, place, expected, value)
        if is_array(each):
            _check_layouts(tape, shapes, entry, each, value)


def _check_layouts(tape: Tape, shapes: Shapes, entry: int, each: list[Any], value: Any) -> None:
    shapes.state[0] = 0
    place = below_shape(tape, children(tape, entry), shapes)
    tree = twin_layouts.below_shape(each)
    _check(tape, shapes, place, tree)
    if tree is not None:
        _check_fits(tape, shapes, place, tree, value)
    shapes.state[0] = 0
    place = tagged_shape(tape, children(tape, entry), shapes)
    tagged = twin_layouts.tagged_shape(each)
    _check(tape, shapes, place, tagged)
    if tagged is not None:
        _check_tags(tape, shapes, place, tagged, value)


def _check_tags(tape: Tape, shapes: Shapes, place: int, tagged: Tagged, value: Any) -> None:
    for entry, each in enumerate(entries_of(value)):
        if is_object(each):
            group, tag = tag_of(tape, shapes, place, entry), fitting.tag_of(tagged.groups, each)
            found = plain(record_of(tape, shapes, group))
            assert found == (None if tag is None else plain(tagged.groups[tag]))


@given(TABLES)
@examples(150)
def test_shapes_of_tables(value: Any) -> None:
    _check_value(value)


@given(VALUES)
@examples(100)
def test_shapes_of_any_value(value: Any) -> None:
    _check_value(value)


def _shuffled(count: int, seed: int) -> dict[str, Any]:
    keys = [f"key {number}" for number in range(count)]
    random.Random(seed).shuffle(keys)
    return {key: place % 7 for place, key in enumerate(keys)}


_PAIR = [{"a": 1, "b": "x y"}, {"a": 2, "b": "y z"}]
CASES: dict[str, Any] = {
    "zero that is negative": [{"n": -0.0, "x": 1}, {"n": 3, "x": 2}],
    "negative": [{"n": -0.5, "x": 1}, {"n": 3, "x": 2}],
    "digits in front": [{"x": "a", "n": "7up"}, {"x": "b", "n": "8up"}],
    "digits of others": [{"x": "a", "n": "\u0661"}, {"x": "b", "n": "\u0662"}],
    "names in characters": [{"ééééé": 1, "x": 2}, {"ééééé": 3}],
    "names with escapes": [{'"\n\t\\x': "a b", "k": 1}, {'"\n\t\\x': "b c", "k": 2}],
    "only constants": [{"a": 1, "b": {"c": 2}}, {"a": 1, "b": {"c": 2}}],
    "1 and 1.0": [{"a": 1, "b": 1}, {"a": 1.0, "b": 1}],
    "members in another order": [{"a": 1, "b": 2}, {"b": 3, "a": 4}, {"c": 5, "b": 6, "a": 7}],
    "constants in another order": [
        {"a": {"x": 1, "y": 2}, "b": 1},
        {"a": {"y": 2, "x": 1}, "b": 2},
    ],
    "odd object": [{"k": {"a": i, "b": i, "c": i}} for i in range(40)] + [{"k": {"z": 1}}],
    "object or nothing": [{"k": {"a": 1, "b": 2}}, {"k": {"a": 2, "b": 3}}, {"k": None}, {"j": 1}],
    "empty objects": [{"k": {"a": 1, "b": 2}}, {"k": {"a": 2, "b": 3}}, {"k": {}}],
    "text in an object": [{"u": {"bio": "a b", "id": i}, "n": i} for i in range(3)],
    "text in an object that may lack": [{"u": {"bio": f"a {i}"}} for i in range(3)] + [{"u": 0}],
    "tables in cells": [{"n": 1, "t": _PAIR}, {"n": 2, "t": _PAIR[:1]}, {"n": 3, "t": []}],
    "tables not in order": [{"t": _PAIR}, {"t": [{"b": "q r", "a": 3}, {"a": 4, "b": "s t"}]}],
    "large objects": [_shuffled(4 * FEW, seed) for seed in range(3)],
    "deep objects": [{"a": {"b": {"c": {"d": {"e": {"f": i, "g": "x y"}}}}}} for i in range(3)],
    "deep tables": [{"a": [{"b": [{"c": [{"d": [{"e": i}, {"e": 2}]}]}]}]} for i in range(3)],
    "arrays": [[1], [], [2, 3]],
    "empty array": [],
    "empty rows": [{}, {}],
    "half of no use": [{"a": 1, "b": 2}, {"a": 2, "b": 3}, 1, 2],
    "more than half of no use": [{"a": 1, "b": 2}, {"a": 2, "b": 3}, 1, 2, 3],
    "first of two largest": [
        {"q": 1, "a": [], "b": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]},
        {"q": 2, "a": [{"x": 1, "y": 2}, {"x": 3, "y": 4}], "b": []},
    ],
    "tree": [{"n": "a", "s": 1, "c": [{"n": "b", "s": 2, "c": [{"n": "d", "s": 3}]}, 4, {}]}],
    "rows below": [{"n": f"a {i}", "t": _PAIR * i} for i in range(4)],
    "rows below, some lack": [{"n": 1, "m": 2}, {"n": 2, "m": 3, "t": _PAIR}],
    "by letters": [{"a": 1, "b": 2}, {"c": 1}, {"b": 2, "a": 1}, {"c": 3}, {"c": "x y"}],
    "by tags": [{"t": t, f"{t}{i % 1}": i} for i, t in enumerate("xyxyxyx")],
    "tags of other names": [{"t": "a", "x": 1}, {"t": "b", "y": 1}, {"t": "a"}, {"t": "b"}],
    "tags that look like literals": [{"t": t, t: i} for i, t in enumerate(["true", "x"] * 3)],
    "26 tags": [{f"k{i % 26}": i} for i in range(52)],
    "27 tags": [{f"k{i % 27}": i} for i in range(54)],
}


@pytest.mark.parametrize("name", CASES)
def test_shapes_of_nasty_cases(name: str) -> None:
    _check_value(CASES[name])


def test_members_are_found_in_objects_of_any_size() -> None:
    for count in (1, FEW, FEW + 1, 300):
        value = [_shuffled(count, 1), {"x": {"x": 1}, **_shuffled(count, 2)}]
        tape = tape_of(value)
        for entry in children(tape, 0):
            index = index_of(tape, entry)
            own = {int(tape.nodes[each, NAME]): int(each) for each in children(tape, entry)}
            for key in range(tape.keys.shape[0]):
                for hint in (*own.values(), int(tape.nodes[entry, AFTER])):
                    assert member(tape, entry, key, hint, index) == own.get(key, -1)


@pytest.mark.parametrize("name", ["tables in cells", "tree", "by letters", "rows below"])
def test_shapes_that_find_no_room_say_so(name: str) -> None:
    tape = tape_of(CASES[name])
    values = children(tape, 0)
    for shape in (_plain_shape, below_shape, tagged_shape):
        whole = room_for(ROOM)
        place = shape(tape, values, whole)
        for size in range(whole.state[0] if place >= 0 else 0):
            fields = np.full((size + 1, WIDTH), 7, np.int32)
            tight = Shapes(fields[:size], np.zeros(4, np.int64))
            assert shape(tape, values, tight) == -1
            assert tight.state[:2].tolist() == [0, 1]
            assert (fields[size] == 7).all()


def _plain_shape(tape: Tape, values: Any, shapes: Shapes) -> int:
    return record_shape(tape, values, False, False, 0, shapes)
