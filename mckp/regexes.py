"""Regular expressions that are compiled when they are first used.

Compiling takes longer than importing the module around it, and one call needs few of all the
expressions that the modules have.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, Final, cast

_METHODS: Final = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    r"""Return a stand-in for `re.compile(pattern)` that is compiled at its first use.

    An invalid pattern is only noticed then, so the tests use each of them.

    Examples
    --------
    >>> words = regex(r"[a-z]+")
    >>> words.findall("one two"), words.pattern
    (['one', 'two'], '[a-z]+')
    """
    return cast("re.Pattern[AnyStr]", _Later(pattern, flags))


class _Later:
    """A pattern that turns into the compiled one: its methods become attributes at the first."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._given = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        # Called only for what is not an attribute yet. Two threads may both compile: no harm.
        if name.startswith("_"):
            raise AttributeError(name)
        compiled = re.compile(*self._given)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)
