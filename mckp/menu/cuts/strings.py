"""A long string of data as a text: its lines are chosen as those of any other text.

What a string is worth among the other values is decided elsewhere; here, only which of its lines
stay for a number of characters. Gaps are marked with ``…``, as a value shows no line numbers.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.failure import LEVELS
from mckp.menu.cuts.frontier import option_frontier
from mckp.menu.cuts.lines import plan_of
from mckp.menu.cuts.parts import Parts
from mckp.menu.cuts.worths import request_factors, times_worths, worths_of_parts
from mckp.regexes import regex
from mckp.texts import TextKind, outline, plain

if TYPE_CHECKING:
    from mckp.menu.cuts.lines import LinePlan
    from mckp.menu.cuts.parts import Flags
    from mckp.texts import Outline

CHARACTERS: Final = 3
"""Characters that are as much as a token, about; a gap takes one token."""

MARK: Final = 2
"""Characters of the mark of a gap."""

FEWEST_SECTIONS: Final = 2
"""Headings from which on a text has sections."""
_HEADING: Final = regex(r"^#{1,6} \S", re.MULTILINE)
_ERRORS: Final = "|".join((LEVELS["fatal"] + " " + LEVELS["error"]).split())
_ERROR: Final = regex(rf"^[^\w\n]{{0,8}}(?:{_ERRORS})\b", re.MULTILINE)


class KeptLines(NamedTuple):
    """Some lines of a string, with a mark for each gap."""

    text: str
    missing: int
    """How many lines are missing, in whole or in part."""
    total: int
    share: float
    """The share of the characters that is kept."""
    worth: float
    """The share of the worth of all lines that is kept."""


class StringLines:
    r"""The sets of lines of a string that are worth most for each number of characters.

    Examples
    --------
    >>> log = "".join(f"10:00:{n} step {n}\n" for n in range(10, 60)) + "fatal: out of memory\n"
    >>> StringLines(log, None).within(30).text
    '…\nfatal: out of memory\n'
    """

    def __init__(self, text: str, request: str | None, outlined: Outline | None = None) -> None:
        outlined = _outline_of(text, request) if outlined is None else outlined
        outlined = replace(outlined, alike=np.full_like(outlined.alike, -1))  # gaps just say …
        self._plan = replace(plan_of(text, outlined, ""), numbered=True, escaped={})
        self._total = len(outlined.starts) - 1
        asked = request_factors(outlined, text, request)
        weights = times_worths(np.ones(self._total), outlined, text, asked)
        worths = worths_of_parts(self._plan, weights, request, outlined.kind)
        worths[_flag_unbroken(self._plan)] = 0  # nobody reads the data in an address
        self._sizes = np.diff(self._plan.starts)
        self._worths = worths / max(1.0, float(worths.sum()))
        parts = Parts.of(-(-self._sizes // CHARACTERS), worths, self._plan.head, opens=1)
        options = option_frontier(parts)
        self._options = options
        self._lengths = np.zeros(len(options.cost), dtype=np.int64)
        for portion, sets in options.kept_by_portions():
            before = np.concatenate((np.ones((len(sets), 1), dtype=np.bool_), sets[:, :-1]), axis=1)
            self._lengths[portion] = sets @ self._sizes + MARK * (before & ~sets).sum(axis=1)

    def within(self, most: int) -> KeptLines | None:
        """Return the lines worth most within `most` characters; None if none or all of them fit."""
        fitting = np.flatnonzero((self._lengths <= most) & (self._options.worth > 0))
        while len(fitting):
            kept = self._options.kept(int(fitting[-1]))
            if not kept.all():
                break
            fitting = fitting[:-1]
        else:
            return None
        plan = self._plan
        cut = np.zeros(self._total + 1, dtype=np.bool_)
        for part in np.flatnonzero(~kept).tolist():
            cut[int(plan.first[part]) : int(plan.last[part]) + 1] = True
        text = plan.write(kept)
        return KeptLines(
            text if kept[-1] else text.removesuffix("\n"),
            int(cut.sum()),
            self._total,
            float(kept @ self._sizes) / max(1, len(plan.text)),
            float(kept @ self._worths),
        )


def lines_of(text: str, request: str | None) -> StringLines | None:
    """Return the sets of lines of a string; None if its first lines say most.

    That is so for prose and for Markdown without sections, such as letters and descriptions, unless
    a line begins with the level of an error. Of a letter, "Best regards" had stayed, and of the
    description of a tool, its last note.
    """
    outlined = _outline_of(text, request)
    is_in_order = outlined.kind == TextKind.PROSE or (
        outlined.kind == TextKind.MARKDOWN and len(_HEADING.findall(text)) < FEWEST_SECTIONS
    )
    if is_in_order and not _ERROR.search(text):
        return None
    return StringLines(text, request, outlined)


def _outline_of(text: str, request: str | None) -> Outline:
    """Return the outline of a string, in which codes of terminals count for nothing."""
    cleaned = plain(text).text
    if cleaned is text or cleaned.count("\n") != text.count("\n"):
        return outline(text, request=request)
    ends = [place + 1 for place, sign in enumerate(text) if sign == "\n"]
    starts = [0, *ends] if text.endswith("\n") else [0, *ends, len(text)]
    outlined = outline(cleaned, request=request)
    return replace(outlined, starts=np.array(starts, dtype=np.int64))


def _flag_unbroken(plan: LinePlan) -> Flags:
    """Flag the pieces of long lines, except the first of each, that have no blank in them."""
    inner = (part for part in range(1, plan.size) if plan.is_inner(part))
    unbroken = [part for part in inner if " " not in plan.source(part, part + 1).strip()]
    flags = np.zeros(plan.size, dtype=np.bool_)
    flags[unbroken] = True
    return flags
