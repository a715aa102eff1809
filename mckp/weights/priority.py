"""Priorities by path: what must stay, what goes first, and what counts more or less."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from mckp.errors import WeightError
from mckp.jsontext import path_text
from mckp.renamed import warn_of_method
from mckp.weights.patterns import Matcher, read_pattern
from mckp.weights.sums import as_weight

if TYPE_CHECKING:
    from mckp.weights.leaves import Leaf

Priority: TypeAlias = float | Literal["pin", "drop"]
"""A factor of 0 or more; ``pin``, which must stay; or ``drop``, which is worth nothing."""

PrioritiesGiven: TypeAlias = (
    Mapping[str, Any]
    | Iterable[tuple[str, Any]]
    | Callable[[tuple[str | int, ...], Any], float | str]
)
"""Priorities by pattern, or a function that is called with path and value of each leaf."""


class Priorities:
    """A priority for each leaf, by patterns on its path or by a function.

    If several patterns cover a leaf, only the last one counts; factors are not multiplied. A leaf
    that no pattern covers has the factor 1. A function is called with the path and value of each
    leaf; in a text, the value is the block as a `TreeNode`.

    A bad pattern raises `PatternError`, and a value that is not a priority `WeightError`.

    Examples
    --------
    >>> from mckp.weights.leaves import leaves
    >>> from mckp.tree import TreeNode
    >>> job_leaves = leaves(TreeNode.of({"jobs": [{"id": 1, "log": "a"}], "next": 2}))
    >>> Priorities({"jobs": 3, "**.id": "pin", "*.size": "drop"}).assign(job_leaves)
    (['pin', 3.0, 1.0], ['*.size'])
    """

    def __init__(self, given: PrioritiesGiven | None) -> None:
        self._function = given if callable(given) else None
        pairs = [] if given is None or callable(given) else _checked_pairs(given)
        self.patterns: Final = tuple(pattern for pattern, _ in pairs)
        self._given: tuple[Priority, ...] = tuple(
            _as_priority(priority, context=f" (for {pattern!r})") for pattern, priority in pairs
        )
        self._steps = [read_pattern(pattern) for pattern in self.patterns]

    def __bool__(self) -> bool:
        """Whether there are any priorities."""
        return self._function is not None or bool(self.patterns)

    @property
    def given(self) -> PrioritiesGiven:
        """The pairs or the function that these priorities were made from."""
        return self._function or tuple(zip(self.patterns, self._given, strict=True))

    @property
    def pins(self) -> tuple[str, ...]:
        """The patterns for leaves that must stay."""
        pairs = zip(self.patterns, self._given, strict=True)
        return tuple(pattern for pattern, priority in pairs if priority == "pin")

    def found(self, leaves: Sequence[Leaf]) -> tuple[list[Priority], list[str]]:
        """Return what `assign` returns; this is its former name."""
        warn_of_method("Priorities.found", "assign")
        return self.assign(leaves)

    def assign(self, leaves: Sequence[Leaf]) -> tuple[list[Priority], list[str]]:
        """Return the priority of each leaf, and the patterns that match no leaf, in order.

        A function that returns something else than a priority raises `WeightError`.
        """
        if self._function is not None:
            function, name = self._function, getattr(self._function, "__name__", "priorities")
            answers = ((leaf, function(leaf.path, leaf.value)) for leaf in leaves)
            return [_as_priority(value, name, leaf=leaf) for leaf, value in answers], []
        matcher = Matcher(self._steps)
        covering = [matcher.match_path(leaf.path) for leaf in leaves]
        used = {number for numbers in set(covering) for number in numbers}
        unmatched = [
            pattern
            for pattern_number, pattern in enumerate(self.patterns)
            if pattern_number not in used
        ]
        priorities: tuple[Priority, ...] = (*self._given, 1.0)
        return [priorities[numbers[-1] if numbers else -1] for numbers in covering], unmatched


PrioritiesLike: TypeAlias = Priorities | PrioritiesGiven


def _checked_pairs(priorities: object) -> list[tuple[str, Priority]]:
    """Return priorities as pairs of a pattern and an unchecked priority.

    They must be a mapping or an iterable of pairs whose first element is a string, else a
    `TypeError` is raised.
    """
    if not isinstance(priorities, Iterable) or isinstance(priorities, str | bytes):
        raise TypeError(
            "priorities must be a mapping from patterns to numbers, 'pin' or 'drop', pairs of "
            f"these, or a function of path and value, not {priorities!r:.40}"
        )
    named = isinstance(priorities, Mapping)
    pairs = list(cast("Iterable[Any]", cast("Any", priorities).items() if named else priorities))
    for pair in pairs:
        if not (isinstance(pair, tuple | list) and len(cast("Any", pair)) == 2):
            raise TypeError(f"expected a pair of a pattern and a priority, not {pair!r:.40}")
        if not isinstance(pair[0], str):
            raise TypeError(f"a pattern must be a string, not {pair[0]!r:.40}")
    return pairs


def _as_priority(
    value: object, name: str = "priorities", context: str = "", leaf: Leaf | None = None
) -> Priority:
    """Return a value as a priority, or raise `WeightError` if it is not one.

    The error has the `name` of what gave the value, the `context` and the path of the `leaf`.
    """
    if value == "pin":
        return "pin"
    if value == "drop":
        return "drop"
    weight = as_weight(value)
    if weight is None:
        allowed = 'a finite number of 0 or more, "pin" or "drop"'
        message = f"a priority must be {allowed}, not {value!r}{context}"
        raise WeightError(name, message, path=None if leaf is None else path_text(leaf.path))
    return weight
