"""Features of lines that say whether, where and how a program failed.

Each distinct word is classified once, and then seen in its context: ``0 errors`` is not an alarm,
and neither is a test that passed, whatever its name is. Everything is computed in arrays.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.failure import LEVELS, STRONG, WORD, phrases
from mckp.frozen import frozen
from mckp.regexes import regex
from mckp.texts.patterns import (
    CARET,
    CELLS,
    E_LINE,
    FRAME,
    LETTERS,
    MARK,
    MASK,
    OTHERS,
    PASS_MARK,
    PATH_LINE,
    RULE,
    SEVERE,
    VALUE,
)

if TYPE_CHECKING:
    from mckp.texts.features import Words
    from mckp.texts.lines import Flags, Numbers, Reals, TextLines

_STRONG: Final = regex(
    r"^(?:(?!(?:Pending)?Deprecat|Future|Syntax)[A-Z][A-Za-z0-9]*(?:Warning)"
    r"|[A-Z][A-Za-z0-9]*(?:Error|Exception|Failure|Fault|Panic|Exit|Interrupt|Timeout))$",
    re.MULTILINE,
)
"""The name of an exception."""

_WARNS: Final = regex(
    r"^(?:warn(?:ing)?s?$|deprecat|pendingdeprecat|(?:future|syntax)warning$|caution$|notice$)",
    re.MULTILINE,
)
_CODE: Final = regex(r"^[A-Z]{1,8}\d{2,5}$", re.MULTILINE)
_NUMERAL: Final = regex(r"^\d+$", re.MULTILINE)
_DIGIT: Final = regex(r"^.*\d", re.MULTILINE)
_FAILURES: Final = frozenset(("errors", "failed"))
_ZEROS: Final = frozenset(("0", "00", "No", "no", "without", "zero"))
_NO_VALUES: Final = frozenset(("0", "False", "None", "false", "ignored", "nil", "none", "null"))
_COMPARING: Final = """
EXPECTED Actual Expected Got Received Want actual but diff exceeded expect expected found got
instead left limit received required requires right want
"""
_VALUES: Final = frozenset(_COMPARING.split())
_COUNTING: Final = """
FAILED Found OK Ran Tests Total checked diagnostics error errors exit fail failed failing failure
failures files finished completed found jobs pass passed passing problem problems ran seconds
skipped succeeded suites summary test tests total warning warnings
"""
_COUNTED: Final = frozenset(_COUNTING.split())
NEAR: Final = 110
"""Characters from the start of a line within which its log level is."""

_LEVELS: Final = {
    "fatal": ("60", "F"),
    "error": ("50", "E"),
    "warn": ("40", "W"),
    "info": ("10 20 30", "ID"),
}
"""The numbers of pino and the letters of klog for each level."""

_KLOG: Final = {
    letters: regex(rf"^[{letters}]\d{{4}}$", re.MULTILINE) for _, letters in _LEVELS.values()
}


MOST_OF_ROW: Final = 1000
"""Characters below which a line may be a row of a table."""


def shift_flags(flags: Flags, offset: int) -> Flags:
    """Return flags in which each index has the flag that is `offset` places before it.

    A negative offset looks ahead. There are no flags beyond either end.
    """
    shifted = np.zeros_like(flags)
    if offset > 0:
        shifted[offset:] = flags[:-offset]
    elif offset < 0:
        shifted[:offset] = flags[-offset:]
    return shifted


def distance_since(flags: Flags) -> Numbers:
    """Return, for each line, its distance from the last flagged line up to it.

    It is 0 for a flagged line, and at least 10,000 before the first one.
    """
    last_flagged = np.where(flags, np.arange(len(flags)), -10_000)
    return np.arange(len(flags)) - np.maximum.accumulate(last_flagged)


class Alarms:
    """Lines of a text that have certain words.

    Attributes
    ----------
    fails, strong : array of bool [lines]
        Lines with a word or phrase of failure, and with one that hardly means anything else.
    nil : array of bool [lines]
        Lines that say that there was no failure, such as ``0 errors``.
    warns : array of bool [lines]
        Lines with a word of warning.
    codes : array of bool [lines]
        Lines with the code of a finding, such as ``E501``.
    values : array of bool [lines]
        Lines with a word that compares values, such as *expected*.
    counts : array of int64 [lines]
        The number of words in each line that are counted, such as those of ``3 failed, 2 passed``.
    """

    def __init__(self, lines: TextLines, words: Words) -> None:
        self._lines, self._words = lines, words
        word_of = lines.word_of

        def flag_words(wanted: frozenset[str]) -> Flags:
            """Flag the occurrences of the wanted words."""
            return words.flag_words(wanted)[word_of]

        is_failure, is_strong = (
            words.flag_matching(WORD, small=True)[word_of],
            (words.flag_matching(_STRONG) | words.flag_words(STRONG.split()))[word_of],
        )
        is_same_line = np.concatenate((lines.line_of[1:] == lines.line_of[:-1], [False]))
        is_beside_zero = self._beside_zero(flag_words(_ZEROS), flag_words(_NO_VALUES), is_same_line)
        is_no_failure = is_beside_zero & (is_failure | is_strong)
        # "0 tests failed", "0 lint errors"
        is_zero = flag_words(_ZEROS) & is_same_line & shift_flags(is_same_line, -1)
        is_no_failure |= shift_flags(is_zero, 2) & flag_words(_FAILURES)
        self.fails = self._flag_lines(
            (is_failure & ~is_no_failure) | self._begins_phrase(is_same_line)
        )
        self.strong = self._flag_lines(is_strong & ~is_no_failure)
        self.nil = self._flag_lines(is_no_failure)
        self.warns = self._flag_lines(
            words.flag_matching(_WARNS, small=True)[word_of] & ~is_beside_zero
        )
        self.codes = self._flag_lines(words.flag_matching(_CODE)[word_of])
        self.values = self._flag_lines(flag_words(_VALUES))
        is_numeral = words.flag_matching(_NUMERAL)[word_of]
        is_count = flag_words(_COUNTED) & (
            shift_flags(is_numeral & is_same_line, 1) | (shift_flags(is_numeral, -1) & is_same_line)
        )
        self.counts = np.bincount(lines.line_of[is_count], minlength=lines.size)

    def _flag_lines(self, occurrences: Flags) -> Flags:
        """Flag the lines that have at least one flagged occurrence of a word."""
        return np.bincount(self._lines.line_of, occurrences, self._lines.size) > 0

    def _beside_zero(self, is_zero: Flags, is_none: Flags, is_same_line: Flags) -> Flags:
        """Flag the words whose count is zero, as in ``0 errors``, ``errors=0`` or ``errors: none``.

        In ``3 errors, 0 warnings``, the zero belongs to the warnings; a zero in another cell of a
        table belongs to neither. `is_same_line` flags the words that another one follows in the
        same line.
        """
        lines = self._lines
        sizes = np.fromiter(map(len, lines.vocabulary), np.int64, len(lines.vocabulary))
        ends = lines.word_at + sizes[lines.word_of]
        gaps = np.append(lines.word_at[1:], len(lines.text)) - ends
        next_codes = lines.codes_at(ends)
        is_close = (gaps == 1) | (
            (gaps <= 3) & np.isin(next_codes, [ord(sign) for sign in "=:\"'("])
        )
        is_close &= (
            is_same_line
            & (next_codes != ord(","))
            & (next_codes != ord("/"))
            & (next_codes != ord("."))
        )
        is_beside: Flags = shift_flags(is_zero & is_close, 1) | (
            shift_flags(is_none, -1) & is_close
        )
        return is_beside

    def _begins_phrase(self, is_same_line: Flags) -> Flags:
        """Flag the words that begin a phrase of failure in one line, such as *not found*."""
        lines = self._lines
        word_of, vocabulary = lines.word_of, lines.vocabulary
        begins = np.zeros(len(word_of), bool)
        seconds = np.append(word_of[1:], -1)
        for first, second in phrases():
            firsts = [
                vocabulary[word] for word in (first, first.capitalize()) if word in vocabulary
            ]
            if second in vocabulary:
                for word in firsts:
                    begins |= (word_of == word) & (seconds == vocabulary[second]) & is_same_line
        return begins


def count_alike_lines(lines: TextLines, words: Words) -> tuple[Numbers, Numbers]:
    """Return, for each line, how many lines have the same common words, in all and before it.

    The line counts itself in the first number. Words that occur in at least three lines and have
    no digit are common.
    """
    counts = np.bincount(words.word, minlength=len(lines.vocabulary))
    is_common = (counts >= 3) & ~words.flag_matching(_DIGIT)
    with np.errstate(over="ignore"):
        word_codes = np.arange(len(counts), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        word_codes ^= word_codes >> np.uint64(29)
        word_codes *= np.uint64(0xBF58476D1CE4E5B9)
        line_codes = np.zeros(lines.size, np.uint64)
        np.add.at(line_codes, words.line, np.where(is_common, word_codes, np.uint64(0))[words.word])
    _, groups, sizes = np.unique(line_codes, return_inverse=True, return_counts=True)
    order = np.argsort(groups, kind="stable")
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    ranks = np.empty(lines.size, np.int64)
    ranks[order] = np.arange(lines.size) - starts[groups[order]]
    return sizes[groups], ranks


def count_alike_findings(lines: TextLines, is_wanted: Flags) -> tuple[Numbers, int]:
    """Return, for each wanted line, how many wanted lines say the same, and the number of kinds.

    The count is 0 for other lines. Lines are compared without quoted names, paths, numbers, and
    words that only one or two of them have.
    """
    counts = np.zeros(lines.size, np.int64)
    places = np.flatnonzero(is_wanted)
    if not len(places):
        return counts, 0
    rows = MASK.sub(
        " ", "\n".join(lines.body(int(place))[:300].replace("\n", " ") for place in places)
    ).split("\n")
    row_words = [frozenset(LETTERS.findall(row)) for row in rows]
    row_counts = Counter(word for words in row_words for word in words)
    kinds = [frozenset(word for word in words if row_counts[word] > 2) for words in row_words]
    sizes = Counter(kinds)
    counts[places] = [sizes[kind] for kind in kinds]
    return counts, len(sizes)


def flag_odd_cells(lines: TextLines) -> tuple[Flags, Flags]:
    """Flag the rows of aligned tables that have a rare state, and the others of these tables.

    A column has states if it has few distinct values, and at least half of the rows have the same
    word in it. Tables without such a column, or with fewer than six rows, have no flags.
    """
    is_odd, is_calm = np.zeros(lines.size, bool), np.zeros(lines.size, bool)
    tables: dict[int, list[tuple[int, list[str]]]] = {}
    for place, body in enumerate(lines.bodies()):
        if len(body) < MOST_OF_ROW and ("  " in body or "\t" in body):
            cells = CELLS.split(body)
            if 3 <= len(cells) <= 30:
                tables.setdefault(len(cells), []).append((place, cells))
    for table in tables.values():
        if len(table) < 6:
            continue
        rows = [place for place, _ in table]
        for column in zip(*(cells for _, cells in table), strict=True):
            states = Counter(column)
            commonest, count = states.most_common(1)[0]
            if count < 0.5 * len(table) or len(states) > max(4, len(table) // 3):
                continue
            if not commonest[:1].isalpha():
                continue
            is_calm[rows] = True
            rare = [states[cell] <= max(1, len(table) // 12) for cell in column]
            is_odd[[place for place, is_rare in zip(rows, rare, strict=True) if is_rare]] = True
    return is_odd, is_calm & ~is_odd


def flag_levels(lines: TextLines, words: Words) -> dict[str, Flags]:
    """Return flags of the lines of each log level; of several levels in a line, the first counts.

    A level is a word in capitals near the start of a line, a word or one of pino's numbers (50 is
    an error) right after a key such as ``level``, or klog's letter with the date at the start, as
    in ``E0314``.
    """
    word_of = lines.word_of
    is_near_start = lines.word_at < lines.firsts[lines.line_of] + NEAR
    is_key = words.flag_words(("level", "severity", "levelname", "lvl"))[word_of]
    is_behind_key = shift_flags(is_key, 1) & is_near_start
    is_at_start = lines.word_at == lines.firsts[lines.line_of]
    no_word = len(word_of)
    first_words: dict[str, Numbers] = {}
    for name, (numbers, letter) in _LEVELS.items():
        capitals = LEVELS[name].split()
        is_level = words.flag_words(capitals)[word_of] & is_near_start
        as_values = (*capitals, *map(str.lower, capitals), *numbers.split())
        is_level |= words.flag_words(as_values)[word_of] & is_behind_key
        is_level |= words.flag_matching(_KLOG[letter])[word_of] & is_at_start
        places = np.flatnonzero(is_level)
        first_word = np.full(lines.size, no_word)
        np.minimum.at(first_word, lines.line_of[places], places)
        first_words[name] = first_word
    earliest = np.minimum.reduce(list(first_words.values()))
    return {
        name: (first_word == earliest) & (first_word < no_word)
        for name, first_word in first_words.items()
    }


@frozen
class FailureFlags:
    """What is known of each line, from which the features of failure are computed.

    Attributes
    ----------
    alarms : Alarms
        The lines with words of failure.
    blank, passing, odd : array of bool [lines]
        Lines that are blank; that say that all is well; rows of a table with a rare state.
    alarm, sure : array of bool [lines]
        Lines that report a failure; those of them that do so clearly.
    mark, value, frame, others, path_line : array of bool [lines]
        Lines with a match of the pattern of that name in `mckp.texts.patterns`. No line is a value
        in a text without a clear failure.
    rare : array of bool [lines]
        Lines that share their common words with at most one other line.
    alike_counts, alike_ranks : array of int64 [lines]
        The number of lines that share the common words of a line, in all and before it.
    levels : dict of str to array of bool [lines]
        Log lines of each level.
    has_levels : bool
        Whether the text has log levels.
    """

    alarms: Alarms
    blank: Flags
    passing: Flags
    odd: Flags
    alarm: Flags
    sure: Flags
    mark: Flags
    value: Flags
    frame: Flags
    others: Flags
    path_line: Flags
    rare: Flags
    alike_counts: Numbers
    alike_ranks: Numbers
    levels: dict[str, Flags]
    has_levels: bool


def _failure_flags(lines: TextLines, words: Words, is_calm: Flags) -> FailureFlags:
    """Return the flags of all lines; those in `is_calm` are never alarms."""
    is_odd, is_usual = flag_odd_cells(lines)
    alarms, levels = Alarms(lines, words), flag_levels(lines, words)
    alike_counts, alike_ranks = count_alike_lines(lines, words)
    is_passing = (lines.flag_matches(PASS_MARK) & ~alarms.strong) | is_usual | is_calm
    has_levels = bool(levels["info"].sum() > 2)
    is_alarm = (alarms.fails | alarms.strong) & ~is_passing
    if has_levels:
        is_alarm &= ~levels["info"]
    is_mark = lines.flag_matches(MARK)
    is_sure = is_alarm & (alarms.strong | is_mark | levels["error"] | levels["fatal"])
    is_value = lines.flag_matches(VALUE) & ~lines.is_blank
    return FailureFlags(
        alarms=alarms,
        blank=lines.is_blank,
        passing=is_passing,
        odd=is_odd,
        alarm=is_alarm,
        sure=is_sure,
        mark=is_mark,
        value=is_value & is_sure.any(),  # else it is an item of a list
        frame=lines.flag_matches(FRAME),
        others=lines.flag_matches(OTHERS),
        path_line=lines.flag_matches(PATH_LINE),
        rare=alike_counts <= 2,
        alike_counts=alike_counts,
        alike_ranks=alike_ranks,
        levels=levels,
        has_levels=has_levels,
    )


def alarm_features(lines: TextLines, words: Words, is_calm: Flags) -> dict[str, Reals]:
    """Return the features of failure of all lines by name; `tables.ALARMS` has their weights.

    `is_calm` flags lines that cannot be alarms, such as those of a list of paths.
    """
    flags = _failure_flags(lines, words, is_calm)
    by_name = _own_features(lines, flags) | _finding_features(lines, flags)
    by_name |= _neighbour_features(lines, flags) | _place_features(lines, words, flags)
    return {name: np.asarray(values, float) for name, values in by_name.items()}


def _own_features(lines: TextLines, flags: FailureFlags) -> dict[str, Flags | Reals]:
    """Return the features of failure that depend on a line and on how many are alike."""
    alarms, is_alarm, levels = flags.alarms, flags.alarm, flags.levels
    is_error = levels["error"] | levels["fatal"]
    is_warning = alarms.warns & ~is_alarm
    lengths = lines.lasts - lines.firsts
    return {
        "alarm": is_alarm,
        "alarm rare": is_alarm & flags.rare,
        "alarm often": is_alarm * np.log(flags.alike_counts) * (flags.alike_ranks > 0),
        "alarm first of many": is_alarm & (flags.alike_counts > 2) & (flags.alike_ranks == 0),
        "alarm at all": is_alarm * (1 / (1 + is_alarm.sum() / 5)),
        "sure at all": flags.sure * (1 / (1 + flags.sure.sum() / 5)),
        "long alarm": is_alarm & (lengths > 120),
        "strong": alarms.strong & ~flags.passing,
        "strong rare": alarms.strong & flags.rare & ~flags.passing,
        "mark": flags.mark,
        "mark alarm": flags.mark & is_alarm,
        "nil": alarms.nil & ~is_alarm,
        "passing": flags.passing,
        "warns": is_warning,
        "warns rare": is_warning & flags.rare,
        "code": alarms.codes,
        "level error": is_error,
        "level error rare": is_error & flags.rare,
        "level warn": levels["warn"],
        "level info": levels["info"],
        "odd level": flags.has_levels & ~levels["info"] & ~flags.blank & flags.rare,
        "severe": lines.flag_matches(SEVERE),
        "odd cell": flags.odd,
        "size": np.log(np.maximum(lengths, 1)) / 5,
    }


def _finding_features(lines: TextLines, flags: FailureFlags) -> dict[str, Flags | Reals]:
    """Return the features of findings, which say what is rare among many that are alike."""
    alarms, is_alarm = flags.alarms, flags.alarm
    is_place = flags.path_line & ~flags.others & ~flags.frame
    is_finding = is_alarm | (alarms.warns & ~alarms.nil) | alarms.codes | is_place
    is_finding &= ~flags.passing
    finding_count = int(is_finding.sum())
    alike_counts, kind_count = count_alike_findings(lines, is_finding)
    is_rare_kind = (
        is_finding
        & (finding_count >= 8)
        & (alike_counts <= max(2, 0.06 * finding_count))
        & (kind_count > 1)
    )
    since_rare = distance_since(is_rare_kind)
    return {
        "finding": is_finding,
        "finding few": is_rare_kind,
        "finding few alarm": is_rare_kind & is_alarm,
        "finding often": is_finding & (finding_count >= 8) & (alike_counts > 0.25 * finding_count),
        "after few": since_rare == 1,
        "after few 4": (since_rare > 1) & (since_rare < 5),
        "before few": distance_since(is_rare_kind[::-1])[::-1] == 1,
    }


def _neighbour_features(lines: TextLines, flags: FailureFlags) -> dict[str, Flags | Reals]:
    """Return the features that depend on the lines around a line: what is in or near a failure."""
    is_caret, is_frame = lines.flag_matches(CARET), flags.frame
    since_alarm, since_sure = distance_since(flags.alarm), distance_since(flags.sure)
    until_alarm = distance_since(flags.alarm[::-1])[::-1]
    has_path = flags.path_line & ~flags.others
    is_e_line = lines.flag_matches(E_LINE)
    is_value, has_value_word = flags.value, flags.alarms.values
    return {
        "caret": is_caret,
        "before caret": shift_flags(is_caret, -1),
        "caret words": is_caret & (np.bincount(lines.line_of, minlength=lines.size) > 1),
        "frame": is_frame,
        "own frame": is_frame & has_path,
        "others": flags.others,
        "last frame": is_frame & ~shift_flags(is_frame, -1) & ~shift_flags(is_frame, -2),
        "value": is_value,
        "value word": has_value_word,
        "value in failure": is_value & ((since_sure < 25) | (flags.mark & ~flags.alarm)),
        "value word in failure": has_value_word & (since_alarm < 12) & (since_alarm > 0),
        "after alarm 1": since_alarm == 1,
        "after alarm 2": since_alarm == 2,
        "after alarm 5": (since_alarm > 2) & (since_alarm < 6),
        "in failure": since_sure < 12,
        "before alarm 1": until_alarm == 1,
        "before alarm 3": (until_alarm > 1) & (until_alarm < 4),
        "path in failure": has_path & ((since_alarm < 8) | (until_alarm < 4)),
        "path:line own": has_path,
        "E line": is_e_line,
        "E first": is_e_line & ~shift_flags(is_e_line, 1),
    }


def _place_features(
    lines: TextLines, words: Words, flags: FailureFlags
) -> dict[str, Flags | Reals]:
    """Return the features of the place of a line, of lines that are alike, and of counts."""
    line_count, is_blank = lines.size, flags.blank
    places = np.arange(line_count)
    is_rule = lines.flag_matches(RULE)
    count_features = np.minimum(flags.alarms.counts, 3) / 2
    return {
        "counts": count_features,
        "counts late": count_features * (places >= line_count - 20),
        "last line": places == line_count - 1,
        "last lines": (places >= line_count - 4) & ~is_blank,
        "first lines": (places < 3) & ~is_blank,
        "rule": is_rule,
        "rule words": is_rule & (words.distinct > 0),
        "rare line": flags.rare & ~is_blank,
        "often": np.log(flags.alike_counts) / 3,
        "repeat": np.log1p(flags.alike_ranks) / 3,
        "after blank": shift_flags(is_blank, 1) & ~is_blank,
        "blank line": is_blank,
        "indented": np.minimum(1.0, lines.indents / 12),
    }
