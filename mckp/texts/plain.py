"""Strip what only terminals need: colours, cursor moves, finished progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

_COLOUR: Final = regex(r"\x1b\[[0-9;:]*m")
_CONTROL: Final = regex(
    r"\x1b(?:\[[0-9;:?<=>!]*[ -/]*[@-~]"  # CSI, ECMA-48 5.4
    r"|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # OSC: titles and links
    r"|[PX^_][^\x1b\n]*(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|[()*+\-./][0-9A-Za-z]|[ -/]*[0-~])?"
    r"|[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]"
)
_UP: Final = regex(r"\x1b\[([0-9]{0,4})[AF]")
_HAS: Final = regex(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_RETURNS: Final = regex(r"\r(?!\n|\Z)")


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text without control codes, with the lines of its source, and what was removed.

    Attributes
    ----------
    text
        The text; its lines have the numbers of the source.
    colours
        How many colour codes were removed.
    moves
        How many other control codes were removed, back-spaces among them.
    redrawn
        How many states of lines were removed that a later one of the same line replaced.
    """

    text: str
    colours: int = 0
    moves: int = 0
    redrawn: int = 0

    @property
    def is_source(self) -> bool:
        """Return whether nothing was removed."""
        return not (self.colours or self.moves or self.redrawn)

    @property
    def said(self) -> str:
        r"""Say in words what was removed; empty if nothing was.

        Examples
        --------
        >>> plain("\x1b[31mred\x1b[0m\n10 %\r50 %\r100 %\n").said
        'removed what only terminals need: 2 colour codes, 2 earlier states of lines'
        """
        counted = (
            (self.colours, "colour code"),
            (self.moves, "control code"),
            (self.redrawn, "earlier state"),
        )
        parts = [f"{count} {name}{'s'[: count != 1]}" for count, name in counted if count]
        if self.redrawn:
            parts[-1] += " of lines"
        return f"removed what only terminals need: {', '.join(parts)}" if parts else ""


def plain(text: str) -> PlainText:
    r"""Return a text as a terminal shows it at the end. O(characters).

    A line in which carriage returns went back to its start is left in its last state. Lines that
    were redrawn after the cursor had gone up are left blank, so all others keep their numbers.

    Examples
    --------
    >>> plain("\x1b[31mred\x1b[0m\n10 %\r50 %\r100 %\ndone\n")
    PlainText(text='red\n100 %\ndone\n', colours=2, moves=0, redrawn=2)
    """
    if _HAS.search(text) is None and ("\r" not in text or _RETURNS.search(text) is None):
        return PlainText(text)
    text, colours = _COLOUR.subn("", text)
    redrawn = moves = 0
    if _UP.search(text) is not None:
        text, redrawn = _without_redrawn(text)
    text, removed = _CONTROL.subn("", text)
    moves += removed
    if "\b" in text:
        moves += text.count("\b")
        text = "\n".join(_typed(line) if "\b" in line else line for line in text.split("\n"))
    if "\r" in text:
        text, states = _last_states(text)
        redrawn += states
    return PlainText(text, colours, moves, redrawn)


def _typed(line: str) -> str:
    """Return a line with its back-spaces applied."""
    signs: list[str] = []
    for sign in line:
        if sign != "\b":
            signs.append(sign)
        elif signs:
            signs.pop()
    return "".join(signs)


def _last_states(text: str) -> tuple[str, int]:
    """Return each line in its last visible state, and the number of states removed."""
    gone = 0

    def states() -> Iterator[str]:
        """Yield the last state of each line, and count the others."""
        nonlocal gone
        for line in text.split("\n"):
            body, end = (line[:-1], "\r") if line.endswith("\r") else (line, "")
            if "\r" not in body:
                yield line
                continue
            shown = [state for state in body.split("\r") if state.strip()]
            gone += body.count("\r")
            yield (shown[-1] if shown else "") + end

    return "\n".join(states()), gone


def _without_redrawn(text: str) -> tuple[str, int]:
    """Blank the lines that the cursor went back to; return the text and their number."""
    lines = text.split("\n")
    live: list[int] = []  # lines that are shown, from the top
    gone = 0
    for number, line in enumerate(lines):
        up = sum(int(match[1] or 1) for match in _UP.finditer(line))
        for _ in range(min(up, len(live))):
            before = live.pop()
            gone += bool(lines[before].strip())
            lines[before] = ""
        live.append(number)
    return "\n".join(lines), gone
