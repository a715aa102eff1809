"""Find what a program's output says about a failure: that, where and how it happened.

Each distinct word is classified once, and then looked at in its context: ``0 errors`` is not an
alarm, and neither is a test that passed, whatever its name says. Everything is computed in arrays.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

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

_FAILS: Final = regex(
    r"^(?!\d+$)(?:.*(?:error|fail|fatal|exception|panic|traceback|denied|undefined|unresolved"
    r"|undeclared|refused|abort|crash|conflict|reject|illegal|corrupt|unreachable|segfault|sigsegv"
    r"|sigabrt|killed|invalid|unexpected|mismatch|violat|unhandled|uncaught|unsatisf|overflow"
    r"|deadlock|leak|segmentation|unhealthy|backoff|unavailable|evicted|expired|exceeds)"
    r"|(?:sigkill|oom|cannot|missing|unknown|bad|critical|severe|alert|err|errno|stderr|broken"
    r"|unable)$|emerg|.*segv$)",
    re.MULTILINE,
)
_STRONG: Final = regex(
    r"^(?:(?!(?:Pending)?Deprecat|Future|Syntax)[A-Z][A-Za-z0-9]*(?:Warning)"
    r"|[A-Z][A-Za-z0-9]*(?:Error|Exception|Failure|Fault|Panic|Exit|Interrupt|Timeout)"
    r"|ERROR|FAILED|FAIL|FAILURE|FATAL|CRITICAL|SEVERE|EMERG|ALERT|panicked|Traceback|ERR|PANIC)$",
    re.MULTILINE,
)
_WARNS: Final = regex(
    r"^(?:warn(?:ing)?s?$|deprecat|pendingdeprecat|(?:future|syntax)warning$|caution$|notice$)",
    re.MULTILINE,
)
_CODE: Final = regex(r"^[A-Z]{1,8}\d{2,5}$", re.MULTILINE)
_NUMERAL: Final = regex(r"^\d+$", re.MULTILINE)
_DIGIT: Final = regex(r"^.*\d", re.MULTILINE)
_FAILED: Final = frozenset(("errors", "failed"))
_ZEROS: Final = frozenset(("0", "00", "No", "no", "without", "zero"))
_NONES: Final = frozenset(("0", "False", "None", "false", "ignored", "nil", "none", "null"))
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
_PAIRS: Final = (
    "not found", "no such", "could not", "couldn t", "can t", "can not", "unable to", "timed out",
    "caused by", "core dumped", "not ok", "not permitted", "not allowed", "did not", "does not",
    "not exist", "doesn t", "must be", "must have", "is not", "are not", "was not", "not match",
    "out of", "too many", "too long", "already exists", "but got", "but received",
    "be destroyed", "be replaced", "forces replacement", "use after",
)  # fmt: skip


NEAR: Final = 110
"""Characters from the beginning of a line in which its level is."""

_LEVELS: Final = {
    "fatal": (("FATAL", "CRITICAL", "PANIC", "EMERG"), ("fatal", "critical", "panic", "60"), "F"),
    "error": (("ERROR", "SEVERE", "ERR"), ("error", "err", "50"), "E"),
    "warn": (("WARN", "WARNING"), ("warn", "warning", "40"), "W"),
    "info": (
        ("INFO", "DEBUG", "TRACE", "NOTICE"),
        ("info", "debug", "trace", "notice", "10", "20", "30"),
        "ID",
    ),
}
_KLOG: Final = {
    letters: regex(rf"^[{letters}]\d{{4}}$", re.MULTILINE) for _, _, letters in _LEVELS.values()
}


MOST_OF_ROW: Final = 1000
"""Characters of the longest line that may be a row of a table."""


def neighbours(flags: Flags, back: int) -> Flags:
    """Shift flags: each index gets the flag that is `back` places before it."""
    moved = np.zeros_like(flags)
    if back > 0:
        moved[back:] = flags[:-back]
    elif back < 0:
        moved[:back] = flags[-back:]
    return moved


def since(flags: Flags) -> Numbers:
    """Return, for each line, the distance to the last flagged line; large before the first."""
    at = np.where(flags, np.arange(len(flags)), -10_000)
    return np.arange(len(flags)) - np.maximum.accumulate(at)


class Alarms:
    """Flags of the lines of a text that mention failures, values, counts or places."""

    def __init__(self, lines: TextLines, words: Words) -> None:
        self._lines, self._words = lines, words
        of = lines.word_of

        def those(wanted: frozenset[str]) -> Flags:
            """Flag the occurrences of words."""
            return words.those(wanted)[of]

        fails, strong = words.like(_FAILS, small=True)[of], words.like(_STRONG)[of]
        same = np.concatenate((lines.line_of[1:] == lines.line_of[:-1], [False]))
        is_nil = self._beside_zero(those(_ZEROS), those(_NONES), same)
        nil = is_nil & (fails | strong)
        # "0 tests failed", "0 lint errors"
        zeros = those(_ZEROS) & same & neighbours(same, -1)
        nil |= neighbours(zeros, 2) & those(_FAILED)
        self.fails = self._lines_with((fails & ~nil) | self._pairs(same))
        self.strong = self._lines_with(strong & ~nil)
        self.nil = self._lines_with(nil)
        self.warns = self._lines_with(words.like(_WARNS, small=True)[of] & ~is_nil)
        self.codes = self._lines_with(words.like(_CODE)[of])
        self.values = self._lines_with(those(_VALUES))
        digits = words.like(_NUMERAL)[of]
        counted = those(_COUNTED) & (neighbours(digits & same, 1) | (neighbours(digits, -1) & same))
        self.counts = np.bincount(lines.line_of[counted], minlength=lines.size)

    def _lines_with(self, occurrences: Flags) -> Flags:
        """Flag the lines that have flagged words."""
        return np.bincount(self._lines.line_of, occurrences, self._lines.size) > 0

    def _beside_zero(self, zero: Flags, none: Flags, same: Flags) -> Flags:
        """Flag the words whose count is zero: ``0 errors``, ``errors=0``, ``errors: none``.

        In ``3 errors, 0 warnings`` the zero belongs to the warnings, and a zero in another cell of
        a table counts for neither.
        """
        lines = self._lines
        sizes = np.fromiter(map(len, lines.vocabulary), np.int64, len(lines.vocabulary))
        ends = lines.word_at + sizes[lines.word_of]
        gaps = np.append(lines.word_at[1:], len(lines.text)) - ends
        signs = np.append(lines.codes, 0)[ends]
        is_close = (gaps == 1) | ((gaps <= 3) & np.isin(signs, [ord(sign) for sign in "=:\"'("]))
        is_close &= same & (signs != ord(",")) & (signs != ord("/")) & (signs != ord("."))
        beside: Flags = neighbours(zero & is_close, 1) | (neighbours(none, -1) & is_close)
        return beside

    def _pairs(self, same: Flags) -> Flags:
        """Flag the words that begin a phrase of failure, such as *not found*."""
        lines = self._lines
        of, index = lines.word_of, lines.vocabulary
        in_phrase = np.zeros(len(of), bool)
        seconds = np.append(of[1:], -1)
        for pair in _PAIRS:
            first, second = pair.split()
            firsts = [index[word] for word in (first, first.capitalize()) if word in index]
            if second in index:
                for word in firsts:
                    in_phrase |= (of == word) & (seconds == index[second]) & same
        return in_phrase


def alikes(lines: TextLines, words: Words) -> tuple[Numbers, Numbers]:
    """Return, for each line, how many lines share its common words, in all and before it."""
    counts = np.bincount(words.word, minlength=len(lines.vocabulary))
    common = (counts >= 3) & ~words.like(_DIGIT)
    with np.errstate(over="ignore"):
        code = np.arange(len(counts), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        code ^= code >> np.uint64(29)
        code *= np.uint64(0xBF58476D1CE4E5B9)
        key = np.zeros(lines.size, np.uint64)
        np.add.at(key, words.line, np.where(common, code, np.uint64(0))[words.word])
    _, group, size = np.unique(key, return_inverse=True, return_counts=True)
    order = np.argsort(group, kind="stable")
    begins = np.concatenate(([0], np.cumsum(size)[:-1]))
    rank = np.empty(lines.size, np.int64)
    rank[order] = np.arange(lines.size) - begins[group[order]]
    return size[group], rank


def kinds_of_finding(lines: TextLines, wanted: Flags) -> tuple[Numbers, int]:
    """Return, for each wanted line, how many say the same, and the number of kinds.

    Quoted names, paths, numbers, and words that only one or two lines have are ignored.
    """
    of_line = np.zeros(lines.size, np.int64)
    places = np.flatnonzero(wanted)
    if not len(places):
        return of_line, 0
    rows = MASK.sub(
        " ", "\n".join(lines.line(int(place))[:300].replace("\n", " ") for place in places)
    ).split("\n")
    row_words = [frozenset(LETTERS.findall(row)) for row in rows]
    often = Counter(word for words in row_words for word in words)
    keys = [frozenset(word for word in words if often[word] > 2) for words in row_words]
    sizes = Counter(keys)
    of_line[places] = [sizes[key] for key in keys]
    return of_line, len(sizes)


def odd_cells(lines: TextLines) -> tuple[Flags, Flags]:
    """Flag rows of aligned tables with a rare state, and rows without a state.

    A column has states if most rows have one of a few words in it.
    """
    odd, calm = np.zeros(lines.size, bool), np.zeros(lines.size, bool)
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
            most, often = states.most_common(1)[0]
            if often < 0.5 * len(table) or len(states) > max(4, len(table) // 3):
                continue
            if not most[:1].isalpha():
                continue
            calm[rows] = True
            rare = [states[cell] <= max(1, len(table) // 12) for cell in column]
            odd[[place for place, is_rare in zip(rows, rare, strict=True) if is_rare]] = True
    return odd, calm & ~odd


def levels(lines: TextLines, words: Words) -> dict[str, Flags]:
    """Flag, for each level, its log lines; of several levels in a line, the first counts.

    A level is a word in capitals near the start of a line, a word or one of pino's numbers (50 is
    an error) right after a key such as ``level``, or klog's letter with the date at the start, as
    in ``E0314``.
    """
    of = lines.word_of
    early = lines.word_at < lines.firsts[lines.line_of] + NEAR
    fields = words.those(("level", "severity", "levelname", "lvl"))[of]
    behind = neighbours(fields, 1) & early
    at_start = lines.word_at == lines.firsts[lines.line_of]
    none = len(of)
    firsts: dict[str, Numbers] = {}
    for name, (capitals, small, letter) in _LEVELS.items():
        here = words.those(capitals)[of] & early
        here |= words.those((*small, *(word.upper() for word in small)))[of] & behind
        here |= words.like(_KLOG[letter])[of] & at_start
        places = np.flatnonzero(here)
        first = np.full(lines.size, none)
        np.minimum.at(first, lines.line_of[places], places)
        firsts[name] = first
    best = np.minimum.reduce(list(firsts.values()))
    return {name: (first == best) & (first < none) for name, first in firsts.items()}


@dataclass(frozen=True, slots=True)
class Signs:
    """Flags of lines, from which the features of failure are computed."""

    found: Alarms
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
    alike: Numbers
    rank: Numbers
    level: dict[str, Flags]
    leveled: bool


def _signs(lines: TextLines, words: Words, calm: Flags) -> Signs:
    """Return the flags from which features of failure are computed."""
    odd, usual = odd_cells(lines)
    alarms, level = Alarms(lines, words), levels(lines, words)
    alike, rank = alikes(lines, words)
    passing = (lines.matching(PASS_MARK) & ~alarms.strong) | usual | calm
    leveled = bool(level["info"].sum() > 2)
    alarm = (alarms.fails | alarms.strong) & ~passing
    if leveled:
        alarm &= ~level["info"]
    mark = lines.matching(MARK)
    return Signs(
        found=alarms,
        blank=lines.is_blank,
        passing=passing,
        odd=odd,
        alarm=alarm,
        sure=alarm & (alarms.strong | mark | level["error"] | level["fatal"]),
        mark=mark,
        value=lines.matching(VALUE) & ~lines.is_blank,
        frame=lines.matching(FRAME),
        others=lines.matching(OTHERS),
        path_line=lines.matching(PATH_LINE),
        rare=alike <= 2,
        alike=alike,
        rank=rank,
        level=level,
        leveled=leveled,
    )


def alarm_features(lines: TextLines, words: Words, calm: Flags) -> dict[str, Reals]:
    """Return features of each line: failure, its values, its place and the verdict.

    `calm` flags lines that cannot be alarms, such as those in a list of paths.
    """
    signs = _signs(lines, words, calm)
    rows = _of_itself(lines, signs) | _of_findings(lines, signs)
    rows |= _of_neighbours(lines, signs) | _of_place(lines, words, signs)
    return {name: np.asarray(values, float) for name, values in rows.items()}


def _of_itself(lines: TextLines, signs: Signs) -> dict[str, Flags | Reals]:
    """Return features of failure that follow from the words of each line alone."""
    alarms, alarm, level = signs.found, signs.alarm, signs.level
    error = level["error"] | level["fatal"]
    warns = alarms.warns & ~alarm
    size = lines.lasts - lines.firsts
    return {
        "alarm": alarm,
        "alarm rare": alarm & signs.rare,
        "alarm often": alarm * np.log(signs.alike) * (signs.rank > 0),
        "alarm first of many": alarm & (signs.alike > 2) & (signs.rank == 0),
        "alarm at all": alarm * (1 / (1 + alarm.sum() / 5)),
        "sure at all": signs.sure * (1 / (1 + signs.sure.sum() / 5)),
        "long alarm": alarm & (size > 120),
        "strong": alarms.strong & ~signs.passing,
        "strong rare": alarms.strong & signs.rare & ~signs.passing,
        "mark": signs.mark,
        "mark alarm": signs.mark & alarm,
        "nil": alarms.nil & ~alarm,
        "passing": signs.passing,
        "warns": warns,
        "warns rare": warns & signs.rare,
        "code": alarms.codes,
        "level error": error,
        "level error rare": error & signs.rare,
        "level warn": level["warn"],
        "level info": level["info"],
        "odd level": signs.leveled & ~level["info"] & ~signs.blank & signs.rare,
        "severe": lines.matching(SEVERE),
        "odd cell": signs.odd,
        "size": np.log(np.maximum(size, 1)) / 5,
    }


def _of_findings(lines: TextLines, signs: Signs) -> dict[str, Flags | Reals]:
    """Return features of rare kinds of findings among many others."""
    alarms, alarm = signs.found, signs.alarm
    places = signs.path_line & ~signs.others & ~signs.frame
    finding = alarm | (alarms.warns & ~alarms.nil) | alarms.codes | places
    finding &= ~signs.passing
    number = int(finding.sum())
    alike, kinds = kinds_of_finding(lines, finding)
    few = finding & (number >= 8) & (alike <= max(2, 0.06 * number)) & (kinds > 1)
    ago = since(few)
    return {
        "finding": finding,
        "finding few": few,
        "finding few alarm": few & alarm,
        "finding often": finding & (number >= 8) & (alike > 0.25 * number),
        "after few": ago == 1,
        "after few 4": (ago > 1) & (ago < 5),
        "before few": since(few[::-1])[::-1] == 1,
    }


def _of_neighbours(lines: TextLines, signs: Signs) -> dict[str, Flags | Reals]:
    """Return features of lines that are inside or next to a failure."""
    caret, frame = lines.matching(CARET), signs.frame
    ago, sure_ago = since(signs.alarm), since(signs.sure)
    ahead = since(signs.alarm[::-1])[::-1]
    path_lines = signs.path_line & ~signs.others
    e_line = lines.matching(E_LINE)
    value, value_word = signs.value, signs.found.values
    return {
        "caret": caret,
        "before caret": neighbours(caret, -1),
        "caret words": caret & (np.bincount(lines.line_of, minlength=lines.size) > 1),
        "frame": frame,
        "own frame": frame & path_lines,
        "others": signs.others,
        "last frame": frame & ~neighbours(frame, -1) & ~neighbours(frame, -2),
        "value": value,
        "value word": value_word,
        "value in failure": value & ((sure_ago < 25) | (signs.mark & ~signs.alarm)),
        "value word in failure": value_word & (ago < 12) & (ago > 0),
        "after alarm 1": ago == 1,
        "after alarm 2": ago == 2,
        "after alarm 5": (ago > 2) & (ago < 6),
        "in failure": sure_ago < 12,
        "before alarm 1": ahead == 1,
        "before alarm 3": (ahead > 1) & (ahead < 4),
        "path in failure": path_lines & ((ago < 8) | (ahead < 4)),
        "path:line own": path_lines,
        "E line": e_line,
        "E first": e_line & ~neighbours(e_line, 1),
    }


def _of_place(lines: TextLines, words: Words, signs: Signs) -> dict[str, Flags | Reals]:
    """Return features of a line's position, of how common its shape is, and of counts."""
    n, blank = lines.size, signs.blank
    place = np.arange(n)
    rule = lines.matching(RULE)
    counts = np.minimum(signs.found.counts, 3) / 2
    return {
        "counts": counts,
        "counts late": counts * (place >= n - 20),
        "last line": place == n - 1,
        "last lines": (place >= n - 4) & ~blank,
        "first lines": (place < 3) & ~blank,
        "rule": rule,
        "rule words": rule & (words.distinct > 0),
        "rare line": signs.rare & ~blank,
        "often": np.log(signs.alike) / 3,
        "repeat": np.log1p(signs.rank) / 3,
        "after blank": neighbours(blank, 1) & ~blank,
        "blank line": blank,
        "indented": np.minimum(1.0, lines.indents / 12),
    }
