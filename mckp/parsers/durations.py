"""Durations as text, in full precision: ``01:30:00``, ``2 days 00:00:00.5``."""

from __future__ import annotations

from typing import Final

from mckp.regexes import regex

DIGITS: Final = {"s": 0, "ms": 3, "us": 6, "ns": 9}
"""Decimal digits of a second in each unit."""

_FORM: Final = regex(r"(-?)(?:(\d+) days? )?(\d\d):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?")


def duration_text(count: int, unit: str) -> str:
    """Return a duration, given as a count of a unit, as days, hours, minutes and seconds.

    Examples
    --------
    >>> duration_text(5_400_000, "ms"), duration_text(-90_000_000_001, "us")
    ('01:30:00', '-1 day 01:00:00.000001')
    """
    digits = DIGITS[unit]
    seconds, part = divmod(abs(count), 10**digits)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    day = f"{days} day{'s' * (days != 1)} " if days else ""
    behind = f".{part:0{digits}}".rstrip("0") if part else ""
    return f"{'-' * (count < 0)}{day}{hour:02}:{minute:02}:{second:02}{behind}"


def duration_count(text: str, unit: str) -> int:
    """Return the count of a unit in a text from `duration_text`; any other text is a `ValueError`.

    Examples
    --------
    >>> duration_count("-1 day 01:00:00.000001", "us")
    -90000000001
    """
    match, digits = _FORM.fullmatch(text), DIGITS[unit]
    if match is None or len(match[6] or "") > digits:
        raise ValueError(f"{text!r} is not a duration in {unit}")
    sign, days, hour, minute, second, part = match.groups("")
    seconds = ((int(days or 0) * 24 + int(hour)) * 60 + int(minute)) * 60 + int(second)
    count = int(f"{seconds}{part.ljust(digits, '0')}")
    return -count if sign else count
