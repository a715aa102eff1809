"""Patterns of schemas, looked for in texts without ever taking long."""

from __future__ import annotations

import re
from importlib import import_module
from math import prod
from time import process_time
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECONDS: Final = 1.0
_EACH: Final = 0.2
_LARGEST: Final = 10**6
_REPEAT: Final = re.compile(r"\{\s*(\d{1,9})")


class Patterns:
    """Looks for patterns for a fifth of a second of computing each, and a second in all.

    A text that a model writes can keep a careless pattern busy for years, and a pattern of
    repeats within repeats can fill the memory before it looks at any text. What takes that
    long, and what is no pattern here (a schema's are JavaScript's), cannot be told; whoever
    runs the tool asks again.

    Examples
    --------
    >>> patterns = Patterns()
    >>> patterns.found("^a+$", "aaa"), patterns.found("^a+$", "b"), patterns.found("(", "b")
    (True, False, None)
    """

    def __init__(self) -> None:
        self._left = _SECONDS

    def found(self, pattern: Any, text: str) -> bool | None:
        """Whether a pattern is in a text, None if that cannot be told."""
        if not isinstance(pattern, str) or self._left <= 0 or _size(pattern) > _LARGEST:
            return None
        start = process_time()
        try:
            return _search(pattern, text, min(self._left, _EACH))
        finally:
            self._left -= process_time() - start

    def broken(self, value: Any, schema: Mapping[str, Any]) -> str | None:
        """Return what is wrong with a text whose schema has a pattern.

        Examples
        --------
        >>> Patterns().broken("me", {"pattern": "@"})
        'the text does not match the pattern @'
        """
        pattern = schema.get("pattern")
        if not isinstance(value, str) or self.found(pattern, value) is not False:
            return None
        return f"the text does not match the pattern {pattern}"


def _search(pattern: str, text: str, seconds: float) -> bool | None:
    regex = import_module("regex")  # as of here, since few schemas have patterns
    try:
        return regex.search(pattern, text, timeout=seconds) is not None
    except (regex.error, TimeoutError, RecursionError, OverflowError, ValueError):
        return None


def _size(pattern: str) -> int:
    """Return how large a pattern can become where the least numbers of repeats are written out."""
    return len(pattern) * prod(max(1, int(times)) for times in _REPEAT.findall(pattern))
