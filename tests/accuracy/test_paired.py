"""Statistics agree with published figures, and nothing is claimed that they do not show."""

import random

import pytest

from mckp.accuracy import Pairs
from mckp.accuracy.paired import grouped_interval, questions_needed, verdict, wilson


def test_wilson() -> None:
    """Newcombe (1998) gives these ends; nothing at all says nothing."""
    ends = {(81, 263): (0.2553, 0.3662), (15, 148): (0.0624, 0.1605), (0, 20): (0.0, 0.1611)}
    for (right, total), wanted in ends.items():
        assert wilson(right, total) == pytest.approx(wanted, abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)


def test_pairs() -> None:
    """Pairs count who was right; lists of different lengths are refused."""
    pairs = Pairs.of([True, True, False, False, True], [True, False, True, False, True])
    assert pairs == Pairs(both=2, won=1, lost=1, neither=1)
    assert (pairs.total, pairs.difference) == (5, 0.0)
    with pytest.raises(ValueError, match="shorter"):
        Pairs.of([True], [])


def test_intervals_cover_the_truth() -> None:
    """The interval of a difference holds it in 19 of 20 cases, of few and of many pairs."""
    rng = random.Random(1)
    for total, won, lost, both in ((60, 0.1, 0.05, 0.7), (250, 0.02, 0.04, 0.9)):
        held = 0
        for _ in range(200):
            draws = rng.choices(range(4), (both, won, lost, 1 - both - won - lost), k=total)
            low, high = Pairs(*(draws.count(k) for k in range(4))).interval()
            held += low <= won - lost <= high
        assert held >= 184


def test_no_difference_is_no_proof() -> None:
    """Fifty equal pairs leave an interval too wide for a verdict."""
    few = Pairs(both=40, won=0, lost=0, neither=10)
    low, high = few.interval()
    assert low < -0.01
    assert high > 0.01
    assert verdict(few.interval(), margin=0.005).startswith("undecided")


def test_no_loss_is_claimed_only_where_the_interval_excludes_one() -> None:
    """For all small outcomes: a claim of no loss means that the lower end is above the margin."""
    for won in range(0, 9, 2):
        for lost in range(0, 9, 2):
            for both in (0, 20, 400):
                pairs = Pairs(both, won, lost, 5)
                low, high = pairs.interval()
                said = verdict(pairs.interval())
                assert ("no loss" not in said) or low > -0.03
                assert said != "worse" or high < 0
                assert said != "better" or low > 0


def test_many_questions_can_show_that_nothing_is_lost() -> None:
    """Enough pairs give each verdict: no loss, worse, better."""
    same = Pairs(both=960, won=10, lost=10, neither=20)
    assert verdict(same.interval()) == "no loss of 3 points or more"
    assert verdict(Pairs(500, 5, 60, 10).interval()) == "worse"
    assert verdict(Pairs(500, 60, 5, 10).interval()) == "better"


def test_a_small_loss_that_is_certain_is_worse() -> None:
    """A loss of half a point is "worse" if the interval excludes zero."""
    pairs = Pairs(9000, 10, 60, 100)
    assert verdict(pairs.interval()) == "worse"


def test_needed() -> None:
    """More questions are needed for smaller differences, and where answers differ more."""
    assert questions_needed(0.1, 0.03) < questions_needed(0.1, 0.01) < questions_needed(0.3, 0.01)
    assert questions_needed(0.0, 0.03) > 100


def test_documents_are_drawn_whole() -> None:
    """Where all depends on the document, the interval is as wide as few documents make it."""
    gains = [1] * 50 + [-1] * 50 + [0] * 100
    by_question = grouped_interval(gains, list(map(str, range(200))))
    by_document = grouped_interval(gains, [str(n // 50) for n in range(200)])
    assert by_document[0] < 2 * by_question[0] < 0
    assert by_document[1] > 2 * by_question[1] > 0
    assert grouped_interval([0] * 9, ["a"] * 9) == (0.0, 0.0)
    assert grouped_interval([], []) == (-1.0, 1.0)
