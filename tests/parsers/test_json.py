"""JSON is read strictly, and errors say where."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.errors import ParseError
from mckp.jsontext import MAX_DEPTH, difference, dump
from mckp.parsers import parse
from mckp.parsers.json import parse_json, value_offsets
from mckp.tree import Kind
from tests.cases import cases
from tests.strategies import VALUES, examples

REFUSED = [
    *cases(__file__, "REFUSED"),
    ("[" * 100_000, "nested deeper", [1, 1026]),
    ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested deeper", [1, 201]),
    ("9" * 5000, "an integer is too long to read", None),
    ("[" + "9" * 400 + ", 1e400]", "infinity", [1, 404]),
    ("[1" + "0" * 400 + ".5]", "infinity", [1, 2]),
]


@pytest.mark.parametrize(("text", "message", "place"), REFUSED)
def test_refused_with_a_place(text: str, message: str, place: list[int] | None) -> None:
    """Text that is no strict JSON is an error with its line and column."""
    with pytest.raises(ParseError, match=message) as caught:
        parse_json(text)
    assert place is None or [caught.value.line, caught.value.column] == place


@given(value=VALUES, spaced=st.booleans(), escaped=st.booleans())
@examples(200)
def test_json_text_is_read_exactly(value: Any, spaced: bool, escaped: bool) -> None:
    """Any JSON text is read to its exact value."""
    text = json.dumps(value, indent=1 if spaced else None, ensure_ascii=escaped)
    assert difference(parse_json(text).value, value) is None
    assert difference(parse_json(dump(value)).value, value) is None


@given(
    blanks=st.integers(0, 12), digits=st.integers(17, 22), key=st.text("0123456789a", max_size=9)
)
@examples(200)
def test_all_digits_wherever_they_are(blanks: int, digits: int, key: str) -> None:
    """Long numbers keep all digits, wherever they are in a text."""
    number = int("9" * digits)
    text = f'{{"{key}":{" " * blanks}[{number},-{number},{number}.5]}}'
    value = [number, -number, float(f"{number}.5")]
    assert difference(parse_json(text).value, {key: value}) is None


@given(value=VALUES)
@examples(100)
def test_every_value_has_a_place(value: Any) -> None:
    """Each place points at the first character of its value."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    lines = text.split("\n")
    tree = parse_json(text)
    for path, offset in value_offsets(text):
        place = ParseError.at("", text, offset)
        start = json.dumps(tree.at(*path).value, ensure_ascii=False, indent=2)[0]
        assert place.line is not None
        assert place.column is not None
        assert lines[place.line - 1][place.column - 1] == start


@pytest.mark.parametrize("depth", [1, MAX_DEPTH - 1, MAX_DEPTH])
def test_deep_but_not_too_deep(depth: int) -> None:
    """Arrays and objects are read down to the greatest depth."""
    assert parse_json("[" * depth + "]" * depth).value is not None
    assert parse_json('{"a":' * depth + "1" + "}" * depth).value is not None


@pytest.mark.parametrize(
    ("text", "kind"),
    cases(__file__, "test_kind_is_found_out"),
)
def test_kind_is_found_out(text: str, kind: str) -> None:
    """The kind of a text is found without a hint."""
    assert parse(text).kind.value == kind


BROKEN = [
    '{"a": 1',
    '[{"a": 1}, {',
    "[1, NaN]",
    '{"a": 1} trailing',
    "[1, 2",
    '{"a": 1, "a": 2}',
    '{"a": 1 /* one */}',
    '{"a": 1}\n{"a": 2}\n',
    '["\\ud800"]',
    "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
]


@pytest.mark.parametrize("text", BROKEN)
def test_broken_json_is_text_unless_it_is_to_be_json(text: str) -> None:
    """Broken JSON is read as text with a note, and is an error if JSON is asked for."""
    tree = parse(text)
    assert (tree.kind, tree.source) == (Kind.TEXT, text)
    note = tree.notes[0]
    assert note.startswith("read as text, because it is not JSON: ")
    with pytest.raises(ParseError):
        parse(text, "json")


def test_bytes_are_utf8_if_their_kind_is_given() -> None:
    """Bytes may have a byte order mark; other encodings are refused with the place."""
    assert parse(b'\xef\xbb\xbf{"a": 1}', "json").value == {"a": 1}
    with pytest.raises(ParseError, match="not UTF-8, from byte 8 on") as caught:
        parse(b'{"a":\n "\xff"}', "json")
    assert (caught.value.line, caught.value.column) == (2, 3)


ENCODED = [
    (b'{"a": "caf\xe9"}', '{"a": "café"}', "byte 10"),
    ("é, €, “".encode("cp1252"), "é, €, “", "byte 0"),
    ("naïve ".encode() + b"\xfc", "naïve ü", "byte 7"),
    (b"\xef\xbb\xbfa\x81", "a\ufffd", "byte 4"),
    ("é".encode("utf-16"), "é", ""),
    ("é".encode("utf-32"), "é", ""),
    ("é".encode("utf-16") + b"\x00", "é\ufffd", "byte 4"),
    ("caf\udce9", "café", "character 3"),
    ("a \ud83d\ude00 \ud83d", "a 😀 \ufffd", "character 2"),
]


@pytest.mark.parametrize(("raw", "text", "place"), ENCODED)
def test_every_byte_is_a_character(raw: bytes | str, text: str, place: str) -> None:
    """Bytes of any encoding are read, and replaced ones are noted once."""
    tree = parse(raw)
    assert tree.source == text
    assert [note for note in tree.notes if place in note] == list(tree.notes)
    assert len(tree.notes) == (place != "")


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, // one\n "b": [1, 2,], /* two */ "c": "http://x"}',
        '// settings\n{"a": 1}',
        '/* settings\n * of all */\n[{"a": "/*"}]',
    ],
)
def test_json_with_comments_is_said_to_be_that(text: str) -> None:
    """It is read as text, and a note says what would make it data."""
    tree = parse(text)
    assert not tree.is_json
    assert tree.notes[-1] == "this is JSON with comments; without them it is read as data"


@pytest.mark.parametrize("text", ["// a\nint x;", '{"a": 1 /* }', "[1] see http://x", "/* 1 */ 2"])
def test_other_texts_are_not_said_to_be_json_with_comments(text: str) -> None:
    """Only what is an object or array without its comments is."""
    assert not any("comments" in note for note in parse(text).notes)
