"""What is accepted as a weight: a finite number of 0 or more."""

from __future__ import annotations

from math import inf
from numbers import Real


def as_weight(given: object) -> float | None:
    """Return what was given as a weight, or None if it is none.

    Examples
    --------
    >>> as_weight(2), as_weight(-1), as_weight(True), as_weight(float("nan"))
    (2.0, None, None, None)
    """
    if isinstance(given, float):  # nearly all are
        return given if 0 <= given < inf else None
    if isinstance(given, bool) or not isinstance(given, Real):
        return None
    try:
        number = float(given)
    except OverflowError:
        return None
    return number if 0 <= number < inf else None
