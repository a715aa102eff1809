"""What the parts of a document are worth, where that is not the number of their facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.weights import own_facts, text_facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.tree import TreeNode
    from mckp.weights import Leaf
    from mckp.weights.sums import Weights


class Worth:
    """Weights of leaves, by their places or, of a text, by the paths of its blocks."""

    def __init__(self, weights: Weights, leaves: Sequence[Leaf]) -> None:
        self._sums, self._pins = weights.sums, weights.pins
        self._places = {leaf.path: place for place, leaf in enumerate(leaves)}

    def of(self, at: int, count: int) -> float:
        """Return the weight of some leaves side by side."""
        return self._sums[at + count] - self._sums[at]

    @property
    def has_pins(self) -> bool:
        """Whether anything must stay."""
        return self._pins[-1] > 0

    def is_pinned(self, at: int, count: int) -> bool:
        """Whether one of some leaves side by side must stay."""
        return self._pins[at + count] > self._pins[at]

    def place(self, node: TreeNode) -> int | None:
        """Return the leaf that a block is; None for one without facts of its own."""
        return self._places.get(node.path)


class TextWorth:
    """What the blocks of a text are worth; their facts if there are no weights."""

    def __init__(self, worth: Worth | None) -> None:
        self._worth = worth

    def own(self, node: TreeNode) -> float:
        """Return the weight of a block without those in it."""
        if self._worth is None:
            return own_facts(node)
        place = self._worth.place(node)
        return 0 if place is None else self._worth.of(place, 1)

    def all(self, node: TreeNode) -> float:
        """Return the weight of a block and of those in it."""
        return text_facts(node) if self._worth is None else sum(map(self.own, node.walk()))

    def lines(self, node: TreeNode, count: int) -> float:
        """Return the weight of a paragraph of plain text, in which every line is a fact."""
        return count if self._worth is None else self.own(node)

    def is_pinned(self, node: TreeNode) -> bool:
        """Whether a block, or one in it, must stay."""
        worth = self._worth
        if worth is None or not worth.has_pins:
            return False
        places = (worth.place(each) for each in node.walk())
        return any(place is not None and worth.is_pinned(place, 1) for place in places)
