"""A text as lines in groups: the head of each line, and its worth."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.frozen import frozen
from mckp.texts.alarms import alarm_features
from mckp.texts.alike import fold_alike_lines, groups_of, report_shares
from mckp.texts.crashes import crash_worths
from mckp.texts.features import Words, line_features
from mckp.texts.fields import exceptions
from mckp.texts.heads import heads_of
from mckp.texts.kinds import TextKind, pieces_of_lines
from mckp.texts.lines import lines_of
from mckp.texts.patterns import LISTED, MATCHED
from mckp.texts.records import record
from mckp.texts.roles import line_roles
from mckp.texts.worth import UNIT, alarm_odds, fitted_worths

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from mckp.texts.kinds import Piece
    from mckp.texts.lines import Numbers, Reals, TextLines


END_WORTH: Final = 0.6
"""Minimum worth of the last line of a file that was read: its number says where the file ends."""

SHORT_END: Final = 80
"""Most characters of such a line: a longer one costs more than it is worth."""

ENDS: Final = 4
"""The first and last line of several failures of one sort are worth a fourth more, so that they
are the last of them to be cut."""

ERRORS, ODD = "errors", "unlike the others"


@frozen
class Outline:
    """A text of n lines in groups. A line ends at its line feed, and at nothing else.

    Attributes
    ----------
    kind : str
        The kind of the text, such as ``"log"``.
    starts : array of int64 [n + 1]
        Offsets in characters: line i is ``text[starts[i]:starts[i + 1]]`` with its line feed.
    heads : array of int64 [n]
        The line that each line needs to make sense, or -1. A head is above its lines, and all lines
        between the two belong to it too, so heads form a forest in the order of the text.
    worths : array of int64 [n]
        The worth of each line, at least 0, in units of 2**-10, as if no line were folded.
    numbered : bool
        Whether the text shows line numbers.
    alike : array of int64 [n]
        The same number for lines that differ only in numbers, if there are many of them; else -1.
    folded : array of bool [n]
        Whether a line only says what others say with other numbers. Then it is worth a small share
        (`mckp.texts.alike.FOLDED_SHARE`), unless a reader asks for it.
    failures : dict of str to list of int
        The lines of a log that are unlike the others in one way, by what they have and the
        others lack, such as ``with 502``, and those of the level of errors. Each group has at least
        two lines.
    """

    kind: str
    starts: NDArray[np.int64]
    heads: NDArray[np.int64]
    worths: NDArray[np.int64]
    numbered: bool
    alike: NDArray[np.int64]
    folded: NDArray[np.bool_]
    failures: dict[str, list[int]] = field(default_factory=dict[str, "list[int]"])

    def lines(self, first: int, end: int) -> Outline:
        """Return the outline of the lines from `first` to before `end`; heads above are none."""
        some = slice(first, end)
        heads = np.where(self.heads[some] >= first, self.heads[some] - first, -1)
        return Outline(
            self.kind,
            self.starts[first : end + 1] - self.starts[first],
            heads,
            self.worths[some],
            self.numbered,
            self.alike[some],
            self.folded[some],
        )


def outline(
    text: str, *, request: str | None = None, folds: bool = True, kind: str = ""
) -> Outline:
    r"""Return the outline of a text: its kind, and the head and worth of each line.

    Takes O(characters).

    Parameters
    ----------
    text : str
        Any text; it may be empty.
    request : str, optional
        What the reader asks; lines with rare words of it are worth more.
    folds : bool, default True
        Whether lines that are alike are folded.
    kind : str, default ""
        The kind that the text is of, if a user added it (`mckp.texts.register`) and asks for it.

    Examples
    --------
    >>> program = outline("def total(rows):\n    return sum(rows)\n")
    >>> program.starts.tolist(), program.heads.tolist(), program.numbered
    ([0, 17, 38], [-1, 0], False)
    """
    lines = lines_of(text)
    if not lines.size:
        empty = np.zeros(0, np.int64)
        return Outline("prose", lines.starts, empty, empty, False, empty, empty.astype(np.bool_))
    words = Words(lines)
    pieces = pieces_of_lines(lines, kind)
    kinds = {piece.kind for piece in pieces}
    shipped = pieces[0].kind if len(kinds) == 1 else TextKind.MIXED
    gates = _failure_weights(lines, pieces)
    groups, sizes = groups_of(lines)
    worths = _worths_by_kind(line_features(lines, words, request, sizes[groups]), pieces)
    alarms, shares = np.zeros(lines.size), np.zeros(lines.size)
    is_error, failures = np.zeros(lines.size, np.bool_), dict[str, "list[int]"]()
    is_content = _content_lines(lines, shipped)
    if is_content.any():
        gates = np.asarray(~is_content, float)
    if gates.any():
        failure_features = alarm_features(lines, words, is_content)
        alarms = alarm_odds(failure_features)
        shares = report_shares(failure_features, lines.size) * (gates > 0)
        is_error = (failure_features["level error"] > 0) & (gates > 0)
        del failure_features  # it is large
        worths += np.asarray(np.rint(UNIT * gates * alarms), np.int64)
    factors, least = line_roles(lines, pieces)
    if gates.any():
        found = exceptions(lines, pieces, groups)
        least = np.maximum(least, found.least * (gates > 0))
        failures = _failures(found.groups, is_error, _flag_logs(pieces) & (gates > 0))
    if (gates == 1).any():
        least = np.maximum(least, crash_worths(lines, words, gates == 1))
    heads, numbered = heads_of(lines, pieces), lines.numbers is not None
    if numbered and (end := _last_read_line(lines)) is not None:
        least[end], heads[end] = max(least[end], END_WORTH), -1
    foldable = pieces if folds else ()
    alike, fold_factors = fold_alike_lines(lines, foldable, groups, sizes, alarms, shares)
    fold_factors[least > 0] = 1
    is_folded = fold_factors == 0
    factors *= np.where(is_folded, 1.0, fold_factors)
    worths = np.asarray(np.rint(np.maximum(worths * factors, UNIT * least)), np.int64)
    worths[(shares > 0) | is_folded] = np.maximum(worths[(shares > 0) | is_folded], 1)
    for places in failures.values():
        worths[[places[0], places[-1]]] += worths[[places[0], places[-1]]] // ENDS
    return Outline(shipped.value, lines.starts, heads, worths, numbered, alike, is_folded, failures)


def _failures(
    groups: dict[str, list[int]], is_error: NDArray[np.bool_], may_fail: NDArray[np.bool_]
) -> dict[str, list[int]]:
    """Return the groups of at least two lines, most lines first; lines of errors are one group."""
    failures = {ERRORS: np.flatnonzero(is_error & may_fail).tolist()}
    for value, places in groups.items():
        places = sorted(place for place in places if may_fail[place] and not is_error[place])
        failures[f"with {value}" if value else ODD] = places
    ordered = sorted(failures.items(), key=lambda group: -len(group[1]))
    return {name: places for name, places in ordered if len(places) > 1}


def _flag_logs(pieces: Sequence[Piece]) -> NDArray[np.bool_]:
    """Flag the lines of logs: a test run says one failure in several lines, and sums up itself."""
    sizes = [piece.end - piece.start for piece in pieces]
    return np.repeat([piece.record.fields == "mostly" for piece in pieces], sizes)


def _worths_by_kind(features: dict[str, Reals], pieces: Sequence[Piece]) -> Numbers:
    """Return the fitted worth of each line, by the kind of its piece."""
    kinds = list(dict.fromkeys(piece.kind for piece in pieces))
    if len(kinds) == 1:
        return fitted_worths(features, record(kinds[0]))
    sizes = [piece.end - piece.start for piece in pieces]
    numbers = np.repeat([kinds.index(piece.kind) for piece in pieces], sizes)
    worths = np.zeros(len(numbers), np.int64)
    for number, kind in enumerate(kinds):
        own = numbers == number
        own_features = {name: values[own] for name, values in features.items()}
        worths[own] = fitted_worths(own_features, record(kind))
    return worths


def _last_read_line(lines: TextLines) -> int | None:
    """Return the last line of a numbered text if it is short, since it shows where a file ends.

    The result is None if it is long or blank, or if text without line numbers follows.
    """
    if lines.numbers is None:
        return None
    end = int(np.flatnonzero(lines.numbers >= 0)[-1])
    is_last = bool(lines.is_blank[end + 1 :].all())
    is_short = lines.lasts[end] - lines.margins[end] <= SHORT_END
    return end if is_last and is_short and not lines.is_blank[end] else None


def _content_lines(lines: TextLines, kind: TextKind) -> NDArray[np.bool_]:
    """Flag the lines of a search or a listing that have what was asked for, not a tool's own words.

    Other kinds of texts have no such lines.
    """
    if kind is TextKind.SEARCH:
        return lines.flag_matches(MATCHED)
    if kind in (TextKind.PATHS, TextKind.LISTING):
        return lines.flag_matches(LISTED)
    return np.zeros(lines.size, np.bool_)


def _failure_weights(lines: TextLines, pieces: Iterable[Piece]) -> NDArray[np.float64]:
    """Return, for each line, the weight of failures in its kind of text; 0 in numbered texts."""
    gates = np.ones(lines.size)
    for piece in pieces:
        gates[piece.start : piece.end] = piece.record.failures
    if lines.numbers is not None:
        gates[:] = 0  # a file that is read
    return gates
