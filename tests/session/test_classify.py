"""Shapes and inner formats, as the paper names them; what is only like one is none."""

from __future__ import annotations

import json
import time

import pytest

from mckp.agents.session.classify import INNER, Shape, classify, inner_formats, json_value
from mckp.encoders.fakes import escape

LOOKS = {
    Shape.PROSE: "One sentence.\nAnother.",
    Shape.NUMBERED_LIST: "    1→import os\n    2→\n    3→x = 1",
    Shape.BULLET_LIST: "- a\n* b\n- c",
    Shape.CODE_BLOCK: "so:\n```py\nx\n```",
    Shape.MARKDOWN_TABLE: "so:\n\n| a | b |\n|---|:-:|\n| 1 | 2 |",
    Shape.NESTED_OBJECT: '{"a": [1]}',
    Shape.FLAT_OBJECT: '{"a": 1, "b": null}',
    Shape.ARRAY_OF_OBJECTS: '[{"a": 1}, {"b": 2}]',
    Shape.ARRAY_OF_PRIMITIVES: '[1, "a", null]',
    Shape.EMPTY: "[]",
}


@pytest.mark.parametrize("shape", LOOKS)
def test_shapes(shape: Shape) -> None:
    """Each shape is found."""
    assert classify(LOOKS[shape], json_value(LOOKS[shape])).shape is shape


def test_there_are_eleven_shapes() -> None:
    """The names are those of the paper; unknown is only for what was not looked at."""
    assert {*LOOKS, Shape.UNKNOWN} == set(Shape)
    assert len(Shape) == 11


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("{}", Shape.EMPTY),
        (" \n", Shape.EMPTY),
        ('[{"a": 1}, 2]', Shape.NESTED_OBJECT),
        ('{"a": 1', Shape.PROSE),
        ('{"a": 1, "a": 2}', Shape.PROSE),
        ("- a\n- b", Shape.PROSE),
        ("1→a\n2→b", Shape.PROSE),
        ("| a |\n| b |", Shape.PROSE),
        ("| a |\n|   |", Shape.PROSE),
        ("| a |\n|---|\n```\n```", Shape.MARKDOWN_TABLE),
        ("```\n- a\n- b\n- c\n```", Shape.CODE_BLOCK),
    ],
)
def test_edges_of_shapes(text: str, shape: Shape) -> None:
    """What is nearly something is not, and the first that holds is taken."""
    assert classify(text, json_value(text)).shape is shape


def test_figures() -> None:
    """Columns with an escaped bar are one; rows end at a blank line; depth counts containers."""
    table = classify("| a \\| b | c |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n| 5 | 6 |")
    assert (table.cols, table.rows) == (2, 2)
    nested = json.loads('{"a": {"b": [{}]}, "c": 1}')
    found = classify(json.dumps(nested), nested)
    assert (found.n_fields, found.depth_max) == (2, 4)
    records = [{"a": 1, "b": 1}, {"a": 1}, {"a": 1, "b": 2}]
    array = classify(json.dumps(records), records)
    assert (array.n_items, array.key_stability) == (3, 0.75)


FORMATS = {
    "url": "see https://x.org/a",
    "log": "2024-05-01 10:02 started",
    "hash": "commit 9fceb02 is it",
    "diff": "diff --git a/x b/x",
}


@pytest.mark.parametrize("name", INNER)
def test_inner_formats(name: str) -> None:
    """Each format is found, in texts and in strings of data."""
    assert name in inner_formats(FORMATS[name])
    assert name in inner_formats("", {"a": [{"b": FORMATS[name]}]})


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("feedback effaced defaced", "hash"),
        ("id 1234567 and 12345678", "hash"),
        ("abcdef0123 is ten, abcdef012 is nine", "url"),
        ("abcdef012 is of nine digits", "hash"),
        ("x9fceb02y is a word", "hash"),
        ("http:// alone", "url"),
        ("2024-05-01 is a day", "log"),
        ("a @@ b @@ c", "diff"),
        ("@@ mention", "diff"),
    ],
)
def test_what_is_only_like_a_format(text: str, name: str) -> None:
    """The old tests took words for hashes, and more of the kind."""
    assert name not in inner_formats(text)


def test_depth_limits_the_walk() -> None:
    """Strings deeper than asked for are not looked at."""
    value = {"a": {"b": "see https://x.org"}}
    assert inner_formats("", value, depth=2) == ("url",)
    assert inner_formats("", value, depth=1) == ()


@pytest.mark.parametrize(
    "piece", ["<a ", "<a>", "| ", "|-", "> [", "a:", "1", "abcdef0", "@@ -1 ", "```\n"]
)
def test_long_texts_of_anything_take_linear_time(piece: str) -> None:
    """No text can hold a session up."""
    start = time.process_time()
    text = "| a |\n|" + piece * 100_000 + "x"
    classify(text)
    inner_formats(text)
    escape(text, raw=True)
    assert time.process_time() - start < 2
