"""Find the head of each line: the line that it needs to make sense."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.regexes import regex
from mckp.texts.findings import DEEP, levels_of_findings
from mckp.texts.kinds import TextKind
from mckp.texts.lines import fences_of, whole_lines
from mckp.texts.patterns import BETWEEN, GAPS, HIT, JOINT, RESULT, TITLE
from mckp.texts.roles import COMMIT, OF_FILE
from mckp.texts.runs import GO_SAID, GO_STEP
from mckp.texts.settings import levels_of_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mckp.texts.kinds import Piece
    from mckp.texts.lines import Flags, Lines, Numbers

_NAMELESS: Final = regex(
    r"(?:if|elif|else|for|while|switch|case|try|except|catch|finally|with|do|return|default"
    r"|- (?:generic|listitem|list|paragraph|group|row|cell))\b|[^\w`~]+$"
)
"""A line above others that does not say what they belong to, such as the border of a box."""

_BULLET: Final = regex(r"(?:[-*+•]|\d+[.)])\s")
_UNDERLINE: Final = regex(r"[~^][~^ ]*$")
_SECTION: Final = regex(r"(#{1,6}) \S")
WRAPPED: Final = frozenset((TextKind.PROSE, TextKind.MARKDOWN, TextKind.LATEX, TextKind.HISTORY))
"""Kinds of texts whose sentences may go on in the next line."""

WRAPPED_AT: Final = 50
"""Characters of a line at least, if its sentence goes on in the next one."""

_ENDS: Final = ".!?:;|{}>"
_WORDS: Final = regex(r"[a-z] [a-z]")
_BRANCH: Final = regex(r"^[│|   `+-]*(?:├──|└──|\|--|`--|\+--)")


def heads_of(lines: Lines, pieces: Iterable[Piece]) -> Numbers:
    """Return the head of each line, or -1, by indentation or by rules for the kind of text.

    In a diff, the head of a changed line is its hunk, and that of a hunk its file. In a search, the
    head of a match is its file; in a table, the row of names; in a listing, the folder. A line that
    announces a command or file is the head of everything that follows.
    """
    bodies = lines.bodies()
    items = [_BULLET.match(body) is not None for body in bodies]
    depths = 2 * lines.indents + np.array(items, np.int64)
    names = np.array([_NAMELESS.match(body) is None for body in bodies], bool)
    parts = list(pieces)
    for piece in parts:
        start = piece.start
        if len(parts) > 1 and _begins_piece(bodies[start]):
            depths[start] = -DEEP
            start += 1
        levels = _LEVELS.get(piece.kind)
        piece_levels = None if levels is None else levels(whole_lines(lines, start, piece.end))
        if piece_levels is not None:
            depths[start : piece.end] = piece_levels
            names[start : piece.end] &= np.array(piece_levels, np.int64) < DEEP
    if lines.numbers is None and (begins := lines.matching(RESULT)).any():
        depths[begins] = -DEEP // 2
        names[begins] = True
    for opening, closing in fences_of(lines):
        inside = slice(opening + 1, closing + 1)
        depths[inside] = np.maximum(depths[inside], depths[opening] + 1)
        names[opening], names[closing] = True, False
    heads = by_depth(depths, names, lines.is_blank)
    is_wrapped = np.zeros(lines.size, np.bool_)
    for piece in parts:
        is_wrapped[piece.start : piece.end] = piece.kind in WRAPPED
    _bind(heads, bodies, is_wrapped)
    return heads


def _bind(heads: Numbers, bodies: Sequence[str], is_wrapped: Flags) -> None:
    """Make the line above the head of each line that means nothing without it."""
    above = -1  # the nearest line above that is not blank
    for line, body in enumerate(bodies):
        if body[:1] in ("^", "~") and _UNDERLINE.match(body) and above == line - 1 >= 0:
            heads[line] = above  # it underlines what is above it
        elif body[:1] in ("D", "T") and above >= 0 and BETWEEN.pattern.match(body):
            heads[line] = above
        elif (
            is_wrapped[line]
            and above == line - 1 >= 0
            and body[:1].islower()
            and _goes_on(bodies[above])
        ):
            heads[line] = above  # it begins within a sentence
        above = line if body else above


def _goes_on(row: str) -> bool:
    """Whether a line ends within a sentence: it is as long as a wrapped one, and has no end."""
    return len(row) >= WRAPPED_AT and row[-1] not in _ENDS and _WORDS.search(row) is not None


def _begins_piece(body: str) -> bool:
    """Whether a line begins a part of the text."""
    return JOINT.match(body) is not None or TITLE.match(body) is not None


def _of_diff(rows: Sequence[str]) -> list[int]:
    """Return the levels of a diff, or of a history with diffs: commit, file, hunk, line.

    The lines after the subject of a commit are below the subject, which may be kept without the
    hash.
    """
    levels: list[int] = []
    is_named = False  # whether a line such as `diff --git a/x b/x` names the file
    is_new = False  # whether the subject of a commit is still to come
    for place, row in enumerate(rows):
        level = DEEP
        if COMMIT.match(row):
            level, is_named, is_new = 0, False, True
        elif is_new and row[:1].isspace() and row.strip():
            level, is_new = 0, False
        elif OF_FILE.match(row):
            level, is_named = 1, True
        elif row.startswith("--- ") and rows[place + 1 : place + 2] and not is_named:
            if rows[place + 1].startswith("+++ "):
                level = 1
        elif row.startswith("@@"):
            is_named = False  # its lines hang on the file: marks say where they are
        levels.append(level)
    return levels


def _of_search(rows: Sequence[str]) -> list[int] | None:
    """Return the levels of matches below their files; empty if the search has another style."""
    hits = [HIT.match(row.lstrip()) is not None for row in rows]
    levels = [DEEP] * len(rows)
    for place, is_hit in enumerate(hits[1:], 1):
        if is_hit and rows[place - 1].strip() and not hits[place - 1] and rows[place - 1] != "--":
            levels[place - 1] = 0
    return levels if 0 in levels else None


def _of_table(rows: Sequence[str]) -> list[int] | None:
    """Return the levels of rows below a header row, if the first row is one."""
    first = next((place for place, row in enumerate(rows) if row.strip()), None)
    if first is None:
        return None
    row = rows[first]
    has_cells = GAPS.search(row) is not None or row.count(",") > 1 or row.count(" | ") > 1
    has_names = has_cells and not any(map(str.isdigit, row))
    if not has_names:
        return None
    return [0 if place == first else DEEP for place in range(len(rows))]


def _of_listing(rows: Sequence[str]) -> list[int] | None:
    """Return the levels of a tree of folders, or of rows below their folder."""
    branches = [_BRANCH.match(row) for row in rows]
    if any(branches):
        return [len(match[0]) if match else 0 for match in branches]
    is_folder = [row.endswith(":") and not row[:1].isspace() for row in rows]
    if not any(is_folder):
        return None
    return [0 if is_head else DEEP for is_head in is_folder]


def _of_markdown(rows: Sequence[str]) -> list[int]:
    """Return the levels of a page: below its headings, and by indentation."""
    levels: list[int] = []
    is_code = False
    for row in rows:
        body = row.lstrip()
        is_code ^= body.startswith(("```", "~~~"))
        heading = None if is_code else _SECTION.match(row)
        indent = len(row) - len(body)
        levels.append(len(heading[1]) - 10 if heading else 2 * indent + bool(_BULLET.match(body)))
    return levels


def _of_tests(rows: Sequence[str]) -> list[int] | None:
    """Return the levels of a Go test report; what a test prints is below its log line."""
    if not any(GO_STEP.match(row) for row in rows):
        return None
    return [0 if GO_SAID.match(row) else 2 * (len(row) - len(row.lstrip())) for row in rows]


def _of_log(rows: Sequence[str]) -> list[int]:
    """Return the levels of a log by indentation: a sign at the margin is no bullet."""
    return [2 * (len(row) - len(row.lstrip())) for row in rows]


_LEVELS: Final[dict[TextKind, Callable[[Sequence[str]], list[int] | None]]] = {
    TextKind.DIFF: _of_diff,
    TextKind.HISTORY: _of_diff,
    TextKind.SEARCH: _of_search,
    TextKind.TABLE: _of_table,
    TextKind.CSV: _of_table,
    TextKind.LISTING: _of_listing,
    TextKind.PATHS: _of_listing,
    TextKind.MARKDOWN: _of_markdown,
    TextKind.TESTS: _of_tests,
    TextKind.LOG: _of_log,
    TextKind.CONFIG: levels_of_settings,
    TextKind.FINDINGS: levels_of_findings,
    TextKind.BUILD: levels_of_findings,
}


def by_depth(depths: Numbers, names: Flags, is_blank: Flags) -> Numbers:
    """Return, for each line, the nearest earlier line that is less deep and can be a head.

    A blank line belongs to the line before it. So a head also has all lines between it and any line
    of its own.

    Examples
    --------
    >>> depths, yes = np.array([0, 2, 4, 2, 0]), np.ones(5, bool)
    >>> by_depth(depths, yes, ~yes).tolist()
    [-1, 0, 1, 0, -1]
    """
    heads = np.full(len(depths), -1, np.int64)
    stack: list[tuple[int, int]] = []
    rows = zip(depths.tolist(), names.tolist(), is_blank.tolist(), strict=True)
    for line, (depth, is_head, blank) in enumerate(rows):
        if not blank:
            while stack and stack[-1][0] >= depth:
                stack.pop()
        if stack:
            heads[line] = stack[-1][1]
        if is_head and not blank:
            stack.append((depth, line))
    return heads
