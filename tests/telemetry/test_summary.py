"""What a session came to, with what repeats saved apart from what encoding saved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.telemetry import Event, summarise
from tests.telemetry.events import event


def test_figures_of_a_session() -> None:
    """All figures, on a session small enough to reckon by hand."""
    found = summarise(
        [
            event(ts_ms=1000, response_chars=10, tokens_baseline=100, tokens_final=60),
            event(ts_ms=2000, layer_used="L1", tokens_baseline=100, tokens_final=40),
            event(
                ts_ms=4500,
                is_dedup_hit=True,
                layer_used="L0",
                tokens_baseline=200,
                tokens_final=20,
                context_partition=2,
                endpoint_class="Grep",
            ),
            event(ts_ms=3000, layer_used="L3", tokens_baseline=100, tokens_final=100),
        ]
    )[0]
    assert (found.total_events, found.compaction_count) == (4, 2)
    assert (found.dedup_hit_rate, found.l1_hit_rate, found.l2_hit_rate) == (0.25, 0.25, 0.25)
    assert found.avg_response_chars == 2.5
    assert found.endpoint_mix == {"Read": 3, "Grep": 1}
    assert (found.total_baseline_tokens, found.total_final_tokens) == (500, 220)
    assert found.savings_pct == pytest.approx(0.56)
    assert found.dedup_savings_pct == pytest.approx(180 / 500)
    assert found.encoder_savings_pct == pytest.approx(100 / 300)
    assert (found.duration_sec, found.ended_at_ms) == (3.5, 4500)
    assert (found.baseline, found.tokenizer) == ("json_compact", "o200k")


@st.composite
def events(draw: st.DrawFn) -> Event:
    """Draw an event of one of many endpoints."""
    hit, tokens = draw(st.booleans()), st.integers(0, 500)
    return event(
        is_dedup_hit=hit,
        layer_used="L0" if hit else draw(st.sampled_from(["L1", "L2", "L3"])),
        tokens_baseline=draw(tokens),
        tokens_final=draw(tokens),
        endpoint_class=f"tool{draw(st.integers(0, 29))}",
    )


@given(st.lists(events(), min_size=1, max_size=30))
def test_the_parts_of_what_is_saved_make_the_whole(session: list[Event]) -> None:
    """Both savings together are the combined one, and at most 20 endpoints are named."""
    found = summarise(session)[0]
    before = found.total_baseline_tokens
    missed = sum(each.tokens_baseline for each in session if not each.is_dedup_hit)
    saved = before - found.total_final_tokens
    assert found.savings_pct * before == pytest.approx(saved if before else 0)
    if missed:
        parts = found.dedup_savings_pct * before + found.encoder_savings_pct * missed
        assert parts == pytest.approx(saved)
    assert len(found.endpoint_mix) <= 20


def test_what_was_cut_is_no_saving() -> None:
    """A result of which half was left out is not written in half the tokens."""
    found = summarise([event(tokens_baseline=100, tokens_final=40, tokens_cut=50)])[0]
    assert found.savings_pct == found.encoder_savings_pct == pytest.approx(0.1)


def test_sessions_are_kept_apart() -> None:
    """Each has a summary, in the order in which they begin."""
    found = summarise([event(session_hash=name) for name in "abacc"])
    assert [(each.session_hash, each.total_events) for each in found] == [
        ("a", 2),
        ("b", 1),
        ("c", 2),
    ]


def test_baselines_are_not_mixed_in_silence() -> None:
    """Tokens of several baselines or counters are called so."""
    found = summarise([event(), event(baseline="toon"), event(tokenizer="cl100k")])[0]
    assert (found.baseline, found.tokenizer) == ("mixed", "mixed")
