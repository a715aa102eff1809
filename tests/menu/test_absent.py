"""What was dropped from a table, or cut, never looks like what its records do not have."""

from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import mckp
from mckp.encoders import row_writer
from mckp.encoders.records import Column
from mckp.menu.weighing import without_leaves
from mckp.weights.models import WeightName
from tests.strategies import examples

WORDS: st.SearchStrategy[Any] = st.sampled_from(
    ["open", "closed now", "a text of more words than one", "1", "n7", "x"]
)
PARTS: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"login": WORDS, "site": st.fixed_dictionaries({"url": WORDS, "size": st.integers(0, 9)})}
)
ITEMS: st.SearchStrategy[Any] = st.lists(
    st.fixed_dictionaries({"name": WORDS, "color": WORDS}), min_size=1, max_size=3
)
NAMES = ("id", "ok", "note", "user", "labels", "login", "site", "url", "size", "name", "color")


@st.composite
def complete(draw: st.DrawFn) -> list[dict[str, Any]]:
    every: dict[str, st.SearchStrategy[Any]] = {
        "id": st.integers(0, 99),
        "ok": st.booleans(),
        "note": WORDS,
        "user": PARTS,
    }
    more = {"labels": ITEMS} if draw(st.booleans()) else {}
    row: st.SearchStrategy[Any] = st.fixed_dictionaries(every | more)
    return draw(st.lists(row, min_size=3, max_size=12))


def no_rows(*_: object) -> tuple[int, ...]:
    return ()


def dense(
    column: Column, texts: list[str], absent: str, cut: str = "", plain: Any = Column.texts_by_row
) -> list[str]:
    """Write a column, which lacks nothing where there is no sign for what was cut."""
    assert cut or column.count == column.size
    cells: list[str] = plain(column, texts, absent, cut)
    return cells


@given(
    rows=complete(),
    gone=st.lists(st.tuples(st.integers(0, 11), st.sampled_from(NAMES)), max_size=6),
    share=st.none() | st.floats(0.2, 0.9),
    formats=st.sampled_from(["native", "dense", "standard", ["json", "kv", "csv"], ["flow"]]),
    weights=st.sampled_from(["salience", "uniform", "position"]),
)
@examples(300)
def test_nothing_looks_absent_where_nothing_was(
    rows: Any, gone: Any, share: Any, formats: Any, weights: WeightName
) -> None:
    """No cell of records that have all members has the sign of absence, whatever is cut of them.

    Here that sign is a word, which would not read back as absent.
    """
    drops = {f"jobs[{row}].**.{name}": "drop" for row, name in gone}
    with (
        patch.object(row_writer, "ABSENT_WORD", "absent"),
        patch.dict("mckp.encoders.row_writer._NOTHING", {mckp.ABSENT: "absent"}),
        patch.object(row_writer, "_rows_without_last", no_rows),
        patch.object(Column, "texts_by_row", dense),
    ):
        data = {"page": 1, "jobs": rows}
        result = mckp.encode(
            data, formats=formats, weights=weights, priorities=drops, on_unmatched="ignore"
        )
        if share is not None:
            try:
                result = result.at(int(result.tokens * share))
            except mckp.BudgetError:
                return
    assert "absent" not in result.text or "absent" in str(rows)
    event("a sign of what was cut" if "…" in result.text else "none")


@st.composite
def cells(draw: st.DrawFn) -> list[list[Any]]:
    cell = st.sampled_from([*range(20), "-", "…"])
    rows = st.lists(st.lists(cell, min_size=3, max_size=3), min_size=5, max_size=9)
    return draw(rows)


@given(cells())
@examples(200)
def test_dropped_and_absent_have_their_own_signs(rows: list[list[Any]]) -> None:
    """A row shows what was dropped by one sign and what it does not have by another."""
    names = ("a", "b", "c")
    data = [
        {"id": n} | {k: 0 if v == "…" else v for k, v in zip(names, row, strict=True) if v != "-"}
        for n, row in enumerate(rows)
    ]
    gone = {
        f"[{n}].{name}": "drop"
        for n, row in enumerate(rows)
        for name, value in zip(names, row, strict=True)
        if value == "…"
    }
    result = mckp.encode(data, priorities=gone)
    wanted = [
        {"id": n} | {k: v for k, v in zip(names, row, strict=True) if v not in ("-", "…")}
        for n, row in enumerate(rows)
    ]
    assert mckp.decode(result.text) == wanted
    shown = [line.split(" ") for line in result.text.splitlines() if line[:1].isdigit()]
    if "{id a b c}" not in result.text or len(shown) < len(rows):
        return
    assert shown == [[str(n), *map(str, row)] for n, row in enumerate(rows)]
    event("a table")


@pytest.mark.parametrize(
    ("gone", "shown"),
    [
        ("[3].user.site", "3 u3 …"),
        ("[3].user", "3 …"),
        ("[3].note", "3 u3 y3 …"),
    ],
)
def test_signs_in_nested_columns(gone: str, shown: str) -> None:
    """A cut member and a missing object have different signs in a row."""
    rows: list[Any] = [
        {"id": n, "user": {"login": f"u{n}", "site": f"y{n}"}, "note": f"text {n}"}
        for n in range(9)
    ]
    del rows[5]["user"]
    results = [mckp.encode(rows, priorities={gone: "drop"}, formats=f) for f in ("native", "dense")]
    for result in results:
        assert any(line.startswith(shown) for line in result.text.splitlines()), result.text
        assert "5 … " not in result.text


def test_a_grid_without_a_sign_is_not_offered() -> None:
    """An empty cell of CSV is absent, so records that have lost a cell are written otherwise."""
    rows = [{"id": n, "ok": n % 2 == 0, "name": f"n{n}"} for n in range(6)]
    formats = ["json", "kv", "csv", "table"]
    assert mckp.encode(rows, formats=formats).choices[0].format in ("csv", "table")
    result = mckp.encode(rows, formats=formats, priorities={"[2].ok": "drop"})
    assert result.choices[0].format not in ("csv", "table")
    assert mckp.decode(result.text)[2] == {"id": 2, "name": "n2"}


def test_a_member_that_is_cut_in_some_rows_only() -> None:
    """Of an object that had other members, the row does not say that there was none."""
    rows: list[Any] = [
        {"id": n, "user": {"login": f"u{n}", "weird": f"some text that is cut soon {n * 7919}"}}
        for n in range(12)
    ]
    for row in (3, 7):
        del rows[row]["user"]["login"]
    del rows[5]["user"]
    whole = mckp.encode(rows, weights="uniform")
    texts = [whole.at(budget).text for budget in range(30, whole.tokens, 5)]
    texts_cut = [text.splitlines() for text in texts if "user?{login}" in text]
    assert texts_cut
    for lines in texts_cut:
        assert {"3 …", "5", "7 …"} <= set(lines) or len(lines) < 12


@pytest.mark.parametrize(("numbers", "names"), [([0], {"a"}), ([1, 2], {"b"}), ([], None)], ids=str)
def test_what_is_left_knows_what_it_lost(numbers: Sequence[int], names: set[str] | None) -> None:
    """An object without some leaves knows the names that it lost."""
    dropped = [0]
    for leaf in range(3):
        dropped.append(dropped[-1] + (leaf in numbers))
    left = without_leaves({"a": 1, "b": {"c": 2, "d": 3}}, dropped)
    assert getattr(left, "cut", None) == names
