"""Narrower versions of a value: exactly the members they name, worth what they hold."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import mckp
from mckp.jsontext import difference, is_array, is_object, step_text
from mckp.menu import widening
from mckp.menu.cuts.names import cut_names
from mckp.menu.members import is_records, members_of
from mckp.menu.narrow import Narrower
from mckp.menu.widening import Widening
from mckp.tokenizers.backends import Bpe
from mckp.weights import facts
from mckp.weights.sums import Weights
from tests.strategies import TABLES, VALUES, examples


def worth_of(weights: Sequence[float], pins: Sequence[bool]) -> Weights:
    """Return weights that are exact, as they are, and what is pinned."""
    sums = list(accumulate(weights, initial=0.0))
    return Weights(sums, list(accumulate(map(int, pins), initial=0)), [])


def is_filled(value: Any) -> bool:
    return bool(value) and isinstance(value, list | dict)


LONG = st.sampled_from(["It works. " * 20, "one two three " * 30, "x" * 700, "a\nb\nc\nd\n" * 12])
KEYS = st.sampled_from(["id", "name", "text", "in", "*", "a[3:]", ""])
RECORDS = st.lists(st.dictionaries(KEYS, LONG | VALUES), min_size=2, max_size=6)
KEYED = st.dictionaries(KEYS, st.dictionaries(KEYS, LONG | VALUES, max_size=3), min_size=3)
CONTAINERS = (TABLES | RECORDS | KEYED | VALUES | st.dictionaries(KEYS, LONG | VALUES)).filter(
    is_filled
)
COUNT = Bpe("o200k_base").count_batch


def narrower(value: Any, worth: Weights | None = None) -> Narrower:
    return Narrower(value, 0, worth, COUNT)


def leaves(left: Any, whole: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the leaves that are left of a value, each with what it was before."""
    if is_object(left) and is_object(whole) and whole:
        assert [key for key in whole if key in left] == list(left)
        for key, below in left.items():
            yield from leaves(below, whole[key])
    elif is_array(left) and is_array(whole) and whole:
        assert len(left) == len(whole)
        for below, above in zip(left, whole, strict=True):
            yield from leaves(below, above)
    else:
        yield left, whole


def check_leaves(remaining: Any, whole: Any) -> int:
    """Check that all that is left is in the value, and return how much that is."""
    pairs = list(leaves(remaining, whole))
    for after, before in pairs:
        if isinstance(after, str) and after != before:
            assert "…" in after
            assert len(after) < len(before)
        else:
            assert difference(after, before) is None
    return len(pairs)


def shortened(left: Any, whole: Any) -> bool:
    return any(own != before for own, before in leaves(left, whole))


@given(value=CONTAINERS)
@example(value={"id": {}, "a": {"b": None, "c": None}, "d": {"b": None, "c": None}})
@example(value=[{"id": {"id": {}, "b": {"c": 1}, "a": {}}}, {"id": {"b": {"c": 2}, "a": 3}}])
@examples(400)
def test_versions_are_parts(value: Any) -> None:
    """Each version is a part of the value, says how much is missing, and weighs what it holds."""
    versions = narrower(value).versions()
    is_ambiguous = any(member.is_ambiguous for member in members_of(value).walk())
    for version in versions:
        remaining = version.value()
        count = check_leaves(remaining, value)
        first, *further = version.part.hints
        assert all(0 < hint.missing <= (hint.total or 0) for hint in version.part.hints)
        assert sum(version.worths) <= count
        if shortened(remaining, value):
            assert any(hint.unit not in ("columns", "facts") for hint in version.part.hints)
        else:
            assert sum(version.worths) == count
            assert not further
            if is_ambiguous:  # one name may be of several members: then what is cut decides
                assert tuple(version.part.names) == cut_names(value, remaining)
            else:
                assert first.missing == len(tuple(version.part.names)) or first.unit == "facts"
        if first.unit == "facts":
            assert (first.missing, first.total) == (facts(value) - count, facts(value))
        if is_records(value):
            rows = zip(
                *(
                    content.values() if is_object(content) else content
                    for content in (remaining, value)
                ),
                strict=False,
            )
            held = [len(list(leaves(row, before))) if before else 1 for row, before in rows]
            assert all(a <= b for a, b in zip(version.worths, held, strict=True))
            records = version.records().values()
            assert difference(records, remaining) is None
    for small, large in pairwise(versions):
        assert sum(small.worths) <= sum(large.worths)


@given(value=CONTAINERS, data=st.data())
@examples(300)
def test_weights_of_what_is_kept_add_up(value: Any, data: st.DataObject) -> None:
    """A version is worth the weights of its leaves; what is pinned is in each of them."""
    size = facts(value)
    weights = data.draw(st.lists(st.integers(1, 2**20), min_size=size, max_size=size))
    pins = [data.draw(st.integers(0, 9)) == 0 for _ in range(size)]
    numbers = iter(range(size))
    numbered = with_numbers(value, numbers)
    family = narrower(value, worth_of(list(map(float, weights)), pins))
    for version in family.versions():
        left = version.value()
        marks = list(numbers_left(left, value, numbered))
        assert all(number in marks for number, pinned in enumerate(pins) if pinned)
        if shortened(left, value):
            assert sum(version.worths) < sum(weights[number] for number in marks)
        else:
            assert sum(version.worths) == sum(weights[number] for number in marks)


def with_numbers(value: Any, numbers: Iterator[int]) -> Any:
    if is_object(value) and value:
        return {key: with_numbers(below, numbers) for key, below in value.items()}
    if is_array(value) and value:
        return [with_numbers(below, numbers) for below in value]
    return next(numbers)


def numbers_left(remaining: Any, whole: Any, numbered: Any) -> Iterator[int]:
    if is_object(remaining) and is_object(whole) and whole:
        for key, below in remaining.items():
            yield from numbers_left(below, whole[key], numbered[key])
    elif is_array(remaining) and is_array(whole) and whole:
        for items in zip(remaining, whole, numbered, strict=True):
            yield from numbers_left(*items)
    else:
        yield numbered


@given(value=TABLES | RECORDS | KEYED)
@examples(300)
def test_some_records_may_have_more(value: Any) -> None:
    """Between two versions are those of which the first records, in an order, are wider."""
    if not is_records(value):
        return
    family = narrower(value)
    versions = family.versions()
    for wider in family.pair_versions(versions):
        bare, full = wider.bare.value(), wider.full.value()
        size = len(value)
        assert sorted(wider.order) == list(range(size))
        pairs = [(count, size) for count in range(1, size)] + [(1, 2)] * (size > 2)
        for count, most in pairs:
            whole, rows = set(wider.order[:count]), sorted(wider.order[:most])
            remaining, part = wider.kept_data(count, most), wider.part(count, most)
            facts_left = check_leaves(remaining, some_of(value, rows))
            items, of_bare, of_full = (
                list(content.values() if is_object(content) else content)
                for content in (remaining, bare, full)
            )
            wanted = [(of_full if row in whole else of_bare)[row] for row in rows]
            assert difference(items, wanted) is None
            facts_hint = [hint for hint in part.hints if hint.unit == "facts"]
            assert sum(h.missing for h in facts_hint) == facts(some_of(value, rows)) - facts_left
            gone = set(wider.bare.part.names) - set(wider.full.part.names)
            keys = list(value) if is_object(value) else []
            ends = {
                name.replace("*", step_text(key).removeprefix("."), 1)
                for name in gone
                for key in keys
            }
            assert all(
                name in ends | set(wider.bare.part.names)
                or (not keys and any(name.endswith(end.lstrip(".")) for end in gone))
                for name in part.names
            )


def test_a_record_that_says_more_than_most_is_wide_before_others() -> None:
    """The record with the rarest values is the first to get more columns."""
    rows: list[Any] = [{"host": f"h{n}", "up": 1, "note": "seen by gauge"} for n in range(40)]
    rows[17] |= {"up": 0, "note": "sees nobody"}
    worths = [9.0 if row["up"] == 0 and key != "host" else 1.0 for row in rows for key in row]
    family = narrower(rows, worth_of(worths, [False] * len(worths)))
    orders = [wider.order for wider in family.pair_versions(family.versions())]
    assert orders[-1][0] == 17
    assert [row for row in orders[-1] if row != 17] == [*range(17), *range(18, 40)]
    result = mckp.encode(rows, budget="45%", weights=lambda leaves: worths)
    assert "h17 0 sees nobody" in result.text
    assert "h39 1 …" in result.text
    assert mckp.decode(result.text)


def some_of(records: Any, rows: list[int]) -> Any:
    if is_object(records):
        names = list(records)
        return {names[row]: records[names[row]] for row in rows}
    return [records[row] for row in rows]


def test_what_is_pinned_stays() -> None:
    """The narrowest version keeps pinned members, and drops long ones otherwise."""
    value = [{"id": 1, "log": "It failed. " * 30}, {"id": 2, "log": "It works. " * 30}]
    worth = worth_of([1.0] * 4, [False, False, False, True])
    assert [version.value() for version in narrower(value, worth).versions()] == [
        [{"log": record["log"]} for record in value]
    ]
    first = narrower(value).versions()[0]
    assert (first.value(), first.part.names) == ([{"id": 1}, {"id": 2}], ("log",))
    assert [str(hint) for hint in first.part.hints] == ["> [+1 columns]"]


def test_records_stay_be_they_empty() -> None:
    """A record that loses all its members stays as an empty one."""
    value = {"a": {"on": 1, "why": "x" * 99}, "b": {"why": "y" * 99}, "c": {"on": 2}}
    version = narrower(value).versions()[0]
    assert version.value() == {"a": {"on": 1}, "b": {}, "c": {"on": 2}}
    assert version.worths == [1, 0, 1]


def test_some_records_keep_a_column() -> None:
    """A column can be kept in the first records alone, and the hint counts the rest."""
    value = [{"id": n, "name": f"job {n}"} for n in range(6)]
    family = narrower(value)
    [wider] = family.pair_versions(family.versions())
    assert wider.kept_data(2, 6) == [*value[:2], *({"id": n} for n in range(2, 6))]
    assert wider.kept_data(2, 3) == [*value[:2], {"id": 2}]
    assert [str(hint) for hint in wider.part(2, 6).hints] == ["> [+4 facts]"]
    assert [str(hint) for hint in wider.part(2, 3).hints] == ["> [+1 facts]"]
    assert [tuple(wider.part(2, kept).names) for kept in (6, 3)] == [("[2:].name",)] * 2


def test_rows_of_long_tables_are_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written and counted does not depend on whether the texts of rows are held."""
    value = [{"id": n, "name": f"job {n}", "text": f"{n} is a text " * 3} for n in range(40)]

    def tables(held: int) -> list[Widening]:
        monkeypatch.setattr(widening, "HELD", held)
        family = narrower(value)
        pairs = family.pair_versions(family.versions())
        made = [wider.widening(str, "", COUNT, keeps_all=False) for wider in pairs]
        return list(filter(None, made))

    all_held, all_written = tables(1_000_000), tables(0)
    assert len(all_held) == len(all_written) > 1
    for held, written in zip(all_held, all_written, strict=True):
        for kept, other in ((held.full, written.full), (held.bare, written.bare)):
            assert kept.held is not None
            assert (kept.tokens, other.held) == (None, None)
            assert kept.held == other.texts()
            assert other.tokens == COUNT(kept.held)
        assert held.option(3, 20).rows == written.option(3, 20).rows


def test_some_records_keep_more_of_the_tables_in_them() -> None:
    """What others lack of theirs has a sign; what none that is kept has goes without a name."""
    steps = [{"on": n, "why": f"step {n}"} for n in range(2)]
    jobs = [{"id": n, "steps": steps} for n in range(4)]
    family = narrower(jobs)
    wider = list(family.pair_versions(family.versions()))[-1]
    table = wider.widening(str, "", COUNT, keeps_all=False)
    assert table is not None
    full, bare = table.full.texts(), table.bare.texts()
    assert (full[0], bare[3]) == ("0 [0 step 0;1 step 1]\n", "3 [… step 0;… step 1]\n")
    odd: Any = [
        {"a": [{"b": [{"c": 7936, "d": 3955}]}]},
        {"a": []},
        {"a": [{}, {"c": {"e": 3497}}]},
    ]
    whole = mckp.encode(odd)
    assert {whole.at(budget).status for budget in range(12, whole.tokens)} == {"optimal"}


@pytest.mark.parametrize("size", [2, 3, 40])
def test_records_that_are_tables_lose_members(size: int) -> None:
    """Records under names, in an array of such, have members in common and no columns."""
    value = [{f"k{n}": {"id": n, "note": f"{n} is so"} for n in range(size)} for _ in range(3)]
    for version in narrower(value).versions():
        assert check_leaves(version.value(), value) == sum(version.worths)
        assert difference(version.records().values(), version.value()) is None


def test_names_of_members() -> None:
    """Members of nested records are named by their path and have all their leaves."""
    root = members_of({"labels": [{"url": 1, "tags": ["a", {"b": 2}]}, {"url": 3}], "on": None})
    members = {member.name: list(member.leaves) for member in root.walk() if member.leaves}
    assert members == {"labels[*].url": [1, 3], "labels[*].tags": ["a", 2], "on": [None]}


def test_cells_of_a_sheet_keep_their_values_not_only_their_places() -> None:
    """Beside an address, the value of a cell is news; the number of its column is none."""
    cells = [
        {"address": f"{'ABC'[n % 3]}{n // 3}", "value": f"item {n * n}", "column": n % 3}
        for n in range(90)
    ]
    text = mckp.encode(cells, budget="20%").text
    assert "…" not in text
    assert text.count("item ") > 20
