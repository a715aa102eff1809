"""A sample says on average what all events say, at every rate."""

from __future__ import annotations

import math

import pytest

from mckp.telemetry import MemorySink, Recorder, fingerprints, keeps, summarise
from tests.telemetry.events import event

RATES = [0.05, 0.3, 0.5, 0.6, 0.7, 0.95]


@pytest.mark.parametrize("rate", RATES)
def test_as_many_are_kept_as_the_rate_says(rate: float) -> None:
    """Not all at .7 and half at .6: the rate that is written down is the real one."""
    count = 20_000
    kept = sum(keeps(rate, "a", number) for number in range(count))
    assert abs(kept - rate * count) < 4.5 * math.sqrt(count * rate * (1 - rate))


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("period", [2, 3, 7])
def test_estimates_are_unbiased(rate: float, period: int) -> None:
    """Over many sessions, totals and rates are right on average, also where events alternate.

    A stride would take always the same ones of those that alternate.
    """
    errors: list[float] = []
    seeds, count = 150, 84
    truth = sum(number % period == 0 for number in range(count)) * 100
    for seed in range(seeds):
        kept = [n for n in range(count) if keeps(rate, "s", n, seed)]
        errors.append(sum(100 for n in kept if n % period == 0) / rate - truth)
    deviation = math.sqrt(100 * truth * (1 - rate) / rate / seeds)
    assert abs(sum(errors) / seeds) < 4.5 * deviation


def test_all_and_none() -> None:
    """The ends of the range are exact."""
    assert all(keeps(1.0, "a", number) for number in range(1000))
    assert not any(keeps(0.0, "a", number) for number in range(1000))
    with pytest.raises(ValueError, match="from 0 to 1"):
        keeps(1.1, "a", 0)


def test_a_smaller_sample_is_part_of_a_larger_one() -> None:
    """So that what was looked at stays."""
    small, large = ({n for n in range(500) if keeps(rate, "a", n)} for rate in (0.2, 0.6))
    assert small < large


def test_sampled_events_carry_their_rate_and_count_for_others() -> None:
    """Fingerprints and summaries of a sample are near those of all events."""
    sinks = {rate: MemorySink() for rate in (1.0, 0.4)}
    for rate, sink in sinks.items():
        for session in range(20):
            name = f"{session:016d}"
            with Recorder(sink, name, sample_rate=rate) as recorder:
                for n in range(200):
                    recorder.record(event(session_hash=name, is_dedup_hit=n % 4 == 0, ts_ms=n))
    whole, part = (fingerprints(sink.events)[0] for sink in sinks.values())
    assert {each.sample_rate_applied for each in sinks[0.4].events} == {0.4}
    assert len(sinks[0.4].events) < 0.5 * len(sinks[1.0].events)
    assert whole.call_count == 4000
    assert part.call_count == pytest.approx(4000, rel=0.06)
    assert part.dup_rate == pytest.approx(whole.dup_rate, abs=0.05)
    estimated = sum(each.total_baseline_tokens for each in summarise(sinks[0.4].events))
    assert estimated == pytest.approx(400_000, rel=0.06)


def test_the_summary_of_a_session_is_of_all_its_events() -> None:
    """The sample is of events; sums are exact."""
    sink = MemorySink()
    with Recorder(sink, "5" * 16, sample_rate=0.1) as recorder:
        for _ in range(50):
            recorder.record(event())
    assert sink.summaries[0].total_events == 50
    assert sink.summaries[0].total_final_tokens == 3000
    assert sink.summaries[0].sample_rate_applied == 1.0
