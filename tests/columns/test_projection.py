"""What is left of a tape is what is left of its value."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mckp.columns.document import document_tape
from mckp.columns.projection import SmallerTapes
from mckp.columns.version import VersionPlan
from mckp.encoders import select
from mckp.jsontext import dumped
from mckp.menu.smaller import SmallerValues
from mckp.planning import format_bits
from mckp.reading import decode
from mckp.tokenizers.bpe import Bpe
from tests.strategies import TABLES, VALUES, examples

COUNTER = Bpe("o200k_base")
LONG = st.sampled_from(["It works. " * 20, "one two three " * 30, 'x"\\\n' * 99])
KEYS = st.sampled_from(["id", "text", "in", "*"])
RECORDS = st.lists(st.dictionaries(KEYS, LONG | VALUES), min_size=1)
KEYED = st.dictionaries(st.text(max_size=2), st.dictionaries(KEYS, LONG | VALUES), min_size=1)


def both(value: Any) -> tuple[SmallerTapes, SmallerValues]:
    tape = document_tape(dumped(value))
    assert tape is not None
    return SmallerTapes(tape, value, COUNTER), SmallerValues(
        value, COUNTER.count_batch, lambda _: 1
    )


@given(value=TABLES | RECORDS | KEYED | VALUES | LONG, data=st.data())
@examples(200)
def test_any_members_may_stay(value: Any, data: st.DataObject) -> None:
    """Whole, in a shorter form or one between two, or in the first records alone."""
    tapes, values = both(value)
    level = st.sampled_from([None, 0.0, 1.0, 1.5, -1.0, -2.0, 9.0])
    levels = data.draw(st.lists(level, min_size=len(tapes.members), max_size=len(tapes.members)))

    def kept(family: SmallerValues) -> dict[Any, float]:
        found: dict[Any, float] = {}
        for member, drawn in zip(family.members, levels, strict=True):
            if member is family.root or (member.above in found and drawn is not None):
                level, is_leaf = drawn or 0.0, bool(member.above) and not member.records
                most = max(0.0, len(member.levels) - 1)
                found[member] = min(level if is_leaf else max(0.0, level), most)
        return found

    fast, slow = tapes.of(kept(tapes)), values.of(kept(values))
    if slow.weight:
        assert bytes(fast.content) == dumped(slow.content)
        assert list(fast.weights) == list(slow.weights)
        assert fast.hints == slow.hints
    assert fast.weight == slow.weight
    assert fast.names == slow.names


@given(value=TABLES | RECORDS | KEYED, share=st.floats(0, 1))
@examples(60)
def test_versions_read_as_what_is_left(value: Any, share: float) -> None:
    family, twin = both(value)
    kept = family.best(int(share * family.full)).kept
    part = family.of(kept)
    if not (part.hints and part.weight):
        return
    own = twin.of(twin.best(int(share * twin.full)).kept)
    plan = VersionPlan(part, format_bits(select("native")), COUNTER, 10**6)
    drafts = [draft for draft in [plan.offer(10**6, set()).draft([0])] if draft.value]
    for draft in drafts:
        assert part.note in draft.text
        assert COUNTER.count(draft.text) == plan.most
        assert decode(draft.text) == own.content
        assert draft.value == part.weight
        plan.verify(draft)
