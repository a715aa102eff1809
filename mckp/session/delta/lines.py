"""The lines in which two texts differ, as a unified diff without context, and back."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from mckp.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Edit = tuple[int, int, int, int]

MOST: Final = 1000
"""Lines between the first and the last change up to which what stays among them is found."""

_HUNK = re.compile(r"@@ -([0-9]+),([0-9]+) \+([0-9]+),([0-9]+) @@")


def line_diff(old: str, new: str) -> str:
    r"""Return what turns one text into another; it tells the way back as well.

    Lines are counted from 1; where a hunk takes or gives none, its number is that of the
    next line.

    Examples
    --------
    >>> print(line_diff("a\nb\nc\n", "a\nx\nc\nd\n"))
    @@ -2,1 +2,1 @@
    -b
    +x
    @@ -4,0 +4,1 @@
    +d
    """
    before, after = old.split("\n"), new.split("\n")
    return "\n".join(_hunks(before, after))


def apply_lines(old: str, diff: str) -> str:
    """Return the text that a diff makes of another.

    Raises
    ------
    ParseError
        If the diff is damaged, or was made of another text.
    """
    before, made, place = old.split("\n"), list[str](), 0
    for hunk, taken, given in _read(diff):
        start = hunk - 1
        if start < place or before[start : start + len(taken)] != taken:
            raise ParseError(f"the text referred to does not have the lines at {hunk}")
        made += before[place:start]
        made += given
        place = start + len(taken)
    return "\n".join(made + before[place:])


def _hunks(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    for i, j, k, m in _edits(before, after):
        yield f"@@ -{i + 1},{j - i} +{k + 1},{m - k} @@"
        yield from (f"-{line}" for line in before[i:j])
        yield from (f"+{line}" for line in after[k:m])


def _edits(before: Sequence[str], after: Sequence[str]) -> Iterator[Edit]:
    most = min(len(before), len(after))
    head = next((i for i in range(most) if before[i] != after[i]), most)
    rest = range(1, most - head + 1)
    tail = next((i - 1 for i in rest if before[-i] != after[-i]), most - head)
    end, stop = len(before) - tail, len(after) - tail
    if max(end, stop) - head > MOST:
        yield head, end, head, stop
        return
    matcher = SequenceMatcher(None, before[head:end], after[head:stop], autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag != "equal":
            yield head + i, head + j, head + k, head + m


def _read(diff: str) -> Iterator[tuple[int, list[str], list[str]]]:
    lines = iter(diff.split("\n") if diff else ())
    for line in lines:
        match = _HUNK.fullmatch(line)
        if match is None:
            raise ParseError(f"{line!r} begins no hunk of a diff")
        start, taken, given = int(match[1]), int(match[2]), int(match[4])
        yield start, _marked(lines, "-", taken), _marked(lines, "+", given)


def _marked(lines: Iterator[str], mark: str, count: int) -> list[str]:
    found = [line for _, line in zip(range(count), lines, strict=False)]
    if len(found) != count or not all(line.startswith(mark) for line in found):
        raise ParseError(f"{count} lines were to begin with {mark!r}")
    return [line[1:] for line in found]
