"""A menu that drops options as it grows says the same as one that keeps them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import BudgetError, Result
from mckp.api import encoded
from mckp.columns import atoms, count, fill, parts, plan
from mckp.columns.count import priced
from mckp.columns.decide import cheapest, in_order, write_each
from mckp.columns.document import document_tape
from mckp.columns.fill import filled, priced_menu
from mckp.columns.options import room_for
from mckp.columns.plan import ColumnPlan, column_plan
from mckp.columns.scratch import scratch_for
from mckp.encoders import select
from mckp.jsontext import dumped
from mckp.planning import Planned, format_bits
from mckp.tokenizers.bpe import Bpe
from tests.strategies import TABLES, VALUES, examples

if TYPE_CHECKING:
    from mckp.columns.options import Menu
    from mckp.plan import Candidate

COUNTER = Bpe("o200k_base")
DOCUMENTS = st.lists(VALUES | TABLES, max_size=6) | st.dictionaries(st.text(max_size=3), TABLES)
ROWS = [{"id": n, "name": f"job {n}", "in": {"a": [n, n + 1], "b": "x y"}} for n in range(40)]


def _texts(value: Any, menu: Menu, options: np.ndarray[Any, Any]) -> bytes:
    tape = document_tape(dumped(value))
    assert tape is not None
    out, ends = np.empty(1 << 20, np.uint8), np.empty(len(options) + 1, np.int64)
    return out[: write_each(tape, menu, scratch_for(tape), options, out, ends)].tobytes()


@pytest.mark.parametrize("level", ["standard", "native", "dense"])
@given(value=DOCUMENTS, at_once=st.sampled_from([1, 40, 400]))
@examples(60)
def test_what_is_dropped_is_in_no_whole_document(level: str, value: Any, at_once: int) -> None:
    bits = format_bits(select(level)) & 0b111111111
    tape = document_tape(dumped(value))
    assert tape is not None
    scratch = scratch_for(tape)
    whole = filled(tape, bits, scratch)
    tokens = priced(tape, whole, scratch_for(tape), COUNTER)
    menu, own, every = priced_menu(tape, bits, scratch, COUNTER, at_once)
    assert np.array_equal(np.concatenate(every or [own]), tokens)
    options = in_order(menu, cheapest(menu, own)[1])
    assert _texts(value, menu, options) == _texts(
        value, whole, in_order(whole, cheapest(whole, tokens)[1])
    )
    if every:
        assert len(menu.options) == len(menu.classes) == len(options)
        assert len(menu.text) <= len(_texts(value, menu, options))


def test_drops_what_cannot_be_chosen() -> None:
    tape = document_tape(dumped([{"rows": ROWS}, {"rows": ROWS[:9], "text": "a\nb" * 99}]))
    assert tape is not None
    bits, scratch = format_bits(select("native")), scratch_for(tape)
    whole = filled(tape, bits, scratch)
    menu, own, every = priced_menu(tape, bits, scratch, COUNTER, 500)
    assert len(own) == len(menu.options) < sum(map(len, every)) == len(whole.options)
    menu, own, every = priced_menu(tape, bits, scratch, COUNTER)
    assert not every
    for name in ("classes", "options", "kinds", "text"):
        assert np.array_equal(getattr(menu, name), getattr(whole, name))


def _result(found: ColumnPlan, budget: int | None) -> Result | str:
    try:
        return encoded(Planned(found, lambda: found.full), COUNTER, budget, "auto")
    except BudgetError as error:
        return str(error)


@pytest.mark.parametrize("level", ["standard", "native", "dense"])
def test_results_are_the_same_however_little_is_done_at_once(
    level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bits = format_bits(select(level))
    document = {"rows": ROWS, "more": [ROWS[:5], {"held": '{"a": [1, 2]}', "text": "a\nb\nc"}]}

    def results() -> list[Result | str]:
        found = column_plan(bytearray(dumped(document)), bits, COUNTER)
        assert found is not None
        return [_result(found, budget) for budget in (None, found.most // 3, found.most // 2, None)]

    usual = results()
    monkeypatch.setattr(plan, "AT_ONCE", 300)
    monkeypatch.setattr(plan, "LARGE", 0)
    monkeypatch.setattr(count, "atoms_for", partial(atoms.atoms_for, at_once=64))
    monkeypatch.setattr(count, "parts_for", partial(parts.parts_for, at_once=1))
    monkeypatch.setattr(count, "_UNITS", 4)
    assert results() == usual


def test_whoever_asks_why_sees_what_was_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    text = bytearray(dumped([{"rows": ROWS}, {"more": ROWS[:5]}]))

    def outlook() -> list[list[Candidate]]:
        found = column_plan(bytearray(text), format_bits(select("dense")), COUNTER)
        assert found is not None
        shown = found.outlook(found.wholes()[0].pick)
        return [list(shown.candidates(cls)) for cls in range(len(found.full.menu.classes))]

    usual = outlook()
    monkeypatch.setattr(plan, "AT_ONCE", 300)
    monkeypatch.setattr(plan, "LARGE", 0)
    assert outlook() == usual


def test_more_room_is_made_as_often_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    tape = document_tape(dumped(ROWS))
    assert tape is not None
    bits, scratch = format_bits(select("native")), scratch_for(tape)
    usual = filled(tape, bits, scratch)

    def little(rows: int, size: int, columns: int) -> Menu:
        return room_for(rows // 50, size // 1000, columns // 50)

    monkeypatch.setattr(fill, "room_for", little)
    tight = filled(tape, bits, scratch)
    for name in ("classes", "options", "kinds", "text"):
        assert np.array_equal(getattr(tight, name), getattr(usual, name))
