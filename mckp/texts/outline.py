"""A text as lines in groups: the head of each line, and its worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.texts.alarms import alarm_features
from mckp.texts.alike import alike_of, groups_of, least_shares
from mckp.texts.crashes import least_of_crashes
from mckp.texts.features import Words, features
from mckp.texts.heads import heads_of
from mckp.texts.kinds import TextKind, pieces_of_lines
from mckp.texts.lines import lines_of
from mckp.texts.patterns import LISTED, MATCHED
from mckp.texts.roles import roles_of
from mckp.texts.worth import GATES, UNIT, alarming, fitted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from mckp.texts.kinds import Piece
    from mckp.texts.lines import TextLines


OF_END: Final = 0.6
"""What the last line of a file that is read is worth at least, in which its number counts."""

SHORT_END: Final = 80
"""Most characters of that line: a longer one costs more than it says."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A text of n lines in groups. A line ends at its line feed, and at nothing else.

    Attributes
    ----------
    kind
        What kind of text it is, such as ``"log"``.
    starts
        n + 1 offsets in characters: line i is ``text[starts[i]:starts[i + 1]]``, its line feed too.
    heads
        The line without which line i says nothing, -1 for none. A head is above its lines, and all
        lines between the two belong to it too: heads make a forest in the order of the text.
    worths
        What each line is worth, from 0 on, in units of 2**-10.
    numbered
        Whether the text shows the numbers of its lines.
    alike
        The same number for lines that are many and equal but for numbers in them, else -1.
    folded
        Whether a line says only what others say with other numbers; it is worth nothing then.
    """

    kind: str
    starts: NDArray[np.int64]
    heads: NDArray[np.int64]
    worths: NDArray[np.int64]
    numbered: bool
    alike: NDArray[np.int64]
    folded: NDArray[np.bool_]


def outline(text: str, *, request: str | None = None) -> Outline:
    r"""Return a text as lines in groups, with the worth of each line. Takes O(characters).

    Parameters
    ----------
    text
        Any text.
    request
        What its reader asks; lines with rare words of it are worth more.

    Examples
    --------
    >>> found = outline("def total(rows):\n    return sum(rows)\n")
    >>> found.starts.tolist(), found.heads.tolist(), found.numbered
    ([0, 17, 38], [-1, 0], False)
    """
    lines = lines_of(text)
    if not lines.size:
        none = np.zeros(0, np.int64)
        return Outline("prose", lines.starts, none, none, False, none, none.astype(np.bool_))
    words = Words(lines)
    pieces = pieces_of_lines(lines)
    kind = pieces[0].kind if len(pieces) == 1 else TextKind.MIXED
    gates = _gates(lines, pieces)
    groups, sizes = groups_of(lines)
    worths = fitted(features(lines, words, request, sizes[groups]), kind)
    alarms, shares = np.zeros(lines.size), np.zeros(lines.size)
    calm = _calm(lines, kind)
    if calm.any():
        gates = np.asarray(~calm, float)
    if gates.any():
        of_failure = alarm_features(lines, words, calm)
        alarms = alarming(of_failure)
        shares = least_shares(of_failure, lines.size) * (gates > 0)
        worths += np.asarray(np.rint(UNIT * gates * alarms), np.int64)
    factors, least = roles_of(lines, pieces)
    if (gates == 1).any():
        least = np.maximum(least, least_of_crashes(lines, words, gates == 1))
    heads, numbered = heads_of(lines, pieces), lines.numbers is not None
    if numbered and (end := _end_of_read(lines)) is not None:
        least[end], heads[end] = max(least[end], OF_END), -1
    alike, said = alike_of(lines, pieces, groups, sizes, alarms, shares)
    said[least > 0] = 1
    worths = np.asarray(np.rint(np.maximum(worths * factors * said, UNIT * least)), np.int64)
    worths[shares > 0] = np.maximum(worths[shares > 0], 1)
    return Outline(kind.value, lines.starts, heads, worths, numbered, alike, said == 0)


def _end_of_read(lines: TextLines) -> int | None:
    """Return the last numbered line if it is short: it shows where the read of a file ended."""
    if lines.numbers is None:
        return None
    end = int(np.flatnonzero(lines.numbers >= 0)[-1])
    is_last = bool(lines.is_blank[end + 1 :].all())
    is_short = lines.lasts[end] - lines.margins[end] <= SHORT_END
    return end if is_last and is_short and not lines.is_blank[end] else None


def _calm(lines: TextLines, kind: TextKind) -> NDArray[np.bool_]:
    """Flag lines of content that was searched or listed, as opposed to a tool's own words."""
    if kind is TextKind.SEARCH:
        return lines.matching(MATCHED)
    if kind in (TextKind.PATHS, TextKind.LISTING):
        return lines.matching(LISTED)
    return np.zeros(lines.size, np.bool_)


def _gates(lines: TextLines, pieces: Iterable[Piece]) -> NDArray[np.float64]:
    """Return, for each line, the weight that failures have in its kind of text."""
    gates = np.ones(lines.size)
    for piece in pieces:
        gates[piece.start : piece.end] = GATES.get(piece.kind, 1.0)
    if lines.numbers is not None:
        gates[:] = 0  # a file that is read
    return gates
