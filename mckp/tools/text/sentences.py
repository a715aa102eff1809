"""Where sentences end."""

from __future__ import annotations

import re
from typing import Final

_END: Final = re.compile(r"""(?:(?<![.!?])[.!?]++["'\u201d\u2019)\]*`]*+(?=\s)|(?=\n))\s+""")
_SHORT: Final = re.compile(
    r"(?:^|[\s(\[\"'])(?:e\.g|i\.e|etc|vs|cf|ca|approx|incl|resp|fig|no|nr|vol|mr|mrs|ms|dr|st)\.$",
    re.IGNORECASE,
)
_LONGEST: Final = len(" approx.")
_SOLID: Final = re.compile(r"\s*+\S")
_START: Final = re.compile(r"[A-Z0-9\"'\u201c\u2018`*(\[#<>|$/_{-]|[^\x00-\x7f]")


def sentences(text: str) -> list[str]:
    r"""Split prose into sentences, each with the blanks behind it; joined they are the text.

    A full stop ends one if blanks follow and then what can begin one, unless it belongs to
    an abbreviation; so does the end of a line.

    Examples
    --------
    >>> sentences("Edits e.g. config.json in place. Returns a diff.\nFast")
    ['Edits e.g. config.json in place. ', 'Returns a diff.\n', 'Fast']
    """
    pieces: list[str] = []
    start = 0
    for found in _END.finditer(text):
        if _is_end(text, start, found):
            pieces.append(text[start : found.end()])
            start = found.end()
    return [*pieces, text[start:]] if start < len(text) else pieces


def first_sentence(text: str) -> str:
    r"""Return the first sentence, without blanks around it.

    Examples
    --------
    >>> first_sentence("\nCopy a file, e.g. a.txt, to B. Then stop.")
    'Copy a file, e.g. a.txt, to B.'
    """
    return next((piece.strip() for piece in sentences(text) if piece.strip()), "")


def _is_end(text: str, start: int, found: re.Match[str]) -> bool:
    if "\n" not in found[0] and _SOLID.match(text, start, found.start()) is None:
        return False
    if "\n" in found[0] or found.end() == len(text):
        return True
    stop = found.start() + len(found[0].rstrip())
    if _SHORT.search(text, max(start, stop - _LONGEST), stop) is not None:
        return False
    return _START.match(text, found.end()) is not None
