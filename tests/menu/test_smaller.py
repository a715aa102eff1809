"""Values without some of their parts."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mckp.jsontext import is_array, is_object
from mckp.menu.projection import Projection, leaves
from mckp.menu.smaller import SmallerValues
from mckp.weights import facts
from tests.strategies import TABLES, VALUES, examples

LONG = st.sampled_from(["It works. " * 20, "one two three " * 30, "x" * 700, "a\nb\nc\nd\n" * 12])
RECORDS = st.lists(
    st.dictionaries(st.sampled_from(["id", "name", "text", "in", "*"]), LONG | VALUES), min_size=1
)
CONTAINERS = (TABLES | RECORDS | VALUES).filter(lambda value: isinstance(value, dict | list))


def is_part(left: Any, whole: Any) -> bool:
    """Whether everything in a value stands at the same place in another, texts maybe shortened."""
    if is_object(left) and is_object(whole):
        return all(key in whole and is_part(left[key], whole[key]) for key in left)
    if is_array(left) and is_array(whole):
        return len(left) == len(whole) and all(map(is_part, left, whole))
    if isinstance(left, str) and isinstance(whole, str) and left != whole:
        return "…" in left and len(left) < len(whole)
    return type(left) is type(whole) and left == whole


@given(value=CONTAINERS, data=st.data())
@examples(300)
def test_versions_are_parts(value: Any, data: st.DataObject) -> None:
    """Each version is a part of the value, says how much is missing, and weighs what it holds."""
    weights = data.draw(st.lists(st.integers(0, 5), min_size=facts(value), max_size=facts(value)))
    family = SmallerValues(value, "facts", weights.__getitem__)
    before = float(sum(weights))
    for place in range(1, len(family.order) + 1):
        part = family.at(place)
        if part is None:
            continue
        assert is_part(part.content, value)
        count = facts(part.content)
        assert sum(map(part.worth, range(count))) == part.weight <= before
        before = part.weight
        assert all(0 < hint.missing <= (hint.total or 0) for hint in part.hints)
        assert all(larger.weight >= part.weight for larger in family.near(part, family.places()))


@given(value=CONTAINERS)
@examples(200)
def test_nothing_left_out_is_all(value: Any) -> None:
    forms = SmallerValues(value, "columns", lambda _: 1).forms
    left = Projection(value, [], lambda _: 1, forms)
    assert left.content == value
    assert len(left.weights) == facts(value) == len(list(leaves(value)))
    assert not left.cuts


def test_what_is_pinned_stays() -> None:
    value = [{"id": 1, "log": "It failed. " * 30}, {"id": 2, "log": "It works. " * 30}]
    family = SmallerValues(value, "columns", lambda _: 1, lambda number: number == 3)
    assert {path for path, _ in family.order} == {("*", "id")}
    free = SmallerValues(value, "columns", lambda _: 1)
    assert free.order[-1] == (("*", "id"), 0)
    last = free.at(len(free.order) - 1)
    assert last is not None
    assert (last.content, last.names) == ([{"id": 1}, {"id": 2}], ("log",))
    assert [str(hint) for hint in last.hints] == ["> [+1 of 2 columns]"]


def test_records_stay_be_they_empty() -> None:
    value = {"a": {"on": 1, "why": "x" * 99}, "b": {"why": "y" * 99}, "c": {"on": 2}}
    family = SmallerValues(value, "columns", lambda _: 1)
    part = next(filter(None, map(family.at, range(len(family.order), 0, -1))))
    assert part.content == {"a": {"on": 1}, "b": {}, "c": {"on": 2}}
    assert [part.worth(number) for number in range(3)] == [1, 0, 1]
