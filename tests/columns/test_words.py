"""What may stand bare, on bytes, is what the patterns say of text."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.columns import words as kernels
from mckp.columns.buffer import put
from mckp.encoders import free_text, scalars, words
from mckp.jsontext import LITERAL
from tests.columns.tapes import tape_of
from tests.strategies import KEYS, TEXTS, examples

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.columns.buffer import Bytes
    from mckp.columns.tape import Tape

_SPACES = [chr(code) for code in range(0x110000) if chr(code).isspace()]
_PIECES = st.sampled_from(
    [
        *_SPACES,
        *("1", "0", "-", ".", "e", "E", "+", "12", "true", "false", "null", "json", "json1"),
        "json0",
        *("{", "}", "[", "]", "(", ")", ";", ":", ",", "=", "?", "<", ">", "*", "@", "~", "|", "$"),
        *('"', "\\", "/", "_", "a", "Z", "\x00", "\x1b", "\x7f", "\u0080", "é", "²", "\u2008"),
        *("\u200b", "\u2027", "\u202e", "\u2060", "\u1681", "\u3001", "日", "\U0001d7ce", "🚀"),
    ]
)
_STRINGS = st.lists(_PIECES, max_size=6).map("".join) | TEXTS | st.text()
_CASES = [
    *("", "-", "@", "=", "<1", "<", "1{", "1{}", "a{b}[c]", "a{b[c]}", "a{b", "{a}", "a{;}"),
    "a{ }",
    *("1,2", "1.,2", "1e5", "1e", "-0", "01", "0.", "null,x", "nullx", "json[", "json9{a}"),
    "json0[1]",
    *("\u00a0a", "a\u3000", "a\u2029b", "\x85", "\x1c", "a\x1f", "日本", "²", "🚀", "a: b", "a."),
    ".5",
]
_TWINS: list[tuple[Callable[[str], bool], Callable[[Bytes, int, int], bool]]] = [
    (lambda text: re.fullmatch(LITERAL, text) is not None, kernels.is_literal),
    (scalars.is_bare, kernels.is_bare),
    (lambda text: scalars.write_key(text) == text, kernels.is_bare_key),
    (words.is_word, kernels.is_word),
    (lambda text: words.write_name(text) == text, kernels.is_name),
    (lambda text: re.match(words.SPELLED, text) is not None, kernels.looks_spelled),
    (
        lambda text: free_text.is_text(text, inline=False),
        lambda text, start, end: kernels.is_text(text, start, end, False),
    ),
    (
        lambda text: free_text.is_text(text, inline=True),
        lambda text, start, end: kernels.is_text(text, start, end, True),
    ),
]


def _piece(text: str) -> tuple[Bytes, int, int]:
    """Return a text as a piece of a buffer, between bytes that must not count."""
    data = text.encode()
    return np.frombuffer(b"\xe2" + data + b"\x80\xa8}", np.uint8), 1, 1 + len(data)


def _same(text: str) -> None:
    piece = _piece(text)
    for number, (twin, kernel) in enumerate(_TWINS):
        assert bool(kernel(*piece)) == twin(text), (number, text)


@examples(500)
@given(_STRINGS)
def test_says_of_bytes_what_the_patterns_say_of_text(text: str) -> None:
    _same(text)


@pytest.mark.parametrize("text", _CASES)
def test_says_the_same_of_what_looks_like_something_else(text: str) -> None:
    _same(text)


@cache
def _characters() -> list[str]:
    return [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]


def test_knows_the_letters_and_the_white_space_of_this_python() -> None:
    for character in _characters()[::7] + _SPACES + _characters()[:0x300]:
        piece = _piece(character)
        assert (kernels.space_at(*piece) > 0) == character.isspace()
        letter = re.fullmatch(r"[\w$@.]", character) is not None
        assert kernels.is_bare_key(*piece) == letter


@examples(300)
@given(_STRINGS)
def test_a_word_ends_where_the_pattern_ends(text: str) -> None:
    data, start, end = _piece(text)
    for pattern, kernel in ((words.WORD, kernels.word_end), (words.NAME, kernels.name_end)):
        found = re.match(pattern, text)
        size = len(found[0].encode()) if found else 0
        assert kernel(data, start, end) - start == size


def _written(
    span: Callable[[Tape, int], tuple[int, int]], value: Any, room: int
) -> tuple[str, int]:
    out, tape = np.full(room, 33, np.uint8), tape_of(value)
    n = put(out, 0, tape.text, *span(tape, 0))
    return out[:n].tobytes().decode(), n


@examples(300)
@given(KEYS | _STRINGS)
def test_writes_names_as_the_twin_does(key: str) -> None:
    assert _written(kernels.key_span, {key: 1}, 4000)[0] == scalars.write_key(key)
    assert _written(kernels.name_span, {key: 1}, 4000)[0] == words.write_name(key)


def test_counts_what_does_not_fit() -> None:
    assert _written(kernels.name_span, {"two words": 1}, 4) == ("!!!!", 11)
