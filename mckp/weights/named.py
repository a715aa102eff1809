"""Weight models by name, alone or several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from mckp.errors import UnknownNameError
from mckp.weights.models import Position, Tokens, WeightModel, by_facts, uniform

if TYPE_CHECKING:
    from mckp.weights.models import Counter

WeightsLike: TypeAlias = str | WeightModel | Iterable["str | WeightModel"]
"""The name of a model, a model, or several, whose weights are multiplied."""

NAMES: Final = ("salience", "facts", "uniform", "tokens", "position", "recency")


def models_of(weights: object, tokenizer: Counter | None) -> list[WeightModel]:
    """Return the models that were asked for, those of the facts if none were.

    Examples
    --------
    >>> models_of(["facts", "position"], None)[1]
    Position(decay=0.95)
    """
    if isinstance(weights, str) or callable(weights):
        return [_model(weights, tokenizer)]
    if not isinstance(weights, Iterable):
        raise TypeError(f"weights are a name, a function or several of these, not {weights!r:.40}")
    given = list(cast("Iterable[object]", weights))
    return [_model(each, tokenizer) for each in given] or [by_facts]


def _model(weights: object, tokenizer: Counter | None) -> WeightModel:
    if callable(weights):
        return cast("WeightModel", weights)
    if not isinstance(weights, str):
        raise TypeError(f"a weight model is a name or a function, not {weights!r:.40}")
    if weights not in NAMES:
        raise UnknownNameError("weight model", weights, NAMES)
    if weights == "tokens":
        if tokenizer is None:
            raise ValueError("the weight model 'tokens' needs a tokenizer to count with")
        return Tokens(tokenizer)
    if weights == "salience":
        from mckp.weights.salience import default

        return default()
    if weights == "recency":
        from mckp.weights.ages import Recency

        return Recency()
    if weights == "position":
        return Position()
    return uniform if weights == "uniform" else by_facts
