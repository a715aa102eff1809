"""Rows below a header: what is written is read back, whole or cut, and odd texts fail well."""

from collections.abc import Callable
from contextlib import suppress
from time import process_time
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import encode
from mckp.answers.reading import decode
from mckp.encoders import DERIVED, FLOW, ROWS, read, write_all
from mckp.encoders.headers import write_header
from mckp.encoders.hints import Overflow
from mckp.errors import ParseError
from mckp.jsontext import MAX_DEPTH, difference, is_array, is_object
from mckp.tokenizers import is_fragment
from tests.cases import cases
from tests.strategies import TABLES, VALUES, examples, size


@given(value=TABLES | VALUES)
@examples(600)
def test_every_body_reads_back(value: Any) -> None:
    """Every body of rows reads back as its value."""
    for text in write_all(value, ROWS):
        assert difference(value, decode(text)) is None


@given(value=TABLES, data=st.data())
@examples(600)
def test_any_rows_may_be_dropped(value: Any, data: st.DataObject) -> None:
    """Header and rows are fragments; those that are kept read back, with a hint for the rest."""
    names: list[Any] = list(value) if is_object(value) else list(range(len(value)))
    for body in ROWS.bodies(value):
        head = write_header(0, "", body.shape, ROWS.name) + body.head
        assert all(map(is_fragment, (head, *body.rows)))
        kept = [name for name in names if data.draw(st.booleans())]
        hint = Overflow(len(names) - len(kept), len(names), "rows")
        rows = [row for name, row in zip(names, body.rows, strict=True) if name in kept]
        text = "".join([head, *rows, f"{hint}\n" if hint.missing else ""])
        part: Any = {name: value[name] for name in kept}
        if is_array(value):
            part = [value[name] for name in kept]
        assert difference(part, decode(text)) is None


@given(value=TABLES)
@examples(200)
def test_rows_below_a_heading_read_back(value: Any) -> None:
    """Rows below a heading and among other members read back."""
    document = {"page": 1, "data": value, "more": [value, "x"], "next": "a\nb"}
    text = encode(document, formats=["kv", "rows", "prose"]).text
    assert difference(document, decode(text)) is None


@pytest.mark.parametrize(
    "value",
    cases(__file__, "test_value_that_was_misread"),
)
def test_value_that_was_misread(value: Any) -> None:
    """Values that were once decoded wrongly decode to the same value."""
    for format_ in (ROWS, FLOW, DERIVED):
        for text in write_all(value, format_):
            assert difference(value, decode(text)) is None


def nested(depth: int, step: Callable[[Any], Any]) -> Any:
    value: Any = {"leaf": 1}
    for _ in range(depth - 1):
        value = step(value)
    return value


def tree(value: Any) -> Any:
    below: list[Any] = value if is_array(value) else []
    return [{"name": "a b", "children": below}, {"name": "c", "children": []}]


STEPS: Final[dict[str, tuple[int, Callable[[Any], Any]]]] = {
    "arrays": (1, lambda value: [value, 1]),
    "objects": (1, lambda value: {"a": value, "b": "two words"}),
    "groups": (1, lambda value: {"g": value, "x": 1, "y": None}),
    "records": (2, lambda value: [{"id": 1, "sub": value}, {"id": 2, "sub": "x y"}]),
    "tables in cells": (
        3,
        lambda value: [
            {"id": 1, "sub": [{"n": 1, "m": value}, {"n": 2, "m": 0}]},
            {"id": 2, "sub": [{"n": 3, "m": 0}, {"n": 4, "m": 0}]},
        ],
    ),
    "records by name": (2, lambda value: {"k": {"id": 1, "s": value}, "l": {"id": 2, "s": 3}}),
    "trees": (2, tree),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", STEPS)
@pytest.mark.parametrize("twice", [False, True])
def test_deepest_documents(kind: str, twice: bool) -> None:
    """As deep as documents may be, nothing runs out of stack, in records or alone."""
    levels, step = STEPS[kind]
    value = nested((MAX_DEPTH - 4 * twice) // (levels + (kind == "tables in cells")), step)
    if twice:
        value = [{"id": 1, "v": value}, {"id": 2, "v": value}]
    for text in (*write_all(value, ROWS), *write_all(value, FLOW), encode(value).text):
        assert decode(text) == value


MANY: Final = size(100_000)


@pytest.mark.parametrize(
    "text",
    [
        *("[" * MANY, "{a" * MANY, '["' * MANY, "json[" * MANY, "[1{a}" * MANY, "[2{a}" * MANY),
        *("{1{@ a}x " * MANY, "[1{a}= " * MANY, "[" * 240 + "]" * 240, "[1{a}" * 247),
        *("[1]" + "{a" * MANY + "\n1", "[1]{a" + "?{a" * MANY + "}\n1", "[1]{a[]" * MANY + "}\n1"),
        *("[1]{a" + "[]{a" * MANY + "}\n1", "[1]{a=" + "[" * MANY + "}\n1"),
        *("[1]" + "{a" * 240 + "{b}" + "}" * 240 + "\n" + "[" * 240 + "\n",),
        *("[1]{a}\n" + "= " * MANY, "[1][]\n" + "[" * MANY),
        *("[999999999999999999]{a}\n1\n", "{999999999999999999}{@ a}\nx 1\n", "[9{a}1]\n"),
        *("[1]{a}\n<999999999999>\n", "[1]{a}\n<999999999999\n", "[1]{a}\n<0\n", "[<9999999]\n"),
        *("[999999999999999999{a}1]", "[1]{a a}\n1 2\n", "[1]{a{b b}}\n1 2\n", "[1]{a\n1\n"),
        *("[1]{a>{b} a}\n1\n", "[1]{a>{b}}\n 1\n", "[1]{@ a}\nx 1\n", "{1}{@ a @}\nx 1 2\n"),
        *("[1]{a}\n" + "9" * 5000 + "\n", "[1]{a}\n1e999\n", '[1]{a}\n"\\ud800"\n', '[1]{a}\n"\n'),
        *("[1]{a>}\n[x\n", "[1]{a\tb}\nx\n", "[1]{a?{b}}\n=\n", "[1]{a[]{b}}\n[1;\n", "[1]{}\n\n"),
    ],
    ids=lambda text: repr(text[:24]),
)
def test_hostile_text_fails_well(text: str) -> None:
    """A hostile text is read or refused with a `ParseError`, and uses little time and memory."""
    read_safely(text)


NAMES: Final = range(MANY)
ROWS_OF_NAMES: Final = size(10_000)
"""Rows that spell out as many names each: what they may spell out, and so the time, is limited."""
_FEWER: Final = range(ROWS_OF_NAMES)


@pytest.mark.parametrize(
    "text",
    [
        "[1]{a}\n" + "".join(f"== b{n} 1\n" for n in NAMES) + "1\n",
        "[1]{a u{x}}\n" + "".join(f"== u{{b{n} 1}}\n" for n in NAMES) + "1 1\n",
        f"[{MANY}][]{{{' '.join(f'a{n}' for n in NAMES)}}}\n" + "[0]\n" * MANY,
        f"[{ROWS_OF_NAMES}]{{a {' '.join(f'b{n}{{}}' for n in _FEWER)}}}\n" + "1\n" * ROWS_OF_NAMES,
        f"[{ROWS_OF_NAMES}]{{a {' '.join(f'b{n}?{{c}}' for n in _FEWER)}}}\n"
        + "1\n" * ROWS_OF_NAMES,
        f"[{ROWS_OF_NAMES}]{{a}}\n== {' '.join(f'b{n} 1' for n in _FEWER[::4])}\n"
        + "1\n" * ROWS_OF_NAMES,
    ],
    ids=["constants", "within", "lists", "empty", "lacking", "repeated"],
)
def test_hostile_text_fails_soon(text: str) -> None:
    """No line takes longer because of those above it, nor more room than what it stands for."""
    start = process_time()
    with suppress(ParseError):
        decode(text)
    assert process_time() - start < 15


def read_safely(text: str) -> None:
    """Read a text that may be anything, as blocks and as whatever it looks like."""
    for reader in (read, decode):
        place: tuple[int | None, int | None] = (1, 1)
        try:
            reader(text)
        except ParseError as error:
            place = (error.line, error.column)
        assert None not in place


@given(value=TABLES, data=st.data())
@examples(600)
def test_damaged_text_fails_well(value: Any, data: st.DataObject) -> None:
    """A text that lost, doubled, or gained characters has a value or the place of the error."""
    texts = [*write_all(value, ROWS), *write_all(value, FLOW)]
    if not texts:
        return
    text = data.draw(st.sampled_from(texts))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = start + data.draw(st.integers(0, 3))
        put = data.draw(st.sampled_from(DAMAGE) | st.just(text[start:end] * 2))
        text = text[:start] + put + text[end:]
    read_safely(text)


DAMAGE: Final = cases(__file__, "DAMAGE")
