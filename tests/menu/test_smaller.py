"""Values without some of their members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.jsontext import is_array, is_object
from mckp.menu.members import members_of
from mckp.menu.projection import Projection
from mckp.menu.smaller import SmallerValues
from mckp.tokenizers.bpe import Bpe
from mckp.weights import facts
from tests.strategies import TABLES, VALUES, examples

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.menu.members import Member

LONG = st.sampled_from(["It works. " * 20, "one two three " * 30, "x" * 700, "a\nb\nc\nd\n" * 12])
RECORDS = st.lists(
    st.dictionaries(st.sampled_from(["id", "name", "text", "in", "*"]), LONG | VALUES), min_size=1
)
ANYTHING = TABLES | RECORDS | VALUES | LONG
COUNT = Bpe("o200k_base").count_batch


def smaller(value: Any, pinned: Callable[[int], bool] | None = None) -> SmallerValues:
    return SmallerValues(value, COUNT, lambda _: 1, pinned)


def all_but(family: SmallerValues, key: str) -> dict[Member, float]:
    members = family.root.walk()
    return {each: max(0.0, len(each.levels) - 1) for each in members if each.key != key}


def is_part(left: Any, whole: Any) -> bool:
    """Whether everything in a value stands at the same place in another, texts maybe shortened."""
    if is_object(left) and is_object(whole):
        return all(key in whole and is_part(left[key], whole[key]) for key in left)
    if is_array(left) and is_array(whole):
        return len(left) in (0, len(whole)) and all(map(is_part, left, whole))
    if isinstance(left, str) and isinstance(whole, str) and left != whole:
        return "…" in left and len(left) < len(whole)
    return type(left) is type(whole) and left == whole


@given(value=ANYTHING, data=st.data())
@examples(300)
def test_versions_are_parts(value: Any, data: st.DataObject) -> None:
    """Each version is a part of the value, says how much is missing, and weighs what it holds."""
    weights = data.draw(st.lists(st.integers(0, 5), min_size=facts(value), max_size=facts(value)))
    family = SmallerValues(value, COUNT, weights.__getitem__)
    before = -1.0
    for limit in range(0, family.full + 9, max(1, family.full // 8)):
        guess = family.best(limit)
        part = family.of(guess.kept)
        assert guess.value >= before
        before = guess.value
        if part.weight:
            assert is_part(part.content, value)
            assert facts(part.content) == len(part.numbers)
        assert sum(part.weights) == part.weight <= sum(weights)
        assert part.weight == pytest.approx(guess.value)
        assert all(0 < hint.missing <= (hint.total or 0) for hint in part.hints)
        assert part.hints or part.content == value


@given(value=ANYTHING, share=st.floats(0, 1), more=st.integers(0, 60))
@examples(300)
def test_what_is_added_is_more(value: Any, share: float, more: int) -> None:
    """What may be kept besides weighs more, be it a member, a column of some, or a longer text."""
    family = smaller(value)
    kept = family.best(int(family.full * share)).kept
    part = family.of(kept)
    additions = family.additions(kept, more)
    partials = family.partials(kept, more)
    for added in (*additions, *partials):
        fuller = family.of({**kept, **added})
        assert is_part(fuller.content, value)
        assert fuller.weight > part.weight
        assert fuller.hints or fuller.content == value
    stretched = family.stretched(kept, more)
    if stretched is not None:
        member, step, end = stretched
        longer = family.of({**kept, member: min(kept[member] + step, end)})
        assert is_part(longer.content, value)
        assert longer.weight >= part.weight


@given(value=ANYTHING)
@examples(200)
def test_all_that_is_kept_is_all(value: Any) -> None:
    family = smaller(value)
    guess = family.best(family.full)
    assert guess.cost <= family.full
    left = Projection(value, family.root, guess.kept, lambda _: 1, family.form)
    assert left.content == value
    assert left.numbers == list(range(facts(value)))
    assert not left.cuts
    assert not family.of(guess.kept).hints


def test_what_is_pinned_stays() -> None:
    value = [{"id": 1, "log": "It failed. " * 30}, {"id": 2, "log": "It works. " * 30}]
    least = smaller(value, lambda number: number == 3)
    assert least.of(least.best(0).kept).content == [{"log": each["log"]} for each in value]
    free = smaller(value)
    part = free.of(free.best(13).kept)
    assert (part.content, part.names) == ([{"id": 1}, {"id": 2}], ("log",))
    assert [str(hint) for hint in part.hints] == ["> [+1 of 2 columns]"]


def test_records_stay_be_they_empty() -> None:
    value = {"a": {"on": 1, "why": "x" * 99}, "b": {"why": "y" * 99}, "c": {"on": 2}}
    family = smaller(value)
    part = family.of(all_but(family, "why"))
    assert part.content == {"a": {"on": 1}, "b": {}, "c": {"on": 2}}
    assert part.weights == [1, 0, 1]
    assert part.numbers == (0, -1, 3)


def test_some_records_keep_a_column() -> None:
    value = [{"id": n, "name": f"job {n}"} for n in range(6)]
    family = smaller(value)
    kept = all_but(family, "name")
    (more,) = family.partials(kept, 14)
    part = family.of({**kept, **more})
    assert part.content[:2] == value[:2]
    assert part.content[3:] == [{"id": n} for n in range(3, 6)]
    assert [hint.unit for hint in part.hints] == ["facts"]
    assert part.weight == sum(map(len, part.content))
    assert part.names == (f"name[{sum('name' in row for row in part.content)}:]",)


def test_names_of_members() -> None:
    root = members_of({"labels": [{"url": 1, "tags": ["a", {"b": 2}]}, {"url": 3}], "on": None}, [])
    found = {member.name: member.leaves for member in root.walk() if member.leaves}
    assert found == {"labels[*].url": [1, 3], "labels[*].tags": ["a", 2], "on": [None]}
