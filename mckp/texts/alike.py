"""Find lines that differ from earlier lines only in numbers.

If a log has a line two hundred times, its reader wants the first, a few that show how the numbers
change, any that is much longer, and the last. The others are *folded*: they are worth a small share
of what they say, so they stay only if there is room after everything else, and the mark of a gap
that has only folded lines says that they are alike. Failures and warnings are worth a little more.

A list in which each line is a fact of its own, such as names with their addresses, is not folded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.regexes import regex
from mckp.texts.lines import LOWER, UPPER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mckp.texts.kinds import Piece
    from mckp.texts.lines import Numbers, Reals, TextLines

MANY: Final = 8
"""Fewest lines that are alike of which some are folded."""

LETTERS: Final = 5
"""Fewest letters of a line that is folded: one with fewer is a row of numbers."""

FOLDED_SHARE: Final = 2.0**-8
"""What a folded line is worth, as a share: others go before it."""

FACTS: Final = 0.5
"""The share of lines of a list that name something by a number from which each is a fact."""

SEVERE: Final = 1.0
"""Least odds of a failure for which the lines right before and behind a line are not folded."""

REPORT_SHARE: Final = 0.05
"""Factor for the worth of each of many failures or warnings that are alike, so that they stay only
if there is room."""

SAMPLES: Final = (0, 1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)
"""Indexes of the lines that stay among those that are alike, besides the last one."""

FEW: Final = 50
"""The longest line of a group stays if at most one in so many is as long as it."""

_REPORTS: Final = ("alarm", "level error", "warns", "level warn")
"""Features of lines that report a failure or a warning."""

_FACT: Final = regex(
    r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){2,}(?![\w.])|[A-Za-z]\w*[-_]\d+\b|\b[A-Za-z]{2,}\d+\b"
    r"|(?<![\d.:])\d+[.,]\d\d(?![\d.,%]| ?[mun\u00b5]?s\b)|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b"
)
"""A number that names something or is what a line says: an address, a version, a name such as
``host-23``, an amount with two decimals, a checksum."""

_NUMBER: Final = regex(r" {0,3}(?:\b(?=[a-f]*\d)[0-9a-f]{6,}\b|\d+)")
_HEX: Final = regex(r"^(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,}$", re.MULTILINE)
_ZEROS: Final = bytes.maketrans(b"123456789", b"000000000")
_MANY_ZEROS: Final = regex("00+")


def _replace_numbers(lines: TextLines) -> str:
    """Return the text with each number, and up to three blanks before it, replaced by a zero.

    Hexadecimal names, such as those of commits, count as numbers.
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
    rows = _replace_numbers(lines).split("\n")[: lines.size]
    index: dict[str, int] = {}
    groups = np.array([index.setdefault(row.strip(), len(index)) for row in rows], np.int64)
    return groups, np.bincount(groups, minlength=len(index))


def report_shares(features: Mapping[str, Reals], line_count: int) -> Reals:
    """Return, for each line, the least factor for its worth if many lines are alike.

    It is `REPORT_SHARE` for failures and warnings, of which a reader wants as many as there is room
    for, and 0 for other lines. `features` are those of failure (`mckp.texts.alarms`), or none, and
    `line_count` is their length.

    Examples
    --------
    >>> flags = {"level error": np.array([0.0, 1.0, 0.0]), "warns": np.array([0.0, 0.0, 1.0])}
    >>> report_shares(flags, 3).tolist()
    [0.0, 0.05, 0.05]
    """
    flags = [features[name] > 0 for name in _REPORTS if name in features]
    shares: Reals = REPORT_SHARE * np.logical_or.reduce(flags or [np.zeros(line_count, np.bool_)])
    return shares


def fold_alike_lines(
    lines: TextLines,
    pieces: Iterable[Piece],
    groups: Numbers,
    sizes: Numbers,
    alarms: Reals,
    shares: Reals,
) -> tuple[Numbers, Reals]:
    """Return, for each line, its group if that is large, else -1, and a factor for its worth.

    The factor of a folded line is 0. Lines of a numbered text are not folded, nor those of a list
    of facts that is no report of a program.

    Parameters
    ----------
    lines, pieces
        The text, and the pieces of it that may be folded, with their kinds.
    groups, sizes : arrays of int64 [lines], [groups]
        The groups of lines that are alike, and their sizes, from `groups_of`.
    alarms : array of float64 [lines]
        The odds that each line reports a failure.
    shares : array of float64 [lines]
        The least factor of each line, from `report_shares`.
    """
    large_groups, factors = np.full(lines.size, -1, np.int64), np.ones(lines.size)
    if lines.numbers is not None:  # a file that is read
        return large_groups, factors
    is_letter = (lines.classes == UPPER) | (lines.classes == LOWER)
    is_foldable = (sizes[groups] >= MANY) & ~lines.is_blank
    is_foldable &= lines.count_flags(is_letter) >= LETTERS
    may_fold = np.zeros(lines.size, np.bool_)
    for piece in pieces:
        may_fold[piece.start : piece.end] = piece.record.folds
    is_foldable &= may_fold
    for piece in pieces:
        if piece.record.role != "report":
            own = piece.start + np.flatnonzero(is_foldable[piece.start : piece.end])
            facts = [_FACT.search(lines.body(place)) is not None for place in own.tolist()]
            is_fact = np.bincount(groups[own], facts, len(sizes)) >= FACTS * sizes
            is_foldable[own] &= ~is_fact[groups[own]]
    places = np.flatnonzero(is_foldable)
    if not len(places):
        return large_groups, factors
    large_groups[places] = groups[places]
    order = places[np.argsort(groups[places], kind="stable")]
    ordered_groups = groups[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered_groups[1:] != ordered_groups[:-1])))
    ends = np.append(starts[1:], len(ordered_groups))
    ranks = np.arange(len(ordered_groups)) - np.repeat(starts, ends - starts)
    sample_factors = np.zeros(len(ordered_groups))
    for step, sample in enumerate(SAMPLES, 1):
        sample_factors[ranks == sample] = 1 / step
    lengths = (lines.lasts - lines.firsts)[order]
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        group_lengths = lengths[start:end]
        longest = group_lengths.max()
        if (group_lengths == longest).sum() <= max(1, (end - start) // FEW):
            sample_factors[start + int(group_lengths.argmax())] += 0.5
        sample_factors[end - 1] += 1 / len(SAMPLES)
    factors[order] = sample_factors
    is_severe = alarms >= SEVERE
    is_near = np.concatenate((is_severe[1:], [False])) | np.concatenate(([False], is_severe[:-1]))
    factors[is_near] = np.maximum(factors[is_near], 0.5)
    factors[is_severe] = np.maximum(factors[is_severe], REPORT_SHARE)
    return large_groups, np.maximum(factors, shares)
