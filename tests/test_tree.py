"""The typed tree: paths, equality, hashes, graphs."""

from typing import Any

import pytest
from hypothesis import given

from mckp.jsontext import difference
from mckp.tree import TreeNode
from tests.cases import cases
from tests.shell import python
from tests.strategies import VALUES, examples

TREE = TreeNode.of({"jobs": [{"name": "build", "odd key": 1}], "n": None})


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    cases(__file__, "test_equality_is_strict_about_types"),
)
def test_equality_is_strict_about_types(left: Any, right: Any, equal: bool) -> None:
    """Values of different types are unequal, as trees and as differences."""
    first, second = TreeNode.of(left), TreeNode.of(right)
    assert (first == second) is equal
    assert (difference(left, right) is None) is equal


@given(value=VALUES, other=VALUES)
@examples(100)
def test_equality_and_difference_agree(value: Any, other: Any) -> None:
    """Two trees are equal exactly if their values have no difference."""
    assert (TreeNode.of(value) == TreeNode.of(other)) is (difference(value, other) is None)


def test_at_names_what_is_missing() -> None:
    """`at` finds a node by its steps, and names the one that is missing."""
    assert TREE.at("jobs", 0, "name").value == "build"
    with pytest.raises(KeyError, match=r"no 'status' below \$\.jobs\[0\]"):
        TREE.at("jobs", 0, "status")


@pytest.mark.slow
def test_graph_of_a_tree() -> None:
    """A tree becomes a graph of paths, with kinds and values."""
    pytest.importorskip("networkx")
    graph = TREE.to_networkx()
    assert graph.number_of_nodes() == 6
    assert sorted(graph.successors("$.jobs[0]")) == ["$.jobs[0].name", '$.jobs[0]["odd key"]']
    assert graph.nodes["$.jobs[0].name"] == {"kind": "string", "value": "build", "order": 3}


def test_graph_without_networkx_says_what_to_install() -> None:
    """Without NetworkX, the error names the package to install."""
    code = (
        "import sys; sys.modules['networkx'] = None\n"
        "from mckp.tree import TreeNode\n"
        "try: TreeNode.of(1).to_networkx()\n"
        "except ImportError as error: print(error)"
    )
    assert "pip install networkx (or, in a checkout of mckp: pip install '.[graph]')" in python(
        code
    )
