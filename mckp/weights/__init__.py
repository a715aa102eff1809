"""What each part of a document is worth: weight models, and priorities by path.

A model is a function that gets the leaves of a document and returns a number for each of them. If
there are several models, their numbers are multiplied. You can pass the name of a built-in model to
`mckp.encode`, or create the model here with other settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.later import homes_of, importer

if TYPE_CHECKING:
    from mckp.weights.ages import Recency as Recency
    from mckp.weights.leaves import Leaf as Leaf
    from mckp.weights.leaves import facts as facts
    from mckp.weights.leaves import own_facts as own_facts
    from mckp.weights.leaves import text_facts as text_facts
    from mckp.weights.models import Position as Position
    from mckp.weights.models import Rows as Rows
    from mckp.weights.models import Tokens as Tokens
    from mckp.weights.models import WeightModel as WeightModel
    from mckp.weights.models import by_facts as by_facts
    from mckp.weights.models import uniform as uniform
    from mckp.weights.priority import Priorities as Priorities
    from mckp.weights.queries import Relevance as Relevance
    from mckp.weights.salience import Salience as Salience
    from mckp.weights.sums import Weights as Weights
    from mckp.weights.weighing import weighed as weighed

_HOMES = homes_of(
    {
        "mckp.weights.ages": "Recency",
        "mckp.weights.leaves": "Leaf facts own_facts text_facts",
        "mckp.weights.models": "Position Rows Tokens WeightModel by_facts uniform",
        "mckp.weights.priority": "Priorities",
        "mckp.weights.queries": "Relevance",
        "mckp.weights.salience": "Salience",
        "mckp.weights.sums": "Weights",
        "mckp.weights.weighing": "weighed",
    }
)
__all__ = tuple(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # type checkers are to find names that do not exist
    __getattr__ = importer(__name__, _HOMES)
