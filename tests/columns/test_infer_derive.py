"""Kernels derive the columns that their twin derives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.columns.infer import record_shape
from mckp.columns.infer_derive import with_derived
from mckp.columns.infer_fit import fits
from mckp.columns.infer_layouts import below_shape, tagged_shape
from mckp.columns.shapes import WIDTH, Shapes, room_for
from mckp.encoders import derive as twin
from mckp.encoders import fitting
from mckp.encoders import infer as twin_infer
from mckp.encoders import layouts as twin_layouts
from mckp.encoders.shapes import Group
from mckp.jsontext import is_container, is_object
from tests.columns.shapes_of import plain, record_of
from tests.columns.tapes import children, entries_of, tape_of
from tests.strategies import TABLES, TEXTS, VALUES, Values, examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.columns.tape import Small, Tape
    from mckp.encoders.shapes import Record

ROOM = 2000


def _rows_shape(tape: Tape, values: Small, shapes: Shapes) -> int:
    return record_shape(tape, values, False, False, 0, shapes)


def _twin_shape(values: Sequence[Any]) -> Record | None:
    return twin_infer.record_shape(values, inline=False)


TWINS = (
    (_rows_shape, _twin_shape),
    (below_shape, twin_layouts.below_shape),
    (tagged_shape, twin_layouts.tagged_shape),
)


def _check_value(value: Any) -> None:
    """Check the shapes with derived columns of all containers in a document."""
    tape, shapes = tape_of(value), room_for(ROOM)
    for entry, each in enumerate(entries_of(value)):
        if not is_container(each):
            continue
        below = children(tape, entry)
        rows = list(each.values() if is_object(each) else each)
        for kernel, slow in TWINS:
            shapes.state[:] = 0
            place = kernel(tape, below, shapes)
            old = slow(rows)
            if old is None:
                assert place == -1
                continue
            before = plain(record_of(tape, shapes, place)), shapes.state[0]
            expected = twin.with_derived(old, rows)
            found = with_derived(tape, below, place, shapes)
            assert shapes.state[1] == 0
            if expected == old:
                assert found == -1
                assert (plain(record_of(tape, shapes, place)), shapes.state[0]) == before
            else:
                assert found == place
            assert plain(record_of(tape, shapes, place)) == plain(expected)
            if isinstance(expected, Group):
                _check_fits(tape, shapes, place, expected, value)


def _check_fits(tape: Tape, shapes: Shapes, place: int, expected: Group, value: Any) -> None:
    for entry, each in enumerate(entries_of(value)):
        if is_object(each):
            assert fits(tape, shapes, place, entry) == fitting.fits(expected, each)


# ---------------------------------------------------------------- records with a template

_PIECES = st.sampled_from(
    [
        "https://api/",
        "repos/acme",
        "{/id}",
        "{id}",
        "{name}",
        "{",
        "}",
        "{}",
        "a",
        "aa",
        "éa",
        "issues/",
        "x y",
    ]
)
_SMALL = st.sampled_from(["a", "aa", "b", "é", "{id}", "", "12"]) | TEXTS


@st.composite
def _spelled(draw: st.DrawFn, depth: int = 1) -> Any:
    """Draw records some strings of which are put together from others."""
    names = draw(
        st.lists(st.sampled_from(["id", "name", "a", "é", "k{", ""]), min_size=1, unique=True)
    )
    holes = st.sampled_from(names).map(lambda name: (name,))
    parts = st.tuples(_PIECES, holes, _PIECES | holes, _PIECES, holes | _PIECES)
    templates = draw(st.lists(parts, min_size=1, max_size=4))
    values: Values = draw(st.sampled_from([st.integers(-5, 300), _SMALL]))
    inner = draw(_spelled(depth - 1)) if depth and draw(st.booleans()) else None
    odd = draw(st.integers(0, 40))
    records: list[dict[str, Any]] = []
    for row in range(draw(st.integers(2, 4))):
        record: dict[str, Any] = {name: draw(values) for name in names}
        for place, template in enumerate(templates):
            text = "".join(str(record[p[0]]) if isinstance(p, tuple) else p for p in template)
            record[f"t{place}"] = f"{text}{'x' * (4 * row + place == odd)}"
        record["row"] = row
        if inner is not None:
            record["in"] = inner if odd % 2 else inner[row % len(inner)]
        records.append(record)
    return records


@given(_spelled())
@examples(400)
def test_derived_columns(value: Any) -> None:
    _check_value(value)


@given(_spelled().map(lambda rows: [{"n": row, "t": rows} for row in rows]))
@examples(50)
def test_derived_columns_in_tables(value: Any) -> None:
    _check_value(value)


@given(TABLES | VALUES)
@examples(100)
def test_derived_columns_of_any_value(value: Any) -> None:
    _check_value(value)


def _issues(count: int) -> list[dict[str, Any]]:
    return [
        {
            "number": n,
            "title": f"issue of {n * n}",
            "url": f"https://api/repos/a/issues/{n}",
            "labels_url": f"https://api/repos/a/issues/{n}/labels{{/name}}",
            "user": {"login": f"u{n % 3}", "page": f"https://page.of/u{n % 3}/"},
        }
        for n in range(3, 3 + count)
    ]


CASES: dict[str, Any] = {
    "issues": _issues(5),
    "issues below": [{"name": f"r {n}", "id": n, "issues": _issues(n)} for n in range(4)],
    "issues in objects": {str(n): {"id": n, "i": _issues(2)} for n in range(3)},
    "sources are not derived": [{"a": f"name-{n}-x", "b": f"name-{n}-x/1"} for n in range(3)],
    "derived are no sources": [
        {"id": n, "a": f"name-of-{n}", "b": f"name-of-{n}/more"} for n in range(3)
    ],
    "braces in text": [{"id": "{id}", "x": n, "t": "text of {id}"} for n in range(3)],
    "braces are too many": [{"id": n, "t": f"{{a}}{{b}}{{c}}-----{n}"} for n in range(3)],
    "braces that do not end": [{"id": n, "t": f"{'{id}' * 999}{n}{{id"} for n in range(3)],
    "braces of another": [{"id": n, "t": "{id}{x}{{y}}", "x": "a b"} for n in range(3)],
    "constants of an object": [{"id": n, "u": {"t": "a long text"}} for n in range(3)],
    "all the same": [{"u": {"t": "a long text"}, "v": {"w": 1}} for _ in range(3)],
    "a hole that is a member": [
        {"id": n, "t": f"{{x}}-------{n}", "x": {"y": n, "z": "a b"}} for n in range(3)
    ],
    "holes side by side": [{"a": n, "b": n + 1, "t": f"12345678{n}{n + 1}"} for n in range(3)],
    "numbers with points": [{"a": n + 0.5, "t": f"12345678-{n + 0.5}"} for n in range(3)],
    "large numbers": [{"a": 10**30 + n, "t": f"12345678-{10**30 + n}"} for n in range(3)],
    "effort ends": [{"a": "a", "b": f"b{n}", "t": "a" * 900 + f"b{n}" + "a" * n} for n in range(3)],
    "characters count": [{"a": n, "t": f"éééééé{n}"} for n in range(3)],
    "object tells by what is derived": [
        *({"u": {"id": n, "t": f"text of {n}"}, "n": n} for n in range(3)),
        {"n": 7},
    ],
    "object tells by its end": [
        *({"u": {"id": f"i {n}", "t": f"text of i {n}"}, "n": n} for n in range(3)),
        {"n": 7},
    ],
    "some lack": [{"id": n, "t": f"12345678-{n}"} for n in range(5)] + [{"id": 9}],
    "one differs": [{"id": n, "t": f"12345678-{n}"} for n in range(5)]
    + [{"id": 9, "t": "12345678-"}],
}


@pytest.mark.parametrize("name", CASES)
def test_derived_columns_of_nasty_cases(name: str) -> None:
    _check_value(CASES[name])


def test_templates_that_find_no_room_say_so() -> None:
    tape = tape_of(CASES["issues"])
    values = children(tape, 0)
    whole = room_for(ROOM)
    place = record_shape(tape, values, False, False, 0, whole)
    size = int(whole.state[0])
    assert with_derived(tape, values, place, whole) == place
    for room in range(size, int(whole.state[0])):
        fields = np.full((room + 1, WIDTH), 7, np.int32)
        tight = Shapes(fields[:room], np.zeros(4, np.int64))
        assert record_shape(tape, values, False, False, 0, tight) == place
        assert with_derived(tape, values, place, tight) == -1
        assert tight.state[1] == 1
        assert (fields[room] == 7).all()
