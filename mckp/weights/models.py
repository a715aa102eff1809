"""Weight models that need nothing but the leaves, and the table of all models by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias, cast

from mckp.errors import UnknownNameError, WeightError
from mckp.frozen import frozen
from mckp.jsontext import dump, path_text
from mckp.tree import Kind, TreeNode
from mckp.weights.leaves import Leaf
from mckp.weights.sums import as_weight

if TYPE_CHECKING:

    class Counter(Protocol):
        """The part of a tokenizer that `Tokens` needs."""

        def count_batch(self, texts: Sequence[str]) -> list[int]: ...


WeightModel: TypeAlias = Callable[[Sequence[Leaf]], Sequence[float]]
"""A plug-in: from the leaves of a document to a finite number of 0 or more for each."""

LONG: Final = 100
"""Records of a long array: `Position` takes no more steps than that in a longer one, and `Salience`
weighs a record behind so many others half as much as the first."""


def by_facts(leaves: Sequence[Leaf]) -> list[float]:
    """Weigh each leaf by the number of its facts: the model ``facts``."""
    return [float(leaf.facts) for leaf in leaves]


def uniform(leaves: Sequence[Leaf]) -> list[float]:
    """Weigh all leaves equally: the model ``uniform``; a long block counts as much as a heading."""
    return [1.0] * len(leaves)


@frozen
class Tokens:
    """Weigh each leaf by the tokens of its value, at least 1, so that long values count more.

    `tokenizer` is one of `mckp.tokenizers`, or any object with the same `count_batch`.

    Examples
    --------
    >>> from mckp.tokenizers import get
    >>> Tokens(get("o200k"))([Leaf(("a",), 7, 1), Leaf(("b",), "two words", 1)])
    [1.0, 4.0]
    """

    tokenizer: Counter

    def __call__(self, leaves: Sequence[Leaf]) -> list[float]:
        """Return the number of tokens of each leaf's value, at least 1."""
        texts = [text_of(leaf.value) for leaf in leaves]
        distinct = list(dict.fromkeys(texts))
        counts = dict(zip(distinct, self.tokenizer.count_batch(distinct), strict=True))
        return [float(max(1, counts[text])) for text in texts]


@frozen
class Position:
    """Weigh the first elements most; a factor to combine with other models.

    Along the outermost array around a leaf, each element is worth `decay` (above 0 and at most 1)
    times the element before it. In an array of more than 100 elements, 100 such steps are spread
    evenly over all elements. A leaf outside arrays has the factor 1. In a text, the leaves
    themselves are the elements.

    Examples
    --------
    >>> Position(0.5)([Leaf(("n",), 2, 1), Leaf(("a", 0), "x", 1), Leaf(("a", 1), "y", 1)])
    [1.0, 1.0, 0.5]
    """

    decay: float = 0.95

    def __post_init__(self) -> None:
        """Check the decay."""
        if not 0 < self.decay <= 1:
            raise ValueError(f"a decay must be above 0 and at most 1, not {self.decay!r}")

    def __call__(self, leaves: Sequence[Leaf]) -> list[float]:
        """Return a factor for each leaf."""
        places = list(map(place_of, leaves))
        if any(isinstance(leaf.value, TreeNode) for leaf in leaves):
            places = [((), number) for number in range(len(leaves))]
        steps = {array: min(1.0, LONG / length) for array, length in _array_lengths(places).items()}
        return [self.decay ** (index * steps[array]) for array, index in places]


_Place = tuple[tuple[str | int, ...] | None, int]


def place_of(leaf: Leaf) -> _Place:
    """Return the path of the outermost array around a leaf, and the index of the element in it.

    Outside arrays, the path is None and the index 0.
    """
    for depth, step in enumerate(leaf.path):
        if isinstance(step, int):
            return leaf.path[:depth], step
    return None, 0


def _array_lengths(places: Sequence[_Place]) -> dict[tuple[str | int, ...] | None, int]:
    """Return the length of each array, up to the last element with a leaf."""
    lengths: dict[tuple[str | int, ...] | None, int] = {}
    for array, index in places:
        lengths[array] = max(lengths.get(array, 0), index + 1)
    return lengths


def text_of(value: object) -> str:
    """Return a leaf's value as text: compact JSON, or the text of a block without its children."""
    if not isinstance(value, TreeNode):
        return dump(value)
    if value.kind is Kind.TABLE:
        return " | ".join(value.attrs["header"])
    if value.kind is Kind.ROW:
        return " | ".join(cell if isinstance(cell, str) else dump(cell) for cell in value.value)
    return str(value.value or "")


class Rows:
    """Weigh all leaves of a record alike; a factor to combine with other models.

    A record is an element of the outermost array around a leaf; for a data frame, a row. A leaf
    outside arrays has the factor 1. `by` is a field name, whose value is the weight of its record,
    or a sequence with a number for each record. A record without a valid weight raises a
    `WeightError`, and so does a sequence that is longer or shorter than an array.

    Examples
    --------
    >>> from mckp.weights.leaves import leaves
    >>> from mckp.tree import TreeNode
    >>> rows = leaves(TreeNode.of([{"id": 1, "stars": 5}, {"id": 2, "stars": 0.5}]))
    >>> Rows("stars")(rows), Rows([1, 0])(rows)
    ([5.0, 5.0, 0.5, 0.5], [1.0, 1.0, 0.0, 0.0])
    """

    def __init__(self, by: str | Iterable[float]) -> None:
        self.by = by if isinstance(by, str) else [_as_python_number(number) for number in by]

    def __call__(self, leaves: Sequence[Leaf]) -> list[float]:
        """Return a factor for each leaf."""
        places = list(map(place_of, leaves))
        record_values: dict[_Place, Any] = {}
        for leaf, (array, index) in zip(leaves, places, strict=True):
            if array is not None and leaf.path[len(array) + 1 :] == (self.by,):
                record_values[array, index] = leaf.value
        for array, length in () if isinstance(self.by, str) else _array_lengths(places).items():
            if array is not None and length != len(self.by):
                message = f"got {len(self.by)} numbers for {length} records"
                raise WeightError("Rows", message, path=path_text(array))
            record_values |= {(array, index): number for index, number in enumerate(self.by)}
        return [
            1.0 if place[0] is None else self._record_weight(record_values.get(place), place)
            for place in places
        ]

    def _record_weight(self, value: object, place: _Place) -> float:
        """Return the weight of the record at a place; raise `WeightError` if it is not valid."""
        weight = as_weight(value)
        if weight is None:
            source = f"its field {self.by!r}" if isinstance(self.by, str) else "its number"
            message = f"a record needs a weight of 0 or more, but {source} is {value!r:.40}"
            raise WeightError("Rows", message, path=path_text((*(place[0] or ()), place[1])))
        return weight


def _as_python_number(value: object) -> Any:
    """Return a NumPy, Arrow or polars number as a Python number, and anything else as it is."""
    for name in ("item", "as_py"):
        if callable(convert := getattr(value, name, None)):
            return cast("Any", convert())
    return value


WeightName: TypeAlias = Literal["salience", "facts", "uniform", "tokens", "position", "recency"]
WeightsLike: TypeAlias = WeightName | WeightModel | Iterable["WeightName | WeightModel"]
"""The name of a model, a model, or several, whose weights are multiplied."""

NAMES: Final = ("salience", "facts", "uniform", "tokens", "position", "recency")


def models_of(weights: object, tokenizer: Counter | None) -> list[WeightModel]:
    """Return the weight models that an argument `weights` asks for; of an empty list, `by_facts`.

    Raises as `checked_models` does, and `ValueError` if the model ``tokens`` has no tokenizer.
    """
    return [_find_model(model, tokenizer) for model in checked_models(weights)] or [by_facts]


def checked_models(weights: object) -> list[str | WeightModel]:
    """Return the names and functions in an argument `weights`, without loading any model.

    Raises `TypeError` for anything but names and functions, and `UnknownNameError` for an unknown
    name.
    """
    if isinstance(weights, str) or callable(weights):
        models = [cast("object", weights)]
    elif not isinstance(weights, Iterable) or isinstance(weights, Mapping):
        raise TypeError(
            f"weights must be a name, a function or a list of these, not {weights!r:.40}"
            "; to weigh paths, use priorities"
        )
    else:
        models = list(cast("Iterable[object]", weights))
    for model in models:
        if not isinstance(model, str) and not callable(model):
            raise TypeError(f"a weight model must be a name or a function, not {model!r:.40}")
        if isinstance(model, str) and model not in NAMES:
            raise UnknownNameError("weight model", model, NAMES)
    return cast("list[str | WeightModel]", models)


def _find_model(model: str | WeightModel, tokenizer: Counter | None) -> WeightModel:
    """Return the model of a name, or the function itself."""
    if not isinstance(model, str):
        return model
    if model == "tokens":
        if tokenizer is None:
            raise ValueError("the weight model 'tokens' needs a tokenizer to count with")
        return Tokens(tokenizer)
    if model == "salience":
        from mckp.weights.salience import Salience

        return Salience()
    if model == "recency":
        from mckp.weights.ages import Recency

        return Recency()
    if model == "position":
        return Position()
    return uniform if model == "uniform" else by_facts
