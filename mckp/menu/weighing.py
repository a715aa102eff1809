"""What a document is worth to whom, from what the caller said about it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.encoders.hints import Overflow
from mckp.errors import WeightError
from mckp.jsontext import path_text
from mckp.menu.dropped import GONE, is_shifted, without
from mckp.menu.worth import Worth
from mckp.tree import TreeNode
from mckp.weights import weighed
from mckp.weights.leaves import leaves

if TYPE_CHECKING:
    from mckp.tokenizers.base import Tokenizer
    from mckp.weights.models import WeightsLike
    from mckp.weights.priority import PrioritiesLike


class Wishes(NamedTuple):
    """What the caller wishes beyond weights, as it is reported."""

    dropped: Overflow | None = None
    """How much is dropped, if anything."""
    unmatched: tuple[str, ...] = ()
    """Patterns that nothing in the document matches."""
    pinned: tuple[str, ...] = ()
    """Paths of what must stay."""


NO_WISHES: Final = Wishes()


class Weighed(NamedTuple):
    """A document and what it is worth."""

    tree: TreeNode
    """The document without what is dropped."""
    worth: Worth | None = None
    """The weights of what it holds; None if they are its facts."""
    wishes: Wishes = NO_WISHES
    """What is dropped, pinned, and what matched nothing."""
    is_shifted: bool = False
    """Whether items of arrays are dropped, so that others have their places."""
    original: TreeNode | None = None
    """The document as it was, if something was dropped."""

    def amount(self, worth: float) -> int | float:
        """Return a worth as it is reported: an int if it is whole.

        It may not be where weights are not, or where a text is shortened.
        """
        return int(worth) if worth == int(worth) else float(worth)


def weigh(
    tree: TreeNode,
    weights: WeightsLike,
    priorities: PrioritiesLike | None,
    query: str | None,
    tokenizer: Tokenizer,
) -> Weighed:
    """Weigh a document, and drop from data what is to be dropped.

    Raises
    ------
    WeightError
        If nothing is left.
    """
    found = weighed(tree, weights, priorities, query, tokenizer)
    if found.is_plain:
        return Weighed(tree)
    dropped, shifted, original = None, False, None
    unmatched = found.unmatched
    if tree.is_json and found.dropped[-1]:
        value = without(tree.value, found.dropped)
        if value is GONE:
            raise WeightError("priorities", "all of the document is dropped")
        dropped = Overflow(found.dropped[-1], len(found.dropped) - 1, "facts")
        shifted = is_shifted(tree.value, value)
        original, tree = tree, TreeNode.of(value)
        found = weighed(tree, weights, priorities, query, tokenizer)
    # Leaves of data are known by their numbers, blocks of a text by their paths.
    below = leaves(tree) if found.pins[-1] or not tree.is_json else []
    pinned = (leaf for leaf, (a, b) in zip(below, pairwise(found.pins), strict=False) if b > a)
    names = tuple(path_text(leaf.path) for leaf in pinned)
    wishes = Wishes(dropped, unmatched, names)
    return Weighed(tree, Worth(found, below), wishes, shifted, original)
