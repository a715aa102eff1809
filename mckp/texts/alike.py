"""Find lines that differ from earlier lines only in numbers.

If a log has a line two hundred times, its reader wants the first, a few that show how the numbers
change, any that is much longer, and the last. The others are *folded*: they are worth nothing, and
the mark of a gap that has only folded lines says that they are alike. Failures and warnings are
worth a little each: they stay if there is room.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.regexes import regex
from mckp.texts.kinds import OUTPUTS, TextKind
from mckp.texts.lines import LOWER, UPPER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mckp.texts.kinds import Piece
    from mckp.texts.lines import Numbers, Reals, TextLines

MANY: Final = 8
"""Lines that are alike, from which on some of them are folded."""

LETTERS: Final = 5
"""Letters that such a line has at least: one with fewer is a row of numbers."""

FOLDED: Final = (OUTPUTS - {TextKind.FINDINGS}) | {TextKind.PROSE}
"""Kinds of texts in which lines are folded. Of a finding, the number of its line is what counts."""

SEVERE: Final = 1.0
"""The odds of a failure, from which on the lines right before and behind a line are not folded."""

OF_REPORT: Final = 0.05
"""What each of many failures or warnings that are alike is worth, as a share: it stays if there is
room."""

SAMPLES: Final = (0, 1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)
"""Which of the lines that are alike stay, beside the last one, counted from 0."""

FEW: Final = 50
"""A line that is longer than all others stays, if one of so many is as long as it."""

_REPORTS: Final = ("alarm", "level error", "warns", "level warn")
"""Features of lines that report a failure or a warning."""

_NUMBER: Final = regex(r" {0,3}(?:\b(?=[a-f]*\d)[0-9a-f]{6,}\b|\d+)")
_HEX: Final = regex(r"^(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,}$", re.MULTILINE)
_ZEROS: Final = bytes.maketrans(b"123456789", b"000000000")
_MANY_ZEROS: Final = regex("00+")


def _without_numbers(lines: TextLines) -> str:
    """Return a text with each number, and up to three blanks before it, replaced by a zero.

    If no word is a name such as that of a commit, this needs no search for numbers.
    """
    if _HEX.search("\n".join(lines.vocabulary)) is not None:
        return _NUMBER.sub("0", lines.text)
    zeros = lines.text.encode("utf-8", "surrogatepass").translate(_ZEROS)
    text = _MANY_ZEROS.sub("0", zeros.decode("utf-8", "surrogatepass"))
    return text.replace(" 0", "0").replace(" 0", "0").replace(" 0", "0")


def groups_of(lines: TextLines) -> tuple[Numbers, Numbers]:
    r"""Return the group number of each line, and the size of each group.

    Lines of a group are equal except for numbers, such as times, and for hexadecimal names, such as
    those of commits.

    Examples
    --------
    >>> from mckp.texts.lines import lines_of
    >>> groups, sizes = groups_of(lines_of("at 10:41 a\nat 9:00 a\nat 9:00 b\n"))
    >>> groups.tolist(), sizes.tolist()
    ([0, 0, 1], [2, 1])
    """
    rows = _without_numbers(lines).split("\n")[: lines.size]
    index: dict[str, int] = {}
    groups = np.array([index.setdefault(row.strip(), len(index)) for row in rows], np.int64)
    return groups, np.bincount(groups, minlength=len(index))


def least_shares(features: Mapping[str, Reals], size: int) -> Reals:
    """Return, for each line, the share of its worth that it keeps among many that are alike.

    It is 0 but for failures and warnings: of these, a reader wants as many as there is room for.
    `features` are those of failure (`mckp.texts.alarms`), or none.

    Examples
    --------
    >>> flags = {"level error": np.array([0.0, 1.0, 0.0]), "warns": np.array([0.0, 0.0, 1.0])}
    >>> least_shares(flags, 3).tolist()
    [0.0, 0.05, 0.05]
    """
    reports = [features[name] > 0 for name in _REPORTS if name in features]
    shares: Reals = OF_REPORT * np.logical_or.reduce(reports or [np.zeros(size, np.bool_)])
    return shares


def alike_of(
    lines: TextLines,
    pieces: Iterable[Piece],
    groups: Numbers,
    sizes: Numbers,
    alarms: Reals,
    shares: Reals,
) -> tuple[Numbers, Reals]:
    """Return, for each line, its group if that is large (else -1), and a factor for its worth.

    The factor of a folded line is 0. `groups` and `sizes` are from `groups_of`; `alarms` has the
    odds that a line reports a failure, and `shares` the least factor of each line.
    """
    alike, factors = np.full(lines.size, -1, np.int64), np.ones(lines.size)
    if lines.numbers is not None:  # a file that is read
        return alike, factors
    is_letter = (lines.classes == UPPER) | (lines.classes == LOWER)
    letters = np.concatenate((np.zeros(1, np.int64), np.cumsum(is_letter)))
    many = (sizes[groups] >= MANY) & ~lines.is_blank
    many &= letters[lines.lasts] - letters[lines.firsts] >= LETTERS
    for piece in pieces:
        if piece.kind not in FOLDED:
            many[piece.start : piece.end] = False
    places = np.flatnonzero(many)
    if not len(places):
        return alike, factors
    alike[places] = groups[places]
    order = places[np.argsort(groups[places], kind="stable")]
    of = groups[order]
    begins = np.flatnonzero(np.concatenate(([True], of[1:] != of[:-1])))
    ends = np.append(begins[1:], len(of))
    rank = np.arange(len(of)) - np.repeat(begins, ends - begins)
    own = np.zeros(len(of))
    for step, sample in enumerate(SAMPLES, 1):
        own[rank == sample] = 1 / step
    size = (lines.lasts - lines.firsts)[order]
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        sizes_here = size[begin:end]
        longest = sizes_here.max()
        if (sizes_here == longest).sum() <= max(1, (end - begin) // FEW):
            own[begin + int(sizes_here.argmax())] += 0.5
        own[end - 1] += 1 / len(SAMPLES)
    factors[order] = own
    severe = alarms >= SEVERE
    near = np.concatenate((severe[1:], [False])) | np.concatenate(([False], severe[:-1]))
    factors[near] = np.maximum(factors[near], 0.5)
    factors[severe] = np.maximum(factors[severe], OF_REPORT)
    return alike, np.maximum(factors, shares)
