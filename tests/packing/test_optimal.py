"""A pack is the best there is: against all selections of small documents, each written out."""

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any

from hypothesis import assume, event, given
from hypothesis import strategies as st

import mckp
from mckp import tokenizers
from mckp.budgets import checked_budget
from mckp.encoders import packs
from mckp.menu.render import render
from mckp.packing.items import Item
from mckp.packing.joined import UNITS, body, worth_of_name
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


Way = tuple[int, int, str | None]
"""Tokens and value of a way to write a document; if it is not there, its name in the note or ""."""


def all_ways(packed: Packed, item: Item) -> list[Way]:
    """Return all ways to write a document, with the tokens of its text and headings, counted."""
    tabulated = item.priced.tabulated
    table, values = tabulated.table, packed.joined.values(item).tolist()
    total = max(1, values[tabulated.whole_option])
    counted: list[tuple[int, Way]] = []
    for count, choice in enumerate(selections(table)):
        assume(count < MOST)
        pick = tabulated.pick(choice)
        if pick.option is None or (item.is_pinned and not pick.is_whole):
            continue
        rows = [int(table.start[cls]) + place for cls, place in enumerate(choice) if place >= 0]
        text = item.heading + body(item, pick) + item.equal_headings
        # All of it is worth the whole, however worths of its parts are rounded.
        value = total if pick.is_whole else sum(values[row] for row in rows)
        way = COUNTER.count(text), value, None
        counted.append((COUNTER.count(render(tabulated.menu, pick)), way))
    if item.least is not None and not item.is_pinned:
        least = checked_budget(item.least, lambda: COUNTER.count(whole_text(item))) or 0
        low = max((way[1] for tokens, way in counted if tokens <= least), default=0)
        return [way for _, way in counted if way[1] >= max(1, low)]
    if item.is_pinned:
        return [way for _, way in counted]
    nothing = item.heading + item.priced.menu.nothing_text + item.equal_headings
    named = worth_of_name(item)
    more: Way = (COUNTER.count(nothing), named, None)
    if packs.may_be_noted(item.name):
        more = (0, named, item.name)
    return [*(way for _, way in counted), (0, 0, ""), more]


def whole_text(item: Item) -> str:
    return render(item.priced.menu, item.priced.whole.pick)


@given(packs_of(), st.floats(0, 1))
@examples(100)
def test_nothing_is_better(wishes: dict[str, Any], share: float) -> None:
    """Every selection of every document, with every choice of names, is worth no more."""
    whole = mckp.pack(**wishes)
    budget = int(share * (whole.tokens - 1))
    try:
        result = whole.at(budget)
    except mckp.BudgetError as error:
        floor, result = error.floor, whole.at(error.floor)
        budget = floor
    packed = made(result)
    every = [all_ways(packed, item) for item in packed.items]
    assume(prod(map(len, every)) < MOST)
    first = COUNTER.count(packs.first_line(len(packed.names)))
    best, notes = (-1, 0), dict[tuple[str | None, ...], int]()
    for choice in product(*every):
        names_noted = tuple(name for _, _, name in choice)
        if names_noted not in notes:
            gone = [
                item
                for item, name in zip(packed.items, names_noted, strict=True)
                if name is not None
            ]
            missing = sum(1 + len(item.equals) for item in gone)
            note = packs.note(missing, len(packed.names), filter(None, names_noted)) if gone else ""
            notes[names_noted] = COUNTER.count(note)
        tokens = first + notes[names_noted] + sum(way[0] for way in choice)
        if tokens <= budget:
            best = max(best, (sum(way[1] for way in choice), -tokens))
    event("compared")
    assert result.status == "optimal"
    assert (round(result.value * UNITS), -result.tokens) == best
