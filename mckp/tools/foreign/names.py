"""The words within names of tools and parameters."""

from __future__ import annotations

import re
from typing import Final

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def words(name: str) -> list[str]:
    """Return the words of a name, whatever separates them; abbreviations keep their capitals.

    Examples
    --------
    >>> words("getUserByID"), words("list_pull-requests")
    (['get', 'user', 'by', 'ID'], ['list', 'pull', 'requests'])
    """
    return [word if word.isupper() else word.lower() for word in _WORD.findall(name)]
