"""What a comparison of formats says, from the tokens of each document in each format."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


SHOWN: Final = 10
"""Documents that are named, of those on which a rival is smaller."""

OWN: Final = "mckp "
"""What the columns of mckp begin with; all others are rivals, compact JSON among them."""


@dataclass(slots=True)
class Row:
    """What was measured on one document in the tokens of one tokenizer.

    Attributes
    ----------
    set, source, name : str
        The set, where in it the document comes from, and the document.
    tokens : dict
        Tokens by format; formats that failed are missing.
    failures : dict
        Why, by format.
    seconds : dict
        Time for writing and reading, by format, those that failed included.
    """

    set: str
    source: str
    name: str
    tokens: dict[str, int]
    failures: dict[str, str] = field(default_factory=dict[str, str])
    seconds: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def json(self) -> int:
        """Tokens of compact JSON."""
        return self.tokens["json"]

    @property
    def rival(self) -> tuple[int, str]:
        """The fewest tokens of any rival, and its name; compact JSON is one."""
        return min((n, column) for column, n in self.tokens.items() if not column.startswith(OWN))

    def of(self, column: str) -> int:
        """Return a format's tokens, or those of compact JSON if it failed."""
        return self.tokens.get(column, self.json)


def groups(rows: Iterable[Row], key: Callable[[Row], str]) -> dict[str, list[Row]]:
    """Return rows by a key, in the order in which its values come."""
    members: dict[str, list[Row]] = {}
    for row in rows:
        members.setdefault(key(row), []).append(row)
    return members


def figures(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the figures of some rows.

    Examples
    --------
    >>> tokens = {"json": 20, "toon": 16, "mckp standard": 10}
    >>> seconds = {"toon": 0.01, "mckp standard": 0.02}
    >>> found = figures([Row("users", "a", "a", tokens, seconds=seconds)])
    >>> found["formats"]["toon"]["ratio"], found["best rival of each"]["tokens"]
    (0.8, 16)
    >>> found["levels"]["mckp standard"]["smaller than every rival"]
    1.0
    """
    columns = dict.fromkeys(column for row in rows for column in ("json", *row.seconds))
    best = sum(row.rival[0] for row in rows)
    return {
        "documents": len(rows),
        "formats": {column: _format(rows, column) for column in columns},
        "best rival of each": {"tokens": best, "ratio": _share(best, total(rows, "json"))},
        "levels": {c: _level(rows, c) for c in columns if c.startswith(OWN)},
    }


def total(rows: Iterable[Row], column: str) -> int:
    """Return the tokens of a format over all rows."""
    return sum(row.of(column) for row in rows)


def _format(rows: Sequence[Row], column: str) -> dict[str, Any]:
    logarithms = [math.log(row.of(column) / row.json) for row in rows]
    return {
        "tokens": total(rows, column),
        "ratio": _share(total(rows, column), total(rows, "json")),
        "geometric mean": round(math.exp(math.fsum(logarithms) / len(rows)), 4),
        "smallest": sum(row.tokens.get(column) == min(row.tokens.values()) for row in rows),
        "failed": sum(column in row.failures for row in rows),
        "seconds": round(sum(row.seconds.get(column, 0.0) for row in rows), 2),
    }


def _level(rows: Sequence[Row], column: str) -> dict[str, Any]:
    behind = [(row, *row.rival) for row in rows if row.rival[0] < row.of(column)]
    return {
        "smaller than every rival": _share(
            sum(row.of(column) < row.rival[0] for row in rows), len(rows)
        ),
        "larger than some rival": _share(len(behind), len(rows)),
        "above compact JSON": [row.name for row in rows if row.of(column) > row.json],
        "documents behind": len(behind),
        "tokens behind": sum(row.of(column) - fewer for row, fewer, _ in behind),
        "behind": [
            {"document": row.name, "tokens": row.of(column), "rival": rival, "rival tokens": fewer}
            for row, fewer, rival in sorted(
                behind, key=lambda entry: entry[1] - entry[0].of(column)
            )[:SHOWN]
        ],
    }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4)
