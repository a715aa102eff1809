"""Where a parser is between calls: in text, in a fence of code, or at the name of a call."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Final

from mckp.tools.calls.events import CallStart, Event, Text
from mckp.tools.calls.grammar import MARK, NAME, OPEN, QUOTED_NAME, QUOTED_NAME_BEGUN
from mckp.tools.calls.inside import NativeBody, WireBody
from mckp.tools.calls.steps import Step
from mckp.tools.calls.values import skip
from mckp.tools.calls.words import SyntaxProblem, string_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.tools.calls.ends import Catalog


class Margin(Enum):
    """What stands before a place on its line, blanks aside."""

    LINE = "nothing"
    CALL = "a call"
    TEXT = "text"


_LINE_MARKS: Final = rf"(?:(?P<arrow>{MARK})|(?P<fence>`{{3,}}|~{{3,}}))"
_FIRST: Final = re.compile(rf"[ \t\r]*{_LINE_MARKS}")
_LATER: Final = re.compile(rf"(?P<open>{OPEN})|\n[ \t\r]*{_LINE_MARKS}")
_TAIL: Final = re.compile(r"(?:<(?:c(?:a(?:ll?)?)?)?|`{1,2}|~{1,2})\Z")
"""What may become a mark when more text comes; the arrow is one already."""
_BLANKS: Final = " \t\r"


class Outside:
    """Text, in which calls and fences are looked for.

    Parameters
    ----------
    catalog
        What makes calls of texts.
    margin
        What stands before the place where this state begins.
    """

    def __init__(self, catalog: Catalog, margin: Margin = Margin.LINE) -> None:
        self._catalog, self._margin = catalog, margin

    def step(self, text: str, at: int, final: bool) -> Step:
        """Read on, to the next call or fence if it is there."""
        for match, margin in self._candidates(text, at):
            found = self._found(text, at, match, margin, final)
            if found is not None:
                return found
        return self._held(text, at, len(text) if final else self._settled(text, at))

    def _candidates(self, text: str, at: int) -> Iterator[tuple[re.Match[str], Margin]]:
        """Yield what may be marks, with what stands before them."""
        if self._margin is not Margin.TEXT:
            first = _FIRST.match(text, at)
            if first is not None:
                yield first, self._margin
        for later in _LATER.finditer(text, at):
            yield later, Margin.LINE

    def _found(
        self, text: str, at: int, match: re.Match[str], margin: Margin, final: bool
    ) -> Step | None:
        """Return the step to a mark, None if it is text."""
        kind = match.lastgroup
        begin = match.start(kind or 0)
        if kind == "open":
            return Step(match.end(), _texts(text, at, begin), WireHead(self._catalog))
        if kind == "arrow":
            return self._call(text, at, begin, final)
        if margin is not Margin.LINE:
            return None
        if match.end() == len(text) and not final:
            return self._held(text, at, begin)
        fence = FenceInfo(self._catalog, text[begin : match.end()])
        return Step(match.end(), _texts(text, at, match.end()), fence)

    def _call(self, text: str, at: int, begin: int, final: bool) -> Step | None:
        """Return the step into a call of our own form, None if it is text."""
        name, end = _name_at(text, begin + 1)
        if end == len(text) and not final:
            return self._held(text, at, begin)
        if name is None or not text.startswith("(", end):
            return None
        after = Outside(self._catalog, Margin.CALL)
        body = NativeBody(self._catalog, name, text[begin : end + 1], after)
        start = (*_texts(text, at, begin), CallStart(name, "native"))
        return Step(end + 1, start, body)

    def _held(self, text: str, at: int, end: int) -> Step:
        """Return the step to what cannot be decided yet, or to the end."""
        self._margin = self._margin_at(text, at, end)
        return Step(end, _texts(text, at, end), None)

    def _settled(self, text: str, at: int) -> int:
        """Return where the longest end begins that may become a mark."""
        tail = _TAIL.search(text, max(at, len(text) - len(OPEN) + 1))
        if tail is None:
            return len(text)
        fence = tail[0][0] != "<"
        if fence and self._margin_at(text, at, tail.start()) is not Margin.LINE:
            return len(text)
        return tail.start()

    def _margin_at(self, text: str, at: int, end: int) -> Margin:
        line = text.rfind("\n", at, end)
        if text[max(at, line + 1) : end].strip(_BLANKS):
            return Margin.TEXT
        return self._margin if line < 0 else Margin.LINE


class WireHead:
    """The name of a call in the wire form."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog, self._head = catalog, OPEN

    def step(self, text: str, at: int, final: bool) -> Step:
        """Read the name, when all of it is there."""
        begin = at
        at = skip(text, at)
        name, end = _name_at(text, at)
        if end == len(text) and not final:
            self._head += text[begin:at]
            return Step(at, (), None)
        end = at if name is None else end
        after = Outside(self._catalog, Margin.CALL)
        head = self._head + text[begin:end]
        body = WireBody(self._catalog, name, head, after)
        return Step(end, () if name is None else (CallStart(name, "wire"),), body)


class FenceInfo:
    """The rest of the line that begins a block of code.

    If there are more backticks, that was code within a line, and no block.
    """

    def __init__(self, catalog: Catalog, marks: str) -> None:
        self._catalog, self._marks = catalog, marks

    def step(self, text: str, at: int, final: bool) -> Step:
        """Read on, to the end of the line if it is there."""
        line = text.find("\n", at)
        end = len(text) if line < 0 else line + 1
        tick = text.find("`", at, end) if self._marks[0] == "`" else -1
        if tick >= 0:
            return Step(tick, _texts(text, at, tick), Outside(self._catalog, Margin.TEXT))
        return Step(
            end, _texts(text, at, end), None if line < 0 else Fence(self._catalog, self._marks)
        )


class Fence:
    """A block of code, which holds no calls."""

    def __init__(self, catalog: Catalog, marks: str) -> None:
        self._catalog = catalog
        self._closing = re.compile(rf"[ \t]*{marks[0]}{{{len(marks)},}}[ \t\r]*")
        self._begun = re.compile(rf"[ \t]*{marks[0]}*[ \t\r]*")
        self._at_line = True

    def step(self, text: str, at: int, final: bool) -> Step:
        """Read on line by line, to the end of the block if it is there."""
        begin = at
        while True:
            line = text.find("\n", at)
            end = len(text) if line < 0 else line
            if self._at_line and (line >= 0 or final) and self._closing.fullmatch(text, at, end):
                return Step(end, _texts(text, begin, end), Outside(self._catalog, Margin.TEXT))
            if line < 0:
                return self._part(text, begin, at, final)
            at, self._at_line = line + 1, True

    def _part(self, text: str, begin: int, at: int, final: bool) -> Step:
        """Return the step over a line that is not yet whole."""
        if not self._at_line or final or not self._begun.fullmatch(text, at):
            at, self._at_line = len(text), False
        return Step(at, _texts(text, begin, at), None)


def _name_at(text: str, at: int) -> tuple[str | None, int]:
    """Return the name of a tool at a place, if it is one, and the place after it.

    Where the text ends before the name is sure to, that is the end of the text.
    """
    match = NAME.match(text, at)
    if match is not None:
        return match[0], match.end()
    match = QUOTED_NAME.match(text, at)
    if match is None:
        begun = QUOTED_NAME_BEGUN.match(text, at)
        return None, at if begun is None or begun.end() < len(text) else len(text)
    try:
        return string_at(text, at)
    except SyntaxProblem:
        return None, at


def _texts(text: str, begin: int, end: int) -> tuple[Event, ...]:
    return (Text(text[begin:end]),) if end > begin else ()
