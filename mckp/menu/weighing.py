"""The worth of a document, by weights, priorities and a query, without what is dropped."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from mckp.encoders.hints import Overflow
from mckp.errors import WeightError
from mckp.jsontext import dump, is_array, is_object, left_of, path_text
from mckp.menu.members import GONE
from mckp.parsers import parse_any
from mckp.tree import TreeNode
from mckp.weights import Weights, weighed
from mckp.weights.leaves import by_lines, leaves
from mckp.weights.models import checked_models, text_of
from mckp.weights.repeated import SEEN, pieces_of
from mckp.weights.sums import exact_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.parsers.embedded import Embedding
    from mckp.tokenizers.base import Tokenizer
    from mckp.weights.models import WeightsLike
    from mckp.weights.priority import PrioritiesLike
    from mckp.weights.traits import Root


SALIENCE: Final = "salience"
"""The name of the weights by which a text is weighed line by line."""


class Weighed(NamedTuple):
    """A document and its worth."""

    tree: TreeNode
    """The document without what is dropped."""
    weights: Weights | None = None
    """The weights of its leaves; None if each fact counts the same."""
    dropped: Overflow | None = None
    """The note on what the caller dropped, if anything."""
    unmatched: tuple[str, ...] = ()
    """Patterns of priorities that match nothing in the document."""
    pinned: tuple[str, ...] = ()
    """Paths of what must stay."""
    is_shifted: bool = False
    """Whether items of arrays are dropped, so that later items have other indexes."""
    original: TreeNode | None = None
    """The document as it was, if something was dropped."""
    by_line: bool = False
    """Whether a text is weighed line by line, by what each line says."""
    request: str | None = None
    """What the reader of such a text asks."""
    embedding: Embedding | None = None
    """Where it has data that are in strings; the tree has them as data."""
    halving: float = 0.0
    """The tokens after which its lines, which are weighed later, have half of their weight.

    0 if they do not fade; see `mckp.weights.fading`.
    """
    seen: frozenset[str] = frozenset()
    """What another document says in the same words; see `mckp.weights.repeated`."""
    is_among_many: bool = False
    """Whether a paragraph is whole or left out, as one of many; see `mckp.menu.text`."""
    folds: bool = True
    """Whether lines that are alike are worth less, the more of them there are."""

    @property
    def source_text(self) -> str:
        """The text it was read from: the source of a text, or compact JSON for data."""
        if self.embedding is None:
            return self.tree.source_text
        restored = self.embedding.restore(self.tree.value)
        return str(restored) if self.embedding.form else dump(restored)

    @property
    def given(self) -> TreeNode:
        """The document as the caller gave it."""
        tree = self.original or self.tree
        if self.embedding is None:
            return tree
        restored = self.embedding.restore(tree.value)
        return parse_any(str(restored)) if self.embedding.form else TreeNode.of(restored)

    def amount(self, worth: float) -> int | float:
        """Return a worth for the report: an int if it is whole."""
        return int(worth) if worth == int(worth) else float(worth)


def weigh(
    tree: TreeNode,
    weights: WeightsLike,
    priorities: PrioritiesLike | None,
    query: str | None,
    tokenizer: Tokenizer,
    roots: Sequence[Root] = (),
) -> Weighed:
    """Weigh a document; drop from data what the priorities exclude.

    Of data, each of the `roots` is weighed as a document of its own. If the weights include the
    default ones, the lines of a text get their worths later. If nothing of the data is left, a
    `WeightError` is raised.
    """
    if not tree.is_json and _has_salience(weights):
        leaf_weights = weighed(tree, by_lines, priorities, None, tokenizer)
        below = leaves(tree) if leaf_weights.pins[-1] else []
        names = tuple(path_text(below[number].path) for number in leaf_weights.pinned())
        return Weighed(
            tree, leaf_weights, None, leaf_weights.unmatched, names, by_line=True, request=query
        )
    leaf_weights = weighed(tree, weights, priorities, query, tokenizer, roots)
    if leaf_weights.is_plain:
        return Weighed(tree)
    dropped, shifted, original = None, False, None
    unmatched = leaf_weights.unmatched
    if tree.is_json and leaf_weights.dropped[-1]:
        value = without_leaves(tree.value, leaf_weights.dropped)
        if value is GONE:
            raise WeightError("priorities", "the whole document is dropped")
        dropped = Overflow(leaf_weights.dropped[-1], len(leaf_weights.dropped) - 1, "facts")
        shifted = is_shifted(tree.value, value)
        original, tree = tree, TreeNode.of(value)
        leaf_weights = weighed(tree, weights, priorities, query, tokenizer, roots)
    below = leaves(tree) if leaf_weights.pins[-1] else []
    names = tuple(path_text(below[number].path) for number in leaf_weights.pinned())
    return Weighed(tree, leaf_weights, dropped, unmatched, names, shifted, original)


CHARS_PER_TOKEN: Final = 6
"""The most characters per token of a text that is counted to see if it fits a budget.

Few texts have more, and for those that are longer, the count would only take time.
"""


def may_wait(
    tree: TreeNode,
    weights: WeightsLike,
    query: str | None,
    tokenizer: Tokenizer,
    limit: int | str | None,
) -> bool:
    """Whether a document can be weighed later: weights are names, and nothing will be cut.

    Nothing is cut without a `limit`, or if the source fits it: compact JSON or a text. A source
    that is long for the limit is not counted, and a share of it below all of it does not fit.
    Raises as `weigh` does for unknown names and for a query that is no text.
    """
    names: object = [weights] if isinstance(weights, str) else weights
    if not isinstance(names, list | tuple) or any(map(callable, cast("list[object]", names))):
        return False
    checked_models(weights)
    if query is not None:
        from mckp.weights.queries import Relevance

        Relevance(query)
    if limit is None or isinstance(limit, str):
        return limit is None or float(limit.removesuffix("%")) >= 100
    source = tree.source_text
    return len(source) <= CHARS_PER_TOKEN * limit and tokenizer.count(source) <= limit


def fade_document(document: Weighed, halving: float, seen: frozenset[str] = frozenset()) -> Weighed:
    """Return the document with fading weights: the more there is of greater worth, the less.

    See `mckp.weights.fading`, also for `halving`. Parts that are `seen` in another document have
    little of their worth (see `mckp.weights.repeated`). A text that is weighed line by line fades
    later, when its lines are known.
    """
    if document.by_line or document.weights is None:
        is_text = not document.tree.is_json
        return document._replace(halving=halving if is_text else 0.0, seen=seen)
    from mckp.weights.fading import approximate_tokens, fade  # needs numpy

    document_leaves = leaves(document.tree)
    leaf_worths = [document.weights.of(number, 1) for number in range(len(document_leaves))]
    if seen:
        leaf_worths = [
            weight * SEEN if seen.issuperset(pieces_of(leaf)) else weight
            for weight, leaf in zip(leaf_worths, document_leaves, strict=True)
        ]
    sizes = [approximate_tokens(text_of(leaf.value)) for leaf in document_leaves]
    sums = exact_sums(fade(leaf_worths, sizes, halving).tolist())
    return document._replace(weights=replace(document.weights, sums=sums))


def _has_salience(weights: WeightsLike) -> bool:
    """Whether the default weights are asked for, alone or among others."""
    if isinstance(weights, str):
        return weights == SALIENCE
    return not callable(weights) and SALIENCE in list(weights)


def without_leaves(value: object, dropped: Sequence[int]) -> Any:
    """Return a plain value without some of its leaves, or `GONE`.

    ``dropped[n]`` is the number of dropped leaves among the first n. A container with nothing left
    is dropped as well.

    Examples
    --------
    >>> without_leaves({"id": 7, "user": {"url": "x"}, "tags": ["a", "b"]}, [0, 0, 1, 1, 2])
    {'id': 7, 'tags': ['a']} without ['user']
    """
    number = -1

    def left(item: object) -> Any:
        """Return what is left of a value, or `GONE`."""
        nonlocal number
        if is_object(item) and item:
            members = {key: left(below) for key, below in item.items()}
            gone = [key for key, below in members.items() if below is GONE]
            kept = {key: below for key, below in members.items() if below is not GONE}
            return left_of(item, kept, gone) or GONE
        if is_array(item) and item:
            return [below for below in map(left, item) if below is not GONE] or GONE
        number += 1
        return GONE if dropped[number + 1] > dropped[number] else item

    return left(value)


def is_shifted(value: Any, left: Any) -> bool:
    """Whether an array in a value has lost items; `left` is what was kept of the value."""
    if is_object(value):
        return any(is_shifted(value[key], below) for key, below in left.items())
    if is_array(value):
        return len(value) > len(left) or any(map(is_shifted, value, left))
    return False
