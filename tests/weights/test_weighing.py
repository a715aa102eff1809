"""Weighing: products of models, checked, and sums that are exact."""

from fractions import Fraction
from itertools import pairwise
from math import frexp
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import TreeNode, tokenizers
from mckp.errors import UnknownNameError, WeightError
from mckp.weights import Position, Priorities, Tokens, Weights, uniform, weighed
from mckp.weights.sums import FINEST, PLAIN, exact_sums
from tests.strategies import examples

TREE = TreeNode.of([{"id": 1, "on": "2024-01-01"}, {"id": 2, "on": "2024-01-02"}])
_WEIGHTS = st.lists(
    st.floats(0, 1e300) | st.floats(0, 2) | st.floats(0, 1e-300) | st.just(0.0), max_size=40
)


def single_weights(weights: Weights) -> list[float]:
    return [b - a for a, b in pairwise(weights.sums)]


@examples(300)
@given(_WEIGHTS, st.randoms(use_true_random=False))
def test_sums_are_exact_in_any_order(weights: list[float], luck: Any) -> None:
    """Sums of weights are exact, in any order."""
    sums = exact_sums(weights)
    rounded = [Fraction(b) - Fraction(a) for a, b in pairwise(sums)]
    assert sums[0] == 0
    for i, low in enumerate(sums):
        assert all(Fraction(high - low) == Fraction(high) - Fraction(low) for high in sums[i:])
    shuffled = [float(weight) for weight in rounded]
    luck.shuffle(shuffled)
    assert sum(shuffled) == sums[-1] == sum(rounded)


@examples(300)
@given(_WEIGHTS)
def test_rounding_is_small(weights: list[float]) -> None:
    """Each weight is rounded by less than a unit, and stays above 0 if it was."""
    sums = exact_sums(weights)
    unit = 2.0 ** max(FINEST, frexp(sum(weights))[1] - 52)
    for weight, low, high in zip(weights, sums, sums[1:], strict=False):
        assert abs(Fraction(high) - Fraction(low) - Fraction(weight)) <= unit
        assert (high > low) == (weight > 0)


def test_facts_alone_are_plain() -> None:
    """Weighing by facts alone is the plain case."""
    given: Any = ("facts", ["facts"], [])
    for weights in given:
        assert weighed(TREE, weights) is PLAIN
    assert weighed(TREE, priorities={}) is PLAIN
    assert PLAIN.is_plain
    assert not weighed(TREE, "uniform").is_plain


def test_weights_are_multiplied() -> None:
    """Models and priorities are multiplied."""
    multiplied = weighed(TREE, ["facts", Position(0.5), lambda leaves: [4] * len(leaves)])
    assert single_weights(multiplied) == [4, 4, 2, 2]
    with_priorities = weighed(TREE, ["position", "recency"], Priorities({"[1]": 3, "[1].id": 0}))
    assert single_weights(with_priorities)[0] == 1 / 16
    assert with_priorities.sums[3] == with_priorities.sums[2]
    assert single_weights(with_priorities)[3] == pytest.approx(3 * 0.95, abs=2.0**FINEST)


def test_pins_and_drops_are_counted() -> None:
    """What is dropped weighs nothing, what is pinned what it would without."""
    weights = weighed(TREE, priorities={"**.id": "pin", "[1]": "drop", "typo": 2})
    assert (weights.pins, weights.dropped) == ([0, 1, 1, 1, 1], [0, 0, 0, 1, 2])
    assert (single_weights(weights), weights.unmatched) == ([1, 1, 0, 0], ("typo",))


def test_tokens_need_a_tokenizer() -> None:
    """Weights by tokens use the given tokenizer, and need one."""
    counter = tokenizers.get("o200k")
    assert single_weights(weighed(TREE, "tokens", tokenizer=counter)) == single_weights(
        weighed(TREE, Tokens(counter))
    )
    with pytest.raises(ValueError, match="'tokens' needs a tokenizer"):
        weighed(TREE, "tokens")


def test_unknown_models() -> None:
    """A name that nobody knows comes with those that are known; what is no model is refused."""
    with pytest.raises(UnknownNameError, match="unknown weight model 'age'; known: salience"):
        weighed(TREE, "age")  # type: ignore[arg-type]
    for bad in (7, [7], None):
        with pytest.raises(TypeError, match="name"):
            weighed(TREE, bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.5, None, "1", True, 1j, 10**400])
def test_bad_weights(bad: Any) -> None:
    """What is no weight is refused, with the name of the model and the leaf's path."""

    def mine(leaves: Any) -> list[Any]:
        return [1.0] * (len(leaves) - 1) + [bad]

    with pytest.raises(WeightError, match=r"mine, at \$\[1\]\.on: a weight must"):
        weighed(TREE, ["facts", mine])


@pytest.mark.parametrize("count", [0, 3, 5])
def test_weights_of_another_number(count: int) -> None:
    """A model that returns a wrong number of weights is named in the error."""

    class Mine:
        def __call__(self, _leaves: object) -> list[float]:
            return [1.0] * count

    with pytest.raises(WeightError, match=rf"Mine.*each of 4 leaves, got {count}"):
        weighed(TREE, Mine())


def test_what_gives_no_weights() -> None:
    """A model that returns no list of numbers is refused."""
    for bad in (3.0, "1234"):
        with pytest.raises(WeightError, match="expected a number for each leaf, not"):
            weighed(TREE, lambda _leaves, bad=bad: bad)  # type: ignore[misc]


def test_arrays_are_weights() -> None:
    """A NumPy array of weights is taken as it is."""
    weights = weighed(TREE, lambda leaves: np.arange(len(leaves), dtype=np.float32))  # type: ignore[arg-type,return-value]
    assert weights.sums == [0, 0, 1, 3, 6]


def test_products_beyond_floats() -> None:
    """Too small a product stays above 0, too large a one or too large a sum is refused."""
    tiny = [1e-200, 1e-200, 0, 1]
    assert single_weights(weighed(TREE, [lambda _: tiny, lambda _: tiny]))[:3] == [
        2.0**FINEST
    ] * 2 + [0]
    with pytest.raises(WeightError, match=r"\$\[0\]\.id: the product of the models is too large"):
        weighed(TREE, [lambda _: [1e200] * 4, lambda _: [1e200] * 4], priorities={"$": "drop"})
    with pytest.raises(WeightError, match="sum is too large"):
        weighed(TREE, lambda _: [1e308] * 4)


def test_scalars_and_empty_documents() -> None:
    """A scalar or an empty container is a single leaf."""
    values: list[Any] = [7, {}, []]
    for value in values:
        assert weighed(TreeNode.of(value), [uniform, "position", "recency"]).sums == [0, 1]
