"""Which column of a table tells its records apart."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_container
from mckp.weights.queries import words_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

NAMES: Final = frozenset(
    words_of(
        "id key number iid sha symbol slug uuid guid name title code sku ticker path filename "
        "identifier login username email ref tag"
    )
)
"""The last word of names that keys have."""

LONGEST: Final = 80
"""Characters that a key has at most, on average."""


def key_of(
    columns: Sequence[tuple[str, Sequence[Any], Sequence[int]]], tables: Sequence[Hashable]
) -> int | None:
    """Return which column is the key of some records: in all of them, and never twice in a table.

    Of several, one that is called as a whole like a key goes first, then one whose last word is;
    of those alike in that the shortest. Of a column are given its name, its values, and the
    number of the record that each stands in; of a record the array that it stands in.

    Examples
    --------
    >>> rows = [0, 1, 2]
    >>> columns = [("city", ["A", "B", "A"], rows), ("user_id", [17, 18, 19], rows)]
    >>> key_of(columns, ["users"] * 3)
    1
    """
    if len(tables) < 2:
        return None
    full = [(n, each) for n, each in enumerate(columns) if len(each[1]) == len(tables)]
    ranks = [_rank(name) for _, (name, _, _) in full]
    for rank in sorted(set(ranks)):
        found: list[tuple[float, int]] = []
        for (place, (_, values, records)), own in zip(full, ranks, strict=True):
            size = _size(values) if own == rank else None
            if size is not None and size <= LONGEST:
                seen = {(tables[row], value) for value, row in zip(values, records, strict=True)}
                if len(seen) == len(tables):
                    found.append((size, place))
        if found:
            return min(found)[1]
    return None


def _size(values: Sequence[Any]) -> float | None:
    """Return the characters of each value on average, None if one cannot be part of a key."""
    total = 0
    for value in values:
        if value is None or isinstance(value, bool | float) or value == "" or is_container(value):
            return None
        total += len(value) if isinstance(value, str) else len(str(value))
    return total / len(values)


def _rank(name: str) -> int:
    """Return how much a name looks like that of a key, 0 the most."""
    if name.casefold() in NAMES:
        return 0
    words = words_of_name(name)
    return 1 if words and words[-1] in NAMES else 2


@lru_cache(1024)  # the same names come again and again, in one document and in the next
def words_of_name(name: str) -> tuple[str, ...]:
    """Return the words of a name, as they are compared."""
    return tuple(words_of(name))
