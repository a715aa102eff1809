"""How often fields of tool results are used later: counts by tool and field, never values.

A *field* is a pattern (see `mckp.weights.patterns`) for all leaves of a result whose paths differ
only in indexes, such as ``items[*].user.login``. Member names that may be data, such as the
addresses in a map from addresses to accounts, are written as ``*``.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.agents.telemetry.uses import call_parts, find_uses, result_part
from mckp.errors import MckpError
from mckp.jsontext import is_array, is_object
from mckp.regexes import regex
from mckp.tree import TreeNode
from mckp.weights.leaves import leaves
from mckp.weights.salience import POWER, Salience

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mckp.agents.telemetry.uses import ConversationPart, Steps, Use
    from mckp.plain import JsonValue
    from mckp.weights.models import WeightModel

Figures: TypeAlias = dict[str, Any]
"""Numbers by name, possibly nested."""


def add(total: Figures, more: Mapping[str, Any]) -> None:
    """Add figures to a total in place, name by name.

    Examples
    --------
    >>> total = {"a": 1, "b": {"c": 2}}
    >>> add(total, {"b": {"c": 3, "d": 4}})
    >>> total
    {'a': 1, 'b': {'c': 5, 'd': 4}}
    """
    for name, value in more.items():
        if is_object(value):
            add(total.setdefault(name, {}), value)
        else:
            total[name] = total.get(name, 0) + value


MEMBERS: Final = 64
"""An object with more members than this is a map; the names in a map are data."""
ALIKE: Final = 0.75
"""Members that share at least this part of their own names are the records of a map."""
MAX_STEPS: Final = 16
"""The most steps of a field; deeper leaves belong to it, too."""
WINDOW: Final = 24
"""The number of results before and after a result that are searched for its uses."""
MAX_CHARS: Final = 100_000
"""The most characters of a result that is counted."""
MAX_FIELDS: Final = 1000
"""The number of fields of a tool from which on no further results are counted."""

_NAME: Final = regex(r"(?=.{1,40}\Z)[$@]?[A-Za-z_][A-Za-z_-]*(?:[0-9]{1,3}[A-Za-z_-]*)?")


def fields_of(value: Any) -> dict[Steps, str]:
    """Return the field of each leaf of plain data, by its path.

    Examples
    --------
    >>> data = {"jobs": [{"id": 7}, {"id": 8}], "by": {"ann@x.org": 1, "bob": 2}}
    >>> sorted(set(fields_of(data).values()))
    ['by.*', 'jobs[*].id']
    """
    texts = frozenset(
        leaf.value for leaf in leaves(TreeNode.of(value)) if leaf.value.__class__ is str
    )
    by_path: dict[Steps, str] = {}
    stack: list[tuple[Steps, str, Any]] = [((), "", value)]
    while stack:
        path, field, item = stack.pop()
        if is_object(item) and item:
            is_data = _is_map(item, texts)
            for name, child in item.items():
                step = "*" if is_data else name
                below = f"{field}.{step}" if field else step
                stack.append(((*path, name), below if len(path) < MAX_STEPS else field, child))
        elif is_array(item) and item:
            below = f"{field}[*]" if len(path) < MAX_STEPS else field
            stack += (((*path, index), below, child) for index, child in enumerate(item))
        else:
            by_path[path] = field or "$"
    return by_path


def _is_map(item: Mapping[str, JsonValue], texts: frozenset[str]) -> bool:
    """Whether the member names of an object may be data.

    That is so if there are many, if one has an unusual form or is also one of the `texts` in the
    result, or if all members are records with mostly the same members.
    """
    if len(item) > MEMBERS or not all(map(_NAME.fullmatch, item)) or not texts.isdisjoint(item):
        return True
    records = [set(record) for record in item.values() if is_object(record) and record]
    if len(records) < 2 or len(records) < len(item):
        return False
    names = set[str]().union(*records)
    return sum(map(len, records)) >= ALIKE * len(records) * len(names)


def count_votes(payload: Any, uses: Sequence[Use], prior: WeightModel | None = None) -> Figures:
    """Return what a result adds to the counts of its tool, by field; empty if it was not used.

    Each result has one vote, which its uses share equally; the places of one use share its part
    equally. Each field gets the number of ``results`` with it, its ``expected`` votes by the
    weights of `prior` (by default salience), and the votes of its ``used`` values.

    Examples
    --------
    >>> use = {"value": "Login fails", "paths": [["title"]]}
    >>> count_votes({"title": "Login fails", "locked": False}, [use])["title"]["used"]
    1.0
    """
    counts: Figures = {}
    result_leaves, fields = leaves(TreeNode.of(payload)), fields_of(payload)
    weights = (prior or Salience())(result_leaves)
    priors = [weight ** (1 / POWER) for weight in weights]
    total = sum(priors)
    if not (uses and total):
        return counts
    votes: Counter[Steps] = Counter()
    for use in uses:
        for path in use["paths"]:
            votes[tuple(path)] += 1 / len(use["paths"]) / len(uses)  # type: ignore[assignment]
    for leaf, leaf_prior in zip(result_leaves, priors, strict=True):
        leaf_counts = {"expected": leaf_prior / total, "used": float(votes[leaf.path])}
        add(counts, {fields[leaf.path]: leaf_counts})
    for field_counts in counts.values():
        field_counts["results"] = 1
    return counts


class Uses:
    """Counts which values of results are used later in a conversation, while it goes on.

    It keeps the latest parts of the conversation to find uses, but returns only counts.

    Parameters
    ----------
    name : callable, optional
        Returns the name of a tool in the counts, such as `mckp.agents.telemetry.Anonymiser.tool`;
        by default its own name.
    on_used : callable, optional
        Called with each result and its uses, which are then not counted.

    Examples
    --------
    >>> uses = Uses()
    >>> uses.add_call({"user": "ann"})
    >>> uses.add_result("find_jobs", {"user": "ann"}, '[{"id": 70412, "state": "failed"}]')
    >>> uses.add_call({"job": 70412})
    >>> uses.counts()["find_jobs"]["[*].id"]["used"]
    1.0
    """

    def __init__(
        self,
        name: Callable[[str], str] = str,
        *,
        on_used: Callable[[ConversationPart, list[Use]], object] | None = None,
    ) -> None:
        self._name = name
        self._on_used = self._add_uses if on_used is None else on_used
        self._parts: list[ConversationPart] = []
        self._counted_results = 0
        self._counts: Figures = {}

    def __len__(self) -> int:
        """Return the number of parts of the conversation that are kept."""
        return len(self._parts)

    def add_call(self, args: JsonValue) -> None:
        """Add the arguments of a call, before its result; none if JSON cannot express them."""
        with suppress(TypeError, ValueError, RecursionError):  # arguments that JSON cannot express
            self._parts += call_parts(args)

    def add_result(self, tool: str, args: JsonValue, content: JsonValue) -> None:
        """Add a tool's result; `args` are the arguments of its call."""
        self.add_parts([result_part(tool, args, content)])

    def add_parts(self, parts: Iterable[ConversationPart]) -> None:
        """Add the next parts, and count the results whose later parts are all known."""
        for part in parts:
            self._parts.append(part)
            if part.kind == "result":
                self._count_settled()

    def _count_settled(self) -> None:
        """Count the results whose later parts are all known, and forget what is too old."""
        indexes = self._result_indexes()
        for index in indexes[self._counted_results : max(0, len(indexes) - WINDOW)]:
            self._count_result(index)
        outdated_results = max(0, self._counted_results - WINDOW)
        if outdated_results:
            del self._parts[: indexes[outdated_results]]
            self._counted_results -= outdated_results

    def counts(self) -> Figures:
        """Return the counts of all results by tool and field, once the conversation has ended."""
        for index in self._result_indexes()[self._counted_results :]:
            self._count_result(index)
        return self._counts

    def _result_indexes(self) -> list[int]:
        """Return the indexes of the results among the parts that are kept."""
        return [index for index, part in enumerate(self._parts) if part.kind == "result"]

    def _count_result(self, index: int) -> None:
        """Count the uses of the result at an index; one that is too long or odd has none."""
        self._counted_results += 1
        part = self._parts[index]
        if part.payload is not None and len(part.text) <= MAX_CHARS:
            with suppress(
                MckpError, TypeError, ValueError, RecursionError
            ):  # odd numbers raise these
                self._on_used(part, find_uses(self._parts, index))

    def _add_uses(self, part: ConversationPart, uses: list[Use]) -> None:
        """Add the uses of a result to the counts, unless its tool has too many fields."""
        name = self._name(part.tool)
        if uses and part.tool and len(self._counts.get(name, ())) < MAX_FIELDS:
            add(self._counts, {name: count_votes(part.payload, uses)})
