"""Durations as text, in full precision: ``01:30:00``, ``2 days 00:00:00.5``."""

from __future__ import annotations

from typing import Final

from mckp.regexes import regex

DIGITS: Final = {"s": 0, "ms": 3, "us": 6, "ns": 9}
"""Decimal digits of a second in each unit."""

_FORM: Final = regex(r"(-?)(?:(\d+) days? )?(\d\d):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?")


def duration_text(count: int, unit: str) -> str:
    """Return the text of a duration: days, hours, minutes and seconds.

    Parameters
    ----------
    count : int
        The length of the duration, in units.
    unit : str
        One of the names in `DIGITS`, such as ``"ms"``.

    Examples
    --------
    >>> duration_text(5_400_000, "ms"), duration_text(-90_000_000_001, "us")
    ('01:30:00', '-1 day 01:00:00.000001')
    """
    digit_count = DIGITS[unit]
    seconds, fraction = divmod(abs(count), 10**digit_count)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    day_text = f"{days} day{'s' * (days != 1)} " if days else ""
    fraction_text = f".{fraction:0{digit_count}}".rstrip("0") if fraction else ""
    return f"{'-' * (count < 0)}{day_text}{hour:02}:{minute:02}:{second:02}{fraction_text}"


def duration_count(text: str, unit: str) -> int:
    """Return the length, in units, of a duration that `duration_text` wrote.

    A text of another form raises a `ValueError`, and so does one with more digits than the unit
    has.

    Examples
    --------
    >>> duration_count("-1 day 01:00:00.000001", "us")
    -90000000001
    """
    match, digit_count = _FORM.fullmatch(text), DIGITS[unit]
    if match is None or len(match[6] or "") > digit_count:
        raise ValueError(f"{text!r} is not a duration in {unit}")
    sign, days, hour, minute, second, fraction = match.groups("")
    seconds = ((int(days or 0) * 24 + int(hour)) * 60 + int(minute)) * 60 + int(second)
    count = int(f"{seconds}{fraction.ljust(digit_count, '0')}")
    return -count if sign else count
