"""Texts of `native` are laid out to be read: few cells in a row, records on lines, one header."""

import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.encoders.base import LINE_CHARACTERS, MOST_CELLS
from mckp.encoders.infer import MOST_ABSENT, record_shape
from mckp.encoders.shapes import Constant, Group
from mckp.jsontext import is_object
from tests.strategies import examples


def cells(group: Group, record: dict[str, Any]) -> list[bool]:
    are_there: list[bool] = []
    for key, shape in group.columns.items():
        inner = record.get(key)
        if isinstance(shape, Group) and is_object(inner):
            are_there += cells(shape, inner)
        elif not isinstance(shape, Constant):
            are_there.append(key in record)
    return are_there


@st.composite
def wide_records(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw records of up to ninety members, of which some are rare."""
    chance = random.Random(draw(st.integers(0, 10**6)))
    shares = [
        chance.choice([1.0, 1.0, 0.9, 0.5, 0.2])
        for _ in range(chance.choice([chance.randint(2, 40), chance.randint(50, 90)]))
    ]
    return [
        {
            f"member{n}": chance.choice([chance.randint(0, 99), f"word{n}", {"a": 1, "b": n}])
            for n, share in enumerate(shares)
            if chance.random() < share
        }
        for _ in range(chance.randint(2, 12))
    ]


@given(wide_records())
@examples(300)
def test_rows_have_few_cells_and_few_that_are_absent(records: list[dict[str, Any]]) -> None:
    """A reader distinguishes cells by their places; other members say their names."""
    shape = record_shape(records, inline=False)
    if isinstance(shape, Group):
        rows = [cells(shape, record) for record in records if record]
        assert max(map(len, rows)) <= MOST_CELLS
        top = [key in record for key in shape.columns for record in records if record]
        assert top.count(False) <= MOST_ABSENT * len(top)
    assert mckp.decode(mckp.encode(records).text) == records


@pytest.mark.parametrize("named", [False, True])
def test_arrays_of_records_have_one_header(named: bool) -> None:
    """Names of columns are written once, however many arrays of the same records there are."""
    arrays = [
        [{"date": f"2026-01-{n + 1:02d}", "price": n * 7 + k, "volume": n * k} for n in range(5)]
        for k in range(6)
    ]
    data = {f"share {k}": prices for k, prices in enumerate(arrays)} if named else arrays
    text = mckp.encode({"market": "X", "prices": data}).text
    assert text.count("volume") == 1
    assert mckp.decode(text) == {"market": "X", "prices": data}


def test_items_of_an_array_keep_their_order_at_every_budget() -> None:
    """Long and short items are written alike, so that none of them is moved."""
    words = ["some", "words", "that", "take", "their", "place"]
    data = {
        "papers": [
            {"id": f"p{n}", "title": " ".join(words), "authors": words[: n + 1] * (4 - n)}
            for n in range(4)
        ]
    }
    whole = mckp.encode(data)
    for budget in range(20, whole.tokens, 3):
        kept = mckp.decode(whole.at(budget).text)
        if kept is mckp.ABSENT:
            continue
        names = [paper["id"] for paper in kept.get("papers", []) if "id" in paper]
        assert names == sorted(names)


def test_long_records_are_no_lines() -> None:
    """What has many facts is a block; all but single long texts is on lines of some length."""
    data = {
        "user": {f"field_{n}": f"value {n}" for n in range(60)},
        "short": {"a": 1, "b": [1, 2]},
        "rows": [{"a": n, "b": {"c": [n, n + 1]}, "d": "x"} for n in range(5)],
    }
    text = mckp.encode(data).text
    assert max(map(len, text.split("\n"))) < LINE_CHARACTERS
    assert "short{a 1 b[1 2]}\n" in text
    assert "# rows[5]{a b{c}}\n== d x\n" in text
    assert "# user\n" in text


def test_few_records_that_are_too_long_for_rows_are_blocks() -> None:
    """A table has no row that is longer than a reader takes in, as long as its rows are few."""
    nested = {f"part_{n}": {f"field_{m}": f"{n} of {m} " * 6 for m in range(8)} for n in range(70)}
    data = [
        {"id": n, "own": {key: part | {"of": n} for key, part in nested.items()}} for n in (1, 2)
    ]
    text = mckp.encode(data).text
    assert "\n# 1\nid: 2\n" in text
    wide = [{f"c{n}": (n * 37 + m * 101) % 1000 for n in range(201)} for m in range(8)]
    assert mckp.encode(wide).text.startswith("[8]{c0 c1 c2 ")
    assert max(map(len, text.split("\n"))) < LINE_CHARACTERS
    assert mckp.decode(text) == data


def test_a_text_of_several_lines_is_cut_to_lines() -> None:
    """What is left of it is a block of lines, and no string with signs for line feeds."""
    log = "\n".join(f"{n} some words of a step" for n in range(99))
    result = mckp.encode({"id": 7, "log": log, "ok": True}, budget=300)
    assert re.search(r"\n# log\([0-9]+\) prose\n0 some words of a step\n", result.text)
    assert result.text.endswith("\n36 some words of a step\n…\n> [+62 of 99 lines]\n")
    kept = mckp.decode(result.text)["log"].split("\n")
    assert set(kept) <= {"…", *log.split("\n")}
