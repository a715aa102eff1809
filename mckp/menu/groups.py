"""How many of the rows that were cut are of each kind: ``> [+18 rows status done 13 failed 5]``.

Each count is worth as much as a leaf of a row is on average, of the row that is worth most.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from mckp.encoders.hints import is_name
from mckp.jsontext import is_array, is_object
from mckp.menu.naming import MOST_NAMED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Groups(NamedTuple):
    """A column by which rows fall into few groups."""

    name: str
    """The column's name."""
    values: list[str]
    """The group of each row."""
    most: float
    """What it is worth at most to tell how many rows of each are missing."""

    def worth(self, missing: float) -> float:
        """Return what it is worth to tell of rows of some worth: half of that, or less.

        What is told of rows is worth less than they are, or no budget would be for them.
        """
        return min(self.most, missing // 2)

    def told(self, missing: Iterable[int]) -> str:
        """Return how many of some rows are in each group, as a note has it.

        Examples
        --------
        >>> Groups("state", ["open", "done", "open"], 1.0).told([1, 2])
        'state done 1 open 1'
        """
        counts = Counter(map(self.values.__getitem__, missing))
        return " ".join([self.name, *(f"{value} {count}" for value, count in counts.items())])


def groups_of(records: Any, worths: Sequence[float]) -> Groups | None:
    """Return the groups of an array by its first column of few words or flags, if it has one.

    Examples
    --------
    >>> rows = [{"id": n, "state": "open" if n % 3 else "done"} for n in range(9)]
    >>> groups_of(rows, [40.0] * 9).told(range(6, 9))
    'state done 1 open 2'
    """
    if not is_array(records) or not records or not is_object(records[0]):
        return None
    for key in filter(is_name, records[0]):
        values = _words(records, key)
        # As many rows as a reader would count at a glance tell that themselves.
        if values and 1 < len(set(values)) <= MOST_NAMED < len(values) / 2:
            worth = len(set(values)) * max(worths) // len(records[0])
            return Groups(key, values, worth)
    return None


def _words(records: list[Any], key: str) -> list[str] | None:
    """Return the words or flags that records have for a member, if they are few."""
    found: list[str] = []
    known: set[str] = set()
    for record in records:
        value = record.get(key) if is_object(record) else None
        word = str(value).lower() if isinstance(value, bool) else value
        if not isinstance(word, str) or (word not in known and not is_name(word)):
            return None
        known.add(word)
        if len(known) > MOST_NAMED:
            return None
        found.append(word)
    return found
