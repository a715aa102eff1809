"""Classes of characters, as the pattern engine of the installed tiktoken sees them.

The engine itself is asked, so the classes are those of its version of Unicode, whichever it is.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Classes = NDArray[np.uint8]

UNKNOWN: Final = 0
"""Surrogates."""
OTHER: Final = 1
APOSTROPHE: Final = 2
SLASH: Final = 3
SPACE: Final = 4
"""U+0020."""
BLANK: Final = 5
"""Any other white space but CR and LF."""
BREAK: Final = 6
"""CR or LF."""
NUMBER: Final = 7
MARK: Final = 8
LETTER: Final = 9
"""A letter without case, or one that modifies others."""
SMALL: Final = 10
"""A small letter in none of the classes below."""
SMALL_SDMT, SMALL_RV, SMALL_E, SMALL_L = range(11, 15)
"""Those that contractions are made of, the long s among them."""
CAPITAL: Final = 15
"""A capital, or title case, in none of the classes below."""
CAPITAL_SDMT, CAPITAL_RV, CAPITAL_E, CAPITAL_L = range(16, 20)

ASCII: Final = 0x80
COMMON: Final = 0x20000
"""Beyond it are rare ideographs, and characters that do not show."""

_PATTERNS: Final = {
    BLANK: r"\s+",
    BREAK: r"[\r\n]+",
    NUMBER: r"\p{N}+",
    MARK: r"\p{M}+",
    LETTER: r"[\p{Lm}\p{Lo}]+",
    SMALL: r"\p{Ll}+",
    CAPITAL: r"[\p{Lu}\p{Lt}]+",
}
_NAMED: Final = {
    APOSTROPHE: "'",
    SLASH: "/",
    SPACE: " ",
    SMALL_SDMT: "sdmt\u017f",
    SMALL_RV: "rv",
    SMALL_E: "e",
    SMALL_L: "l",
    CAPITAL_SDMT: "SDMT",
    CAPITAL_RV: "RV",
    CAPITAL_E: "E",
    CAPITAL_L: "L",
}


@cache
def classes(limit: int) -> Classes:
    """Return the class of each code point below a limit.

    Parameters
    ----------
    limit : int
        `ASCII` or `COMMON`.

    Returns
    -------
    array of uint8
        One class a code point.

    Examples
    --------
    >>> [int(classes(ASCII)[ord(letter)]) for letter in "Ab1 -"]
    [15, 10, 7, 4, 1]
    """
    table = np.full(limit, OTHER, np.uint8)
    table[0xD800:0xE000] = UNKNOWN
    every = np.flatnonzero(table).astype("<u4").tobytes().decode("utf-32-le")
    for number, pattern in _PATTERNS.items():  # white space first, line ends over it
        table[_code_points(_matched(pattern, every))] = number
    for number, letters in _NAMED.items():
        table[[ord(letter) for letter in letters if ord(letter) < limit]] = number
    return table


def _matched(pattern: str, text: str) -> str:
    """Return what a pattern matches: an encoding skips all else, and here a byte is a token."""
    from tiktoken import Encoding

    single = {bytes([byte]): byte for byte in range(256)}
    engine = Encoding("classes", pat_str=pattern, mergeable_ranks=single, special_tokens={})
    return bytes(engine.encode_ordinary(text)).decode()


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le"), np.uint32)
