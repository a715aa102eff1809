"""The weights of all leaves of a document: the product of models, query and priorities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from math import inf, prod, ulp
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
    """Return the weights of a document's leaves.

    Parameters
    ----------
    tree : TreeNode
        The document, from `mckp.parsers.as_tree`.
    weights, priorities, query
        As for `mckp.encode`.
    tokenizer : object with `count_batch`, optional
        Needed for the model ``tokens`` only.
    roots : sequence of tuple
        Paths of values that are weighed as separate documents, by models that can do so.

    Raises
    ------
    UnknownNameError
        For an unknown model.
    PatternError
        For a pattern that cannot be read.
    WeightError
        For an invalid weight, with the model's name and the path of the leaf.

    Examples
    --------
    >>> from mckp.tree import TreeNode
    >>> tree = TreeNode.of([{"id": 1, "log": "a"}, {"id": 2, "log": "b"}])
    >>> weights = weighed(tree, priorities={"[*].id": "pin", "[*].log": 0.5, "[1]": "drop"})
    >>> weights.sums, weights.pins, weights.dropped
    ([0.0, 1.0, 1.5, 1.5, 1.5], [0, 1, 1, 1, 1], [0, 0, 0, 1, 2])
    """
    models = models_of(weights, tokenizer)
    if query is not None:
        from mckp.weights.queries import Relevance

        models.append(Relevance(query))
    assigned = priorities if isinstance(priorities, Priorities) else Priorities(priorities)
    if models == [by_facts] and not assigned:
        return PLAIN
    only_model = models[0] if len(models) == 1 and not assigned and tree.is_json else None
    if only_model is not None and hasattr(
        only_model, "weigh_data"
    ):  # salience asks columns, not leaves
        worths = cast("Salience", only_model).weigh_data(tree.value, roots)
        zeros = [0] * (len(worths) + 1)
        return Weights(exact_sums(worths), zeros, zeros)
    leaves = tuple(leaves_of(tree))  # models share it
    factors = [_checked_weights(_with_roots(model, tree, roots), leaves) for model in models]
    if not assigned:
        zeros = [0] * (len(leaves) + 1)
        lift = 1.0 if query is None else _lift(factors)
        return Weights(
            exact_sums(_products(factors, leaves)), zeros, zeros, request=query, lift=lift
        )
    lift = 1.0 if query is None else _lift(factors)
    marks, unmatched = assigned.assign(leaves)
    factors.append([float(mark == "pin") if isinstance(mark, str) else mark for mark in marks])
    return Weights(
        sums=exact_sums(_products(factors, leaves)),
        pins=list(accumulate((mark == "pin" for mark in marks), initial=0)),
        dropped=list(accumulate((mark == "drop" for mark in marks), initial=0)),
        unmatched=tuple(unmatched),
        request=query,
        lift=lift,
    )


def _lift(factors: list[list[float]]) -> float:
    """Return how much more the query, the last model, raises the average leaf than a typical one.

    It is the mean of its factors, weighted by the product of the other models, divided by their
    median, and at least 1.
    """
    from statistics import median

    *other_factors, query_factors = factors
    worths: list[float] = [prod(leaf_factors) for leaf_factors in zip(*other_factors, strict=True)]
    total = sum(worth * factor for worth, factor in zip(worths, query_factors, strict=True))
    lift: float = total / (sum(worths) * median(query_factors) or 1.0)
    return max(1.0, lift)


def _with_roots(model: WeightModel, tree: TreeNode, roots: Sequence[Root]) -> WeightModel:
    """Return a model that weighs each value at a root as a document of its own, if it can."""
    if not roots or not hasattr(model, "weigh_data"):
        return model
    return lambda _: cast("Salience", model).weigh_data(tree.value, roots)


def _checked_weights(model: WeightModel, leaves: Sequence[Leaf]) -> list[float]:
    """Call a model and return its weights; raise `WeightError` unless each leaf has a valid one."""
    answer = cast("object", model(leaves))
    if not isinstance(answer, Iterable) or isinstance(answer, str | bytes):
        raise WeightError(
            _model_name(model), f"expected a number for each leaf, not {answer!r:.40}"
        )
    numbers = list(cast("Iterable[object]", answer))
    if len(numbers) != len(leaves):
        message = f"expected a number for each of {len(leaves)} leaves, got {len(numbers)}"
        raise WeightError(_model_name(model), message)
    weights = [as_weight(number) for number in numbers]
    if None in weights:
        index = weights.index(None)
        message = f"a weight must be a finite number of 0 or more, not {numbers[index]!r:.40}"
        raise WeightError(_model_name(model), message, path=path_text(leaves[index].path))
    return cast("list[float]", weights)


def _model_name(model: Callable[..., Any]) -> str:
    """Return the name of a model, or of its class, for messages."""
    return str(getattr(model, "__name__", type(model).__name__))


def _products(factors: list[list[float]], leaves: Sequence[Leaf]) -> list[float]:
    """Return the product of each leaf's factors, one list of `factors` per model.

    A product is 0 only if a factor is 0. A product that is infinite raises `WeightError`.
    """
    weights, *other_factors = factors
    for model_factors in other_factors:
        pairs = zip(weights, model_factors, strict=True)
        weights = [
            weight * factor or (ulp(0.0) if weight and factor else 0.0) for weight, factor in pairs
        ]
        if inf in weights:
            place = path_text(leaves[weights.index(inf)].path)
            raise WeightError("weights", "the product of the models is too large", path=place)
    return weights
