"""How often fields of tools' results are used later: counts by tool and field, never values.

A *field* is a pattern of `mckp.weights.patterns` for all leaves of a result whose paths differ
only in indexes, such as ``items[*].user.login``. Names of members that may be data, such as the
addresses in a map from addresses to accounts, are written as ``*``.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.agents.telemetry.uses import of_call, of_result, used
from mckp.errors import MckpError
from mckp.jsontext import is_array, is_object
from mckp.regexes import regex
from mckp.tree import TreeNode
from mckp.weights.leaves import leaves
from mckp.weights.salience import POWER, Salience

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mckp.agents.telemetry.uses import Part, Steps, Use
    from mckp.weights.models import WeightModel

Figures: TypeAlias = dict[str, Any]
"""Numbers by name, or by names below names."""


def add(total: Figures, more: Mapping[str, Any]) -> None:
    """Add figures to others, name by name.

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
"""An object with more members is a map; the names in a map are data."""
ALIKE: Final = 0.75
"""If members share this part of their own names, they are the records of a map."""
DEEPEST: Final = 16
"""Most steps of a field; deeper leaves belong to it."""
WINDOW: Final = 24
"""Results after and before one that are searched for its uses."""
LONGEST: Final = 100_000
"""Most characters of a result that is counted."""
MOST_FIELDS: Final = 1000
"""Once a tool has so many fields, no further result of it is counted."""

_NAME: Final = regex(r"(?=.{1,40}\Z)[$@]?[A-Za-z_][A-Za-z_-]*(?:[0-9]{1,3}[A-Za-z_-]*)?")


def fields_of(value: Any) -> dict[Steps, str]:
    """Return the field of each leaf of plain data, by its path.

    Examples
    --------
    >>> data = {"jobs": [{"id": 7}, {"id": 8}], "by": {"ann@x.org": 1, "bob": 2}}
    >>> sorted(set(fields_of(data).values()))
    ['by.*', 'jobs[*].id']
    """
    values = frozenset(
        leaf.value for leaf in leaves(TreeNode.of(value)) if leaf.value.__class__ is str
    )
    by_path: dict[Steps, str] = {}
    stack: list[tuple[Steps, str, Any]] = [((), "", value)]
    while stack:
        path, field, item = stack.pop()
        if is_object(item) and item:
            is_data = _is_map(item, values)
            for name, child in item.items():
                step = "*" if is_data else name
                below = f"{field}.{step}" if field else step
                stack.append(((*path, name), below if len(path) < DEEPEST else field, child))
        elif is_array(item) and item:
            below = f"{field}[*]" if len(path) < DEEPEST else field
            stack += (((*path, n), below, child) for n, child in enumerate(item))
        else:
            by_path[path] = field or "$"
    return by_path


def _is_map(item: Mapping[str, Any], values: frozenset[str]) -> bool:
    """Whether the names of members may be data: by their look, their number, or the values."""
    if len(item) > MEMBERS or not all(map(_NAME.fullmatch, item)) or not values.isdisjoint(item):
        return True
    records = [set(record) for record in item.values() if is_object(record) and record]
    if len(records) < 2 or len(records) < len(item):
        return False
    names = set[str]().union(*records)
    return sum(map(len, records)) >= ALIKE * len(records) * len(names)


def counted(payload: Any, uses: Sequence[Use], prior: WeightModel | None = None) -> Figures:
    """Return what one result of which something was used adds to the counts of its tool.

    Each result has one vote; its uses share it equally, and the places of a use share its part.
    Each field has the number of ``results`` with it, the votes ``expected`` by the weights of
    `prior` (by default salience), and the votes of what was ``used``.

    Examples
    --------
    >>> use = {"value": "Login fails", "paths": [["title"]]}
    >>> counted({"title": "Login fails", "locked": False}, [use])["title"]["used"]
    1.0
    """
    counts: Figures = {}
    below, fields = leaves(TreeNode.of(payload)), fields_of(payload)
    weights = (prior or Salience())(below)
    likely = [weight ** (1 / POWER) for weight in weights]
    whole = sum(likely)
    if not (uses and whole):
        return counts
    votes: Counter[Steps] = Counter()
    for use in uses:
        for path in use["paths"]:
            votes[tuple(path)] += 1 / len(use["paths"]) / len(uses)  # type: ignore[assignment]
    for leaf, share in zip(below, likely, strict=True):
        more = {"expected": share / whole, "used": float(votes[leaf.path])}
        add(counts, {fields[leaf.path]: more})
    for field_counts in counts.values():
        field_counts["results"] = 1
    return counts


class Uses:
    """Counts what is used of the results of a conversation, while it goes on.

    It keeps the latest parts of the conversation, to find uses; it gives out counts only.

    Parameters
    ----------
    name : callable, optional
        Returns the name of a tool in the counts, such as `mckp.agents.telemetry.Anonymiser.tool`;
        by default its own name.
    on_used : callable, optional
        Takes each result with its uses, which are then not counted.

    Examples
    --------
    >>> uses = Uses()
    >>> uses.call({"user": "ann"})
    >>> uses.result("find_jobs", {"user": "ann"}, '[{"id": 70412, "state": "failed"}]')
    >>> uses.call({"job": 70412})
    >>> uses.counts()["find_jobs"]["[*].id"]["used"]
    1.0
    """

    def __init__(
        self,
        name: Callable[[str], str] = str,
        *,
        on_used: Callable[[Part, list[Use]], object] | None = None,
    ) -> None:
        self._name = name
        self._found = self._add if on_used is None else on_used
        self._run: list[Part] = []
        self._done = 0
        self._counts: Figures = {}

    def __len__(self) -> int:
        """Return how many parts of the conversation are kept."""
        return len(self._run)

    def call(self, args: Any) -> None:
        """Take the arguments of a call, before its result."""
        with suppress(TypeError, ValueError, RecursionError):  # what JSON cannot express
            self._run += of_call(args)

    def result(self, tool: str, args: Any, content: Any) -> None:
        """Take a result."""
        self.say([of_result(tool, args, content)])

    def say(self, parts: Iterable[Part]) -> None:
        """Take the next parts; count results for which all later parts are known."""
        for part in parts:
            self._run.append(part)
            if part.kind == "result":
                self._settle()

    def _settle(self) -> None:
        places = self._results()
        for place in places[self._done : max(0, len(places) - WINDOW)]:
            self._count(place)
        gone = max(0, self._done - WINDOW)
        if gone:
            del self._run[: places[gone]]
            self._done -= gone

    def counts(self) -> Figures:
        """Return the counts of all results, by tool and field; the conversation has ended."""
        for place in self._results()[self._done :]:
            self._count(place)
        return self._counts

    def _results(self) -> list[int]:
        return [place for place, part in enumerate(self._run) if part.kind == "result"]

    def _count(self, place: int) -> None:
        self._done += 1
        part = self._run[place]
        if part.payload is not None and len(part.text) <= LONGEST:
            with suppress(MckpError, TypeError, ValueError, RecursionError):  # of odd numbers
                self._found(part, used(self._run, place))

    def _add(self, part: Part, uses: list[Use]) -> None:
        name = self._name(part.tool)
        if uses and part.tool and len(self._counts.get(name, ())) < MOST_FIELDS:
            add(self._counts, {name: counted(part.payload, uses)})
