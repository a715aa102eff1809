"""Factors and minimum worths of lines by their role in their kind of text, set by rule, not fitted.

What agents used of texts says little about lines that head others, such as the subject of a commit
or the name of a file: they are read but not repeated. So such lines have a minimum worth.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.regexes import regex
from mckp.texts.dumps import dump_roles
from mckp.texts.findings import finding_roles
from mckp.texts.kinds import LONGEST, TextKind
from mckp.texts.lines import code_fences, indented_lines
from mckp.texts.patterns import (
    BETWEEN,
    CLOSES,
    DEADLY,
    EXTENT,
    LOCATED,
    MATCHED,
    RESULT,
    RUN_DETAILS,
    SUCCEEDED,
    Sought,
)
from mckp.texts.programs import declaration_roles
from mckp.texts.records import rated
from mckp.texts.runs import run_roles
from mckp.texts.sections import prose_roles, rate_blocks, section_roles

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mckp.texts.kinds import Piece
    from mckp.texts.lines import Reals, Roles, TextLines
    from mckp.texts.records import Applied, KindRecord

_ENTRY: Final = regex(r"[a-z-][rwxsStT-]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+(\d+(?:\.\d+)?)([KMGTP]?) ")
FEW_FOLDERS: Final = 16
"""Entries per folder above which folders are the exception in a listing."""

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
"""Most lines of counts in a text that are a summary, wherever they are."""

_FAILURES: Final = regex(r"\W{0,3}fail(?:ed|ures|ing)?:? +[1-9]\d*")

_PASSED: Final = regex(r"\d+ (?:passed|tests?|checks?)(?: passed)? in [\d.]+ ?m?s\b.{0,40}")
"""How pytest with ``-q`` and others sum up a run without failures."""

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
"""A message that more was left out, and where it is."""

RESULT_WORTH: Final = 0.8
"""Minimum worth of the first line of the first of several results."""

TOP_WORTH: Final = 0.5
"""Minimum worth of the first line of a document of pages, which often says what it is."""

TOP: Final = 12
"""Number of lines within which that falls to a third."""

ROW_WORTH: Final = 0.6
"""Minimum worth of a row of a table within a report, such as an open port of a host."""

_HEADER: Final = regex(r"[A-Z]{3,}(?: +[A-Z]{3,}){3,}$")
"""A header of such a table: four names or more, in capitals."""

LABELED_WORTH: Final = 0.3
"""Minimum worth of a value with its label, such as an amount, in a document of pages."""

_LABELED: Final = Sought(
    regex(
        r"^[ \t]*+(?:[-•*] )?[A-Z][\w'&/.-]*+(?: [\w'&/.()-]{1,30}){0,4} ?: *+"
        r"(?=[^\n]{0,60}[\d@])\S[^\n]{0,80}$",
        re.MULTILINE,
    )
)
"""A value with its label, such as a date, an amount or an address."""

EXTENT_WORTH: Final = 0.2
"""Minimum worth of the line that says which file was read, and how much of it is shown."""

RUN_SHARE: Final = 0.1
"""Factor for the worth of a line that a tool adds to the output of every program."""

BESIDE: Final = 3
"""Most lines between such a line and the exit code."""

PAGE_WITHIN: Final = 6
"""Number of first lines in which the mark of the first page is searched."""

_PAGE: Final = regex(
    r"(?:[=\-*#_\[(<]+ *)?Page \d+(?: of \d+)?(?: *[=\-*#_\])>]+)?$", re.IGNORECASE
)

FENCE_WORTH: Final = 0.08
"""Minimum worth of the fence that closes a block of code."""

TIMES_SAID: Final = 2
"""Number of equal lines after which further ones are worth less."""

LONG_ENOUGH: Final = 16
"""Fewest characters of such lines."""

REPEATED_SHARE: Final = 0.2
"""Factor for the worth of such further lines."""

CLOSING_SHARE: Final = 0.1
"""Factor for the worth of a line that only ends or joins what is above it."""

AT_END: Final = 6
"""Number of last lines that may be tallies."""

FADING: Final = 16
"""Number of matches in one file after which the worth of the next one is halved."""


def line_roles(lines: TextLines, pieces: Sequence[Piece]) -> tuple[Reals, Reals]:
    """Return a factor and a minimum worth for each line of a text.

    The worth of a line (`mckp.texts.worth`) is multiplied by the factor, and raised to the minimum.
    """
    factors, least = np.ones(lines.size), np.zeros(lines.size)
    for piece in pieces:
        kind = piece.record
        if kind.roles or kind.rules or kind.tools:
            rows = indented_lines(lines, piece.start, piece.end)
            factors[piece.start : piece.end], least[piece.start : piece.end] = _roles(rows, kind)
    for pattern in (CLOSES, BETWEEN):
        factors[lines.flag_matches(pattern)] *= CLOSING_SHARE
    factors[_lines_about_runs(lines)] *= RUN_SHARE
    least[lines.flag_matches(EXTENT)] = EXTENT_WORTH
    for opening, closing in code_fences(lines):
        factors[opening], factors[closing], least[closing] = 0.0, 1.0, FENCE_WORTH
    if lines.numbers is None:
        dump_roles(lines, factors, least)
        results = np.flatnonzero(lines.flag_matches(RESULT))
        least[results] = np.maximum(
            least[results], RESULT_WORTH / (1 + np.arange(len(results)) / RANKED)
        )
        factors *= _repeated_line_factors(lines, pieces)
        if (first_line := first_page_line(lines)) is not None:
            distances = np.arange(lines.size - first_line)
            least[first_line:] = np.maximum(
                least[first_line:], TOP_WORTH * np.exp(-distances / TOP) * (distances < 3 * TOP)
            )
            labeled = lines.flag_matches(_LABELED)
            least[first_line:][labeled[first_line:]] = np.maximum(
                least[first_line:][labeled[first_line:]], LABELED_WORTH
            )
            least[lines.is_blank] = 0
        counts = lines.flag_matches(_COUNTS)
        least[counts] = np.maximum(least[counts], 1.0 if counts.sum() <= FEW_COUNTS else 0.0)
        for piece in pieces:
            if piece.end == lines.size or piece.record.tallies:
                least[_tally_lines(lines, piece)] = 1.5
        if not any(piece.kind is TextKind.PROGRAM for piece in pieces):
            least[lines.flag_matches(_MORE)] = 2.0
            least[lines.flag_matches(DEADLY)] = 3.0
    return factors, least


def _roles(rows: Sequence[str], kind: KindRecord) -> Roles:
    """Return a factor and a minimum worth for each row of a piece, by its kind."""
    if kind.roles == "settings":
        return _setting_roles(rows, kind)
    roles = _ROLES[kind.roles](rows) if kind.roles else _no_roles(rows)
    return rated(rows, kind, roles)


def rules_of_lines(lines: TextLines, pieces: Sequence[Piece]) -> dict[int, list[Applied]]:
    """Return the rules that rated each line, by its number from 0; lines without any are left out.

    Of settings, the rules that functions set aside are among them, too.
    """
    found: dict[int, list[Applied]] = {}
    for piece in pieces:
        rows = indented_lines(lines, piece.start, piece.end)
        applied: dict[int, list[Applied]] = {}
        rated(rows, piece.record, _no_roles(rows), applied)
        found |= {piece.start + place: rules for place, rules in applied.items()}
    return found


def _no_roles(rows: Sequence[str]) -> Roles:
    return [1.0] * len(rows), [0.0] * len(rows)


def _lines_about_runs(lines: TextLines) -> list[int]:
    """Return the lines that say how a program was run, near the exit code of one that succeeded."""
    codes = np.flatnonzero(lines.flag_matches(SUCCEEDED))
    if not len(codes):
        return []
    details = np.flatnonzero(lines.flag_matches(RUN_DETAILS)).tolist()
    return [line for line in details if np.abs(codes - line).min() <= BESIDE]


def first_page_line(lines: TextLines) -> int | None:
    """Return the number of the line below the mark of the first page of a document.

    The result is None if no such mark is among the first lines.
    """
    for line in range(min(PAGE_WITHIN, lines.size - 1)):
        if _PAGE.match(lines.body(line)):
            return line + 1
    return None


def _repeated_line_factors(lines: TextLines, pieces: Sequence[Piece]) -> Reals:
    """Return a factor for each line, which is low for repeated lines, such as a signature."""
    factors = np.ones(lines.size)
    counts: Counter[str] = Counter()
    for piece in pieces:
        if piece.record.repeats:
            for line in range(piece.start, piece.end):
                body = lines.text[lines.firsts[line] : lines.lasts[line]]
                if counts[body] >= TIMES_SAID and len(body) >= LONG_ENOUGH:
                    factors[line] = REPEATED_SHARE
                counts[body] += 1
    return factors


def _tally_lines(lines: TextLines, piece: Piece) -> list[int]:
    """Return those of a piece's last lines that sum up the outcome, even if they say *0 errors*."""
    is_full = ~lines.is_blank[piece.start : piece.end]
    last = (piece.start + np.flatnonzero(is_full)[-AT_END:]).tolist()
    return [line for line in last if _is_tally(lines.body(line)[:LONGEST])]


def _is_tally(row: str) -> bool:
    """Whether a row has at least two counts, or is the count of failures or of a short report."""
    is_count = _FAILURES.fullmatch(row) or _PASSED.fullmatch(row)
    return len(_COUNT.findall(row)) > 1 or is_count is not None


def _search_roles(rows: Sequence[str]) -> Roles:
    """Return a factor and a minimum worth for each row of a search.

    The factor of a match falls with the number of earlier ones in the same file. Rows that are
    neither matches nor other content are lowered, such as the number of matches.
    """
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    match_counts: Counter[str] = Counter()
    for place, row in enumerate(rows):
        match = LOCATED.match(row)
        if match is None:
            factors[place] = 1.0 if MATCHED.pattern.match(row) else 0.3
        elif not row.startswith("Line "):
            file = match[0].rstrip(":-0123456789")
            factors[place] = 1 / (1 + match_counts[file] / FADING)
            match_counts[file] += 1
    return factors, least


def _listing_roles(rows: Sequence[str]) -> Roles:
    """Return a factor and a minimum worth for each row of a listing by ``ls -l``.

    Folders, the largest file of each, and the three largest files of all are raised. So are
    folders in a listing that has few. The number of blocks is lowered.
    """
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    inner_folders: list[int] = []
    folders: list[list[tuple[float, int]]] = [[]]  # sizes and places of the files of each folder
    for place, row in enumerate(rows):
        if entry := _ENTRY.match(row):
            if row[0] == "-":
                folders[-1].append((float(entry[1]) * _UNITS.get(entry[2], 1), place))
            is_dot = row.endswith((" .", " .."))
            factors[place] = 0.2 if is_dot else 1.0
            if row[0] == "d" and not is_dot:
                inner_folders.append(place)
        elif _BLOCKS.fullmatch(row):
            factors[place] = 0.05
        elif row.endswith(":"):
            least[place] = 0.6
            folders.append([])
    for place in inner_folders if len(inner_folders) * FEW_FOLDERS <= len(rows) else ():
        least[place] = 0.7
    for _, place in sorted(chain(*folders))[-3:]:
        least[place] = 0.7
    for _, place in map(max, filter(None, folders)):
        least[place] = 1.0
    return factors, least


LINK: Final = regex(r"\W{0,4}(?:link|url|source)\W{1,4}https?://\S", re.IGNORECASE)
LINK_WORTH: Final = 0.5
"""Minimum worth of the link of a search result, which a reader may open next."""

TITLE_WORTH: Final = 0.3
"""Minimum worth of the title of a search result."""

HEAD_WORTH: Final = 0.4
"""Minimum worth of the line above all others of a search result."""

_TITLED: Final = regex(r"\W{0,4}title\W{1,4}\S", re.IGNORECASE)

RANKED: Final = 2
"""Fewest links in results of a search engine, and the number after which worth is halved."""

_SNIPPET: Final = regex(
    r"\W{0,4}(?:snippet|description|summary|abstract|content)\W{1,4}\S", re.IGNORECASE
)
SNIPPET_WORTH: Final = 0.45
"""Minimum worth of the snippet that a search engine shows of its first result."""

_EMPTY_VALUE: Final = regex(r"[\w -]{1,40}: *")
"""A name without a value."""

REPEATED: Final = 4
"""Fewest equal lines that are something a tool writes into each record."""


def _record_roles(rows: Sequence[str]) -> Roles:
    """Return a factor and a minimum worth for each row of records with a name before each value.

    Links are raised; repeated values and names without a value are lowered. Records with at least
    `RANKED` links are the results of a search engine, best first: further ones are lowered.
    """
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    counts = Counter(rows)
    link_count = 0
    is_ranked = sum(LINK.match(row) is not None for row in rows) >= RANKED
    for place, row in enumerate(rows):
        rank_share = 1 / (1 + link_count / RANKED) if is_ranked else 1.0
        factors[place] = rank_share
        if LINK.match(row):
            least[place] = LINK_WORTH * rank_share
            link_count += 1
        elif is_ranked and _TITLED.match(row):
            least[place] = TITLE_WORTH * rank_share
        elif is_ranked and _SNIPPET.match(row):
            least[place] = SNIPPET_WORTH / (1 + max(0, link_count - 1) / RANKED) ** 2
        elif is_ranked and row[:1].strip() and _has_indented_row(rows, place + 1):
            least[place] = HEAD_WORTH * rank_share
        elif (counts[row] >= REPEATED and ": " in row) or (
            _EMPTY_VALUE.fullmatch(row) and not _has_indented_row(rows, place + 1)
        ):
            factors[place] = 0.1
    return factors, least


def _setting_roles(rows: Sequence[str], kind: KindRecord) -> Roles:
    """The same; what is neither of a search engine nor repeated is rated by the rules."""
    factors, least = _record_roles(rows)
    if sum(LINK.match(row) is not None for row in rows) >= RANKED:
        return factors, least
    rate_blocks(rows, factors, least)
    more, at_least = rated(rows, kind, _no_roles(rows))
    factors = [factor * of_setting for factor, of_setting in zip(factors, more, strict=True)]
    # What many records have with the same value says nothing of any of them.
    return factors, [
        max(own, value if factor == 1 else 0.0)
        for factor, value, own in zip(factors, at_least, least, strict=True)
    ]


def _prose_roles(rows: Sequence[str]) -> Roles:
    """Return a factor and a minimum worth for each row of prose.

    Prose with at least `RANKED` links, each behind a name, is rated as records. In other prose, the
    rows of tables with a header in capitals have a minimum; for the rest see `prose_roles`.
    """
    if sum(LINK.match(row) is not None for row in rows) < RANKED:
        factors, least = prose_roles(rows)
        return factors, [*map(max, least, _row_minima(rows))]
    return _record_roles(rows)


def _row_minima(rows: Sequence[str]) -> list[float]:
    """Return the minimum worth of each row: above 0 for rows of small tables within a report.

    A table goes from its header to the next blank row; other rows within it have fewer cells.
    """
    least = [0.0] * len(rows)
    columns = 0
    for place, row in enumerate(rows):
        if _HEADER.match(row):
            columns = len(row.split())
        elif not row.strip():
            columns = 0
        elif columns and row[:1].isdigit() and len(row.split()) >= columns - 1:
            least[place] = ROW_WORTH
    return least


def _has_indented_row(rows: Sequence[str], place: int) -> bool:
    """Whether there is a row at an index, and it is indented."""
    return place < len(rows) and rows[place][:1].isspace()


_ROLES: Final[dict[str, Callable[[Sequence[str]], Roles]]] = {
    "declarations": declaration_roles,
    "files": _listing_roles,
    "findings": finding_roles,
    "matches": _search_roles,
    "prose": _prose_roles,
    "sections": section_roles,
    "tests": run_roles,
}
"""The functions that ``kinds.toml`` names as ``roles``, but for that of settings."""
