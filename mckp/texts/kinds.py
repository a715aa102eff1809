"""Detect the kind of a text by the shapes of its lines; without evidence it is prose."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.frozen import frozen
from mckp.texts.lines import content_lines, lines_of
from mckp.texts.own import on_change, own_kind, registered
from mckp.texts.patterns import (
    COMMENTS,
    COUNTED,
    FILE,
    GAPS,
    HIT,
    LINE,
    LISTED_VALUE,
    LOCATED,
    MEMBER,
    PLAN,
    SENTENCE,
    SHOWN,
    SPOKEN,
    STAT,
    SURE_CODE,
    TITLE,
    VERDICT,
    WARNED,
)
from mckp.texts.plain import plain
from mckp.texts.records import ToolRules, record
from mckp.texts.titles import ALL_SIGNS, title_levels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.texts.lines import TextLines
    from mckp.texts.records import KindRecord


class TextKind(StrEnum):
    """The kinds of text that are distinguished."""

    PROGRAM = "program"
    LOG = "log"
    TESTS = "tests"
    FINDINGS = "findings"
    """What compilers, linters and type checkers report."""
    BUILD = "build"
    TRACEBACK = "traceback"
    PLAN = "plan"
    SEARCH = "search"
    PATHS = "paths"
    LISTING = "listing"
    TABLE = "table"
    DIFF = "diff"
    HISTORY = "history"
    SNAPSHOT = "snapshot"
    SUBTITLES = "subtitles"
    CALENDAR = "calendar"
    CONFIG = "config"
    CSV = "csv"
    MARKDOWN = "markdown"
    HTML = "html"
    LATEX = "latex"
    PROSE = "prose"
    MIXED = "mixed"


MOST_PIECES: Final = 200

SAMPLED: Final = 90
"""Most lines that are examined: half of them from the beginning, a sixth from the end."""

LONGEST: Final = 200
"""Most characters of a line that are examined."""

SHORT_TEXT: Final = 30
"""Lines below which a text with a single line of a tool's report is a report."""

FEW_REPORT_LINES: Final = 0.1
"""Share of lines of a report up to which a longer text is not a report."""

SETTINGS: Final = 6
"""Fewest lines of settings."""

SECTIONS: Final = 2
"""Fewest sections, such as ``[log]``, of settings that have any."""

SURELY: Final = 0.9
"""The share of lines that are settings, sections and values of lists, comments aside."""

MOST_PROSE: Final = 0.4
"""Up to this share of lines with sentences."""

LONGEST_CACHED: Final = 1 << 16
"""Most characters of a sample whose kind is cached."""


@frozen
class Piece:
    """A part of a text with one kind: the lines ``[start, end)``, counted from 0."""

    kind: TextKind
    start: int
    end: int
    level: int | None = None
    """How deep its first line is among the titles that announce pieces, from 0; None if it is no
    such title."""
    own: str = ""
    """The kind that a user added and that it is of; `kind` is the one that this is like."""

    @property
    def record(self) -> KindRecord:
        """What is known of its kind."""
        return _own_record(self.own) if self.own else record(self.kind)


@cache
def _own_record(name: str) -> KindRecord:
    """Return what is known of a registered kind: the values and rules of the one it is like, too.

    Where its rules rate a line, they do so after those of that kind.
    """
    own = registered()[name]
    shipped = record(own.like)
    tool = ToolRules(name, own.rules, own.example, own.first)
    flags: dict[str, Any] = {**own.flags}
    return replace(shipped, tools=(*shipped.tools, tool), **flags)


def kind_of(text: str) -> TextKind:
    r"""Return the kind of a text. In long texts, 90 lines are examined.

    Text that is not clearly anything else is prose. Program output is not Markdown, even if it
    underlines its titles.

    Examples
    --------
    >>> kind_of("src/a.py:3:x = 1\nsrc/a.py:9:x += 1\nsrc/b.py:1:import x\n").value
    'search'
    >>> kind_of("It was late when the ferry came in. We had waited for hours.\n").value
    'prose'
    """
    return _kind_of_plain_text(plain(text).text)[0]


def _kind_of_plain_text(text: str) -> tuple[TextKind, str]:
    """Return the kind of a text without control codes, and the registered one that it is of."""
    sample = _sample_lines(text)
    return (
        _kind_of_sample(sample) if len(sample) > LONGEST_CACHED else _cached_kind_of_sample(sample)
    )


def _kind_of_sample(sample: str) -> tuple[TextKind, str]:
    """Return the kind of a text by all of its lines, and the registered one that it is of."""
    rows, indented_rows = content_lines(sample, LONGEST)
    if (own := own_kind(rows)) is not None:
        return TextKind(own.like), own.name
    return _kind_of_rows(rows, indented_rows) if rows else TextKind.PROSE, ""


_cached_kind_of_sample = lru_cache(maxsize=8)(_kind_of_sample)
"""`_kind_of_sample` with a cache: a call asks for the kind of the same text several times."""

on_change.extend((_cached_kind_of_sample.cache_clear, _own_record.cache_clear))


def _sample_lines(text: str) -> str:
    """Return `SAMPLED` lines of a text that are not blank, or the whole text if it has fewer."""
    rows = text.split("\n")
    filled = [place for place, row in enumerate(rows) if row.strip()]
    if len(filled) <= SAMPLED:
        return text
    middle = filled[SAMPLED // 2 : -SAMPLED // 6]
    steps = SAMPLED // 3
    spread = [middle[step * (len(middle) - 1) // (steps - 1)] for step in range(steps)]
    chosen = [*filled[: SAMPLED // 2], *spread, *filled[-SAMPLED // 6 :]]
    return "\n".join(rows[place] for place in chosen)


def is_output(text: str) -> bool:
    """Whether a text is a report or a listing, in which each line is a unit."""
    return record(kind_of(text)).role != ""


def _kind_of_rows(rows: Sequence[str], indented_rows: Sequence[str]) -> TextKind:
    """Return the kind of a text by its rows; the first test that succeeds decides.

    `rows` has the lines that are not blank, without indentation; `indented_rows` has them with it.
    """
    counts: Counter[str] = Counter()
    prose = 0
    for row in rows:
        match = LINE.match(row)
        counts[(match and match.lastgroup) or "other"] += 1
        prose += SENTENCE.search(row) is not None
    row_count = len(rows)
    shares = {name: count / row_count for name, count in counts.items()}

    def share_of(*names: str) -> float:
        """Return the share of rows that have one of some shapes."""
        return sum(shares.get(name, 0) for name in names)

    sample = "\n".join(rows)
    if counts["cue"] >= 2 or sample.startswith("WEBVTT"):
        return TextKind.SUBTITLES
    if sample.startswith("BEGIN:V") or share_of("event") > 0.3:
        return TextKind.CALENDAR
    if (counts["node"] >= 3 and share_of("node") > 0.3) or sample.count("[ref=") >= 3:
        return TextKind.SNAPSHOT
    if PLAN.search("\n".join(indented_rows)) and (counts["plan"] or "\nPlan: " in sample):
        return TextKind.PLAN
    if counts["hunk"] >= 2 and _changed_share(indented_rows) > 0.1:
        return TextKind.DIFF
    if (
        sample[:200].lower().lstrip().startswith(("<!doctype", "<html", "<?xml"))
        or share_of("tag") > 0.5
    ):
        return TextKind.HTML
    if counts["tex"] >= 2 and share_of("tex") > 0.04:
        return TextKind.LATEX
    has_verdict = VERDICT.search("\n".join(indented_rows)) is not None
    if (has_verdict and share_of("code", "heading") < 0.7) or share_of("test") > 0.3:
        return TextKind.TESTS
    if share_of("level") > 0.3 or SPOKEN.search("\n".join(indented_rows)):
        return TextKind.LOG
    if counts["finding"] >= 2 and COUNTED.search("\n".join(indented_rows)):
        return TextKind.FINDINGS
    if share_of("finding") > 0.2 or (
        counts["finding"] >= 2 and share_of("finding", "bar", "match") > 0.35
    ):
        return TextKind.FINDINGS
    if (
        counts["finding"] >= 2
        and sum(SHOWN.match(row) is not None for row in indented_rows) > 0.3 * row_count
    ):
        return TextKind.FINDINGS
    if share_of("build") > 0.2:
        return TextKind.BUILD
    if share_of("mode") > 0.4:
        return TextKind.LISTING
    if sum(STAT.match(row) is not None for row in indented_rows) > 0.5 * row_count:
        return TextKind.HISTORY
    if (counts["commit"] >= 2 and share_of("commit") > 0.6) or (
        counts["commit"] and "\nAuthor: " in sample
    ):
        return TextKind.HISTORY
    return _kind_of_content(rows, indented_rows, counts, share_of("frame"), prose / row_count)


def _changed_share(indented_rows: Sequence[str]) -> float:
    """Return the share of rows that are changed, by one of the signs that diffs write."""
    unified = sum(row[:1] in ("+", "-", "@") for row in indented_rows)
    plain_changes = sum(row[:2] in ("< ", "> ") for row in indented_rows)
    return max(unified, plain_changes) / len(indented_rows)


def _kind_of_content(
    rows: Sequence[str],
    indented_rows: Sequence[str],
    counts: Counter[str],
    frame_share: float,
    prose_share: float,
) -> TextKind:
    """Return the kind of a text that is not clearly the report of a program.

    Parameters
    ----------
    rows, indented_rows : sequences of str
        As for `_kind_of_rows`.
    counts : Counter
        The number of rows of each shape, by the names of the groups in `LINE`.
    frame_share, prose_share : float
        The shares of rows that are stack frames, and that read like sentences.
    """
    row_count = len(rows)

    def share_of(*names: str) -> float:
        """Return the share of rows that have one of some shapes."""
        return sum(counts[name] for name in names) / row_count

    if share_of("path") > 0.6:
        return TextKind.PATHS
    located_share = sum(LOCATED.match(row) is not None for row in rows) / row_count
    if located_share > 0.4 or (share_of("match") > 0.6 and located_share > 0.1):
        return TextKind.SEARCH
    if _has_matches_below_files(rows):
        return TextKind.SEARCH
    if frame_share > 0.25 and counts["frame"] >= 2:
        return TextKind.TRACEBACK
    if row_count >= 3 and _is_csv(rows):
        return TextKind.CSV
    if row_count >= 3 and sum(_has_cells(row) for row in rows) > 0.7 * row_count:
        return TextKind.TABLE
    if _is_config(rows, counts):
        return TextKind.CONFIG
    is_quoted_code = [WARNED.search(row) is not None for row in ("", *rows[:-1])]
    code_share = share_of("code") - sum(is_quoted_code) / row_count
    sure_code = sum(
        SURE_CODE.match(row) is not None and not is_quoted
        for row, is_quoted in zip(rows, is_quoted_code, strict=True)
    )
    if (
        sure_code >= 3
        and sure_code > 0.06 * row_count
        and not any(row.startswith("```") for row in rows)
    ):
        return TextKind.PROGRAM
    if (
        share_of("heading", "item", "bar") > 0.15
        and counts["heading"] + counts["bar"]
        and code_share < 0.4
    ):
        return TextKind.MARKDOWN
    if share_of("member", "section") > 0.6 and code_share < 0.25 and prose_share < 0.4:
        return TextKind.CONFIG
    if code_share + share_of("member") / 2 > 0.4 and code_share > 0.2 and prose_share < 0.5:
        return TextKind.PROGRAM
    if frame_share > 0 and counts["frame"] >= 2:
        return TextKind.TRACEBACK
    report_lines = sum(counts[name] for name in ("build", "finding", "test", "level"))
    if report_lines > (0 if row_count < SHORT_TEXT else FEW_REPORT_LINES * row_count):
        return TextKind.BUILD if prose_share < 0.7 else TextKind.PROSE
    if share_of("heading", "item") > 0.3:
        return TextKind.MARKDOWN
    return TextKind.PROSE


def _is_config(rows: Sequence[str], counts: Counter[str]) -> bool:
    """Whether a text is settings with comments or long lists, such as a lock file.

    A comment looks like a heading of Markdown, and the end of a list like code.
    """
    settings = [row for row in rows if not row.startswith(COMMENTS)]
    if len(settings) < SETTINGS or any(row.endswith(";") for row in settings):
        return False
    if sum(SENTENCE.search(row) is not None for row in settings) > MOST_PROSE * len(settings):
        return False
    is_member = [MEMBER.match(row) is not None for row in settings]
    members = sum(is_member)
    if counts["section"] >= SECTIONS and members > 0.1 * len(settings):
        lists = sum(LISTED_VALUE.match(row) is not None for row in settings)
        return members + counts["section"] + lists > SURELY * len(settings)
    others = (row for row, is_one in zip(settings, is_member, strict=True) if not is_one)
    items = sum(row.startswith("- ") for row in others)
    is_nested = members > 0.5 * len(settings)
    return is_nested and members + items > SURELY * len(settings) and "## " not in "\n".join(rows)


def _has_matches_below_files(rows: Sequence[str]) -> bool:
    """Whether rows are file names with numbered matches below them, as ripgrep prints them."""
    hits = [HIT.match(row) is not None for row in rows]
    files = [FILE.fullmatch(row) is not None for row in rows]
    followed_files = sum(file and hit for file, hit in zip(files, hits[1:], strict=False))
    return (
        bool(rows)
        and files[0]
        and followed_files > 0
        and sum(hits) + followed_files > 0.8 * len(rows)
    )


def _has_cells(row: str) -> bool:
    """Whether a row has two gaps of at least two blanks."""
    return ("  " in row or "\t" in row) and len(GAPS.findall(row)) >= 2


def _is_csv(rows: Sequence[str]) -> bool:
    """Whether rows look like CSV: most have the same number of short cells, at least three."""
    for separator in ",;\t":
        counts = Counter(row.count(separator) for row in rows)
        separators, row_count = counts.most_common(1)[0]
        if (
            separators >= 2
            and row_count > 0.8 * len(rows)
            and sum(map(len, rows)) / len(rows) / (separators + 1) < 40
        ):
            return True
    return False


def pieces_of(text: str) -> tuple[Piece, ...]:
    r"""Return the pieces of a text that has several outputs, each with a title that announces it.

    Titles are lines such as ``==> name <==``, ``$ command``, ``=== title ===`` and ``## title``;
    each is the first line of its piece. A text without any, or with more than 200, is one piece.

    Examples
    --------
    >>> text = "$ ls src\na.py\nb.py\nc.py\n$ git diff --stat\n a.py | 2 +-\n"
    >>> [(piece.start, piece.end) for piece in pieces_of(text)]
    [(0, 4), (4, 6)]
    """
    return pieces_of_lines(lines_of(plain(text).text))


def pieces_of_lines(lines: TextLines, own: str = "") -> tuple[Piece, ...]:
    """Return the pieces of a text that is given as lines; see `pieces_of`.

    If it is known to be of a kind that a user added (`own`), it is one piece.
    """
    if own:
        return (Piece(TextKind(registered()[own].like), 0, lines.size, own=own),)
    whole_kind, own = _kind_of_plain_text(lines.text)
    single = (Piece(whole_kind, 0, lines.size, own=own),)
    kind = record(whole_kind)
    signs = ALL_SIGNS if kind.signs is None else kind.signs
    levels = title_levels(lines, signs) if signs else {}
    if not levels and not kind.titles:
        offsets = np.array([match.start() for match in TITLE.finditer(lines.text)], np.int64)
        levels = dict.fromkeys(np.flatnonzero(lines.flag_lines_at(offsets)).tolist(), 0)
    if not 2 <= len(levels) <= MOST_PIECES:
        return single
    edges = sorted({0, *levels, lines.size})
    if len(edges) < 3:
        return single
    pieces: list[Piece] = []
    for start, end in pairwise(edges):
        part = lines.text[lines.starts[min(start + 1, end - 1)] : lines.starts[end]]
        part_kind, part_own = _kind_of_plain_text(plain(part).text)
        pieces.append(Piece(part_kind, start, end, levels.get(start), part_own))
    return tuple(pieces)
