"""Relevance: what a query asks for comes first, and nothing is excluded."""

from math import log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import TreeNode, parse
from mckp.weights import Relevance, weighed
from mckp.weights.leaves import leaves
from mckp.weights.queries import BESIDE, OWN, passages, words_of
from tests.cases import cases

_WORDS = ["build", "failed", "job", "user", "log"]
_PASSAGES = st.lists(st.lists(st.sampled_from(_WORDS), max_size=6), min_size=1, max_size=8)


def factors(value: Any, query: str, **settings: Any) -> list[float]:
    return Relevance(query, **settings)(leaves(TreeNode.of(value)))


def test_records_that_match_come_first() -> None:
    """Their own matching leaf before the rest of the record, and that before other records."""
    jobs = [{"id": n, "state": "ok"} for n in range(5)]
    jobs[3]["state"] = "failed"
    found = factors({"jobs": jobs}, "which of them failed?")
    assert found[6:8] == [1 + BESIDE, 1 + BESIDE + OWN]
    assert {*found[:6], *found[8:]} == {1.0}


def test_names_match_as_values_do() -> None:
    """Names are taken apart, those above too, and words are compared by how they begin."""
    one = {"createdAt": 1, "user_id": 2, "branches": "x", "errors": [{"code": 3}], "x": 4}
    for number, query in enumerate(("created", "users", "branching?", "ERROR")):
        found = factors(one, query)
        assert [at for at, factor in enumerate(found) if factor > 1] == [number]


@given(_PASSAGES, st.lists(st.sampled_from([*_WORDS, "else"]), min_size=1, unique=True))
def test_a_match_counts_by_how_rare_it_is(texts: list[list[str]], asked: list[str]) -> None:
    """The factors are what the formula says, written out here."""
    found = factors([" ".join(text) for text in texts], " ".join(asked))
    scores = [sum(_rarity(texts, word) for word in asked if word in text) for text in texts]
    best = max(scores) or 1.0
    # Each text is a passage of its own.
    assert found == pytest.approx([1 + (OWN + BESIDE) * score / best for score in scores])


def _rarity(texts: list[list[str]], word: str) -> float:
    holding = sum(word in text for text in texts)
    return log(1 + (len(texts) - holding + 0.5) / (holding + 0.5)) if holding else 0.0


@pytest.mark.parametrize("query", ["nothing of this", "", "?!"])
def test_without_a_match_all_are_alike(query: str) -> None:
    """A query that asks for something else, or for nothing, changes nothing."""
    assert factors([{"a": "one"}, {"b": "two"}], query) == [1, 1]


def test_small_words_say_nothing() -> None:
    """They are left out of a query, unless it has no others."""
    assert factors([{"a": "it is the"}, {"b": "job"}], "which is the job?") == [1, 3.5]
    assert factors([{"a": "it is the"}, {"b": "job"}], "is it?") == [3.5, 1]


def test_sections_are_passages() -> None:
    """What stands under the heading that was asked for counts more than what does not."""
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
    """It multiplies with the models, and pins stay pins."""
    tree = TreeNode.of([{"a": "yes"}, {"a": "no"}])
    found = weighed(tree, query="yes", priorities={"[1]": "pin"})
    assert found.sums == [0, 3.5, 4.5]
    assert found.pins == [0, 0, 1]


def test_a_query_is_a_text() -> None:
    with pytest.raises(TypeError, match="a query is a text, not"):
        weighed(TreeNode.of([1]), query=["a"])  # type: ignore[arg-type]
