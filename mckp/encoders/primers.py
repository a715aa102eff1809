"""The line above data that tells what its signs mean, and that readers of data step past."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable

HEAD, TAIL = "> [data: ", "]\n"
_LINE = regex(r"> \[data: [^\n]*\]\n")


def write_primer(meanings: str) -> str:
    """Return the line of some meanings of signs."""
    return f"{HEAD}{meanings}{TAIL}"


def below_primer(text: str, is_data: Callable[[str], bool]) -> str:
    """Return what stands below such a line, if that is data; else the text as it is."""
    match = _LINE.match(text)
    if match is None:
        return text
    rest = text[match.end() :]
    return rest if is_data(rest) else text
