"""Counts in hints: of all rows that were cut, and of those of each group among them.

Where a document counts its own rows, and some are cut, the hint at the cut has the count.
"""

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.encoders.hints import Overflow
from tests.strategies import examples
from tests.within import fitted, notes_in

FORMATS = ["csv", "table", "kv", "rows", "derived", "prose", "fence", "flow", "mckp_v2"]
LEVELS: list[Any] = ["standard", "native", "dense", *(["json", "kv", name] for name in FORMATS)]

TOLD = re.compile(
    r"^> \[\+([0-9]+) rows (?:[-0-9… ]+ )?with status ([a-z]+ [0-9]+(?:, [a-z]+ [0-9]+)*)\]$",
    re.MULTILINE,
)
PLACES = re.compile(r"^> \[\+[0-9]+ (?:rows|items) ([-0-9… ]+?)(?: with.*)?\]$", re.MULTILINE)


@st.composite
def counted(draw: st.DrawFn) -> dict[str, Any]:
    texts = st.sampled_from(["open", "closed now", "a text of more words than one", "1", ""])
    record = st.fixed_dictionaries({"id": st.integers(0, 999)}, optional={"s": texts, "t": texts})
    items = draw(st.sampled_from([record, texts, st.lists(texts, max_size=3)]))
    rows = draw(st.lists(items, min_size=2, max_size=24))
    return {"total": len(rows), "rows": rows, "has_more": False}


@pytest.mark.slow
@pytest.mark.parametrize("formats", LEVELS, ids=str)
@given(value=counted(), budget=st.integers(15, 200))
@examples(40)
def test_count_is_at_the_cut(formats: Any, value: dict[str, Any], budget: int) -> None:
    """Fewer rows than counted are never left without a hint and an entry of what was cut."""
    result = fitted(value, budget=budget, formats=formats)
    decoded = mckp.decode(result.text)
    if decoded is mckp.ABSENT or "rows" not in decoded:
        return
    count, total = len(decoded["rows"]), len(value["rows"])
    hints = notes_in(result.text)
    of_rows = [hint for hint in hints if hint.unit in ("rows", "items")]
    cuts = [
        cut
        for cut in result.elided
        if cut.path == ("rows",) and cut.keys and cut.kind in ("rows", "items")
    ]
    if count == total:
        assert (of_rows, cuts) == ([], [])
        return
    if not of_rows:  # the first items on a line, with a note that counts facts
        assert any(cut.kind == "facts" and cut.count >= total - count for cut in result.elided)
        assert any(hint.unit == "facts" for hint in hints)
        return
    assert [hint.missing for hint in of_rows] == [total - count]
    assert [(cut.count, cut.total) for cut in cuts] == [(total - count, total)]
    assert f"$.rows: {total - count} of {total} " in result.summary()


def test_the_hint_follows_the_last_row() -> None:
    """The hint is the line behind the rows that were kept, in every format with lines for rows."""
    rows = [{"name": f"item {n}"} for n in range(20)]
    for name in ("csv", "table", "rows", "kv"):
        result = mckp.encode({"total": 20, "rows": rows}, budget=60, formats=["json", "kv", name])
        kept, lines = mckp.decode(result.text)["rows"], result.text.split("\n")
        written = [str(Overflow(20 - len(kept), 20, unit))[:-1] for unit in ("rows", "items")]
        [place] = [n for n, line in enumerate(lines) if line.startswith(tuple(written))]
        assert kept[-1]["name"] in lines[place - 1]


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
    """Counts and numbers in a note are those of the rows that are missing."""
    data = runs(states)
    result = mckp.encode(data, budget=budget)
    assert result.tokens <= budget
    if (where := PLACES.search(result.text)) is not None and "…" not in where[1]:
        assert rows_at(where[1]) == next(e.keys for e in result.elided if e.kind == "rows")
    if (note := TOLD.search(result.text)) is None:
        return
    ids = {row["id"] for row in mckp.decode(result.text)}
    missing = Counter(row["status"] for row in data if row["id"] not in ids)
    pairs = re.findall(r"([a-z]+) ([0-9]+)", note[2])
    assert {name: int(count) for name, count in pairs} == missing
    assert int(note[1]) == missing.total()


def rows_at(text: str) -> tuple[int, ...]:
    """Return the rows that a text such as ``2 5-7`` names."""
    runs = [run.partition("-") for run in text.split()]
    return tuple(n for a, _, b in runs for n in range(int(a), int(b or a) + 1))


def test_rows_that_are_missing_before_others_are_named() -> None:
    """A gap before the last kept row has its indexes; the end of a table needs none."""
    rows = [{"id": n, "path": f"src/{'deep/' * (n % 3 * 2)}file{n}.py"} for n in range(24)]
    whole = mckp.encode(rows)
    results = [whole.at(budget) for budget in range(60, whole.tokens, 5)]
    shown = [(PLACES.search(result.text), result) for result in results]
    assert any(where for where, _ in shown)
    for where, result in shown:
        [gone] = [cut.keys for cut in result.elided if cut.kind == "rows"] or [()]
        assert where is None or rows_at(where[1]) == gone
        assert where is None or gone != tuple(range(24 - len(gone), 24))


def test_values_of_a_column_that_is_cut_are_noted() -> None:
    """Exceptional values come with their rows, those of a state with their numbers."""
    rows = [
        {
            "id": n,
            "name": f"unit tests of module {n * 31}",
            "mod_only": n in (2, 17),
            "pool": "europe-west-large-pool" if n % 4 == 3 else "us-central-small-pool",
        }
        for n in range(24)
    ]
    whole = mckp.encode(rows)
    notes = "\n".join(str(note) for n in range(80, 400, 4) for note in notes_in(whole.at(n).text))
    assert "mod_only true: rows 2 17" in notes
    assert "pool: us-central-small-pool 18, europe-west-large-pool 6" in notes


@pytest.mark.slow
@given(st.integers(8, 16), st.integers(4, 9))
@examples(8)
def test_what_is_noted_of_rows_is_worth_less_than_they_are(rows: int, below: int) -> None:
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


def test_groups_are_counted_where_they_pay() -> None:
    """At some budgets, a note counts the missing rows of each group."""
    data = runs(["passed" if n % 5 else "failed" for n in range(40)])
    whole = mckp.encode(data)
    assert any(TOLD.search(whole.at(budget).text) for budget in range(60, 600, 20))


@pytest.mark.slow
def test_values_that_look_like_the_grammar_are_no_groups() -> None:
    """A value with blanks or brackets could not be told from the note around it."""
    for odd in ("a b", "x]", "> [+2 rows]", ""):
        data = runs([odd if n % 3 else "passed" for n in range(30)])
        for budget in (80, 200, 400):
            text = mckp.encode(data, budget=budget).text
            assert not TOLD.search(text)
            mckp.decode(text)


@pytest.mark.slow
def test_few_missing_rows_are_named() -> None:
    """They have their places too, unless they are the last ones."""
    stones = ["amber", "basalt", "copper", "enamel", "flint", "granite", "jasper", "lapis", "opal"]
    forms = set[bool]()
    for longest in (4, 8):
        rows = [
            {"name": name, "error": "no " * (9 if n == longest else 1 + n % 3) + "disk"}
            for n, name in enumerate(stones)
        ]
        whole = mckp.encode(rows).tokens
        for budget in range(whole, whole // 2, -2):
            result = mckp.encode(rows, budget=budget, priorities={"$[*].error": 9})
            cut = sorted(
                key
                for cut_part in result.elided
                if cut_part.kind == "rows"
                for key in cut_part.keys
            )
            if note := re.search(r"> \[\+\d+ rows (.*[a-z].*)\]\n", result.text):
                are_last = cut == list(range(9 - len(cut), 9))
                forms.add(are_last)
                named = [stones[int(n)] if are_last else f"{n} {stones[int(n)]}" for n in cut]
                assert note[1] == (" " if are_last else ", ").join(named)
    assert forms == {True, False}


def test_a_count_is_worth_no_more_than_values() -> None:
    """One row that holds a whole tree does not make the count of a group worth more than rows."""
    tree = [{"name": f"chapter {n}", "type": "file", "text": f"words of {n}"} for n in range(200)]
    entries: list[dict[str, Any]] = [
        {"name": f"part {n}", "type": "file" if n % 3 else "folder"} for n in range(20)
    ]
    entries[4]["children"] = tree
    result = fitted(entries, budget=160)
    decoded = mckp.decode(result.text)
    assert [entry["name"] for entry in decoded] == [entry["name"] for entry in entries]
