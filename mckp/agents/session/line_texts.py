"""The text of lines in an answer, with numbers as grep writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.fakes import escape
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.recall import LinesAnswer
    from mckp.recall.lines import NumberedLine

_NOTE_CHARS: Final = 40
"""Characters of a note without the shared beginning it names; fewer saved ones do not pay."""


def shared_path(texts: Sequence[str]) -> str:
    """Return the folders with which all texts begin.

    The result is empty if naming them once saves nothing, or if they contain a blank.

    Examples
    --------
    >>> shared_path([f"/usr/lib/node/modules/tool/dist/{name}.js:1: x" for name in "abc"])
    '/usr/lib/node/modules/tool/dist/'
    >>> shared_path(["src/a.py", "src/b.py"])
    ''
    """
    first, last = min(texts), max(texts)
    common_length = next(
        (
            same_length
            for same_length, char in enumerate(first)
            if last[same_length : same_length + 1] != char
        ),
        len(first),
    )
    start = first[:common_length]
    start = start[: max(start.rfind("/"), start.rfind("\\")) + 1]
    is_path = not any(char.isspace() for char in start)
    return start if is_path and len(start) * (len(texts) - 1) > _NOTE_CHARS else ""


def below_shared_paths(rows: Sequence[Any]) -> tuple[Sequence[Any], str]:
    r"""Return rows without the folders with which all values of a field begin, and a note on them.

    The note is empty if no field has such folders.

    Examples
    --------
    >>> hits = [{"file": f"projects/harbour/lib/src/{name}.py"} for name in "abcd"]
    >>> rows, note = below_shared_paths(hits)
    >>> rows[1], note
    ({'file': 'b.py'}, '> [file begins with projects/harbour/lib/src/ in each row]\n')
    """
    starts: dict[str, str] = {}
    for name in rows[0] if all(map(is_object, rows)) else ():
        texts = [text for text in (row.get(name) for row in rows) if isinstance(text, str)]
        if len(texts) == len(rows) and (start := shared_path(texts)):
            starts[name] = start
    if not starts:
        return rows, ""
    shorter = [
        {name: cell[len(starts[name]) :] if name in starts else cell for name, cell in row.items()}
        for row in rows
    ]
    prefixes = ", ".join(f"{name} begins with {start}" for name, start in starts.items())
    return shorter, f"> [{prefixes} in each row]\n"


_LONG_RUN: Final = 4
"""Consecutive lines from which on one note above them replaces a number in each."""


def _runs(lines: Sequence[NumberedLine]) -> list[list[NumberedLine]]:
    """Return the lines grouped into runs with consecutive numbers."""
    runs: list[list[NumberedLine]] = []
    for line in lines:
        if runs and line.number == runs[-1][-1].number + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    return runs


def lines_text(lines: Sequence[NumberedLine], answer: LinesAnswer) -> str:
    """Return lines with numbers as grep writes them, or below notes that give their numbers.

    Lines that show their numbers themselves get none. Folders with which all lines begin are named
    once, above them.
    """
    start = "" if answer.shows_numbers else shared_path([line.text for line in lines])
    prefix_note = f"> [each line begins with {start}]\n" if start else ""
    if start:
        lines = [line._replace(text=line.text[len(start) :]) for line in lines]
    if answer.is_block:
        body = escape("\n".join(line.text for line in lines), raw=True)
        if answer.shows_numbers or (answer.total == answer.of and not answer.first):
            return prefix_note + body
        return f"{prefix_note}{_block_note(lines, answer.of)}\n{body}"
    if not answer.shows_numbers and all(line.is_match and not line.start for line in lines):
        runs = _runs(lines)
        if len(lines) >= _LONG_RUN * len(runs):
            return prefix_note + "\n".join(
                f"{_block_note(run, answer.of)}\n"
                + escape("\n".join(line.text for line in run), raw=True)
                for run in runs
            )
    return prefix_note + _numbered_lines(lines, answer)


def _block_note(lines: Sequence[NumberedLine], line_count: int) -> str:
    """Return the note above consecutive lines of a text that has `line_count` lines."""
    inside = f" in {lines[0].place}" if lines[0].place else ""
    first, last = lines[0].number, lines[-1].number
    which = f"line {first}" if first == last else f"lines {first}-{last}"
    return f"> [{which} of {line_count}{inside}]"


def _numbered_lines(lines: Sequence[NumberedLine], answer: LinesAnswer) -> str:
    """Return lines with their numbers, unless they show them, below notes on where they are."""
    parts: list[str] = []
    last, inside = lines[0].number, ""
    for line in lines:
        is_next = last <= line.number <= last + 1
        if line.place and line.place != inside:
            file, sign, hunk = line.place.partition(" @@")
            is_same_file = sign and inside.partition(" @@")[0] == file
            parts.append(f"> [in @@{hunk}]" if is_same_file else f"> [in {line.place}]")
        elif answer.has_context and not is_next:
            parts.append("--")
        last, inside = line.number, line.place
        at = f"[{line.start}:]" if line.start else ""
        number = "" if answer.shows_numbers else f"{last}{at}{':' if line.is_match else '-'}"
        text = line.text if number else escape(line.text, raw=True)
        parts.append(f"{number}{text}")
    return "\n".join(parts)
