"""Hints call what was cut by its names, and what is cut never looks like what is absent."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.jsontext import is_array
from mckp.menu.members import is_keyed
from mckp.menu.naming import MOST_NAMES
from mckp.parsers.embedded import extract
from mckp.parsers.python import from_python
from mckp.paths import content_at
from mckp.result import SHOWN, Elided
from mckp.weights.patterns import read_selection
from tests.menu.test_cut_names import covers, leaves, told_of_records
from tests.strategies import TABLES, VALUES, examples
from tests.within import fitted, notes_in

BUILD = {
    "project": "billing",
    "started": "2026-03-02T08:15:00Z",
    "error": "connection refused by db-7",
    "retries": 0,
    "log": [f"step {n} took {n * 37 % 11} seconds" for n in range(8)],
}


def names_told(text: str) -> list[tuple[str, list[str]]]:
    units = {"fields", "columns", "facts"}
    notes = [note for note in notes_in(text) if note.unit in units]
    return [(note.unit, list(names_in(note.more or ""))) for note in notes]


def names_in(said: str) -> Iterator[str]:
    """Yield the names that a note has, also those with a remark behind them."""
    for number, part in enumerate(said.split("; ")):
        is_remark = number or ":" in part
        yield from [part.split()[0].rstrip(":")] if is_remark else part.split()


@pytest.mark.slow
def test_a_name_is_written_where_it_is_worth_its_tokens() -> None:
    """Some budget leaves fields out and says which; a tighter one spends its tokens on values."""
    whole = mckp.encode(BUILD)
    by_budget = [names_told(whole.at(budget).text) for budget in range(20, whole.tokens)]
    names = {name for hints in by_budget for _, listed in hints for name in listed}
    assert {"log", "started"} <= names <= set(BUILD)
    assert any(not listed for hints in by_budget for _, listed in hints)


def test_facts_have_no_names() -> None:
    """Where each leaf is worth the same, a name is worth nothing beside one."""
    whole = mckp.encode(BUILD, weights="facts")
    texts = [whole.at(budget).text for budget in range(20, whole.tokens, 7)]
    assert not any(own for text in texts for _, own in names_told(text))


def test_records_are_named_by_columns() -> None:
    """Of records, columns that no row has are named, those within objects by their paths."""
    rows = [
        {"id": n, "state": "open", "by": {"login": f"ann{n}", "url": f"https://x.example/{n * 7}"}}
        for n in range(20)
    ]
    whole = mckp.encode(rows)
    named = [
        name
        for budget in range(40, whole.tokens, 4)
        for unit, names in names_told(whole.at(budget).text)
        for name in names
        if unit == "columns"
    ]
    assert "by.url" in named


@given(value=VALUES | TABLES, budget=st.integers(12, 300))
@examples(100)
def test_named_is_what_was_cut(value: Any, budget: int) -> None:
    """Every name in a hint is that of something that `elided` has, or of what it is in."""
    result = fitted(value, budget=budget)
    cut = [str(key) for part in result.elided for key in part.keys]
    named_parts = [part for part in result.elided if part.kind in ("columns", "facts")]
    content = extract(from_python(value).value)[0]
    inside = [name for part in named_parts for name in names_inside(content, part)]
    for unit, names in names_told(result.text):
        assert unit == "fields" or len(names) <= MOST_NAMES + SHOWN
        for name in names:
            assert any(
                key == name or key.startswith((f"{name}.", f"{name}[")) for key in (*inside, *cut)
            )


def names_inside(value: Any, cut: Elided) -> Iterator[str]:
    """Yield the names, without numbers and keys of records, of leaves that patterns cover.

    If all of the document was cut, there are no patterns.
    """
    patterns = [read_selection(key) for key in map(str, cut.keys)]
    content = content_at(value, cut.path)
    for path in leaves(content):
        covering = told_of_records(content, patterns)
        if not patterns or any(covers(pattern, path) for pattern in covering):
            steps = zip(path, is_apart_along(content, path), strict=True)
            yield ".".join(str(step) for step, apart in steps if not apart)


def is_apart_along(value: Any, path: Sequence[str | int]) -> Iterator[bool]:
    """Yield of each step of a path whether it distinguishes records, and so is no name."""
    inside: Any = value
    for step in path:
        yield is_array(inside) or is_keyed(inside)
        outer: Any = inside
        inside = outer[step]


WORDS = st.text("abcdefgh", min_size=1, max_size=12)
NEEDED: dict[str, st.SearchStrategy[str]] = {"id": WORDS}
OPTIONAL: dict[str, st.SearchStrategy[str]] = {"a": WORDS, "b": WORDS, "c": WORDS}
RECORDS = st.lists(st.fixed_dictionaries(NEEDED, optional=OPTIONAL), min_size=3, max_size=20)


@given(rows=RECORDS, budget=st.integers(12, 200))
@examples(150)
def test_cut_cells_are_not_absent_ones(rows: list[dict[str, str]], budget: int) -> None:
    """In the cells of a table ``-`` is what the record lacks, and ``…`` what the text lacks."""
    result = fitted(rows, budget=budget, formats=["json", "kv", "rows"])
    head, *lines = result.text.split("\n")
    columns = head.partition("{")[2].removesuffix("}").split(" ")
    if not head.startswith(f"[{len(rows)}]{{") or not set(columns) <= {"id", "a", "b", "c"}:
        return
    kept = mckp.decode(result.text)
    rows_told = [line for line in lines if not line.startswith("== ")]  # but for constants
    texts = [line.split(" ") for line in rows_told[: len(kept)]]
    left = list(rows)
    for cells, record in zip(texts, kept, strict=True):
        if len(cells) != len(columns):
            continue
        source = next(row for row in left if record.items() <= row.items())
        for column, cell in zip(columns, cells, strict=True):
            assert (cell == "…") <= (any(column in row for row in left) and column not in record)
            assert (cell == "-") <= (column not in record)
            if sum(record.items() <= row.items() for row in left) == 1:
                assert (cell == "…") == (column in source and column not in record)
                assert (cell == "-") == (column not in source)


def test_both_signs_are_used() -> None:
    """A table with records that lack a member, cut further, has cells of both kinds."""
    rows = [
        {"id": f"k{n}", "a": f"w{n * 7919}x", **({"b": f"v{n * 3104729}"} if n % 3 else {})}
        for n in range(9)
    ]
    whole = mckp.encode(rows, priorities={"*.id": 30, "*.b": 2})
    texts = [whole.at(budget).text for budget in range(30, whole.tokens)]
    assert any("\nk6 … -\n" in text for text in texts)


def test_a_member_called_by_a_star_is_one_like_others() -> None:
    """The name that stands for any record of a table may be the name of a member as well."""
    values: list[dict[str, Any]] = [{"1.0": None, "*": None, "id": None}, {"a": None, "*": {}}]
    for value in values:
        for budget in range(6, mckp.encode(value).tokens):
            decoded = mckp.decode(mckp.encode(value, budget=budget).text)
            assert decoded is mckp.ABSENT or decoded.items() <= value.items()
