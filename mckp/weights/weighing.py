"""The weights of all leaves of a document: the product of models, query and priorities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from math import inf, prod, ulp
from statistics import median
from typing import TYPE_CHECKING, Any, cast

from mckp.errors import WeightError
from mckp.jsontext import path_text
from mckp.weights.leaves import leaves as leaves_of
from mckp.weights.models import by_facts, models_of
from mckp.weights.priority import Priorities
from mckp.weights.sums import PLAIN, Weights, as_weight, exact_sums

if TYPE_CHECKING:
    from mckp.tree import TreeNode
    from mckp.weights.leaves import Leaf
    from mckp.weights.models import Counter, WeightModel, WeightsLike
    from mckp.weights.priority import PrioritiesLike
    from mckp.weights.salience import Salience
    from mckp.weights.traits import Root


def weighed(
    tree: TreeNode,
    weights: WeightsLike = "facts",
    priorities: PrioritiesLike | None = None,
    query: str | None = None,
    tokenizer: Counter | None = None,
    roots: Sequence[Root] = (),
) -> Weights:
    """Return the weights of a document's leaves; the tokenizer counts for the model ``tokens``.

    The document is a tree from `mckp.parsers.as_tree`; weights, priorities and query are as for
    `mckp.encode`. A value at one of the `roots` is weighed as a separate document. Raises
    `UnknownNameError` for an unknown model, `PatternError` for a bad pattern, and `WeightError`,
    with the model's name and the leaf's path, for an invalid weight.

    Examples
    --------
    >>> from mckp.tree import TreeNode
    >>> tree = TreeNode.of([{"id": 1, "log": "a"}, {"id": 2, "log": "b"}])
    >>> found = weighed(tree, priorities={"[*].id": "pin", "[*].log": 0.5, "[1]": "drop"})
    >>> found.sums, found.pins, found.dropped
    ([0.0, 1.0, 1.5, 1.5, 1.5], [0, 1, 1, 1, 1], [0, 0, 0, 1, 2])
    """
    models = models_of(weights, tokenizer)
    if query is not None:
        from mckp.weights.queries import Relevance

        models.append(Relevance(query))
    chosen = priorities if isinstance(priorities, Priorities) else Priorities(priorities)
    if models == [by_facts] and not chosen:
        return PLAIN
    alone = models[0] if len(models) == 1 and not chosen and tree.is_json else None
    if alone is not None and hasattr(alone, "of_data"):  # salience asks columns, not leaves
        worths = cast("Salience", alone).of_data(tree.value, roots)
        none = [0] * (len(worths) + 1)
        return Weights(exact_sums(worths), none, none)
    leaves = tuple(leaves_of(tree))  # models share it
    factors = [_called(_rooted(model, tree, roots), leaves) for model in models]
    if not chosen:
        none = [0] * (len(leaves) + 1)
        lift = 1.0 if query is None else _lift(factors)
        return Weights(
            exact_sums(_multiplied(factors, leaves)), none, none, request=query, lift=lift
        )
    lift = 1.0 if query is None else _lift(factors)
    marks, unmatched = chosen.found(leaves)
    factors.append([float(m == "pin") if isinstance(m, str) else m for m in marks])
    return Weights(
        sums=exact_sums(_multiplied(factors, leaves)),
        pins=list(accumulate((mark == "pin" for mark in marks), initial=0)),
        dropped=list(accumulate((mark == "drop" for mark in marks), initial=0)),
        unmatched=tuple(unmatched),
        request=query,
        lift=lift,
    )


def _lift(factors: list[list[float]]) -> float:
    """Return by how much the last of the models lifts the average leaf above the typical one."""
    *others, last = factors
    worths: list[float] = [prod(of_leaf) for of_leaf in zip(*others, strict=True)]
    lifted = sum(worth * factor for worth, factor in zip(worths, last, strict=True))
    lift: float = lifted / (sum(worths) * median(last) or 1.0)
    return max(1.0, lift)


def _rooted(model: WeightModel, tree: TreeNode, roots: Sequence[Root]) -> WeightModel:
    """Return a model that weighs each value at a root as a document of its own."""
    if not roots or not hasattr(model, "of_data"):
        return model
    return lambda _: cast("Salience", model).of_data(tree.value, roots)


def _called(model: WeightModel, leaves: Sequence[Leaf]) -> list[float]:
    """Call a model, and return its weights after checking them."""
    answer = cast("object", model(leaves))
    if not isinstance(answer, Iterable) or isinstance(answer, str | bytes):
        raise WeightError(_name(model), f"expected a number for each leaf, not {answer!r:.40}")
    numbers = list(cast("Iterable[object]", answer))
    if len(numbers) != len(leaves):
        message = f"expected a number for each of {len(leaves)} leaves, got {len(numbers)}"
        raise WeightError(_name(model), message)
    weights = [as_weight(number) for number in numbers]
    if None in weights:
        index = weights.index(None)
        message = f"a weight must be a finite number of 0 or more, not {numbers[index]!r:.40}"
        raise WeightError(_name(model), message, path=path_text(leaves[index].path))
    return cast("list[float]", weights)


def _name(model: Callable[..., Any]) -> str:
    """Return the name of a model for messages."""
    return str(getattr(model, "__name__", type(model).__name__))


def _multiplied(factors: list[list[float]], leaves: Sequence[Leaf]) -> list[float]:
    """Return the product of the factors of each leaf; it is 0 only if one of them is 0."""
    weights, *rest = factors
    for further_factors in rest:
        pairs = zip(weights, further_factors, strict=True)
        weights = [
            factor * next_factor or (ulp(0.0) if factor and next_factor else 0.0)
            for factor, next_factor in pairs
        ]
        if inf in weights:
            place = path_text(leaves[weights.index(inf)].path)
            raise WeightError("weights", "the product of the models is too large", path=place)
    return weights
