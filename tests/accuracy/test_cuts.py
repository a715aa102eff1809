"""What `elided` says was cut is what is not there when a text is read back, and no more."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import mckp
from mckp.encoders.scalars import ABSENT
from mckp.jsontext import canonical, dump
from mckp.result import Elided
from tests.accuracy.left import left_of, opened
from tests.strategies import VALUES, examples


@pytest.mark.slow
@examples(120)
@given(VALUES, st.floats(0.03, 0.9), st.sampled_from(["standard", "native", "dense"]))
def test_left_is_what_is_read(data: Any, share: float, level: str) -> None:
    """The data without what is listed is the data that is decoded, unless texts were shortened."""
    assume('"*":' not in dump(data))  # which tables call as they call any record
    tree = mckp.parse(dump(data), "json")
    budget = int(share * mckp.encode(tree, formats="json").tokens)
    try:
        result = mckp.encode(tree, budget=budget, formats=[level])
    except mckp.BudgetError:
        return
    remaining, decoded = left_of(data, result.elided), mckp.decode(result.text)
    if remaining.data is ABSENT or decoded is ABSENT:
        assert remaining.data is decoded
    elif not remaining.shortened:
        # How the JSON of a string is spelled is another test's.
        assert canonical(opened(remaining.data)) == canonical(opened(decoded))


@pytest.mark.slow
def test_first_items_are_named() -> None:
    """Of an array on a line of which the first items stay, it is said how many these are."""
    matrix = [[n * 1001 + k * 10**6 for k in range(1, 4)] for n in range(6)]
    named = {"[2:]", "[3:]", "[4:]", "[*][1:]", "[*][2:]"}
    for data, wanted in ((matrix, named), ({"a": list(range(20)), "b": 1}, {"a[10:]", "a[15:]"})):
        kept = set[str | int]()
        whole = mckp.encode(data)
        for budget in range(13, whole.tokens):
            result = whole.at(budget)
            assert left_of(data, result.elided).data == mckp.decode(result.text)
            kept.update(key for cut in result.elided for key in cut.keys)
        assert wanted <= kept


def test_columns_of_records_within_records() -> None:
    """Parts that are named by what is around them are found."""
    data = [{"id": n, "labels": [{"name": "x" * n, "url": "u" * 30}]} for n in range(12)]
    result = mckp.encode(data, budget=65, weights="facts")
    assert any(cut.kind == "columns" for cut in result.elided)
    assert left_of(data, result.elided).data == mckp.decode(result.text)


def test_a_cut_that_is_not_listed_is_found() -> None:
    """What is missing in the text, and not in what is listed, is a difference."""
    rows = [{"id": n, "took": n * 7 % 11} for n in range(40)]
    result = mckp.encode(rows, budget=150)
    assert left_of(rows, result.elided).data == mckp.decode(result.text) != rows
    assert left_of(rows, ()).data == rows


def test_columns_of_a_map_of_which_one_record_is_left() -> None:
    """A column of a map is also cut from the only record that is left."""
    data = {f"k{n}": {"id": n, "note": [{"n": n}]} for n in range(4)}
    cuts = [
        Elided((), "rows", 3, 4, 20, ("k0", "k1", "k3")),
        Elided((), "columns", 1, 2, 20, ("*.note[*].n",)),
    ]
    assert left_of(data, cuts).data == {"k2": {"id": 2}}


def test_shortened_texts_are_listed() -> None:
    """A text that was shortened is among the shortened ones when cuts are read."""
    text = " ".join(f"Sentence number {n} says that all is well." for n in range(20))
    data = {"id": 1, "text": text, "more": dump({"a": 1})}
    result = mckp.encode(data, budget=80)
    left = left_of(data, result.elided)
    assert left.shortened
    assert mckp.decode(result.text)["text"] != text


@given(
    records=st.lists(
        st.fixed_dictionaries(
            {"id": st.integers(0, 99)},
            optional={"title": st.text("abc ", max_size=40), "on": st.booleans()},
        ),
        min_size=3,
        max_size=20,
    ),
    share=st.floats(0.2, 0.95),
)
@examples(60)
def test_columns_that_only_the_first_records_keep(records: Any, share: float) -> None:
    """Where a column ends is in the name that is cut."""
    try:
        result = mckp.encode(records, budget=max(8, int(share * mckp.encode(records).tokens)))
    except mckp.BudgetError:
        return
    remaining, decoded = left_of(records, result.elided), mckp.decode(result.text)
    if not remaining.shortened:
        assert remaining.data is decoded or canonical(remaining.data) == canonical(decoded)


@pytest.mark.slow
@pytest.mark.parametrize("level", ["standard", "native", "dense"])
def test_long_arrays_of_containers_have_names(level: str) -> None:
    """An object on a line that loses an array too long to look into names it."""
    data = {"x": {"a": ["p", "q", ["r", {"s": 1}], "t"] * 3, "b": 2}, "y": [[1, 2], [3, 4]]}
    whole = mckp.encode(data, formats=[level])
    results = [whole.at(budget) for budget in range(8, whole.tokens)]
    lefts = [left_of(data, result.elided).data for result in results]
    assert lefts == [mckp.decode(result.text) for result in results]


def _deps(first: int, size: int) -> dict[str, Any]:
    return {f"p{n}": {"v": first + n, "w": "x" * (5 + n)} for n in range(size)}


MIXED: dict[str, Any] = {
    "rows": [{"id": n, "deps": _deps(n, n % 5 + 1), "name": f"name {n}"} for n in range(12)],
    "first": [{"id": n, "deps": _deps(n, 4 if n else 1), "name": f"name {n}"} for n in range(6)],
    "inside": {"a": 1, "jobs": [{"id": n, "deps": _deps(n, n % 4 + 1)} for n in range(6)], "b": 2},
    "named": {key: {"deps": _deps(n, n % 4 + 1), "n": n} for n, key in enumerate("abc", 3)},
    "two": [{"x": _deps(1, 3)}, {"x": _deps(2, 1)}],
    "deep": [{"o": {"deps": _deps(n, n % 4 + 1), "q": n}} for n in range(9)],
}


@pytest.mark.slow
@pytest.mark.parametrize("level", ["standard", "native", "dense"])
@pytest.mark.parametrize("name", MIXED)
def test_a_map_of_records_beside_smaller_ones(name: str, level: str) -> None:
    """A member of three objects or more has one name for all; smaller ones have not been cut."""
    data = MIXED[name]
    whole = mckp.encode(data, formats=[level])
    for budget in range(12, whole.tokens, max(1, whole.tokens // 40)):
        result = whole.at(budget)
        remaining, decoded = left_of(data, result.elided), mckp.decode(result.text)
        if remaining.data is ABSENT or decoded is ABSENT:
            assert remaining.data is decoded
        elif not remaining.shortened:
            assert canonical(remaining.data) == canonical(decoded)
