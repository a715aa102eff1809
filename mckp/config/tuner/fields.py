"""What each field of a tool's results is worth to whoever calls it, learnt from counts of uses."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import PatternError
from mckp.jsontext import is_object
from mckp.weights.patterns import read_pattern
from mckp.weights.salience import POWER
from mckp.weights.sums import as_weight

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_COUNTS: Final = ("results", "expected", "used")
_LAST: Final = re.compile(r"(?:\[\*\]|\.?[^.\[\]]+)\Z")


def learnt(
    counts: Iterable[Mapping[str, Any]],
    *,
    prior: float = 1.0,
    fewest: int = 2,
    most: float = 16.0,
    same: float = 1.05,
) -> dict[str, float]:
    """Return factors on the worth of fields, by pattern, as ``[salience]`` of a file has them.

    The votes of a field are Poisson with a mean of its factor times what was expected, and the
    factor has a gamma prior around that of the fields which it stands among: so a field of few
    results is worth what its neighbours are, and one that nobody has seen as well (A. Gelman et
    al., Bayesian Data Analysis, 3rd edition (2013), section 2.6).

    Parameters
    ----------
    counts : iterable of mapping
        By field the ``results`` that had it, and what was ``expected`` and ``used``, as
        `mckp.telemetry.fields.counted` has them; what is no field or no count is left out.
    prior : float, default 1
        Votes that what is expected counts for, so that few results hardly move anything.
    fewest : int, default 2
        Results from which on a field has a factor of its own.
    most : float, default 16
        The largest factor; the smallest is one over it.
    same : float, default 1.05
        Factors closer than this are one.

    Returns
    -------
    dict
        Of patterns that cover a leaf the last one counts, as for `mckp.encode`. A pattern whose
        factor is that of what it stands in is left out.

    Examples
    --------
    >>> title = {"results": 9, "expected": 4, "used": 9}
    >>> url = {"results": 9, "expected": 5, "used": 0}
    >>> learnt([{"title": title, "by.url": url, "by.id": url}])
    {'by': 0.06, 'title': 2.83}
    >>> learnt([{"title": {"results": 2, "expected": 0.2, "used": 0.3}}])
    {'title': 1.13}
    """
    sums: Counter[tuple[str, str]] = Counter()
    for field, name, count in chain.from_iterable(map(_right, counts)):
        for each in (field, *_above(field)) if name != "results" else (field,):
            sums[each, name] += count  # type: ignore[assignment]
    exact, told = {"": 1.0}, {"": 1.0}
    for field in sorted({field for field, name in sums if name == "expected"}):
        outer = next(_above(field), "")
        votes = [sums[field, name] for name in ("used", "expected")]
        exact[field] = exact[outer]
        if votes != [sums[outer, name] for name in ("used", "expected")]:
            exact[field] = (votes[0] + prior * exact[outer]) / (votes[1] + prior)
        factor = round(min(most, max(1 / most, exact[field] ** POWER)), 2)
        is_same = max(factor, told[outer]) <= same * min(factor, told[outer])
        is_rare = 0 < sums[field, "results"] < fewest
        told[field] = told[outer] if is_same or is_rare else factor
    return {field: own for field, own in told.items() if own != told[next(_above(field), "")]}


def _right(counts: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    """Yield field, name and number of those counts that are right."""
    for field, own in counts.items():
        found = {name: as_weight(own.get(name)) for name in _COUNTS} if is_object(own) else {}
        right = {name: count for name, count in found.items() if count is not None}
        with suppress(PatternError):
            if len(right) == len(_COUNTS) and read_pattern(field):
                yield from ((field, name, count) for name, count in right.items())


def _above(field: str) -> Iterator[str]:
    """Yield all that a field stands in, the innermost first.

    Examples
    --------
    >>> list(_above("jobs[*].by.*"))
    ['jobs[*].by', 'jobs[*]', 'jobs']
    """
    while field := _LAST.sub("", field):
        yield field
