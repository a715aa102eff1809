"""What marks say about savings, beside the slow way."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from mckp.config.tuner import Changed, Compacted, Layer, LayerSavings, Mark
from mckp.config.tuner.simulate import (
    EXPLANATION_TOKENS,
    LABEL_TOKENS,
    REFERENCE_TOKENS,
    settings_by,
    simulate,
)
from tests.config.tuner.made import ENDPOINTS, MARKS, TABLES, seen
from tests.config.tuner.twin import Twin


@given(MARKS, TABLES)
def test_the_same_as_the_slow_way(marks: list[Mark], table: dict[str, Any]) -> None:
    knobs = settings_by(table, ENDPOINTS)
    found = simulate(marks, knobs)
    events = [found.of(layer).events for layer in (Layer.REFERENCE, Layer.NEAR)]
    assert (*events, found.tokens) == Twin(knobs).run(marks)


def _saved(marks: list[Mark], table: dict[str, Any] | None = None) -> LayerSavings:
    return simulate(marks, settings_by(table or {}, ENDPOINTS))


def test_a_repeat_is_a_reference() -> None:
    assert (
        _saved([seen(), seen()]).tokens
        == 300 + LABEL_TOKENS + REFERENCE_TOKENS + EXPLANATION_TOKENS
    )


def test_a_sub_agent_has_read_nothing() -> None:
    assert _saved([seen(), seen(agent=1)]).of(Layer.REFERENCE).events == 0


def test_what_was_compacted_or_edited_is_gone() -> None:
    for event in (Compacted(0), Changed(frozenset({5}))):
        marks: list[Mark] = [seen(source=5), event, seen(source=5)]
        assert _saved(marks).of(Layer.REFERENCE).events == 0


def test_no_more_is_remembered_than_the_size_says() -> None:
    marks: list[Mark] = [*(seen(content=n) for n in range(6)), seen(content=0)]
    assert _saved(marks).of(Layer.REFERENCE).events == 0
    larger = {"endpoint_overrides": {"Grep": {"lru_size": 6}}}
    assert _saved(marks, larger).of(Layer.REFERENCE).events == 1


def test_no_more_near_references_than_a_session_may_have() -> None:
    marks: list[Mark] = [seen(content=0), *(seen(content=n, bases={0: 9}) for n in range(1, 9))]
    rule = {"types": {"near_ref": {"max_per_session": 3}}}
    few = {"dedup": {"near_ref_enabled": True}, "hints": rule}
    assert _saved(marks, few).of(Layer.NEAR).events == 3


def test_near_repeats_are_looked_for_as_far_back_as_the_profile_says() -> None:
    marks: list[Mark] = [seen(content=0), seen(content=1, call=2), seen(content=2, bases={0: 9})]
    table = {"dedup": {"near_ref_enabled": True}}
    assert _saved(marks, table).of(Layer.NEAR).events == 1
    hasty = {**table, "profiles": {"agent": {"active": "file_search_heavy"}}}
    assert _saved(marks, hasty).of(Layer.NEAR).events == 0


def test_a_reference_has_to_save_as_much_as_the_profile_says() -> None:
    marks: list[Mark] = [seen(tokens=4 * REFERENCE_TOKENS), seen(tokens=4 * REFERENCE_TOKENS)]
    assert _saved(marks).of(Layer.REFERENCE).events == 1
    shy = {"profiles": {"agent": {"active": "file_search_heavy"}}}
    assert _saved(marks, shy).of(Layer.REFERENCE).events == 0


@given(MARKS, TABLES)
def test_the_columns_fit_together(marks: list[Mark], table: dict[str, Any]) -> None:
    found = simulate(marks, settings_by(table, ENDPOINTS))
    total = found.of()
    assert abs(found.exact + found.near - found.dedup) < 1e-9
    missed = found.of(Layer.ENCODED, Layer.PLAIN).baseline
    saved = found.dedup * total.baseline + found.encoder * missed
    if missed and total.baseline:  # what has no tokens may still get a label
        assert abs(saved - found.combined * total.baseline) < 1e-6 * (1 + total.baseline)
