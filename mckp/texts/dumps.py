"""Worths of lines of interfaces of a network and of bytes in hexadecimal, set by rule, not fitted.

Of interfaces, a reader wants those with an address that others can reach. Of bytes, the first say
what kind of file it is, and then those count that can be read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.regexes import regex
from mckp.texts.patterns import Sought

if TYPE_CHECKING:
    from mckp.texts.lines import Reals, TextLines

ADDRESS_WORTH: Final = 0.8
"""Minimum worth of an address that others can reach."""

QUIET_SHARE: Final = 0.1
"""Factor for the worth of an address of the machine itself, and of how long one is valid."""

FEWEST: Final = 8
"""Fewest rows of bytes of a dump."""

FIRST_WORTH: Final = 0.6
"""Minimum worth of the first row of bytes; that of a row that can be read is half of it."""

OTHER_WORTH: Final = 0.02
"""Worth of every other row of bytes: none is better than another, so those that stay adjoin."""

READABLE: Final = 6
"""Fewest characters of a word in a row that can be read."""

_ADDRESS: Final = Sought(
    regex(
        r"^[ \t]++inet6? (?:addr:)? ?(?!127\.|::1\b|fe80:|169\.254\.)[\da-fA-F:.]*\d", re.MULTILINE
    ),
    firsts="i",
)
_QUIET: Final = Sought(
    regex(
        r"^(?:[ \t]++(?:valid_lft |link/|ether |inet6? (?:addr:)? ?(?:127\.|::1\b|fe80:))"
        r"|(?:\d+: )?lo\d*: .*LOOPBACK)",
        re.MULTILINE,
    ),
    firsts="0123456789vlei",
)
_ROW: Final = regex(
    r"^[0-9a-f]{6,16}:? ++(?:[0-9a-f]{2,4} {1,2}){4,}+ ?\|?(?P<signs>\S.{0,40}|)$", re.MULTILINE
)
_WORD: Final = regex(rf"[\w/%:-][\w /%:.-]{{{READABLE - 2},}}[\w/%:-]")


def dump_roles(lines: TextLines, factors: Reals, least: Reals) -> None:
    """Rate interfaces and rows of bytes, in place: their factors and minimum worths."""
    if (addresses := lines.flag_matches(_ADDRESS)).any():
        factors[lines.flag_matches(_QUIET)] *= QUIET_SHARE
        least[addresses] = np.maximum(least[addresses], ADDRESS_WORTH)
    rows = [*_ROW.finditer(lines.text)]
    if len(rows) < FEWEST or 2 * len(rows) < (~lines.is_blank).sum():
        return
    starts = np.array([row.start() for row in rows], np.int64)
    numbers = np.searchsorted(lines.starts, starts, side="right") - 1
    is_read = np.array([_WORD.search(row["signs"].replace("..", "\n")) is not None for row in rows])
    factors[numbers] = 0.0
    least[numbers] = np.where(is_read, FIRST_WORTH / 2, OTHER_WORTH)
    least[numbers[0]] = FIRST_WORTH
