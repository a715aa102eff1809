"""One parser of calls for streams and for whole texts.

It is a generator that waits wherever what comes next may change what a mark means; so where a
text is cut makes no difference.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from enum import Enum
from typing import TYPE_CHECKING, Final, cast

from mckp.tools.calls.bodies import read_body, skip
from mckp.tools.calls.grammar import (
    CLOSE,
    MARK,
    NAME,
    OPEN,
    QUOTE_START,
    QUOTED_NAME,
    QUOTED_NAME_BEGUN,
    STRING_REST,
    Call,
    CallError,
    CallStart,
    Event,
    SyntaxProblem,
    Text,
    string_at,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from mckp.tools.calls.grammar import Form
    from mckp.tools.tool import Tool

    Waiting = Generator[None, None, None]
    """Reads on, and waits where it needs more text."""


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

_CLOSING: Final[dict[Form, str]] = {"wire": CLOSE, "native": ")"}
"""What ends a call: the first end tag, or the bracket that closes its first one."""
_STOP: Final[dict[Form, re.Pattern[str]]] = {
    "wire": re.compile(rf"{CLOSE}|{OPEN}|{QUOTE_START}"),
    "native": re.compile(rf"[()\[\]{{}}]|{QUOTE_START}"),
}
"""What may end a call, or begins a string in it."""
_BRACKETS: Final = {")": "(", "]": "[", "}": "{"}


class CallParser:
    """Finds the calls in a text that comes in chunks.

    Parameters
    ----------
    tools
        The tools that may be called, whose schemas tell of what type a bare word is. Without
        any, all names are taken, and the values of our own form need theirs.

    Examples
    --------
    >>> parser = CallParser()
    >>> parser.feed("Let me see. <ca")
    [Text(text='Let me see. ')]
    >>> parser.feed("ll>getWeather ")
    [CallStart(name='getWeather', form='wire')]
    >>> [event.arguments for event in parser.feed("location='New York' days=2</call>")]
    [{'location': 'New York', 'days': 2}]
    >>> parser.flush()
    []
    """

    def __init__(self, tools: Iterable[Tool] | None = None) -> None:
        self._tools = None if tools is None else {tool.name: tool for tool in tools}
        self._reset()

    def _reset(self) -> None:
        self._text, self._at, self._is_final = "", 0, False
        self._events: list[Event] = []
        self._reading = self._outside()

    def feed(self, chunk: str) -> list[Event]:
        """Read a chunk; return what is now known."""
        if not isinstance(cast("object", chunk), str):
            raise TypeError(f"a text is to be read, not {type(chunk).__name__}")
        kept = max(0, self._at - 1)  # whether a quote begins a string depends on what is before it
        self._text, self._at = self._text[kept:] + chunk, self._at - kept
        return self._read()

    def flush(self) -> list[Event]:
        """Read what was held back as the end; the parser can then be used for another text."""
        self._is_final = True
        events = self._read()
        self._reset()
        return events

    def _read(self) -> list[Event]:
        next(self._reading, None)
        events, self._events = self._events, []
        return events

    def _tell(self, end: int) -> None:
        """Go to a place; what is before it is text."""
        if end > self._at:
            self._events.append(Text(self._text[self._at : end]))
        self._at = end

    # ------------------------------------------------------------ text

    def _outside(self) -> Waiting:
        """Read text with the calls and the blocks of code in it."""
        margin = Margin.LINE
        while True:
            kind, begin, end = self._mark(margin)
            if kind is None:
                margin = self._margin_at(begin, margin)
                self._tell(begin)
                if self._is_final:
                    return
                yield
            elif kind == "open":
                self._tell(begin)
                self._at = end
                yield from self._wire()
                margin = Margin.CALL
            elif kind == "arrow":
                self._tell(begin)
                yield from self._native()
                margin = Margin.CALL
            else:
                marks = self._text[begin:end]
                self._tell(end)
                yield from self._fence(marks)
                margin = Margin.TEXT

    def _mark(self, margin: Margin) -> tuple[str | None, int, int]:
        """Return the next mark, where it begins and ends.

        None for a mark says up to where there is none whatever comes.
        """
        text = self._text
        for match, before in self._candidates(margin):
            kind = match.lastgroup
            begin, end = match.span(kind or 0)
            if kind == "arrow":
                name, end = _name_at(text, end)
                if end < len(text) and (name is None or text[end] != "("):
                    continue
                if end == len(text) and self._is_final:
                    continue
            elif kind == "fence" and before is not Margin.LINE:
                continue
            if kind != "open" and end == len(text) and not self._is_final:
                return None, begin, begin
            return kind, begin, end
        end = len(text) if self._is_final else self._settled(margin)
        return None, end, end

    def _candidates(self, margin: Margin) -> Iterator[tuple[re.Match[str], Margin]]:
        """Yield what may be marks, with what stands before them."""
        if margin is not Margin.TEXT:
            first = _FIRST.match(self._text, self._at)
            if first is not None:
                yield first, margin
        for later in _LATER.finditer(self._text, self._at):
            yield later, Margin.LINE

    def _settled(self, margin: Margin) -> int:
        """Return where the longest end begins that may become a mark."""
        size = len(self._text)
        tail = _TAIL.search(self._text, max(self._at, size - len(OPEN) + 1))
        if tail is None:
            return size
        is_fence = tail[0][0] != "<"
        if is_fence and self._margin_at(tail.start(), margin) is not Margin.LINE:
            return size
        return tail.start()

    def _margin_at(self, end: int, margin: Margin) -> Margin:
        """Return what stands before a place, where `margin` is before all that is not yet told."""
        line = self._text.rfind("\n", self._at, end)
        if self._text[max(self._at, line + 1) : end].strip(_BLANKS):
            return Margin.TEXT
        return margin if line < 0 else Margin.LINE

    def _fence(self, marks: str) -> Waiting:
        """Read a block of code, which holds no calls.

        If there are more backticks on its first line, that was code within a line, and no block.
        """
        is_open = False
        while not is_open:
            line = self._text.find("\n", self._at) + 1
            tick = self._text.find("`", self._at, line or None) if marks[0] == "`" else -1
            self._tell(tick if tick >= 0 else line or len(self._text))
            is_open = line > 0
            if tick >= 0 or (self._is_final and not is_open):
                return
            if not is_open:
                yield
        closing = re.compile(rf"[ \t]*{marks[0]}{{{len(marks)},}}[ \t\r]*")
        begun = re.compile(rf"[ \t]*{marks[0]}*[ \t\r]*")
        is_at_line = True
        while True:
            at = self._at
            while (line := self._text.find("\n", at)) >= 0:
                if is_at_line and closing.fullmatch(self._text, at, line):
                    self._tell(line)
                    return
                at, is_at_line = line + 1, True
            if self._is_final or not is_at_line or not begun.fullmatch(self._text, at):
                at, is_at_line = len(self._text), False
            self._tell(at)
            if self._is_final:
                return
            yield

    # ------------------------------------------------------------ calls

    def _wire(self) -> Waiting:
        """Read a call in the wire form, from behind its tag."""
        head = OPEN
        while True:
            begin = skip(self._text, self._at)
            name, end = _name_at(self._text, begin)
            is_known = end < len(self._text) or self._is_final
            stop = end if is_known and name is not None else begin
            head += self._text[self._at : stop]
            self._at = stop
            if is_known:
                break
            yield
        if name is not None:
            self._events.append(CallStart(name, "wire"))
        yield from self._body(name, head, "wire")

    def _native(self) -> Waiting:
        """Read a call in our own form, from its mark on."""
        name, end = _name_at(self._text, self._at + len(MARK))
        head = self._text[self._at : end + 1]
        self._at = end + 1
        self._events.append(CallStart(name or "", "native"))
        yield from self._body(name, head, "native")

    def _body(self, name: str | None, head: str, form: Form) -> Waiting:
        """Read a call from behind its name to its end, which is not in quotes."""
        parts, quote, opened = [head], "", ["("]
        closing = _CLOSING[form]
        while True:
            at, end, quote = self._end(quote, opened, form)
            parts.append(self._text[self._at : at])
            self._at = at
            if end or self._is_final:
                break
            yield
        source = "".join(parts)
        if end == closing:
            body = source[len(head) : -len(end)]
            self._events.append(self._call(name, body, source, form))
        else:
            missing = f"{quote} and {closing}" if quote else closing
            message = f"the call is not closed; end it with {missing}"
            self._events.append(CallError(name, message, source))

    def _end(self, quote: str, opened: list[str], form: Form) -> tuple[int, str, str]:
        """Return how far a call is read, what ends it there, and the quote of an open string."""
        text, at = self._text, self._at
        while True:
            if quote:
                rest = STRING_REST[quote].match(text, at)
                at = at if rest is None else rest.end()
                if not text.startswith(quote, at):
                    break
                at, quote = at + 1, ""
            match = _STOP[form].search(text, at)
            if match is None:
                break
            at, mark = match.end(), match[0]
            if mark in "\"'":
                quote = mark
            elif mark == OPEN:
                return match.start(), mark, ""
            elif mark == CLOSE or _closes(mark, opened):
                return at, mark if mark == CLOSE else ")", ""
        if self._is_final:
            return len(text), "", quote
        # A mark may begin in the last characters, but not in a string.
        return at if quote else max(at, len(text) - len(_CLOSING[form]) + 1), "", quote

    def _call(self, name: str | None, body: str, source: str, form: Form) -> Call | CallError:
        """Return a call whose text is complete."""
        if name is None:
            return CallError(None, "the call has no name; write the name of a tool first", source)
        if self._tools is not None and name not in self._tools:
            return CallError(name, _unknown(name, list(self._tools)), source)
        try:
            arguments = read_body(body, form, self._tools[name] if self._tools else None)
        except SyntaxProblem as problem:
            return CallError(name, str(problem), source)
        return Call(name, arguments, source, form)


def _closes(mark: str, opened: list[str]) -> bool:
    """Note a bracket, and return whether it closes the first one."""
    opening = _BRACKETS.get(mark)
    if opening is None:
        opened.append(mark)
    elif opening in opened:
        while opened.pop() != opening:
            pass
    return not opened


def _unknown(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=3) or known[:3]
    more = "" if len(near) == len(known) else f" and {len(known) - len(near)} more"
    return f"there is no tool {name}; there are {', '.join(near)}{more}"


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


def read_calls(text: str, tools: Iterable[Tool] | None = None) -> list[Event]:
    r"""Return the calls in a whole text and the text between them.

    The sources of all events, one after another, are the text; see `source_of`.

    Examples
    --------
    >>> for event in read_calls("Both at once:\n→now()\n→getTime(zone=UTC)", None):
    ...     print(event)
    Text(text='Both at once:\n')
    CallStart(name='now', form='native')
    Call(name='now', arguments={}, source='→now()', form='native')
    Text(text='\n')
    CallStart(name='getTime', form='native')
    Call(name='getTime', arguments={'zone': 'UTC'}, source='→getTime(zone=UTC)', form='native')
    """
    parser = CallParser(tools)
    return joined([*parser.feed(text), *parser.flush()])


def joined(events: Iterable[Event]) -> list[Event]:
    """Return events with pieces of text that follow one another made one."""
    found: list[Event] = []
    pieces: list[str] = []
    for event in events:
        if isinstance(event, Text):
            pieces.append(event.text)
            continue
        if pieces:
            found.append(Text("".join(pieces)))
            pieces.clear()
        found.append(event)
    return [*found, Text("".join(pieces))] if pieces else found
