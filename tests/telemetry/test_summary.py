"""What a session came to, with what repeats saved apart from what encoding saved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.telemetry import summarise
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
    assert found.encoder_savings_pct == pytest.approx(100 / 320)
    assert (found.duration_sec, found.ended_at_ms) == (3.5, 4500)
    assert (found.baseline, found.tokenizer) == ("json_compact", "o200k")


EVENTS = st.lists(
    st.builds(
        lambda hit, before, after, tool, layer: event(
            is_dedup_hit=hit,
            tokens_baseline=before,
            tokens_final=after,
            endpoint_class=tool,
            layer_used="L0" if hit else layer,
        ),
        st.booleans(),
        st.integers(0, 500),
        st.integers(0, 500),
        st.sampled_from([f"tool{n}" for n in range(30)]),
        st.sampled_from(["L1", "L2", "L3"]),
    ),
    min_size=1,
    max_size=30,
)


@given(EVENTS)
def test_the_parts_of_what_is_saved_make_the_whole(events: list[object]) -> None:
    """Both savings together are the combined one, and at most 20 endpoints are named."""
    found = summarise(events)[0]  # type: ignore[arg-type]
    left = (1 - found.dedup_savings_pct) * (1 - found.encoder_savings_pct)
    if found.dedup_savings_pct < 1:
        assert 1 - left == pytest.approx(found.savings_pct)
    assert len(found.endpoint_mix) <= 20


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
