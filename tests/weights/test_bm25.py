"""How well texts fit words, by the library."""

from __future__ import annotations

from math import log

import pytest

from mckp.weights.bm25 import OTHER, bm25


def test_scores_are_what_the_formula_says() -> None:
    pytest.importorskip("bm25s")
    texts = [["a", "b", "a"], ["b"], ["c", OTHER], []]
    rarity = log(1 + (4 - 1 + 0.5) / (1 + 0.5))
    length = 1.5 * (0.25 + 0.75 * 3 / 1.5)
    assert bm25(texts, ["a"]) == pytest.approx([rarity * 2 / (2 + length), 0, 0, 0], rel=1e-4)


def test_words_that_are_not_asked_for_are_all_alike() -> None:
    pytest.importorskip("bm25s")
    whole = bm25([["a", "x", "y"], ["b", "x"]], ["a", "b"])
    assert whole == bm25([["a", OTHER, OTHER], ["b", OTHER]], ["a", "b"])


def test_a_word_that_is_asked_for_twice_counts_twice() -> None:
    pytest.importorskip("bm25s")
    once, twice = (bm25([["a", "b"], ["b"]], asked)[0] for asked in (["a"], ["a", "a"]))
    assert twice == pytest.approx(2 * once)


@pytest.mark.parametrize("asked", [[], ["z"]])
def test_without_a_match_all_scores_are_0(asked: list[str]) -> None:
    pytest.importorskip("bm25s")
    assert bm25([["a"], []], asked) == [0.0, 0.0]
    assert bm25([], asked) == []
