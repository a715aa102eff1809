"""Relevance: what a query asks for comes first, and nothing is excluded."""

import sys
from collections import Counter
from math import log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import TreeNode, parse
from mckp.errors import MissingExtraError
from mckp.weights import Relevance, weighed
from mckp.weights.leaves import leaves
from mckp.weights.queries import bm25, passages, words_of
from tests.cases import cases

_WORDS = ["build", "failed", "job", "user", "log"]
_PASSAGES = st.lists(st.lists(st.sampled_from(_WORDS), max_size=6), min_size=1, max_size=8)


def factors(value: Any, query: str, **settings: Any) -> list[float]:
    return Relevance(query, **settings)(leaves(TreeNode.of(value)))


def test_records_that_match_come_first() -> None:
    """Their own matching leaf before the rest of the record, and that before other records."""
    pytest.importorskip("bm25s")
    jobs = [{"id": n, "state": "ok"} for n in range(5)]
    jobs[3]["state"] = "failed"
    found = factors({"jobs": jobs}, "which job failed?")
    best = sorted(range(len(found)), key=lambda n: -found[n])[:2]
    assert best == [7, 6]
    assert min(found) >= 0.1
    assert max(found) <= 2.1


def test_names_match_as_values_do() -> None:
    pytest.importorskip("bm25s")
    one = {"createdAt": 1, "user_id": 2, "errors": [{"code": 3}], "x": 4}
    assert factors(one, "created")[0] > factors(one, "created")[1]
    assert factors(one, "user")[1] > factors(one, "user")[0]
    assert factors(one, "error")[2] > factors(one, "error")[3]


@given(_PASSAGES, st.lists(st.sampled_from([*_WORDS, "else"]), min_size=1, unique=True))
def test_scores_are_bm25(texts: list[list[str]], asked: list[str]) -> None:
    """The factor of a passage is what the formula says, written out here."""
    pytest.importorskip("bm25s")
    found = factors([" ".join(text) for text in texts], " ".join(asked), floor=0.5)
    expected = _by_formula(texts, asked)
    if not any(expected):
        assert found == [1.0] * len(texts)
        return
    shares = _shares(texts, asked)
    best = max(expected)
    wanted = [0.5 + score / best + share for score, share in zip(expected, shares, strict=True)]
    assert found == pytest.approx(wanted, rel=1e-4)


def _rarity(texts: list[list[str]], word: str) -> float:
    holding = sum(word in text for text in texts)
    return log(1 + (len(texts) - holding + 0.5) / (holding + 0.5)) if holding else 0.0


def _by_formula(texts: list[list[str]], asked: list[str]) -> list[float]:
    mean = sum(map(len, texts)) / len(texts) or 1
    scores: list[float] = []
    for text in texts:
        counts, damp = Counter(text), 1.5 * (0.25 + 0.75 * len(text) / mean)
        # The constant (k1 + 1) of the older formula would fall out of the shares.
        each = (_rarity(texts, w) * counts[w] / (counts[w] + damp) for w in asked if counts[w])
        scores.append(sum(each))
    return scores


def _shares(texts: list[list[str]], asked: list[str]) -> list[float]:
    whole = sum(_rarity(texts, word) for word in asked)
    return [sum(_rarity(texts, w) for w in asked if w in text) / whole for text in texts]


@pytest.mark.parametrize("query", ["nothing of this", "", "?!"])
def test_without_a_match_all_are_alike(query: str) -> None:
    pytest.importorskip("bm25s")
    assert factors([{"a": "one"}, {"b": "two"}], query) == [1, 1]


def test_small_words_say_nothing() -> None:
    """They are left out of a query, unless it has no others."""
    pytest.importorskip("bm25s")
    assert factors([{"a": "it is the"}, {"b": "job"}], "which is the job?") == [0.1, 2.1]
    assert factors([{"a": "it is the"}, {"b": "job"}], "is it?") == [2.1, 0.1]


def test_sections_are_passages() -> None:
    """What stands under the heading that was asked for counts more than what does not."""
    pytest.importorskip("bm25s")
    text = "Before.\n\n# Use\n\nRun it.\n\n## Install\n\nWith pip.\n\n# Licence\n\nFree.\n"
    found = leaves(parse(text))
    assert passages(found) == [(0,), (1,), (1,), (1, 1), (1, 1), (2,), (2,)]
    values = Relevance("how to install it")(found)
    assert sorted(range(7), key=lambda n: -values[n])[:2] == [3, 4]


def test_passages_of_data() -> None:
    """Elements of outermost arrays, and members outside of arrays."""
    found = leaves(TreeNode.of({"a": {"b": 1, "c": [{"d": [2, 3]}, 4]}, "e": 5}))
    assert passages(found) == [("a",), ("a", "c", 0), ("a", "c", 0), ("a", "c", 1), ("e",)]
    assert passages(leaves(TreeNode.of([[1, 2], 3]))) == [(0,), (0,), (1,)]
    assert passages(leaves(TreeNode.of(7))) == [()]


@pytest.mark.parametrize(
    ("text", "words"),
    cases(__file__, "test_words"),
)
def test_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_a_query_is_one_more_factor() -> None:
    pytest.importorskip("bm25s")
    tree = TreeNode.of([{"a": "yes"}, {"a": "no"}])
    found = weighed(tree, query="yes", priorities={"[1]": "pin"})
    assert found.sums == pytest.approx([0, 2.1, 2.2], abs=1e-5)
    assert found.pins == [0, 0, 1]


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the package and the extra, whether or not anything would match."""
    monkeypatch.setitem(sys.modules, "bm25s", None)
    monkeypatch.delitem(sys.modules, "bm25s.stopwords", raising=False)
    with pytest.raises(MissingExtraError, match=r"bm25s is not installed.*mckp\[query\]"):
        factors([{"a": "one"}], "two")


@pytest.mark.parametrize("floor", [0, -1, float("nan"), float("inf")])
def test_the_floor_is_above_zero(floor: float) -> None:
    """With a floor of 0 a query would exclude."""
    with pytest.raises(ValueError, match="a floor is above 0"):
        Relevance("a", floor)


def test_a_query_is_a_text() -> None:
    with pytest.raises(TypeError, match="a query is a text, not"):
        weighed(TreeNode.of([1]), query=["a"])  # type: ignore[arg-type]


def test_a_word_that_is_asked_for_twice_counts_twice() -> None:
    pytest.importorskip("bm25s")
    once, twice = (bm25([["a", "b"], ["b"]], asked)[0] for asked in (["a"], ["a", "a"]))
    assert twice == pytest.approx(2 * once)


@pytest.mark.parametrize("asked", [[], ["z"]])
def test_without_a_match_all_scores_are_0(asked: list[str]) -> None:
    pytest.importorskip("bm25s")
    assert bm25([["a"], []], asked) == [0.0, 0.0]
    assert bm25([], asked) == []
