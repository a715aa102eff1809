"""Leaves: all facts of a document, once, in its order."""

from typing import Any

from hypothesis import given

from mckp import TreeNode, parse
from mckp.encoders import select
from mckp.menu.data import offer
from mckp.menu.weighing import Weighed
from mckp.parsers.detect import detect
from mckp.weights import facts, text_facts
from mckp.weights.leaves import leaves
from tests.parsers.strategies import documents, noise
from tests.strategies import VALUES


@given(VALUES)
def test_leaves_of_data_are_its_facts(value: Any) -> None:
    """The leaves of data are its nodes without children, one fact each, in order."""
    tree = TreeNode.of(value)
    document_leaves = leaves(tree)
    assert sum(leaf.facts for leaf in document_leaves) == len(document_leaves) == facts(value)
    walked = [node for node in tree.walk() if not node.children]
    assert [leaf.path for leaf in document_leaves] == [node.path for node in walked]
    assert all(leaf.value is node.value for leaf, node in zip(document_leaves, walked, strict=True))


@given(documents | noise)
def test_leaves_of_markdown_are_its_facts(text: str) -> None:
    """The leaves of Markdown hold its facts, in order."""
    tree = parse(text, "markdown")
    document_leaves = leaves(tree)
    assert sum(leaf.facts for leaf in document_leaves) == text_facts(tree)
    assert all(leaf.facts > 0 and tree.at(*leaf.path) is leaf.value for leaf in document_leaves)
    assert [leaf.path for leaf in document_leaves] == sorted(leaf.path for leaf in document_leaves)


@given(VALUES)
def test_leaves_hold_what_the_menu_of_data_weighs(value: Any) -> None:
    """The facts of the leaves are those that the menu of data weighs."""
    assert _total(TreeNode.of(value)) == _weighed(TreeNode.of(value))


@given(documents | noise)
def test_leaves_hold_what_the_menu_of_text_weighs(text: str) -> None:
    """The facts of the leaves are those that the menu of a text weighs."""
    for kind in ("markdown", "text"):
        assert _total(parse(text, kind)) == _weighed(parse(text, kind))


def _total(tree: TreeNode) -> int:
    return sum(leaf.facts for leaf in leaves(tree))


def _weighed(tree: TreeNode) -> float:
    return offer(Weighed(tree), select("native"), lambda text: detect(text).value).root.worth


def test_deep_data_has_leaves() -> None:
    """Data nested 5,000 deep have their leaf."""
    value: Any = 1
    for _ in range(5000):
        value = [value]
    assert [len(leaf.path) for leaf in leaves(TreeNode.of(value))] == [5000]
