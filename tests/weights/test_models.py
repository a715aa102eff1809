"""The models that need nothing but the leaves."""

import pytest

from mckp import TreeNode, parse, tokenizers
from mckp.weights import Leaf, Position, Tokens, by_facts, uniform
from mckp.weights.leaves import leaves
from tests.shell import python


def test_facts_and_uniform() -> None:
    """Facts and uniform weights differ where a block of text holds more than one fact."""
    document_leaves = leaves(parse("# A\n\nOne. Two. Three.\n"))
    assert (by_facts(document_leaves), uniform(document_leaves)) == ([1, 3], [1, 1])


def test_tokens_of_values_and_blocks() -> None:
    """The model "tokens" weighs each leaf by the tokens of its own text."""
    counter = tokenizers.get("o200k")
    data = leaves(TreeNode.of({"a": "some words", "b": [1.5, "", {}]}))
    assert Tokens(counter)(data) == counter.count_batch(['"some words"', "1.5", '""', "{}"])
    text = leaves(parse("# A title\n\n| x | y |\n|---|---|\n| 1 | two |\n\n```\ncode\n```\n"))
    assert Tokens(counter)(text) == counter.count_batch(["A title", "x | y", "1 | two", "code\n"])


def test_empty_blocks_weigh_a_token() -> None:
    """An empty block weighs one token."""
    assert Tokens(tokenizers.get("o200k"))(leaves(parse("#\n", "markdown"))) == [1]


def test_position_counts_along_the_outermost_array() -> None:
    """What is within one element has one factor; inner arrays do not count."""
    document_leaves = leaves(
        TreeNode.of({"n": 0, "a": [[1, 2], {"b": [3, 4]}], "c": {"d": [5, 6]}})
    )
    assert Position(0.5)(document_leaves) == [1, 1, 1, 0.5, 0.5, 1, 0.5]


def test_position_in_long_arrays_is_stretched() -> None:
    """The last element is worth as much however long the array, and all differ."""
    for length in (101, 10_000):
        factors = Position(0.9)([Leaf((n,), 0, 1) for n in range(length)])
        assert factors[-1] == pytest.approx(0.9**100, rel=0.2)
        assert sorted(set(factors), reverse=True) == factors
    assert Position(0.9)([Leaf((n,), 0, 1) for n in range(100)])[-1] == 0.9**99


def test_position_in_texts_goes_from_leaf_to_leaf() -> None:
    """In texts, the weight by position decays from leaf to leaf."""
    assert Position(0.5)(leaves(parse("# A\n\none\n\n## B\n\ntwo\n"))) == [1, 0.5, 0.25, 0.125]


@pytest.mark.parametrize("decay", [0, -1, 1.5, float("nan")])
def test_decay_is_a_share(decay: float) -> None:
    """A decay must be above zero and at most one."""
    with pytest.raises(ValueError, match="a decay must be above 0 and at most 1"):
        Position(decay)


def test_weights_load_nothing_heavy() -> None:
    """Weighing by position, recency and pins loads no NumPy, Numba or bm25s."""
    code = """
import sys
from mckp import TreeNode
from mckp.weights import *
weighed(TreeNode.of([1]), ["position", "recency"], {"[0]": "pin"})
print(sorted({"numpy", "numba", "bm25s"} & set(sys.modules)))
"""
    assert python(code) == "[]\n"
