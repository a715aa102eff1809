"""What hints are made of: texts that end a line, and paths in front of a colon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.encoders.scalars import read_json
from mckp.errors import ParseError
from mckp.jsontext import STRING, dump, path_text
from mckp.regexes import regex

if TYPE_CHECKING:
    from typing import TypeAlias

    Path: TypeAlias = tuple[str | int, ...]

_CONTROL = regex(r"[\x00-\x1f]")
_ROOT: Final = "$"
_NAME: Final = r"[^\s.:=\[\]\"]+"
_BRACKETS: Final = rf"\[(?:[0-9]{{1,18}}|{STRING})\]"
_STEPS = regex(rf"\[([0-9]+)\]|\[({STRING})\]|({_NAME})")
PATH: Final = rf"(?:{_NAME}|{_BRACKETS})(?:\.{_NAME}|{_BRACKETS})*"
"""A path, or what might be one, at the beginning of a text."""


def write_end(text: str) -> str:
    r"""Return a text for the end of a hint: as it is where that is safe, else as JSON.

    Examples
    --------
    >>> [write_end(text) for text in ("rows[0]", "", " x", '"x"', "a\nb")]
    ['rows[0]', '""', '" x"', '"\\"x\\""', '"a\\nb"']
    """
    safe = text and text[0] != '"' and text.strip() == text and not _CONTROL.search(text)
    return text if safe else dump(text)


def read_end(text: str) -> str | None:
    """Return what `write_end` wrote, or None for what it never writes."""
    try:
        found = str(read_json(text)) if text.startswith('"') else text
    except ParseError:
        return None
    return found if write_end(found) == text else None


def write_path(path: Path) -> str:
    """Return a path as it stands in a hint.

    Examples
    --------
    >>> [write_path(path) for path in [("jobs", 0, "a b"), (0,), ()]]
    ['jobs[0]["a b"]', '[0]', '$']
    """
    return path_text(path)[1:].removeprefix(".") or _ROOT


def read_path(text: str) -> Path | None:
    """Return what `write_path` wrote, or None for what it never writes."""
    if text == _ROOT:
        return ()
    steps: list[str | int] = []
    for index, quoted, name in _STEPS.findall(text):
        try:
            steps.append(int(index) if index else str(read_json(quoted)) if quoted else name)
        except ParseError:
            return None
    return tuple(steps) if write_path(tuple(steps)) == text else None
