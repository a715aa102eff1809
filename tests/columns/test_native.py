"""The compiled writers of the native formats say what their twins say, byte for byte."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.columns.document import document_tape
from mckp.columns.native import flow_line, rows, work_for
from mckp.columns.quoting import quote
from mckp.columns.tape import AFTER, ARRAY, KIND, LENGTH, Tape
from mckp.encoders import derived
from mckp.encoders import rows as plain
from mckp.encoders.native import MOST_TABLES, write_flow
from mckp.jsontext import dump, dumped, is_array
from tests.columns.tapes import json_at
from tests.strategies import TABLES, TEXTS, VALUES, examples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mckp.encoders.base import Body

LAYOUTS: tuple[Callable[[Any], Body | None], ...] = (
    plain.body,
    plain.below,
    plain.tagged,
    derived.body,
    derived.below,
)
PREFIXES = st.sampled_from(["", "k: ", "- ", "/x", ">", 'k/"a": ', "/a\\b\t"])

LINES = "one\ntwo\nthree\nfour"


def tape_of(value: Any) -> Tape | None:
    return document_tape(dumped(value))


def containers(tape: Tape) -> Iterator[tuple[int, Any]]:
    """Yield the arrays and objects of a document and where they stand."""
    for entry in range(int(tape.nodes[0, AFTER])):
        if tape.nodes[entry, KIND] <= ARRAY:
            yield entry, json.loads(json_at(tape, entry))


def flow(tape: Tape, entry: int, prefix: str, room: int = 4096, shapes: int = 256) -> str:
    """Return a line in flow notation, with more room as long as it takes."""
    work = work_for(tape, shapes)
    out = np.empty(max(room, len(prefix)), np.uint8)
    out[: len(prefix)] = list(prefix.encode())
    size = flow_line(tape, entry, work, out, 0, len(prefix))
    if work.short:
        return flow(tape, entry, prefix, room, 4 * shapes)
    if size > out.size:
        return flow(tape, entry, prefix, size, shapes)
    return out[:size].tobytes().decode()


def table(
    tape: Tape, entry: int, layout: int, room: int = 4096, shapes: int = 256
) -> tuple[str, tuple[str, ...]] | None:
    """Return the columns and the rows of a table, with more room as long as it takes."""
    work = work_for(tape, shapes)
    out = np.empty(room, np.uint8)
    ends = np.zeros(tape.nodes[entry, LENGTH], np.int64)
    size = rows(tape, entry, layout, work, out, 0, ends)
    if work.short:
        return table(tape, entry, layout, room, 4 * shapes)
    if size < 0:
        return None
    if size > out.size:
        return table(tape, entry, layout, size, shapes)
    places = [0, *ends.tolist(), size]
    *found, columns = (out[a:b].tobytes().decode() for a, b in pairwise(places))
    return columns, tuple(found)


def lines(tape: Tape, prefix: str) -> Iterator[tuple[Any, str]]:
    """Yield all arrays and objects, and their lines, written one behind the other."""
    work, out, n = work_for(tape), np.empty(1 << 20, np.uint8), 0
    for entry, inner in containers(tape):
        line, start = n, n + len(prefix)
        out[line:start] = list(prefix.encode())
        n = flow_line(tape, entry, work, out, line, start)
        yield inner, out[line:n].tobytes().decode()


def expected(value: Any, layout: int) -> tuple[str, tuple[str, ...]] | None:
    body = LAYOUTS[layout](value)
    if body is None:
        return None
    count = f"[{len(value)}]" if is_array(value) else f"{{{len(value)}}}"
    return body.shape.removeprefix(count), body.rows


def check(value: Any, prefix: str = "", **room: int) -> None:
    """Compare all that can be written of a document."""
    tape = tape_of(value)
    if tape is None:
        return
    for entry, inner in containers(tape):
        assert flow(tape, entry, prefix, **room) == write_flow(inner, prefix)
        for layout in range(len(LAYOUTS)):
            assert table(tape, entry, layout, **room) == expected(inner, layout)


@examples(60)
@given(VALUES | TABLES, PREFIXES)
def test_lines_are_the_same_behind_those_that_they_are_part_of(value: Any, prefix: str) -> None:
    tape = tape_of({"in": [value, {"at": value}], "/b": LINES, "held": dump([{"at": value}])})
    for inner, line in () if tape is None else lines(tape, prefix):
        assert line == write_flow(inner, prefix)


@examples(60)
@given(VALUES | TABLES)
def test_lines_are_written_anew_where_room_was_short(value: Any) -> None:
    tape = tape_of([value])
    if tape is None:
        return
    work, out = work_for(tape), np.empty(0, np.uint8)
    for room in (4, 16, 64, 1 << 16):
        out = np.pad(out, (0, room - out.size), constant_values=63)
        size = flow_line(tape, 0, work, out, 0, 0)
        if size <= room:
            assert out[:size].tobytes().decode() == write_flow([value])
            break


@examples(200)
@given(VALUES, PREFIXES)
def test_values(value: Any, prefix: str) -> None:
    check(value, prefix)


@examples(300)
@given(TABLES)
def test_tables(value: Any) -> None:
    check(value)


@examples(200)
@given(TEXTS, st.sampled_from(["", "k: ", "- "]))
def test_scalars(text: str, prefix: str) -> None:
    tape = tape_of(text)
    if tape is not None:
        assert flow(tape, 0, prefix) == write_flow(text, prefix)


@examples(30)
@given(TABLES, st.integers(0, 80), st.integers(1, 8))
def test_little_room(value: Any, room: int, shapes: int) -> None:
    check(value, room=room, shapes=shapes)


@pytest.mark.parametrize("first", ["- x", "null x", "; x", "] x", "} x", "-", None, "nullx y"])
def test_objects_that_seem_not_to_be_there(first: str | None) -> None:
    rest = [{"id": i, "o": {"t": "two words", "n": i, "u": "x y"}} for i in range(3)]
    check([*rest, {"id": 3, "o": {"t": first, "n": 1, "u": "z"}}, {"id": 4}])
    check([*rest, {"id": 3, "o": {"n": 1, "u": "z"}}, {"id": 4, "o": None}, {"id": 5, "o": 6}])


def test_strings_below_lines_in_the_order_of_their_cells() -> None:
    record = {"a": LINES, "z": "free text", "b": [LINES + "5"], "c": {"d": LINES + "6"}}
    check([{**record, "n": i, f"more{i}": LINES + "7"} for i in range(4)])
    check({"text": LINES, "rows": [{"t": LINES, "i": i} for i in range(3)]})
    check([dump({"t": LINES, "u": i % 2}) for i in range(40)])


def test_words_that_end_in_brackets_among_free_text() -> None:
    texts = ["two words", "a{b}", "x[y]z", *(f"text {i}" for i in range(12))]
    check({"rows": [{"t": text, "u": f"more {text}", "n": i} for i, text in enumerate(texts)]})


def test_trees() -> None:
    def node(depth: int) -> dict[str, Any]:
        below: list[dict[str, Any]] = (
            [node(depth - 1), {"name": LINES, "children": []}] if depth else []
        )
        return {"name": f"depth {depth}", "children": below, **({"x": 1} if depth == 2 else {})}

    check([node(4), node(2)])


def test_many_tables_within_tables() -> None:
    value: Any = 1
    for _ in range(MOST_TABLES + 2):
        value = [{"a": value, "b": "two words"}, {"a": [{"c": 1, "d": 2}, {"c": 3}], "b": 2}]
        check(value)


def test_names_behind_the_first_cell() -> None:
    check({f"row {i}": {"n": i, "text": "two words", "a": [1, {}]} for i in range(3)})
    check({"x": {"n": 1}, "/y": {"n": 2}, ">z": {"n": 3}})


@pytest.mark.parametrize("depth", [1, 60, 199])
def test_deep_nesting(depth: int) -> None:
    value: Any = "x"
    for _ in range(depth):
        value = [value] if depth % 2 else {"k": value}
    tape = tape_of(value)
    assert tape is not None
    assert flow(tape, 0, "") == write_flow(value)


@examples(100)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.text("ab", max_size=3))
def test_quote(text: str, rest: str) -> None:
    source = f"<{text}{rest}".encode()
    end = len(source) - len(rest)
    out = np.zeros(6 * len(source) + 2, np.uint8)
    out[: len(source)] = list(source)
    size = quote(out, 1, end, len(source))
    assert out[:size].tobytes().decode() == f"<{dump(text)}{rest}"
    assert quote(out[: size - 1].copy(), 1, 1, size) == size + 2
