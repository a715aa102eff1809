"""Smaller versions of documents, sought near a budget."""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp import versions
from mckp.menu.smaller import SmallerValues
from tests.strategies import TABLES, VALUES, examples

JOBS = [
    {
        "id": n,
        "ok": n % 2 == 0,
        "url": f"https://example.com/jobs/{n * 7919}",
        "by": {"login": f"ann{n % 3}", "site": f"https://example.com/users/{n * 104729}"},
    }
    for n in range(12)
]
NOTE = "It works on most machines. It was tried on three of them. It fails on the last one."
DOCUMENT = {"page": 1, "note": NOTE, "jobs": JOBS, "settings": {"mode": "fast", "deep": {"x": 1}}}
FORMATS = st.sampled_from(["standard", "native", "dense", ["json"], ["flow"], ["kv"]])


@pytest.mark.parametrize("formats", ["native", "dense", ["json"], ["flow"]])
def test_budgets_are_used(formats: Any) -> None:
    """Members, columns of some records and longer texts fill what is left over."""
    whole = mckp.encode(DOCUMENT, formats=formats)
    shares = [whole.at(budget).tokens / budget for budget in range(60, whole.tokens, 17)]
    assert min(shares) > 0.7
    assert sum(shares) / len(shares) > 0.93


RECORDS = [
    {"id": n, "name": f"job {n}", "note": "word " * (n * 7 % 30), "user": {"login": "ann", "n": n}}
    for n in range(60)
]
KEYED = {f"k{n}": {"a": n, "b": "text " * (n * 7 % 40), "c": [1, 2, n]} for n in range(70)}


@pytest.mark.parametrize("document", [RECORDS, KEYED], ids=["records", "keyed"])
def test_larger_budgets_keep_hardly_less(document: Any) -> None:
    """Where one more column is too much for all records, some have it at any budget."""
    whole = mckp.encode(document, formats="json")
    values = [whole.at(budget).value for budget in range(600, whole.tokens, 47)]
    assert min(b / a for a, b in pairwise(values)) > 0.95


def test_what_is_just_too_large_is_followed_by_something_smaller() -> None:
    """Few tries for a long text may all be just beyond a budget; then less is kept, not nothing."""
    with mock.patch.multiple(versions, FEW=1, LONG=0):
        whole = mckp.encode(KEYED, formats="json")
        values = [whole.at(budget).value for budget in range(800, whole.tokens, 97)]
    assert min(values) > 0


@given(value=TABLES | VALUES, share=st.floats(0.1, 1), formats=FORMATS)
@examples(60)
def test_other_budgets_change_nothing(value: Any, share: float, formats: Any) -> None:
    """What was sought for one budget is not seen in the choice for another."""
    tree = mckp.TreeNode.of(value)
    whole = mckp.encode(tree, formats=formats)
    budget = max(5, int(whole.tokens * share))
    others = [whole.at(max(5, budget - 3)), whole.at(budget + 2)]
    found = whole.at(budget)
    assert found.text == mckp.encode(tree, formats=formats, budget=budget).text
    assert others[0].value <= found.total
    assert found.tokens <= budget


def test_the_note_of_a_version_is_the_first_hint() -> None:
    """Below the header of lines it stands before all other hints, and is counted so."""
    result = mckp.encode(DOCUMENT, budget=110)
    lines = [line for line in result.text.splitlines() if line.startswith("> [+")]
    assert [str(cut).split(": ")[1] for cut in result.elided] == [line[4:-1] for line in lines]
    assert result.recall(1) == DOCUMENT


def test_what_is_left_out_has_names() -> None:
    result = mckp.encode(DOCUMENT, budget=150)
    (cut,) = [cut for cut in result.elided if cut.kind == "facts"]
    assert set(cut.keys) == {"jobs[*].by.site", "jobs[*].url[2:]"}
    kept = mckp.decode(result.text)
    assert ["url" in job for job in kept["jobs"]] == [n < 2 for n in range(len(kept["jobs"]))]
    assert all(job.keys() >= {"id", "ok"} for job in kept["jobs"])


def test_versions_are_written_below_a_dictionary() -> None:
    urls = [f"https://example.com/repositories/{n % 4}/branches/main" for n in range(40)]
    rows = [
        {"id": n, "url": f"{url}/{n}", "log": f"{n * 7919} {NOTE}"} for n, url in enumerate(urls)
    ]
    whole = mckp.encode(rows, formats="dense")
    assert whole.choices[0].format == "phrases"
    result = whole.at(whole.tokens * 9 // 10)
    assert result.choices[0].format == "phrases"
    assert {cut.kind for cut in result.elided} & {"facts", "columns", "sentences", "words"}
    kept = mckp.decode(result.text)
    assert [row["id"] for row in kept] == [row["id"] for row in rows]
    assert kept != rows


def test_few_versions_are_made() -> None:
    """A search takes a few steps, whatever the budget."""
    whole = mckp.encode(DOCUMENT)
    most = versions.TRIES + 3 * versions.FILLS + 2
    for budget in range(20, whole.tokens, 23):
        with mock.patch.object(
            SmallerValues, "of", autospec=True, side_effect=SmallerValues.of
        ) as of:
            mckp.encode(DOCUMENT, budget=budget)
        assert 0 < of.call_count <= most


def test_small_documents_have_no_versions() -> None:
    with mock.patch.object(versions, "Versions") as made:
        assert mckp.encode({"a": 1, "b": "x y z"}, budget=9).tokens <= 9
    assert not made.called


def test_pins_stay_in_versions() -> None:
    pins = {"jobs[11].url": "pin", "settings.deep.x": "pin"}
    for budget in (70, 110, 160):
        result = mckp.encode(DOCUMENT, budget=budget, priorities=pins)
        kept = mckp.decode(result.text)
        assert kept["settings"]["deep"] == {"x": 1}
        assert kept["jobs"][-1]["url"] == JOBS[-1]["url"]


PEOPLE = [
    {
        "id": n,
        "name": f"{['Ann', 'Bob', 'Eve'][n % 3]} {n * 7919 % 997}",
        "mail": f"user{n * 7919 % 9973}@example.com",
        "team": ["red", "green", "blue"][n % 3],
        "pay": 40000 + n * 7919 % 59999,
        "years": n % 31,
        "active": n % 4 != 0,
    }
    for n in range(2000)
]


@pytest.mark.parametrize("rows", [50, 2000])
def test_rows_with_one_more_column_use_what_is_left_over(rows: int) -> None:
    """Where all records have no room for a column, fewer records with it may hold more."""
    whole = mckp.encode(PEOPLE[:rows])
    shares = [0.12, 0.15, 0.2, 0.25, 0.3, 0.35]
    used = [whole.at(int(whole.tokens * each)).tokens / whole.tokens / each for each in shares]
    assert min(used) > 0.9
