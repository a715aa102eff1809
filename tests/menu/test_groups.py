"""Hints that tell how many of the rows that were cut are of each kind."""

import re
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import mckp
from tests.strategies import examples

TOLD = re.compile(r"^> \[\+([0-9]+) rows status ((?:[a-z]+ [0-9]+ ?)+)\]$", re.MULTILINE)


def runs(states: list[str]) -> list[dict[str, Any]]:
    return [
        {"id": 700 + n, "name": f"unit tests of module {n * 31} on arm", "status": state}
        for n, state in enumerate(states)
    ]


@given(
    st.lists(st.sampled_from(["passed", "passed", "failed", "skipped"]), min_size=12, max_size=40),
    st.integers(30, 250),
)
@examples(200)
def test_counts_are_those_of_the_rows_that_are_missing(states: list[str], budget: int) -> None:
    data = runs(states)
    result = mckp.encode(data, budget=budget)
    assert result.tokens <= budget
    if (told := TOLD.search(result.text)) is None:
        return
    kept = {row["id"] for row in mckp.decode(result.text)}
    missing = Counter(row["status"] for row in data if row["id"] not in kept)
    pairs = re.findall(r"([a-z]+) ([0-9]+)", told[2])
    assert {name: int(count) for name, count in pairs} == missing
    assert int(told[1]) == missing.total()


@given(st.integers(8, 16), st.integers(4, 9))
@examples(8)
def test_what_is_told_of_rows_is_worth_less_than_they_are(rows: int, below: int) -> None:
    """One row that is worth much makes no note on poor rows worth more than all of them."""
    files: list[dict[str, Any]] = [
        {"name": f"colm2024_conference_{n}.bib", "type": "file"} for n in range(rows)
    ]
    deep = [{"name": f"{n}_introduction.tex", "type": "file"} for n in range(below)]
    icon = [{"name": "icons", "type": "directory", "children": deep}]
    files.insert(2, {"name": "figures", "type": "directory", "children": icon})
    files.insert(2, {"name": "sections", "type": "directory", "children": deep})
    whole = mckp.encode(files)
    worths = [whole.at(n).value for n in range(20, whole.tokens + 1, 3)]
    assert worths == sorted(worths)
    assert worths[-1] <= whole.at(whole.tokens).total


def test_groups_are_told_where_they_pay() -> None:
    data = runs(["passed" if n % 5 else "failed" for n in range(40)])
    whole = mckp.encode(data)
    assert any(TOLD.search(whole.at(budget).text) for budget in range(60, 600, 20))


def test_values_that_look_like_the_grammar_are_no_groups() -> None:
    """A value with blanks or brackets would not be told from the note around it."""
    for odd in ("a b", "x]", "> [+2 rows]", ""):
        data = runs([odd if n % 3 else "passed" for n in range(30)])
        for budget in (80, 200, 400):
            text = mckp.encode(data, budget=budget).text
            assert not TOLD.search(text)
            mckp.decode(text)
