"""A pack is the best there is: against all selections of small documents, each written out."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

import mckp
from mckp import tokenizers
from mckp.encoders import packs
from mckp.packing.items import Item
from mckp.packing.joined import UNITS, body
from mckp.packing.packed import Packed
from mckp.table import Table
from tests.strategies import examples

COUNTER = tokenizers.get("o200k")
MOST = 20_000
"""Selections of a pack that are tried."""

WORDS = st.sampled_from(["ok", "ERROR: disk full", "step done", "a b c", "=== b", "timeout = 3"])
LINES = st.lists(WORDS, min_size=1, max_size=4).map(lambda lines: "\n".join(lines) + "\n")
NOTES = st.lists(WORDS, min_size=1, max_size=2).map(lambda lines: "# T\n\n" + "\n\n".join(lines))
DATA: st.SearchStrategy[Any] = (
    st.lists(st.fixed_dictionaries({"id": st.integers(0, 9), "s": WORDS}), min_size=1, max_size=3)
    | st.dictionaries(st.sampled_from("abc"), WORDS | st.integers(0, 99), max_size=2)
    | st.integers(0, 9)
)
NAMES = st.lists(st.sampled_from(["a", "b.log", "c (1)", '"d', "e f"]), unique=True, min_size=1)


@st.composite
def packs_of(draw: st.DrawFn) -> dict[str, Any]:
    """Draw what `mckp.pack` is called with."""
    names = draw(NAMES)[:3]
    wishes: dict[str, Any] = {"items": {name: draw(LINES | NOTES | DATA) for name in names}}
    some = st.lists(st.sampled_from(names), unique=True, max_size=1)
    for name in draw(some):
        wishes["pin"] = [name]
    for name in draw(some):
        wishes["least"] = {name: draw(st.sampled_from([3, 9, 20, "50%"]))}
    for name in draw(some):
        wishes["weights"] = {name: draw(st.sampled_from([0, 0.3, 4]))}
    return wishes | {"query": draw(st.none() | WORDS)}


def made(result: mckp.PackResult) -> Packed:
    assert result.packed is not None
    return result.packed


def selections(table: Table) -> Iterator[list[int]]:
    """Yield all selections of a table: for each class the place of an option, -1 if not reached."""
    parents = table.parent_option.tolist()
    start = table.start.tolist()

    def below(number: int, taken: list[int]) -> Iterator[list[int]]:
        if number == table.classes:
            yield taken
            return
        parent = parents[number]
        is_reached = parent < 0 or any(
            start[cls] + place == parent for cls, place in enumerate(taken) if place >= 0
        )
        places = range(start[number + 1] - start[number]) if is_reached else [-1]
        for place in places:
            yield from below(number + 1, [*taken, place])

    return below(0, [])


def ways(packed: Packed, item: Item, values: list[int]) -> list[tuple[int, int, bool]]:
    """Return tokens and value of all ways to write a document; whether only its name is there."""
    tabulated = item.priced.tabulated
    table, found = tabulated.table, list[tuple[int, int, int]]()
    whole = int(tabulated.prices.whole(tabulated.menu.root))
    for count, choice in enumerate(selections(table)):
        assume(count < MOST)
        pick = tabulated.pick(choice)
        if pick.option is None:
            continue
        rows = [int(table.start[cls]) + place for cls, place in enumerate(choice) if place >= 0]
        text = item.heading + body(item, pick) + item.below
        own = COUNTER.count(body(item, pick).removesuffix("\n") or "")
        found.append((COUNTER.count(text), sum(values[row] for row in rows), own))
    total = values[tabulated.whole_row]
    if item.is_pinned:
        text = item.heading + body(item, packed.joined.whole()[packed.items.index(item)].pick)  # type: ignore[arg-type]
        return [(COUNTER.count(text + item.below), total, True)]
    del whole
    return [(tokens, value, True) for tokens, value, _ in found]


@given(packs_of(), st.integers(0, 90))
@examples(2000)
def test_nothing_is_better(wishes: dict[str, Any], budget: int) -> None:
    """Every selection of every document, with every choice of names, is worth no more."""
    wishes.pop("least", None)
    try:
        result = mckp.pack(budget=budget, **wishes)
    except mckp.BudgetError as error:
        assert error.floor > budget
        return
    packed = made(result)
    if all(share.state in ("whole", "same") for share in result.shares()):
        return
    every = list[list[tuple[int, int, str | None]]]()
    size = 1
    for item in packed.items:
        values = packed.joined._values(item).tolist()  # noqa: SLF001
        total = max(1, values[item.priced.tabulated.whole_row])
        own: list[tuple[int, int, str | None]] = [
            (tokens, value, None) for tokens, value, _ in ways(packed, item, values)
        ]
        if not item.is_pinned:
            own.append((0, 0, ""))
            if packs.may_be_noted(item.name):
                own.append((0, int(total * 0.005), item.name))
            else:
                nothing = item.heading + item.priced.menu.nothing + item.below
                own.append((COUNTER.count(nothing), int(total * 0.005), None))
        every.append(own)
        size *= len(own)
    assume(size < MOST)
    best = (-1, 0)
    first = COUNTER.count(packs.first_line(len(packed.names)))
    notes: dict[tuple[str | None, ...], int] = {}
    for choice in product(*every):
        gone = tuple(name for _, _, name in choice)
        if gone not in notes:
            missing = sum(
                1 + len(item.equals)
                for item, name in zip(packed.items, gone, strict=True)
                if name is not None
            )
            told = filter(None, gone)
            notes[gone] = (
                COUNTER.count(packs.note(missing, len(packed.names), told)) if missing else 0
            )
        tokens = first + notes[gone] + sum(each[0] for each in choice)
        if tokens <= budget:
            best = max(best, (sum(each[1] for each in choice), -tokens))
    assert result.status == "optimal"
    assert (round(result.value * UNITS), -result.tokens) == best
