"""Factors for lines by their role in their kind of text, set by rule, not fitted.

What agents use of a text says little about lines that head others, such as the subject of a commit
or the name of a file: they are read but not repeated. So such lines have a minimum worth.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from math import log10
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.regexes import regex
from mckp.texts.builds import roles_of_builds
from mckp.texts.findings import roles_of_findings
from mckp.texts.kinds import LONGEST, TextKind
from mckp.texts.lines import fences_of, whole_lines
from mckp.texts.pages import roles_of_plan, roles_of_snapshot
from mckp.texts.patterns import (
    BETWEEN,
    CLOSES,
    DEADLY,
    EXTENT,
    LOCATED,
    MATCHED,
    OF_RUN,
    RESULT,
    STAT,
    SUCCEEDED,
    Sought,
)
from mckp.texts.runs import roles_of_tests
from mckp.texts.settings import roles_of_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mckp.texts.kinds import Piece
    from mckp.texts.lines import Lines, Reals, Roles

COMMIT: Final = regex(r"commit [0-9a-f]{7,40}\b")
OF_FILE: Final = regex(r"(?:diff |Index: |Only in |Binary files )")
_SIGNED: Final = regex(r"(?:Author|Commit|Committer|AuthorDate|CommitDate|Date|Merge): ")
_FOLLOWS: Final = regex(r"(?:index [0-9a-f]+\.\.|--- |\+\+\+ |similarity index |\* \* \*)")
_MADE: Final = regex(
    r"\b(?:go\.sum|[\w.-]*[.-]lock(?:\.json|\.yaml)?|npm-shrinkwrap\.json|[\w.-]+\.(?:min\.\w+|snap|map))"
    r"(?= |$)"
)
"""The name of a file that tools write, such as a lock file."""

_MERGES: Final = regex(r" +Merge (?:branch|pull request|remote|tag|\S+ into) ")
_ON_A_LINE: Final = regex(
    r"[*|\\/_ ]{0,160}(?:[0-9a-f]{7,12} (?:\([^)]{0,200}\) )?"
    r"Merge (?:branch|pull request|remote|tag|\S+ into) |[|\\/]$)"
)
"""A merge that is on one line, or a line of the graph without a commit."""

_IN_GRAPH: Final = regex(r"(?=[|\\/_ ]{0,80}\*)[*|\\/_ ]{1,160}[0-9a-f]{7,12} \S")
OF_ONE_LINE: Final = 0.3
"""What a commit that is on one line of a graph is worth at least."""

_CHANGED: Final = regex(r"(?:new file|deleted file|rename |old mode|copy )")
_SUMMED: Final = regex(r" \d+ files? changed")

OF_FILE_CHANGED: Final = 0.2
"""What the count of changes in a file is worth at least for each power of ten of it."""

OF_MERGE: Final = 0.1
"""What the subject of a merge is worth at least: it names branches, and no change."""

FIRST_CHANGE: Final = 0.7
"""What the first changed line of each file is worth at least: a file without any says nothing."""

OF_KEYWORD: Final = 0.2
"""What a changed line is worth, as a share, that has no name in it."""

_KEYWORD: Final = regex(
    r"\s*+(?:\W*+(?:break|continue|default|do|done|else|end|esac|fi|finally|pass|return|then|try"
    r"|nil|null|None|true|false|True|False|err|ok)\b)*+\W*+$"
)
"""What such a line has behind its sign."""

_SAYS: Final = regex(r"[A-Za-z0-9]{2}")

_ENTRY: Final = regex(r"[a-z-][rwxsStT-]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+(\d+(?:\.\d+)?)([KMGTP]?) ")
FEW_FOLDERS: Final = 16
"""Entries for each folder, from which on folders are the exception in a listing."""

_BLOCKS: Final = regex(r"total \d+(?:\.\d+)?[KMGTP]?")
_UNITS: Final = {unit: 1024**power for power, unit in enumerate("KMGTP", 1)}

_COUNT: Final = regex(
    r"(?<![\w.:/-])\d+ (?:\w+ ){0,2}"
    r"(?:errors?|warnings?|problems?|failed|failures?|passed|skipped|files?|tests?|suites?|ok)\b(?!=)"
)
_COUNTS: Final = Sought(
    regex(
        r"^[^\w\n]{0,4}(?:[A-Z][\w ]{0,30}: ?)?\d+(?: (?!and\b)[A-Za-z]\w{0,20}){1,3}+"
        r"(?:(?:,| and|, and|;) \d+(?: (?!and\b)[A-Za-z]\w{0,20}){1,3}+){1,6}+[^\w\n]{0,3}$",
        re.MULTILINE,
    ),
    signs=(", ", "; ", " and "),
)
"""A line of nothing but counts, such as ``3 upgraded, 9 newly installed`` of apt."""

FEW_COUNTS: Final = 3
"""Lines of counts up to which they sum up what was done, wherever they are."""

_FAILURES: Final = regex(r"\W{0,3}fail(?:ed|ures|ing)?:? +[1-9]\d*")

_MORE: Final = Sought(
    regex(
        r"\b(?:(?:full|complete|whole) (?:output|log|result)\b[^\n/]{0,40}"
        r"\b(?:saved|written|found)\b"
        r"|output (?:was |is )?(?:too large|truncated|cut)"
        r"|\d+ more (?:lines|rows|results|matches|files)\b"
        r"|\d+ (?:lines|characters|chars|tokens|bytes) (?:truncated|omitted|hidden))",
        re.IGNORECASE,
    ),
    parts=("saved", "written", "found", "output", "more", "truncated", "omitted", "hidden"),
)
"""What says that there is more, and where."""

OF_RESULT: Final = 0.8
"""What the line is worth at least that begins the first of several results."""

OF_TOP: Final = 0.5
"""What the first line of a document is worth at least: what it is, of whom, and of when."""

TOP: Final = 12
"""Lines within which that falls to a third."""

OF_LABELED: Final = 0.3
"""What a value with its label is worth at least in a document of pages, such as an amount."""

_LABELED: Final = Sought(
    regex(
        r"^[ \t]*+(?:[-•*] )?[A-Z][\w'&/.-]*+(?: [\w'&/.()-]{1,30}){0,4} ?: *+"
        r"(?=[^\n]{0,60}[\d@])\S[^\n]{0,80}$",
        re.MULTILINE,
    )
)
"""A value with its label, such as a date, an amount or an address."""

OF_EXTENT: Final = 0.2
"""What the line is worth at least that says which file is read, and how much of it is shown."""

OF_EACH_RUN: Final = 0.1
"""What a line is worth, as a share, that a tool writes beside each program's output."""

BESIDE: Final = 3
"""Lines from the exit code within which such lines are."""

PAGE_WITHIN: Final = 6
"""Lines among which the mark of the first page is looked for."""

_PAGE: Final = regex(
    r"(?:[=\-*#_\[(<]+ *)?Page \d+(?: of \d+)?(?: *[=\-*#_\])>]+)?$", re.IGNORECASE
)

OF_FENCE: Final = 0.08
"""What the end of a block of code is worth at least, if its beginning stays."""

SAID: Final = 2
"""How often a line is said before further equal lines are worth less."""

LONG_ENOUGH: Final = 16
"""Characters of such a line at least."""

OF_REPEATED: Final = 0.2
"""What a line is worth, as a share, that was said so often before."""

_REPEATING: Final = frozenset(
    (
        TextKind.PROSE,
        TextKind.MARKDOWN,
        TextKind.CONFIG,
        TextKind.BUILD,
        TextKind.HISTORY,
        TextKind.MIXED,
    )
)
"""Kinds of texts in which a line that is said again says nothing new."""

OF_CLOSING: Final = 0.1
"""What a line is worth, as a share, that only ends or joins what is above it."""

AT_END: Final = 6
"""Lines at the end among which a tally is looked for."""

FADING: Final = 16
"""So many matches in one file halve what the next one is worth."""


def roles_of(lines: Lines, pieces: Sequence[Piece]) -> tuple[Reals, Reals]:
    """Return a factor and a minimum worth for each line; see `mckp.texts.worth`."""
    factors, least = np.ones(lines.size), np.zeros(lines.size)
    for piece in pieces:
        rule = _RULES.get(piece.kind)
        if rule is not None:
            some = slice(piece.start, piece.end)
            factors[some], least[some] = rule(whole_lines(lines, piece.start, piece.end))
    for pattern in (CLOSES, BETWEEN):
        factors[lines.matching(pattern)] *= OF_CLOSING
    factors[_of_run(lines)] *= OF_EACH_RUN
    least[lines.matching(EXTENT)] = OF_EXTENT
    for opening, closing in fences_of(lines):
        factors[opening], factors[closing], least[closing] = 0.0, 1.0, OF_FENCE
    if lines.numbers is None:
        results = np.flatnonzero(lines.matching(RESULT))
        least[results] = np.maximum(
            least[results], OF_RESULT / (1 + np.arange(len(results)) / RANKED)
        )
        factors *= _of_repeated(lines, pieces)
        if (top := first_page(lines)) is not None:
            place = np.arange(lines.size - top)
            least[top:] = np.maximum(least[top:], OF_TOP * np.exp(-place / TOP) * (place < 3 * TOP))
            labeled = lines.matching(_LABELED)
            least[top:][labeled[top:]] = np.maximum(least[top:][labeled[top:]], OF_LABELED)
            least[lines.is_blank] = 0
        counts = lines.matching(_COUNTS)
        least[counts] = np.maximum(least[counts], 1.0 if counts.sum() <= FEW_COUNTS else 0.0)
        least[_tallies(lines)] = 1.5
        if not any(piece.kind is TextKind.PROGRAM for piece in pieces):
            least[lines.matching(_MORE)] = 2.0
            least[lines.matching(DEADLY)] = 3.0
    return factors, least


def _of_run(lines: Lines) -> list[int]:
    """Return the lines beside the exit code of a program that succeeded that say how it was run."""
    codes = np.flatnonzero(lines.matching(SUCCEEDED))
    if not len(codes):
        return []
    of_run = np.flatnonzero(lines.matching(OF_RUN)).tolist()
    return [line for line in of_run if np.abs(codes - line).min() <= BESIDE]


def first_page(lines: Lines) -> int | None:
    """Return the line below the mark of the first page, if the text is the pages of a document."""
    for line in range(min(PAGE_WITHIN, lines.size - 1)):
        if _PAGE.match(lines.line(line)):
            return line + 1
    return None


def _of_repeated(lines: Lines, pieces: Sequence[Piece]) -> Reals:
    """Return factors that are low for lines that the text has already, such as a signature."""
    factors = np.ones(lines.size)
    before: Counter[str] = Counter()
    for piece in pieces:
        if piece.kind in _REPEATING:
            for line in range(piece.start, piece.end):
                body = lines.text[lines.firsts[line] : lines.lasts[line]]
                if before[body] >= SAID and len(body) >= LONG_ENOUGH:
                    factors[line] = OF_REPEATED
                before[body] += 1
    return factors


def _tallies(lines: Lines) -> list[int]:
    """Flag the lines at the end that sum up the outcome, even if they say *0 errors*."""
    last = np.flatnonzero(~lines.is_blank)[-AT_END:].tolist()
    return [line for line in last if _is_tally(lines.line(line)[:LONGEST])]


def _is_tally(row: str) -> bool:
    """Whether a row sums up the outcome."""
    return len(_COUNT.findall(row)) > 1 or _FAILURES.fullmatch(row) is not None


def _of_one_line(row: str) -> tuple[float, float] | None:
    """Return the factor and minimum worth of a commit in a graph or a file in a statistic."""
    if _ON_A_LINE.match(row):
        return OF_MERGE / 4, 0.0
    if _IN_GRAPH.match(row):
        return 1.0, OF_ONE_LINE
    if (stat := STAT.match(row)) is not None:
        return 1.0, OF_FILE_CHANGED * log10(2 + min(int(stat[1] or 1), 10**6))
    return None


def _of_history(rows: Sequence[str]) -> Roles:
    """Raise subjects of commits and names of files; lower what repeats them or never varies."""
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    seen: Counter[str] = Counter()
    sums = sum(_SUMMED.match(row) is not None for row in rows)
    is_new = is_named = False  # whether the subject is still to come; whether the file was named
    is_made = is_hunk = False  # whether a tool writes the file; whether changes are here
    is_first = False  # whether the first changed line of the file is still to come
    for place, row in enumerate(rows):
        if COMMIT.match(row):
            least[place], is_new, is_hunk = 0.15, True, False
        elif (role := _of_one_line(row)) is not None:
            factors[place], least[place] = role
        elif is_new and row[:1].isspace() and row.strip():
            least[place], is_new = OF_MERGE if _MERGES.match(row) else 1.2, False
            factors[place] = OF_MERGE if _MERGES.match(row) else 1.0
        elif is_new and _SIGNED.match(row):
            factors[place] = 0.5 / (1 + 9 * seen[row])
            seen[row] += 1
        elif OF_FILE.match(row):
            is_made, is_hunk = _MADE.search(row) is not None, False
            least[place], is_named, is_first = 0.5 if is_made else 1.5, True, True
        elif is_made and row[:1] in ("+", "-", " ", "@"):
            factors[place] = 0.05
        elif row.startswith("@@"):
            is_named, is_hunk = False, True
        elif is_hunk and row[:1] == " ":
            factors[place] = 0.4
        elif row[:1] in ("+", "-") and _KEYWORD.match(row, 1):
            factors[place] = OF_KEYWORD
        elif is_hunk and is_first and row[:1] in ("+", "-") and _SAYS.search(row):
            least[place], is_first = FIRST_CHANGE, False
        elif is_named and _FOLLOWS.match(row):
            factors[place] = 0.05
        elif is_named and _CHANGED.match(row):
            least[place] = 0.4
        elif _SUMMED.match(row):
            least[place] = 0.2 if sums > 1 else 1.5
    return factors, least


def _of_search(rows: Sequence[str]) -> Roles:
    """Raise one match in every file over further ones in the same; lower the total number."""
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    before: Counter[str] = Counter()
    for place, row in enumerate(rows):
        match = LOCATED.match(row)
        if match is None:
            factors[place] = 1.0 if MATCHED.pattern.match(row) else 0.3
        elif not row.startswith("Line "):
            file = match[0].rstrip(":-0123456789")
            factors[place] = 1 / (1 + before[file] / FADING)
            before[file] += 1
    return factors, least


_PROPERTY: Final = regex(r"([A-Z-]+)[;:]")
_OF_EVENT: Final = {
    "SUMMARY": 2.5, "DTSTART": 3.0, "DUE": 3.0, "RRULE": 1.0, "DTEND": 0.6, "DURATION": 0.6,
    "LOCATION": 0.4, "ATTENDEE": 0.5, "DESCRIPTION": 0.5, "ORGANIZER": 0.4,
}  # fmt: skip
"""What properties of iCalendar (RFC 5545) are worth at least: what, when, where and with whom.

A start has twice the tokens of a summary, without which it says nothing.
"""
_FOR_PROGRAMS: Final = frozenset(
    {"UID", "DTSTAMP", "CREATED", "LAST-MODIFIED", "SEQUENCE", "TRANSP", "CLASS"}
)
"""Properties that say to programs which version of which event this is."""


def _of_calendar(rows: Sequence[str]) -> Roles:
    """Raise what, when, where and exceptions of events; lower what only programs need."""
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    states = Counter(row for row in rows if row.startswith("STATUS:"))
    usual = states.most_common(1)[0][0] if states else ""
    for place, row in enumerate(rows):
        match = _PROPERTY.match(row)
        name = match[1] if match else ""
        if name in _FOR_PROGRAMS:
            factors[place] = 0.05
        elif name == "STATUS":
            factors[place], least[place] = (0.2, 0.0) if row == usual else (1.0, 1.5)
        else:
            least[place] = _OF_EVENT.get(name, 0.0)
    return factors, least


def _of_listing(rows: Sequence[str]) -> Roles:
    """Of ``ls -l``, each folder with its largest file; how many blocks it has, last.

    Where few entries are folders, they are as exceptional as the largest file.
    """
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    inner: list[int] = []
    folders: list[list[tuple[float, int]]] = [[]]  # sizes and places of the files of each folder
    for place, row in enumerate(rows):
        if entry := _ENTRY.match(row):
            if row[0] == "-":
                folders[-1].append((float(entry[1]) * _UNITS.get(entry[2], 1), place))
            is_dot = row.endswith((" .", " .."))
            factors[place] = 0.2 if is_dot else 1.0
            if row[0] == "d" and not is_dot:
                inner.append(place)
        elif _BLOCKS.fullmatch(row):
            factors[place] = 0.05
        elif row.endswith(":"):
            least[place] = 0.6
            folders.append([])
    for place in inner if len(inner) * FEW_FOLDERS <= len(rows) else ():
        least[place] = 0.7
    for _, place in sorted(chain(*folders))[-3:]:
        least[place] = 0.7
    for _, place in map(max, filter(None, folders)):
        least[place] = 1.0
    return factors, least


_LINK: Final = regex(r"\W{0,4}(?:link|url|source)\W{1,4}https?://\S", re.IGNORECASE)
OF_LINK: Final = 0.5
"""What the link of a search result is worth at least: it is what its reader opens next."""

OF_TITLE: Final = 0.3
"""What its title is worth at least."""

OF_HEAD: Final = 0.4
"""What the line is worth at least that is above all others of such a record."""

_TITLED: Final = regex(r"\W{0,4}title\W{1,4}\S", re.IGNORECASE)

RANKED: Final = 2
"""Links, from which on records are ranked; so many of them halve what the next one is worth."""

_SNIPPET: Final = regex(
    r"\W{0,4}(?:snippet|description|summary|abstract|content)\W{1,4}\S", re.IGNORECASE
)
OF_SNIPPET: Final = 0.45
"""What the words are worth at least that a search engine shows of its first result."""

_EMPTY_VALUE: Final = regex(r"[\w -]{1,40}: *")
"""A name without a value."""

REPEATED: Final = 4
"""Equal lines, from which on they are what a tool writes into each record."""


def _of_records(rows: Sequence[str]) -> Roles:
    """Raise links in records with a name before each value; lower values that repeat.

    Records with links are the results of a search engine, best first.
    """
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    counts = Counter(rows)
    links = 0
    is_ranked = sum(_LINK.match(row) is not None for row in rows) >= RANKED
    for place, row in enumerate(rows):
        rank = 1 / (1 + links / RANKED) if is_ranked else 1.0
        factors[place] = rank
        if _LINK.match(row):
            least[place] = OF_LINK * rank
            links += 1
        elif is_ranked and _TITLED.match(row):
            least[place] = OF_TITLE * rank
        elif is_ranked and _SNIPPET.match(row):
            least[place] = OF_SNIPPET / (1 + max(0, links - 1) / RANKED) ** 2
        elif is_ranked and row[:1].strip() and _indented(rows, place + 1):
            least[place] = OF_HEAD * rank
        elif (counts[row] >= REPEATED and ": " in row) or (
            _EMPTY_VALUE.fullmatch(row) and not _indented(rows, place + 1)
        ):
            factors[place] = 0.1
    return factors, least


def _of_settings(rows: Sequence[str]) -> Roles:
    """The same; what is neither of a search engine nor repeated is settings."""
    factors, least = _of_records(rows)
    if sum(_LINK.match(row) is not None for row in rows) >= RANKED:
        return factors, least
    more, at_least = roles_of_settings(rows)
    factors = [factor * of_setting for factor, of_setting in zip(factors, more, strict=True)]
    # What many records have with the same value says nothing of any of them.
    return factors, [
        value if factor == 1 else 0.0 for factor, value in zip(factors, at_least, strict=True)
    ]


def _of_prose(rows: Sequence[str]) -> Roles:
    """The same, if sentences hide that it is records: it has links, each behind a name."""
    if sum(_LINK.match(row) is not None for row in rows) < RANKED:
        return [1.0] * len(rows), [0.0] * len(rows)
    return _of_records(rows)


def _indented(rows: Sequence[str], place: int) -> bool:
    """Whether there is an indented row at a place."""
    return place < len(rows) and rows[place][:1].isspace()


_RULES: Final[dict[TextKind, Callable[[Sequence[str]], Roles]]] = {
    TextKind.CALENDAR: _of_calendar,
    TextKind.CONFIG: _of_settings,
    TextKind.DIFF: _of_history,
    TextKind.HISTORY: _of_history,
    TextKind.PROSE: _of_prose,
    TextKind.SEARCH: _of_search,
    TextKind.LISTING: _of_listing,
    TextKind.TESTS: roles_of_tests,
    TextKind.PLAN: roles_of_plan,
    TextKind.SNAPSHOT: roles_of_snapshot,
    TextKind.FINDINGS: roles_of_findings,
    TextKind.BUILD: roles_of_builds,
    TextKind.TRACEBACK: roles_of_builds,
}
