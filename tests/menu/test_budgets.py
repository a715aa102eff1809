"""Parts of documents fill budgets: members, columns of some records, shorter texts."""

import inspect
import re
import sys
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
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


LONG = pytest.mark.xfail(reason="long documents on a line have no parts")
ALONE = [pytest.param([name], marks=LONG) for name in ("json", "flow")]


@pytest.mark.slow
@pytest.mark.parametrize("formats", ["native", "dense", *ALONE])
def test_budgets_are_used(formats: Any) -> None:
    """Every budget is used to at least 70 %, and to 93 % on average."""
    whole = mckp.encode(DOCUMENT, formats=formats)
    shares = [whole.at(budget).tokens / budget for budget in range(60, whole.tokens, 17)]
    assert min(shares) > 0.7
    assert sum(shares) / len(shares) > 0.93


RECORDS = [
    {"id": n, "name": f"job {n}", "note": "word " * (n * 7 % 30), "user": {"login": "ann", "n": n}}
    for n in range(60)
]
KEYED = {f"k{n}": {"a": n, "b": "text " * (n * 7 % 40), "c": [1, 2, n]} for n in range(70)}


CASES = [
    *((document, formats) for document in (RECORDS, KEYED) for formats in ("native", "standard")),
    (RECORDS, ["json"]),
    (RECORDS, ["flow"]),
    (KEYED, ["flow"]),
    pytest.param(KEYED, ["json"], marks=LONG),
]


@pytest.mark.slow
@pytest.mark.parametrize(("document", "formats"), CASES)
def test_something_is_kept_at_any_budget(document: Any, formats: Any) -> None:
    """Where one more column is too much for all records, some have it."""
    whole = mckp.encode(document, formats=formats, weights="facts")
    budgets = range(whole.tokens // 8, whole.tokens, whole.tokens // 12)
    values = [whole.at(budget).value for budget in budgets]
    assert all(small <= large for small, large in pairwise(values))
    assert values[0] > 0


@given(value=TABLES | VALUES, share=st.floats(0.1, 1), formats=FORMATS)
@examples(60)
def test_other_budgets_change_nothing(value: Any, share: float, formats: Any) -> None:
    """A result is the same after other budgets were asked for, and worth grows with the budget."""
    tree = mckp.TreeNode.of(value)
    whole = mckp.encode(tree, formats=formats)
    budget = max(5, int(whole.tokens * share))
    neighbours = [whole.at(max(5, budget - 3)), whole.at(budget + 2)]
    result = whole.at(budget)
    assert result.text == mckp.encode(tree, formats=formats, budget=budget).text
    assert neighbours[0].value <= result.value <= neighbours[1].value
    assert result.tokens <= budget


def test_what_is_left_out_has_names() -> None:
    """Columns that only the first rows keep are named with the row from which they are cut."""
    whole = mckp.encode({"jobs": JOBS})
    names = {
        str(name)
        for budget in range(60, whole.tokens, 5)
        for cut in whole.at(budget).elided
        for name in cut.keys
    }
    assert {"by.site", "url"} <= names
    assert any(re.fullmatch(r"\[[0-9]+:\]\.(?:url|by\.site)", name) for name in names)


def test_parts_are_written_below_a_dictionary() -> None:
    """A table with a dictionary of phrases is cut by rows and by columns."""
    urls = [f"https://example.com/repositories/{n % 4}/branches/main" for n in range(40)]
    rows = [
        {"id": 900 + n, "url": f"{url}/{n}", "log": f"{n * 7919} {NOTE}", "on": f"pier {n % 7}"}
        for n, url in enumerate(urls)
    ]
    whole = mckp.encode(rows, formats="dense")
    assert whole.choices[0].format == "phrases"
    results = [whole.at(whole.tokens * tenths // 20) for tenths in range(3, 20)]
    below = [result for result in results if result.choices[0].format == "phrases"]
    assert below
    assert all(len(mckp.decode(result.text)) <= len(rows) for result in below)
    kinds = {cut.kind for result in results for cut in result.elided}
    assert kinds & {"facts", "columns", "sentences", "words"}


@pytest.mark.parametrize("formats", ["native", "standard", ["json"]])
def test_pins_stay_in_parts(formats: Any) -> None:
    """Pinned members are kept in every part of a document."""
    pins = {"jobs[11].url": "pin", "settings.deep.x": "pin"}
    with pytest.raises(mckp.BudgetError) as caught:
        mckp.encode(DOCUMENT, budget=1, priorities=pins, formats=formats)
    for more in (0, 30, 80, 180):
        budget = caught.value.floor + more
        result = mckp.encode(DOCUMENT, budget=budget, priorities=pins, formats=formats)
        assert result.tokens <= budget
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


@pytest.mark.slow
@pytest.mark.parametrize("rows", [50, 2000])
def test_rows_with_one_more_column_use_what_is_left_over(rows: int) -> None:
    """Where all records have no room for a column, fewer records with it may hold more.

    Of 50 rows a column is a large step, so a little more may be left over.
    """
    whole = mckp.encode(PEOPLE[:rows])
    shares = [0.12, 0.15, 0.2, 0.25, 0.3, 0.35]
    used = [whole.at(int(whole.tokens * share)).tokens / whole.tokens / share for share in shares]
    assert min(used) > (0.9 if rows > 50 else 0.8)


def nested(levels: int) -> dict[str, Any]:
    """Return an object in an object in an object, each with a name, a number and a sentence."""
    inner: dict[str, Any] = {"leaf": "end"}
    for level in range(levels, 0, -1):
        note = f"text at level {level} with words"
        inner = {"name": f"level {level}", "size": level * 7 % 31, "note": note, "below": inner}
    return inner


@pytest.mark.slow
@pytest.mark.parametrize("levels", [20, 40, 60])
def test_deep_documents_are_cut_at_every_level(levels: int) -> None:
    """Members far below are chosen like all others, so a budget is used at any depth."""
    data = nested(levels)
    whole = mckp.encode(data).tokens
    half = mckp.encode(data, budget=whole // 2)
    assert half.tokens > 0.98 * (whole // 2)
    pinned = ".".join(["below"] * 19) + ".note"
    kept = mckp.encode(data, budget=whole // 2, priorities={pinned: "pin"})
    assert "text at level 20 with words" in kept.text


def test_the_deepest_documents_are_cut() -> None:
    """At the limit of levels a budget still holds more than the upper levels."""
    data = nested(150)
    whole = mckp.encode(data).tokens
    assert mckp.encode(data, budget=whole // 5).tokens > 0.98 * (whole // 5)


@pytest.mark.slow
def test_the_deepest_records_leave_room_on_the_stack() -> None:
    """Records in records, at the limit of levels, are cut in two thirds of the usual stack."""
    data: list[Any] = [{"a": 1}]
    for level in range(99):
        data = [{"a": level, "kids": data}, {"a": level + 1, "kids": []}]
    half = mckp.encode(data).tokens // 2
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 670)
    try:
        assert mckp.encode(data, budget=half).tokens <= half
    finally:
        sys.setrecursionlimit(limit)
