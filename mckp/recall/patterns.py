"""Search with patterns of a caller, under a short time limit."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import Any, Final

from mckp.regexes import regex

SECONDS: Final = 0.2
"""The time limit of a pattern for one text; ordinary ones take microseconds."""
MAX_PATTERN: Final = 1_000
"""Most characters of a pattern."""

LONG: Final = 600
"""The length above which only the parts of a text around its matches are given."""
AROUND: Final = 160
"""Characters given on each side of a match in such a text."""
_WORD_CHARS: Final = 20
"""Most characters by which such a part is made shorter, so that it does not cut a word."""
ANY_CASE: Final = "(?i)"
"""The beginning of a pattern that ignores case."""


class SlowPatternError(ValueError):
    """A pattern takes too long; nested repeats such as ``(a+)+`` do."""


@lru_cache(64)
def compiled(pattern: str, *, ignores_case: bool = False) -> Any:
    r"""Return the compiled pattern; a text that is not a valid pattern is searched literally.

    Escapes mean what they mean in Python and in ``grep -E``: ``\|`` is a bar.

    Examples
    --------
    >>> compiled(r"a\|b").search("a|b").group(), compiled("f(").search("f(x)").group()
    ('a|b', 'f(')
    >>> compiled("(?i)f(").search("F(x)").group()
    'F('
    """
    import regex  # takes .02 s

    flags = regex.IGNORECASE if ignores_case else 0
    text = pattern[:MAX_PATTERN]
    try:
        return regex.compile(text, flags)
    except (regex.error, OverflowError, RecursionError):
        literal = pattern[:MAX_PATTERN]
        if literal.startswith(ANY_CASE):
            literal, flags = literal.removeprefix(ANY_CASE), regex.IGNORECASE
        return regex.compile(regex.escape(literal), flags)


_BASIC: Final = {
    r"\|": "|",
    r"\(": "(",
    r"\)": ")",
    r"\+": "+",
    r"\?": "?",
    r"\<": r"\b",
    r"\>": r"\b",
}
"""What ``grep`` without ``-E`` reads in some escapes."""


def basic_reading(pattern: str) -> str:
    r"""Return a pattern as ``grep`` without ``-E`` reads its escapes; empty if it has no such ones.

    Examples
    --------
    >>> basic_reading(r"err\|\(warn\)"), basic_reading("err|warn")
    ('err|(warn)', '')
    """
    read = _ESCAPED.sub(lambda part: _BASIC.get(part[0], part[0]), pattern)
    return "" if read == pattern else read


_ESCAPED: Final = regex(r"(?s)\\.|.")


def spans(
    pattern: str, text: str, *, ignores_case: bool = False, most: int = 50
) -> list[tuple[int, int]]:
    """Return the spans of a pattern's first `most` matches in a text, from left to right.

    Raises
    ------
    SlowPatternError
        If that takes too long.
    """
    try:
        all_spans = compiled(pattern, ignores_case=ignores_case).finditer(text, timeout=SECONDS)
        return [match.span() for match in islice(all_spans, most)]
    except TimeoutError:
        raise _slow_error(pattern) from None


def searched(pattern: str, text: str, *, ignores_case: bool = False) -> bool:
    """Whether a pattern matches anywhere in a text; raises like `spans`."""
    return bool(spans(pattern, text, ignores_case=ignores_case, most=1))


def matched(pattern: str, text: str) -> str | None:
    """Return the first match in a text: its first group, or all of it; None if there is none.

    Raises like `spans`.

    Examples
    --------
    >>> matched("id=([0-9]+)", "at id=17;"), matched("x", "y")
    ('17', None)
    """
    try:
        match = compiled(pattern).search(text, timeout=SECONDS)
    except TimeoutError:
        raise _slow_error(pattern) from None
    return None if match is None else str(match[1 if match.re.groups else 0] or "")


def around(text: str, pattern: str, beside: int = AROUND) -> str:
    """Return the matches in a long text, each with its surroundings; a short text as it is.

    A text is long if it has more than `LONG` characters; with fewer characters `beside` a match,
    if it has in proportion.

    Examples
    --------
    >>> around("x" * 1000 + " needle", "needle").replace("x", "")
    '… needle'
    """
    parts = parts_around(text, pattern, beside)
    if parts == [(0, len(text))]:
        return text
    shown = "…".join(text[start:end] for start, end in parts)
    return f"{'…' if parts[0][0] else ''}{shown}{'…' if parts[-1][1] < len(text) else ''}"


def parts_around(text: str, pattern: str, beside: int = AROUND) -> list[tuple[int, int]]:
    """Return the spans of the parts of a long text around its matches, or of its beginning.

    They begin and end between words if those are short. A short text is one part. `beside` is the
    number of characters on each side.

    Examples
    --------
    >>> parts_around("word " * 200 + "needle" + " word" * 200, "needle")
    [(840, 1166)]
    """
    long = LONG * beside // AROUND
    if len(text) <= long:
        return [(0, len(text))]
    parts: list[list[int]] = []
    for first, last in spans(pattern, text) or spans(pattern, text, ignores_case=True):
        start, end = max(0, first - beside), min(len(text), last + beside, first + long)
        start, end = _word_boundary(text, start, 1), _word_boundary(text, end, -1)
        if parts and start <= parts[-1][1]:
            parts[-1][1] = max(end, parts[-1][1])
        else:
            parts.append([start, end])
    return [(start, end) for start, end in parts] or [(0, 2 * beside)]


def _word_boundary(text: str, at: int, direction: int) -> int:
    """Return the nearest place in a direction (1 or -1) that cuts no word; `at` if it is far."""
    for place in range(at, at + direction * _WORD_CHARS, direction):
        if not 0 < place < len(text) or text[place - 1].isspace() or text[place].isspace():
            return max(0, min(place, len(text)))
    return at


def _slow_error(pattern: str) -> SlowPatternError:
    """Return the error for a pattern that takes too long."""
    return SlowPatternError(f"{pattern!r} takes too long; write it without nested repetitions")


def like(pattern: str, text: str) -> bool:
    """Whether a text matches an SQL pattern in any case: ``%`` is any text, ``_`` any character.

    Examples
    --------
    >>> like("Merge%", "merge of a"), like("a_c", "abc"), like("a", "abc")
    (True, True, False)
    """
    import regex

    parts = {"%": "(?s:.*)", "_": "(?s:.)"}
    whole = "".join(parts.get(sign) or regex.escape(sign) for sign in pattern)
    return searched(rf"\A{whole}\Z", text, ignores_case=True)
