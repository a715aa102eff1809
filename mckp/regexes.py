"""Regular expressions that are compiled on first use.

Compiling takes longer than importing the module around it, and one call needs few of the
expressions in all modules.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, Final, cast

_METHODS: Final = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    r"""Return a stand-in for `re.compile(pattern)` that compiles on first use.

    An invalid pattern raises only then, so the tests use each one.

    Examples
    --------
    >>> words = regex(r"[a-z]+")
    >>> words.findall("one two"), words.pattern
    (['one', 'two'], '[a-z]+')
    """
    return cast("re.Pattern[AnyStr]", _Later(pattern, flags))


class _Later:
    """A pattern that compiles on first use, and then has the compiled pattern's methods."""

    def __init__(self, pattern: Any, flags: int) -> None:
        """Keep the pattern."""
        self._given = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        """Compile the pattern, and return one of its attributes."""
        # Called only for what is not an attribute yet. Two threads may both compile: no harm.
        if name.startswith("_"):
            raise AttributeError(name)
        compiled = re.compile(*self._given)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)
