"""Where sentences end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

_END: Final = regex(r"[.!?]['\")\]]*\s+(?=[^\sa-z])|[。！？]+|\n(?=[^\S\n]*\n)")  # noqa: RUF001
_SHORT: Final = regex(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|fig|dr|mr|mrs|ms|st|[a-z]))\.\Z", re.I
)


def sentence_ends(text: str) -> Iterator[int]:
    """Yield the places behind the sentences of a text, but for the last.

    An abbreviation ends none, nor does a full stop that a small letter follows.

    Examples
    --------
    >>> list(sentence_ends("Edits e.g. Config. Returns v1.2 now. Done."))
    [19, 37]
    """
    for match in _END.finditer(text):
        stop = match.start() + 1
        if not (text[stop - 1] == "." and _SHORT.search(text, max(0, stop - 8), stop)):
            yield match.end()
