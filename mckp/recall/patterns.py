"""Patterns of a caller: they are given little time, so that none can keep others waiting."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import Any, Final

SECONDS: Final = 0.2
"""Time that a pattern has for one text; in ordinary use it takes microseconds."""
MAX_PATTERN: Final = 1_000
"""Most characters of a pattern."""

LONG: Final = 600
"""Characters from which on a text is given in parts, around what was searched for."""
AROUND: Final = 160
"""Characters of such a text on each side of a match."""
ANY_CASE: Final = "(?i)"
"""What a pattern begins with whose case is left out of account."""


class SlowPatternError(ValueError):
    """A pattern takes too long; nested repeats such as ``(a+)+`` do."""


@lru_cache(64)
def compiled(pattern: str, *, ignores_case: bool = False) -> Any:
    r"""Return a pattern that is ready to search; what is none is searched for as it is written.

    Alternatives may be written as grep does, with ``\|``.

    Examples
    --------
    >>> compiled(r"err\|warn").search("a warning").group(), compiled("f(").search("f(x)").group()
    ('warn', 'f(')
    >>> compiled("(?i)f(").search("F(x)").group()
    'F('
    """
    import regex  # takes .02 s

    flags = regex.IGNORECASE if ignores_case else 0
    text = pattern[:MAX_PATTERN].replace(r"\|", "|")
    try:
        return regex.compile(text, flags)
    except (regex.error, OverflowError, RecursionError):
        literal = pattern[:MAX_PATTERN]
        if literal.startswith(ANY_CASE):
            literal, flags = literal.removeprefix(ANY_CASE), regex.IGNORECASE
        return regex.compile(regex.escape(literal), flags)


def spans(
    pattern: str, text: str, *, ignores_case: bool = False, most: int = 50
) -> list[tuple[int, int]]:
    """Return where a pattern matches in a text, from left to right.

    Raises
    ------
    SlowPatternError
        If that takes too long.
    """
    try:
        every = compiled(pattern, ignores_case=ignores_case).finditer(text, timeout=SECONDS)
        return [match.span() for match in islice(every, most)]
    except TimeoutError:
        raise _slow(pattern) from None


def searched(pattern: str, text: str, *, ignores_case: bool = False) -> bool:
    """Whether a pattern is anywhere in a text; errors as of `spans`."""
    return bool(spans(pattern, text, ignores_case=ignores_case, most=1))


def matched(pattern: str, text: str) -> str | None:
    """Return what a pattern matches in a text: its first group, or all; errors as of `spans`.

    Examples
    --------
    >>> matched("id=([0-9]+)", "at id=17;"), matched("x", "y")
    ('17', None)
    """
    try:
        match = compiled(pattern).search(text, timeout=SECONDS)
    except TimeoutError:
        raise _slow(pattern) from None
    return None if match is None else str(match[1 if match.re.groups else 0] or "")


def around(text: str, pattern: str) -> str:
    """Return the parts of a long text that match, each with what is around it.

    Examples
    --------
    >>> around("x" * 1000 + " needle", "needle").replace("x", "")
    '… needle'
    """
    if len(text) <= LONG:
        return text
    parts: list[list[int]] = []
    for first, last in spans(pattern, text) or spans(pattern, text, ignores_case=True):
        start, end = max(0, first - AROUND), min(len(text), last + AROUND, first + LONG)
        if parts and start <= parts[-1][1]:
            parts[-1][1] = max(end, parts[-1][1])
        else:
            parts.append([start, end])
    if not parts:
        return f"{text[: 2 * AROUND]}…"
    shown = "…".join(text[start:end] for start, end in parts)
    return f"{'…' if parts[0][0] else ''}{shown}{'…' if parts[-1][1] < len(text) else ''}"


def _slow(pattern: str) -> SlowPatternError:
    return SlowPatternError(f"{pattern!r} takes too long; write it without nested repetitions")


def like(pattern: str, text: str) -> bool:
    """Whether a text is as a pattern of SQL says: ``%`` is any text, ``_`` any character.

    Examples
    --------
    >>> like("Merge%", "merge of a"), like("a_c", "abc"), like("a", "abc")
    (True, True, False)
    """
    import regex

    parts = {"%": "(?s:.*)", "_": "(?s:.)"}
    whole = "".join(parts.get(sign) or regex.escape(sign) for sign in pattern)
    return searched(rf"\A{whole}\Z", text, ignores_case=True)
