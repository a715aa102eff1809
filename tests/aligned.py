"""A checker of cut texts that knows the source and the grammar of marks, and no engine."""

import re
from collections.abc import Iterator

_GAP = re.compile(r"…(?:(\d+)(?:-(\d+))?( alike)?)?")
_MARK = re.compile(r"(`{3,})\[.*\].*")
_ALL = re.compile(r"(?:^|\n)> \[all (\d+) lines: .+\]\n?\Z", re.MULTILINE)
_END = re.compile(r"(.+?) …(?:(\d+)(?:-(\d+))?)?")


class MisalignedError(AssertionError):
    """A line of a text is none of its source, or is not where the marks say."""


def kept_lines(source: str, text: str) -> list[int]:
    """Return the numbers of the lines of which something is kept, counted from 1.

    It fails if a line that is kept differs from the source, if lines are missing without a mark at
    their place, if the note on all lines counts others, or if a mark says that they are like lines
    above it, and one is not. Lines that are written as data, between two lines of backticks, are
    not counted; what is in them is checked elsewhere.
    """
    wanted = source.split("\n")
    if (note := _ALL.search(text)) and int(note[1]) != len(wanted) - source.endswith("\n"):
        raise MisalignedError(f"{note[0]!r} counts other lines")
    return list(_aligned(wanted, _lines(text)))


def _shape(line: str) -> str:
    """Return a line without its numbers, and without names of letters up to f and digits."""
    return re.sub(r"\b[0-9a-f]{6,}\b|\d+|\s", "", line)


def _check_fold(hidden: list[str], shown: list[str]) -> None:
    shapes = {_shape(line) for line in shown}
    for line in filter(str.strip, hidden):
        if _shape(line) not in shapes:
            raise MisalignedError(f"{line!r} is said to be like a line above it")


def _lines(text: str) -> list[str]:
    text = text.removeprefix("> [text]\n\n")
    return _ALL.sub("", text).split("\n")


def _aligned(wanted: list[str], lines: list[str]) -> Iterator[int]:
    at = 0  # the next line of the source
    skips = least = 0  # whether a mark without numbers is here; lines that it must stand for
    last = len(lines) - 1
    close = ""
    for number, line in enumerate(lines):
        if close:
            close = "" if line == close else close
            continue
        if (mark := _MARK.fullmatch(line)) is not None:
            close, skips, least = mark[1], 1, 1
            continue
        gap = _GAP.fullmatch(line)
        if gap is not None:
            if gap[1] is None:
                skips = least = 1
                continue
            if int(gap[1]) != at + 1 and not (skips and int(gap[1]) > at + 1):
                raise MisalignedError(f"{line!r} is where line {at + 1} is next")
            at, skips = int(gap[2] or gap[1]), 0
            if gap[3]:
                _check_fold(wanted[int(gap[1]) - 1 : at], lines[:number])
            continue
        if number == last and line == "":
            break
        if skips:
            at = next((n for n in range(at + least, len(wanted)) if _fits(wanted[n], line)), -1)
            if at < 0:
                raise MisalignedError(f"{line!r} is not below the gap")
            skips = 0
        if at >= len(wanted) or not _fits(wanted[at], line):
            source = wanted[at] if at < len(wanted) else None
            raise MisalignedError(f"{line!r} is not line {at + 1}, {source!r}")
        yield at + 1
        at += 1
        end = _END.fullmatch(line)
        if end is not None and not _is_same(wanted[at - 1], line):
            if end[2] and int(end[2]) != at:
                raise MisalignedError(f"{line!r} does not say that it is line {at}")
            skips, least = int(end[2] is None and line.endswith("…")), 0
            at = int(end[3] or at)
    if not skips and at < len(wanted) and wanted[at:] != [""]:
        raise MisalignedError(f"lines from {at + 1} on are missing without a mark")


def _fits(wanted: str, line: str) -> bool:
    return _is_same(wanted, line) or _is_part(wanted, line)


def _is_same(wanted: str, line: str) -> bool:
    if line == wanted:
        return True
    bare = wanted.lstrip("\\")
    is_ours = _GAP.fullmatch(bare) is not None or bare.startswith(("> [", "```["))
    return is_ours and line == f"\\{wanted}"


def _is_part(wanted: str, line: str) -> bool:
    """Whether a line is pieces of another, with marks between them."""
    end = re.search(r" …(?:\d+(?:-\d+)?)?\Z", line)
    pieces = (line[: end.start()] if end else line).split(" …")
    if len(wanted) <= 50 or (len(pieces) == 1 and end is None):
        return False
    place = 0
    for number, piece in enumerate(pieces):
        is_end = end is None and number == len(pieces) - 1
        place = wanted.find(piece, len(wanted) - len(piece) if is_end else place)
        if place < 0 or (number == 0 and place > 0):
            return False
        place += len(piece)
    return end is not None or place == len(wanted)
