"""Detect the kind of a text by the shapes of its lines; without evidence it is prose."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.texts.lines import lines_of, said_lines
from mckp.texts.patterns import (
    COMMENTS,
    COUNTED,
    FILE,
    GAPS,
    HIT,
    JOINT,
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.texts.lines import Lines


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


OUTPUTS: Final = frozenset(
    (TextKind.LOG, TextKind.TESTS, TextKind.FINDINGS, TextKind.BUILD, TextKind.TRACEBACK)
)
"""What programs say of their own work, in which failures are looked for."""

_OF_LINES: Final = (
    TextKind.PLAN,
    TextKind.SEARCH,
    TextKind.PATHS,
    TextKind.LISTING,
    TextKind.TABLE,
)
_TITLED: Final = (*OUTPUTS, TextKind.PROGRAM, TextKind.DIFF, TextKind.MARKDOWN, TextKind.PROSE)
"""Kinds of texts that have titles of their own."""

SAMPLED: Final = 90
"""Lines that are looked at: a half from the beginning, a sixth from the end, some between."""

LONGEST: Final = 200
"""Characters of a line that are looked at."""

SHORT: Final = 30
"""Lines below which one line of a tool's report is enough for a report."""

FEW: Final = 0.1
"""The share of lines that are of a report, up to which a longer text is none."""

SETTINGS: Final = 6
"""Fewest lines of settings."""

SECTIONS: Final = 2
"""Fewest sections, such as ``[log]``, of settings that have any."""

SURELY: Final = 0.9
"""The share of lines that are settings, sections and values of lists, comments aside."""

MOST_PROSE: Final = 0.4
"""Up to this share of lines with sentences."""

HELD: Final = 1 << 16
"""Most characters of a sample whose kind is remembered."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text with one kind: the lines ``[start, end)``, counted from 0."""

    kind: TextKind
    start: int
    end: int


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
    return _kind_of_plain(plain(text).text)


def _kind_of_plain(text: str) -> TextKind:
    sample = _sample(text)
    return _kind_of_sample(sample) if len(sample) > HELD else _kind_once(sample)


def _kind_of_sample(sample: str) -> TextKind:
    rows, whole = said_lines(sample, LONGEST)
    return _kind_of_rows(rows, whole) if rows else TextKind.PROSE


_kind_once = lru_cache(maxsize=8)(_kind_of_sample)
"""The same, for what one call asks several times: what a text is, and how its lines are weighed."""


def _sample(text: str) -> str:
    """Return up to 90 lines of a text, in order, for examination."""
    rows = text.split("\n")
    seen = [place for place, row in enumerate(rows) if row.strip()]
    if len(seen) <= SAMPLED:
        return text
    middle = seen[SAMPLED // 2 : -SAMPLED // 6]
    steps = SAMPLED // 3
    spread = [middle[step * (len(middle) - 1) // (steps - 1)] for step in range(steps)]
    some = [*seen[: SAMPLED // 2], *spread, *seen[-SAMPLED // 6 :]]
    return "\n".join(rows[place] for place in some)


def is_output(text: str) -> bool:
    """Whether a text is a program's report, listing or search, whose lines are units."""
    return kind_of(text) in (*OUTPUTS, *_OF_LINES)


def _kind_of_rows(rows: Sequence[str], whole: Sequence[str]) -> TextKind:
    counts: Counter[str] = Counter()
    prose = 0
    for row in rows:
        match = LINE.match(row)
        counts[(match and match.lastgroup) or "other"] += 1
        prose += SENTENCE.search(row) is not None
    row_count = len(rows)
    share = {name: count / row_count for name, count in counts.items()}

    def has(*names: str) -> float:
        """Return the share of rows of some kinds."""
        return sum(share.get(name, 0) for name in names)

    sample = "\n".join(rows)
    diffs = sum(row[:1] in ("+", "-", "@") for row in whole) / row_count
    if counts["cue"] >= 2 or sample.startswith("WEBVTT"):
        return TextKind.SUBTITLES
    if sample.startswith("BEGIN:V") or has("event") > 0.3:
        return TextKind.CALENDAR
    if (counts["node"] >= 3 and has("node") > 0.3) or sample.count("[ref=") >= 3:
        return TextKind.SNAPSHOT
    if PLAN.search("\n".join(whole)) and (counts["plan"] or "\nPlan: " in sample):
        return TextKind.PLAN
    if counts["hunk"] >= 2 and diffs > 0.1:
        return TextKind.DIFF
    if (
        sample[:200].lower().lstrip().startswith(("<!doctype", "<html", "<?xml"))
        or has("tag") > 0.5
    ):
        return TextKind.HTML
    if counts["tex"] >= 2 and has("tex") > 0.04:
        return TextKind.LATEX
    verdict = VERDICT.search("\n".join(whole)) is not None
    if (verdict and has("code", "heading") < 0.7) or has("test") > 0.3:
        return TextKind.TESTS
    if has("level") > 0.3 or SPOKEN.search("\n".join(whole)):
        return TextKind.LOG
    if counts["finding"] >= 2 and COUNTED.search("\n".join(whole)):
        return TextKind.FINDINGS
    if has("finding") > 0.2 or (counts["finding"] >= 2 and has("finding", "bar", "match") > 0.35):
        return TextKind.FINDINGS
    if (
        counts["finding"] >= 2
        and sum(SHOWN.match(row) is not None for row in whole) > 0.3 * row_count
    ):
        return TextKind.FINDINGS
    if has("build") > 0.2:
        return TextKind.BUILD
    if has("mode") > 0.4:
        return TextKind.LISTING
    if sum(STAT.match(row) is not None for row in whole) > 0.5 * row_count:
        return TextKind.HISTORY
    if (counts["commit"] >= 2 and has("commit") > 0.6) or (
        counts["commit"] and "\nAuthor: " in sample
    ):
        return TextKind.HISTORY
    return _kind_of_content(rows, whole, counts, has("frame"), prose / row_count)


def _kind_of_content(
    rows: Sequence[str], whole: Sequence[str], counts: Counter[str], frames: float, prose: float
) -> TextKind:
    """Return the kind of a text that is not a program report.

    `whole` has the rows with their indentation; `frames` and `prose` are shares of rows.
    """
    row_count = len(rows)

    def has(*names: str) -> float:
        """Return the share of rows of some kinds."""
        return sum(counts[name] for name in names) / row_count

    if has("path") > 0.6:
        return TextKind.PATHS
    located = sum(LOCATED.match(row) is not None for row in rows) / row_count
    if located > 0.4 or (has("match") > 0.6 and located > 0.1):
        return TextKind.SEARCH
    if _is_search_below_files(rows):
        return TextKind.SEARCH
    if frames > 0.25 and counts["frame"] >= 2:
        return TextKind.TRACEBACK
    if row_count >= 3 and _is_csv(rows):
        return TextKind.CSV
    if row_count >= 3 and sum(_has_cells(row) for row in rows) > 0.7 * row_count:
        return TextKind.TABLE
    if _is_config(rows, counts):
        return TextKind.CONFIG
    quoted = [WARNED.search(row) is not None for row in ("", *rows[:-1])]
    code = has("code") - sum(quoted) / row_count
    sure = sum(
        SURE_CODE.match(row) is not None and not of_warning
        for row, of_warning in zip(rows, quoted, strict=True)
    )
    if sure >= 3 and sure > 0.06 * row_count and not any(row.startswith("```") for row in rows):
        return TextKind.PROGRAM
    if has("heading", "item", "bar") > 0.15 and counts["heading"] + counts["bar"] and code < 0.4:
        return TextKind.MARKDOWN
    if has("member", "section") > 0.6 and code < 0.25 and prose < 0.4:
        return TextKind.CONFIG
    if code + has("member") / 2 > 0.4 and code > 0.2 and prose < 0.5:
        return TextKind.PROGRAM
    if frames > 0 and counts["frame"] >= 2:
        return TextKind.TRACEBACK
    of_tools = sum(counts[name] for name in ("build", "finding", "test", "level"))
    if of_tools > (0 if row_count < SHORT else FEW * row_count):
        return TextKind.BUILD if prose < 0.7 else TextKind.PROSE
    if has("heading", "item") > 0.3:
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


def _is_search_below_files(rows: Sequence[str]) -> bool:
    """Whether a text has file names with numbered matches below, as ripgrep prints them."""
    hits = [HIT.match(row) is not None for row in rows]
    files = [FILE.fullmatch(row) is not None for row in rows]
    followed = sum(file and hit for file, hit in zip(files, hits[1:], strict=False))
    return bool(rows) and files[0] and followed > 0 and sum(hits) + followed > 0.8 * len(rows)


def _has_cells(row: str) -> bool:
    """Whether a row has two gaps of at least two blanks."""
    return ("  " in row or "\t" in row) and len(GAPS.findall(row)) >= 2


def _is_csv(rows: Sequence[str]) -> bool:
    """Whether rows are lines of CSV with equally many cells."""
    for sign in ",;\t":
        counts = Counter(row.count(sign) for row in rows)
        most, often = counts.most_common(1)[0]
        if (
            most >= 2
            and often > 0.8 * len(rows)
            and sum(map(len, rows)) / len(rows) / (most + 1) < 40
        ):
            return True
    return False


def pieces_of(text: str) -> tuple[Piece, ...]:
    r"""Split a text that has several outputs at the lines that announce them.

    Such lines are ``==> name <==``, ``$ command``, ``=== title ===`` and the like; each belongs to
    the piece that follows. A text without any is one piece.

    Examples
    --------
    >>> text = "$ ls src\na.py\nb.py\nc.py\n$ git diff --stat\n a.py | 2 +-\n"
    >>> [(piece.start, piece.end) for piece in pieces_of(text)]
    [(0, 4), (4, 6)]
    """
    return pieces_of_lines(lines_of(plain(text).text))


def pieces_of_lines(lines: Lines) -> tuple[Piece, ...]:
    """Split a text, given as lines, into pieces; see `pieces_of`."""
    whole = _kind_of_plain(lines.text)
    single = (Piece(whole, 0, lines.size),)
    at = [match.start() for match in JOINT.finditer(lines.text)]
    if len(at) < 2 and whole not in _TITLED:
        at = [match.start() for match in TITLE.finditer(lines.text)]
    if not 2 <= len(at) <= 200:
        return single
    joints = np.searchsorted(lines.starts, np.array(at), side="right") - 1
    edges = sorted({0, *joints.tolist(), lines.size})
    if len(edges) < 3:
        return single
    made: list[Piece] = []
    for start, end in pairwise(edges):
        part = lines.text[lines.starts[min(start + 1, end - 1)] : lines.starts[end]]
        made.append(Piece(kind_of(part), start, end))
    return tuple(made)
