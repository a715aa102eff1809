"""What each part of a document is worth: weight models, and priorities by path.

A model is a function that gets the leaves of a document and returns a number for each of them. If
there are several models, their numbers are multiplied. You can pass the name of a built-in model to
`mckp.encode`, or create the model here with other settings.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

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
from mckp.weights.sums import Weights as Weights
from mckp.weights.weighing import weighed as weighed

_NAMES: Final = (
    "Leaf Position Priorities Recency Relevance Rows Salience Tokens WeightModel Weights by_facts "
    "facts own_facts text_facts uniform weighed"
)
__all__ = tuple(_NAMES.split())  # pyright: ignore[reportUnsupportedDunderAll]

if TYPE_CHECKING:
    from mckp.weights.ages import Recency as Recency
    from mckp.weights.salience import Salience as Salience
else:  # type checkers are to find names that do not exist
    _LATE: Final = {"Recency": "mckp.weights.ages", "Salience": "mckp.weights.salience"}

    def __getattr__(name: str) -> object:
        """Return a model whose module is imported only when it is first used."""
        if name not in _LATE:
            raise AttributeError(f"module 'mckp.weights' has no attribute {name!r}")
        return getattr(import_module(_LATE[name]), name)
