"""How recent the records of a document are, judged by the dates in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_container
from mckp.regexes import regex
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.paths import Path
    from mckp.weights.leaves import Leaf

_ISO: Final = regex(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
_CHANGED: Final = regex(r"updated|modified|changed|edited|pushed", re.IGNORECASE)
_MADE: Final = regex(r"created|published|posted|started|submitted", re.IGNORECASE)
_TIME: Final = regex(
    r"(?:(?i:(?:^|_)(?:at|on|ts|time|date|timestamp|epoch))|At|On|Ts|Time|Date|Timestamp|Epoch)"
    r"(?i:_?(?:s|ms|us|ns|sec|utc))?$"
)
_SECOND: Final = {10**8: 1, 10**11: 10**3, 10**14: 10**6, 10**17: 10**9}
"""For counts of seconds, milliseconds ... since 1970: the least count, and units per second."""


@dataclass(frozen=True, slots=True)
class Recency:
    """Weigh recent records most; a factor to combine with other models.

    The record of a leaf is the innermost array element around it that holds a date: text in ISO
    8601, or seconds (milliseconds, ...) since 1970 in a field with the name of a time (``ts``,
    ``date``, ``updated_at``). If a record has several dates, the outermost ones count; among them
    those named ``updated`` or ``modified`` come first, then those named ``created`` or
    ``published``, then all others, and of equally good names the latest date counts. Dates without
    a zone are UTC. The newest record has the factor 1, as do all leaves outside dated records.

    The factor is halved after each `half_life`, a share of the time between the oldest and the
    newest record; by default, the oldest has 1/16. If a `field` is named, only its dates count.

    Examples
    --------
    >>> from mckp.weights.leaves import leaves
    >>> from mckp.tree import TreeNode
    >>> days = [{"on": f"2024-01-0{n}", "n": n} for n in (1, 3, 5)]
    >>> Recency(half_life=0.5)(leaves(TreeNode.of(days)))
    [0.25, 0.25, 0.5, 0.5, 1.0, 1.0]
    """

    half_life: float = 0.25
    field: str | None = None

    def __post_init__(self) -> None:
        """Check the half-life."""
        if not 0 < self.half_life < inf:
            raise ValueError(f"a half-life must be a share above 0, not {self.half_life!r}")

    def __call__(self, leaves: Sequence[Leaf]) -> list[float]:
        """Return a factor for each leaf."""
        dates = _dates(leaves, self.field)
        newest, oldest = max(dates.values(), default=0.0), min(dates.values(), default=0.0)
        half_life_seconds = self.half_life * (newest - oldest)
        factors = {
            record: 0.5 ** ((newest - date) / half_life_seconds) if date < newest else 1.0
            for record, date in dates.items()
        }
        return [
            next(
                (
                    factors[record_path]
                    for record_path in _elements_around(leaf.path)
                    if record_path in factors
                ),
                1.0,
            )
            for leaf in leaves
        ]


def _dates(leaves: Iterable[Leaf], field: str | None) -> dict[Path, float]:
    """Return the date of each dated record, by the path of the record, in seconds since 1970.

    If `field` is not None, only members with this name count as dates.
    """
    best: dict[Path, tuple[int, int, float]] = {}
    for path, value, _ in leaves:
        name = path[-1] if path else None
        if not isinstance(name, str) or (field is not None and name != field):
            continue
        record = next(_elements_around(path), None)
        date = None if record is None else date_of(name, value)
        if record is not None and date is not None:
            rank = 2 if _CHANGED.search(name) else 1 if _MADE.search(name) else 0
            candidate = len(record) - len(path), rank, date
            best[record] = max(candidate, best.get(record, candidate))
    return {record: date for record, (_, _, date) in best.items()}


def _elements_around(path: Path) -> Iterator[Path]:
    """Yield the paths of the array elements around a value, the innermost first."""
    return (path[: at + 1] for at in range(len(path) - 1, -1, -1) if isinstance(path[at], int))


def date_of(name: str, value: Any) -> float | None:
    """Return the date that a field has, in seconds since 1970, or None if it has none.

    A number is a date only if the `name` of the field is that of a time.

    Examples
    --------
    >>> date_of("day", "1970-01-02"), date_of("createdAt", 1700000000000), date_of("n", 1700000000)
    (86400.0, 1700000000.0, None)
    """
    if isinstance(value, str):
        return _iso_timestamp(value)
    if isinstance(value, bool | TreeNode) or value is None or is_container(value):
        return None
    if not any(pattern.search(name) for pattern in (_TIME, _CHANGED, _MADE)):
        return None
    # The size of a count since 1970 shows its unit, for dates from 1973 to the year 5138.
    units = [unit for least, unit in _SECOND.items() if least <= value < least * 1000]
    return value / units[0] if units else None


def _iso_timestamp(text: str) -> float | None:
    """Return an ISO date in seconds since 1970, or None if the text is not one."""
    if not _ISO.fullmatch(text):
        return None
    try:
        date = datetime.fromisoformat(text)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
