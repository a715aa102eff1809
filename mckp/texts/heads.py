"""Find the head of each line: the line that it needs to make sense."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.regexes import regex
from mckp.texts.findings import DEEP, finding_levels
from mckp.texts.kinds import TextKind
from mckp.texts.lines import code_fences, indented_lines
from mckp.texts.patterns import BETWEEN, COMMIT, FILE_HEADER, GAPS, HIT, RESULT, SENTENCE
from mckp.texts.roles import LINK
from mckp.texts.runs import GO_SAID, GO_STEP
from mckp.texts.sections import block_levels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mckp.texts.kinds import Piece
    from mckp.texts.lines import Flags, Numbers, TextLines

_NAMELESS: Final = regex(
    r"(?:if|elif|else|for|while|switch|case|try|except|catch|finally|with|do|return|default"
    r"|- (?:generic|listitem|list|paragraph|group|row|cell))\b|[^\w`~]+$"
)
"""The start of a line that cannot be a head: it does not say what the lines below belong to."""

_CONDITION: Final = regex(r"(?:\} ?else )?(?:if|elif|case|except|catch|when|unless)\b")
"""The start of a condition, without which the line below it says something else."""

_BULLET: Final = regex(r"(?:[-*+•]|\d+[.)])\s")
_UNDERLINE: Final = regex(r"[~^][~^ ]*$")
_SECTION: Final = regex(r"(#{1,6}) \S")
WRAPPED_AT: Final = 50
"""Fewest characters of a line whose sentence continues in the next one."""

_ENDS: Final = ".!?:;|{}>"
PACKAGES: Final = 3
"""Entries such as ``[[package]]``, from which on settings are a lock file."""

_PACKAGE: Final = regex(r"\[\[package\]\]$")
_SETTINGS_SECTION: Final = regex(r"\[\[?[^\[\]]{1,100}\]\]?$")
_NAME: Final = regex(r"name ?[=:] ?\S")
_BRANCH: Final = regex(r"^[│|   `+-]*(?:├──|└──|\|--|`--|\+--)")


def heads_of(lines: TextLines, pieces: Iterable[Piece]) -> Numbers:
    """Return the number of the line that is the head of each line, or -1 if it has none.

    Heads follow from indentation, or from rules for the kind of text.

    In a diff, the head of a changed line is its hunk, and that of a hunk its file. In a search, the
    head of a match is its file; in a table, the row of names; in a listing, the folder. A line that
    announces a command or file is the head of everything that follows.
    """
    bodies = lines.bodies()
    items = [_BULLET.match(body) is not None for body in bodies]
    depths = 2 * lines.indents + np.array(items, np.int64)
    can_be_head = np.array([_NAMELESS.match(body) is None for body in bodies], bool)
    all_pieces = list(pieces)
    for piece in all_pieces:
        start = piece.start
        if piece.level is not None:
            depths[start], can_be_head[start] = piece.level - DEEP, True
            start += 1
        level_rule = _LEVELS.get(piece.record.heads)
        piece_levels = (
            None if level_rule is None else level_rule(indented_lines(lines, start, piece.end))
        )
        if piece_levels is not None:
            depths[start : piece.end] = piece_levels
            can_be_head[start : piece.end] &= np.array(piece_levels, np.int64) < DEEP
    if lines.numbers is None and (begins_result := lines.flag_matches(RESULT)).any():
        depths[begins_result] = -DEEP // 2
        can_be_head[begins_result] = True
    for opening, closing in code_fences(lines):
        block = slice(opening + 1, closing + 1)
        depths[block] = np.maximum(depths[block], depths[opening] + 1)
        can_be_head[opening], can_be_head[closing] = True, False
    heads = heads_by_depth(depths, can_be_head, lines.is_blank)
    is_wrapped, is_program = np.zeros((2, lines.size), np.bool_)
    for piece in all_pieces:
        is_wrapped[piece.start : piece.end] = piece.record.wrapped
        is_program[piece.start : piece.end] = piece.kind is TextKind.PROGRAM
    is_deeper = np.concatenate(([False], is_program[1:] & (depths[1:] > depths[:-1])))
    _bind_to_line_above(heads, bodies, is_wrapped, is_deeper)
    return heads


def _bind_to_line_above(
    heads: Numbers, bodies: Sequence[str], is_wrapped: Flags, is_deeper: Flags
) -> None:
    """Make the line above the head of each line that makes no sense without it, in place.

    Such a line underlines the one above, continues its sentence, or is the first one below a
    condition. `is_wrapped` flags lines whose sentences may continue, `is_deeper` lines of programs
    that are deeper than the one above.
    """
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
            and _ends_mid_sentence(bodies[above])
        ):
            heads[line] = above  # it begins within a sentence
        elif is_deeper[line] and above == line - 1 and _CONDITION.match(bodies[above]):
            heads[line] = above
        above = line if body else above


def _ends_mid_sentence(row: str) -> bool:
    """Whether a line is so long that it may be wrapped, and does not end a sentence."""
    return len(row) >= WRAPPED_AT and row[-1] not in _ENDS and SENTENCE.search(row) is not None


def _diff_levels(rows: Sequence[str]) -> list[int]:
    """Return the levels of a diff, or of a history with diffs.

    Commits and their subjects have level 0, files level 1, all other lines `DEEP`. So the lines
    after the subject of a commit are below the subject, which may be kept without the hash.
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
        elif FILE_HEADER.match(row):
            level, is_named = 1, True
        elif row.startswith("--- ") and rows[place + 1 : place + 2] and not is_named:
            if rows[place + 1].startswith("+++ "):
                level = 1
        elif row.startswith("@@"):
            is_named = False  # its lines hang on the file: marks say where they are
        levels.append(level)
    return levels


def _search_levels(rows: Sequence[str]) -> list[int] | None:
    """Return the levels of a search: 0 for files, `DEEP` for matches below them.

    The result is None if no file name is above its matches.
    """
    hits = [HIT.match(row.lstrip()) is not None for row in rows]
    levels = [DEEP] * len(rows)
    for place, is_hit in enumerate(hits[1:], 1):
        if is_hit and rows[place - 1].strip() and not hits[place - 1] and rows[place - 1] != "--":
            levels[place - 1] = 0
    return levels if 0 in levels else None


def _table_levels(rows: Sequence[str]) -> list[int] | None:
    """Return the levels of rows below a header row, or None if the first row is not a header."""
    header = next((place for place, row in enumerate(rows) if row.strip()), None)
    if header is None:
        return None
    row = rows[header]
    has_cells = GAPS.search(row) is not None or row.count(",") > 1 or row.count(" | ") > 1
    has_names = has_cells and not any(map(str.isdigit, row))
    if not has_names:
        return None
    return [0 if place == header else DEEP for place in range(len(rows))]


def _listing_levels(rows: Sequence[str]) -> list[int] | None:
    """Return the levels of a tree of folders, or of rows below their folder; None if neither."""
    branches = [_BRANCH.match(row) for row in rows]
    if any(branches):
        return [len(match[0]) if match else 0 for match in branches]
    is_folder = [row.endswith(":") and not row[:1].isspace() for row in rows]
    if not any(is_folder):
        return None
    return [0 if is_head else DEEP for is_head in is_folder]


def _markdown_levels(rows: Sequence[str]) -> list[int]:
    """Return the levels of a page: negative for headings, by indentation for other lines."""
    levels: list[int] = []
    is_code = False
    for row in rows:
        body = row.lstrip()
        is_code ^= body.startswith(("```", "~~~"))
        heading = None if is_code else _SECTION.match(row)
        indent = len(row) - len(body)
        levels.append(len(heading[1]) - 10 if heading else 2 * indent + bool(_BULLET.match(body)))
    return levels


def _test_levels(rows: Sequence[str]) -> list[int] | None:
    """Return the levels of a Go test report, in which what a test prints is below its log line.

    The result is None for reports of other programs.
    """
    if not any(GO_STEP.match(row) for row in rows):
        return None
    return [0 if GO_SAID.match(row) else 2 * (len(row) - len(row.lstrip())) for row in rows]


def _log_levels(rows: Sequence[str]) -> list[int]:
    """Return the levels of a log, by indentation alone: its lines have no bullets."""
    return [2 * (len(row) - len(row.lstrip())) for row in rows]


def _setting_levels(rows: Sequence[str]) -> list[int] | None:
    """Return the depths of lines below their section, if there is any; else indents suffice.

    In a lock file, what is said of a package is below its name.
    """
    is_section = [_SETTINGS_SECTION.match(row) is not None for row in rows]
    if not any(is_section):
        return None
    is_lock = sum(_PACKAGE.match(row) is not None for row in rows) >= PACKAGES
    levels: list[int] = []
    base = 0
    for row, begins in zip(rows, is_section, strict=True):
        is_name = is_lock and _NAME.match(row) is not None
        base = 1 if begins else base
        levels.append(0 if begins else base + 2 * (len(row) - len(row.lstrip())))
        base = 2 if is_name else base
    return levels


def _block_or_setting_levels(rows: Sequence[str]) -> list[int] | None:
    """Return the levels of blocks of named values, else those of settings.

    The links of a search engine's results are read without their titles.
    """
    has_links = any(map(LINK.match, rows))
    return (None if has_links else block_levels(rows)) or _setting_levels(rows)


_LEVELS: Final[dict[str, Callable[[Sequence[str]], list[int] | None]]] = {
    "blocks": block_levels,
    "diff": _diff_levels,
    "search": _search_levels,
    "table": _table_levels,
    "listing": _listing_levels,
    "markdown": _markdown_levels,
    "tests": _test_levels,
    "indents": _log_levels,
    "settings": _block_or_setting_levels,
    "findings": finding_levels,
}
"""The functions that ``kinds.toml`` names as ``heads``."""


def heads_by_depth(depths: Numbers, can_be_head: Flags, is_blank: Flags) -> Numbers:
    """Return, for each line, the nearest earlier line that is less deep and can be a head, or -1.

    A blank line has the last possible head before it. So a head also has all lines between it and
    any line of its own.

    Examples
    --------
    >>> depths, yes = np.array([0, 2, 4, 2, 0]), np.ones(5, bool)
    >>> heads_by_depth(depths, yes, ~yes).tolist()
    [-1, 0, 1, 0, -1]
    """
    heads = np.full(len(depths), -1, np.int64)
    stack: list[tuple[int, int]] = []
    rows = zip(depths.tolist(), can_be_head.tolist(), is_blank.tolist(), strict=True)
    for line, (depth, is_possible_head, is_blank_line) in enumerate(rows):
        if not is_blank_line:
            while stack and stack[-1][0] >= depth:
                stack.pop()
        if stack:
            heads[line] = stack[-1][1]
        if is_possible_head and not is_blank_line:
            stack.append((depth, line))
    return heads
