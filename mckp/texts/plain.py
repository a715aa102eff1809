"""Remove what only terminals need: colours, cursor moves, and earlier states of redrawn lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.frozen import frozen
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

_COLOUR: Final = regex(r"\x1b\[[0-9;:]*m")
_CONTROL: Final = regex(
    r"\x1b(?:\[[0-9;:?<=>!]*[ -/]*[@-~]"  # CSI, ECMA-48 5.4
    r"|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # OSC: titles and links
    r"|[PX^_][^\x1b\n]*(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|[()*+\-./][0-9A-Za-z]|[ -/]*[0-~])?"
    r"|[\x07\x0e\x0f]"  # bell and changes of the character set
)
_UP: Final = regex(r"\x1b\[([0-9]{0,4})[AF]")
_ANY_CONTROL: Final = regex(r"[\x07\x08\x0e\x0f\x1b]")
_RETURNS: Final = regex(r"\r(?!\n|\Z)")


@frozen
class CleanText:
    """A text without control codes, with the lines of its source, and what was removed.

    Attributes
    ----------
    text : str
        The text; its lines have the numbers of the source.
    colours : int, default 0
        The number of colour codes that were removed.
    moves : int, default 0
        The number of other control codes that were removed, backspaces included.
    redrawn : int, default 0
        The number of states of lines that were removed because the line was redrawn.
    parted : int, default 0
        The number of NUL or U+001E that are line feeds in `text`; see `parted`.
    """

    text: str
    colours: int = 0
    moves: int = 0
    redrawn: int = 0
    parted: int = 0

    @property
    def is_source(self) -> bool:
        """Whether nothing was changed, so that the text is the source."""
        return not (self.colours or self.moves or self.redrawn or self.parted)

    @property
    def summary(self) -> str:
        r"""What was changed, in words; empty if nothing was.

        Examples
        --------
        >>> plain("\x1b[31mred\x1b[0m\n10 %\r50 %\r100 %\n").summary
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
        sentences = [f"removed what only terminals need: {', '.join(parts)}"] if parts else []
        if self.parted:
            sentences.append(f"{self.parted} NUL or U+001E between lines are line feeds")
        return "; ".join(sentences)


def plain(text: str) -> CleanText:
    r"""Return a text as a terminal shows it at the end. Takes O(characters).

    Signs that part fields, such as U+001F and form feed, stay. If carriage returns went back to the
    start of a line, its last visible state remains. A line that the cursor went up to and drew
    again below is left blank, so all lines keep their numbers.

    Examples
    --------
    >>> plain("\x1b[31mred\x1b[0m\n10 %\r50 %\r100 %\ndone\n")
    CleanText(text='red\n100 %\ndone\n', colours=2, moves=0, redrawn=2, parted=0)
    """
    text, parted_count = parted(text)
    if _ANY_CONTROL.search(text) is None and ("\r" not in text or _RETURNS.search(text) is None):
        return CleanText(text, parted=parted_count)
    text, colours = _COLOUR.subn("", text)
    redrawn = moves = 0
    if _UP.search(text) is not None:
        text, redrawn = _blank_redrawn_lines(text)
    text, removed = _CONTROL.subn("", text)
    moves += removed
    if "\b" in text:
        moves += text.count("\b")
        text = "\n".join(
            _apply_backspaces(line) if "\b" in line else line for line in text.split("\n")
        )
    if "\r" in text:
        text, states = _last_states(text)
        redrawn += states
    return CleanText(text, colours, moves, redrawn, parted_count)


def parted(text: str) -> tuple[str, int]:
    r"""Return a text with line feeds for the NUL or U+001E that part its lines, and their number.

    ``git ls-files -z`` and ``find -print0`` part names by NUL, ``sqlite3 -ascii`` rows by U+001E.

    Examples
    --------
    >>> parted("a.py\0b.py\0"), parted("one \0 in a line\nof two\n")[1]
    (('a.py\nb.py\n', 2), 0)
    """
    sign = max("\0", "\x1e", key=text.count)
    count = text.count(sign)
    # In a text of two bytes a character that was not decoded, NUL is every second one.
    if count < 2 or count <= text.count("\n") or 3 * count > len(text):
        return text, 0
    return text.replace(sign, "\n"), count


def _apply_backspaces(line: str) -> str:
    """Return a line in which each backspace has removed itself and the character before it."""
    characters: list[str] = []
    for character in line:
        if character != "\b":
            characters.append(character)
        elif characters:
            characters.pop()
    return "".join(characters)


def _last_states(text: str) -> tuple[str, int]:
    """Return a text with each line in its last visible state, and the number of states removed."""
    removed = 0

    def last_states() -> Iterator[str]:
        """Yield the last visible state of each line, and add the others to `removed`."""
        nonlocal removed
        for line in text.split("\n"):
            body, end = (line[:-1], "\r") if line.endswith("\r") else (line, "")
            if "\r" not in body:
                yield line
                continue
            visible_states = [state for state in body.split("\r") if state.strip()]
            removed += body.count("\r")
            yield (visible_states[-1] if visible_states else "") + end

    return "\n".join(last_states()), removed


def _blank_redrawn_lines(text: str) -> tuple[str, int]:
    """Return a text in which lines that the cursor went up to are blank, and how many had text."""
    lines = text.split("\n")
    shown_lines: list[int] = []  # lines that are shown, from the top
    blanked = 0
    for number, line in enumerate(lines):
        up = sum(int(match[1] or 1) for match in _UP.finditer(line))
        for _ in range(min(up, len(shown_lines))):
            redrawn = shown_lines.pop()
            blanked += bool(lines[redrawn].strip())
            lines[redrawn] = ""
        shown_lines.append(number)
    return "\n".join(lines), blanked
