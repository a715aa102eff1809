"""Words and names say what they are, wherever they are."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from mckp.encoders.lines import Lines
from mckp.encoders.native import Flow
from mckp.encoders.native_reader import LineCursor, read_columns
from mckp.encoders.words import is_word, write_name
from mckp.jsontext import difference
from tests.cases import cases
from tests.strategies import KEYS, SCALARS, TEXTS, examples


def read_whole(text: str) -> Any:
    return LineCursor(text, Lines("")).read_whole()


write_word = Flow(None).value
"""What writes a string, number, boolean or null as a word."""


@given(value=SCALARS)
@examples(500)
def test_scalar_is_read_as_itself(value: Any) -> None:
    """A word is one value, types included, and it ends where its neighbours begin."""
    word = write_word(value)
    assert difference(value, read_whole(word)) is None
    assert difference([value, [value], value], read_whole(f"[{word} [{word}] {word}]")) is None
    assert difference({"a": value}, read_whole(f"{{a {word}}}")) is None


@given(key=KEYS, value=SCALARS)
@examples(500)
def test_name_is_read_as_itself(key: str, value: Any) -> None:
    """A name ends before a blank, a bracket, and all that follows a column's name."""
    name, word = write_name(key), write_word(value)
    members = {key: value}
    assert difference(members, read_whole(f"{{{name} {word}}}")) is None
    assert difference({key: members}, read_whole(f"{{{name}{{{name} {word}}}}}")) is None
    for columns in (name, f"{name}={word} ", f"{name}\t", f"{name}>", f"{name}[0][]"):
        assert list(columns_of(columns)) == [key]
    assert columns_of(f"{name}?{{{name}[0]{{{name}}}}}").keys() == {key}


def columns_of(columns: str) -> Any:
    line = LineCursor(f"{{{columns}}}", Lines(""))
    header: Any = read_columns(line)
    line.check_end()
    return header.columns


@given(text=TEXTS)
@examples(300)
def test_bare_words_are_written_as_they_are(text: str) -> None:
    """A word is written as it is if it may be bare, and in quotes otherwise."""
    word = write_word(text)
    assert (word == text) if is_word(text) else word.startswith('"')


@pytest.mark.parametrize(
    "text",
    cases(__file__, "test_word_is_bare"),
)
def test_word_is_bare(text: str) -> None:
    """Words of the list are written without quotes."""
    assert write_word(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "a b", "a\u00a0b", "a\u2028b", "\t", "\n", "\x00", "\x7f", '"', "\\", ";"),
        *("1", "-0", "1e5", "true", "null", "1,2", "true,", "-", "=", "=x", "<3", "<03", "3{a}"),
        *("{", "}", "[a]", "{a}", "a{", "a}", "a{b{c}}", "a{[}]", "json1["),
    ],
)
def test_word_is_quoted(text: str) -> None:
    """What means something else, or would end a word, is JSON."""
    assert write_word(text).startswith('"')


@pytest.mark.parametrize("write", [write_word, write_name])
@pytest.mark.parametrize("character", list('\\"{}[]; \t\n\u00a0\u3000\x85\x1c'))
def test_what_ends_a_word_is_quoted(write: Callable[[str], str], character: str) -> None:
    """A word or name with a character that ends it is written in quotes."""
    assert write(f"a{character}b").startswith('"')
