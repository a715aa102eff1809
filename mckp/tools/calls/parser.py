"""One parser of calls for streams and for whole texts: its states, and the loop over them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

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
    from collections.abc import Iterable, Iterator

    from mckp.tools.calls.grammar import Form
    from mckp.tools.tool import Tool


class State(Protocol):
    """Where a parser is, and how it reads on."""

    def step(self, text: str, at: int, final: bool) -> Step:
        """Read on from a place.

        The character before the place is there, but at the start of all. What is decided here
        must hold whatever comes after `text`, unless it is `final`, the last there is.
        """
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """How far was read, what was found, and the state after it, None to wait for more text."""

    at: int
    events: tuple[Event, ...]
    state: State | None


class Catalog:
    """The tools that may be called; without any, all names are taken.

    Examples
    --------
    >>> Catalog(None).call("now", "zone=UTC", "<call>now zone=UTC</call>", "wire").arguments
    {'zone': 'UTC'}
    """

    def __init__(self, tools: Iterable[Tool] | None) -> None:
        self._tools = None if tools is None else {tool.name: tool for tool in tools}

    def call(self, name: str | None, body: str, source: str, form: Form) -> Call | CallError:
        """Return a call whose text is complete."""
        if name is None:
            return CallError(None, "the call has no name; write the name of a tool first", source)
        if self._tools is not None and name not in self._tools:
            return CallError(name, self._unknown(name), source)
        try:
            arguments = read_body(body, form, self._tools[name] if self._tools else None)
        except SyntaxProblem as problem:
            return CallError(name, str(problem), source)
        return Call(name, arguments, source, form)

    def _unknown(self, name: str) -> str:
        known = list(self._tools or ())
        near = get_close_matches(name, known, n=3) or known[:3]
        more = "" if len(near) == len(known) else f" and {len(known) - len(near)} more"
        return f"there is no tool {name}; there are {', '.join(near)}{more}"


def unclosed(name: str | None, source: str, closing: str) -> CallError:
    """Return what is to be said of a call that does not end."""
    return CallError(name, f"the call is not closed; end it with {closing}", source)


_OPENING: Final = {")": "(", "]": "[", "}": "{"}


class _Body(ABC):
    """A call whose end is looked for."""

    stop: ClassVar[re.Pattern[str]]
    """What may end the call, or begins a string in it."""
    closing: ClassVar[str]
    """What ends the call."""

    def __init__(self, catalog: Catalog, name: str | None, head: str, after: State) -> None:
        self._catalog, self._name, self._after = catalog, name, after
        self._head, self._parts = head, list[str]()
        self._quote: str | None = None

    def step(self, text: str, at: int, final: bool) -> Step:
        """Read on, to the end of the call if it is there."""
        begin = at
        while True:
            at = self._string_end(text, at)
            match = self.stop.search(text, at) if self._quote is None else None
            if match is None:
                return self._wait(text, begin, at, final)
            if match[0] in "\"'":
                self._quote, at = match[0], match.end()
                continue
            end = self._end(match)
            if end is not None:
                source = self._read(text, begin, end)
                return Step(end, (self._event(source, match[0]),), self._after)
            at = match.end()

    @abstractmethod
    def _end(self, match: re.Match[str]) -> int | None:
        """Return the place where the call ends, None if it does not."""

    @abstractmethod
    def _event(self, source: str, mark: str) -> Call | CallError:
        """Return what a call is that ended at a mark."""

    def _string_end(self, text: str, at: int) -> int:
        """Return the place after the string that is open, or how far it is known."""
        if self._quote is None:
            return at
        match = STRING_REST[self._quote].match(text, at)
        end = at if match is None else match.end()
        if text.startswith(self._quote, end):
            self._quote, end = None, end + 1
        return end

    def _wait(self, text: str, begin: int, at: int, final: bool) -> Step:
        """Keep what is decided: a mark may begin in the last characters, but not in a string."""
        if final:
            event = self._unclosed(self._read(text, begin, len(text)))
            return Step(len(text), (event,), self._after)
        if self._quote is None:
            at = max(at, len(text) - len(self.closing) + 1)
        self._parts.append(text[begin:at])
        return Step(at, (), None)

    def _read(self, text: str, begin: int, end: int) -> str:
        return "".join([self._head, *self._parts, text[begin:end]])

    def _unclosed(self, source: str) -> CallError:
        quote = "" if self._quote is None else f"{self._quote} and "
        return unclosed(self._name, source, quote + self.closing)


class WireBody(_Body):
    """A call in the wire form; it ends at the first end tag that is not in quotes."""

    stop = re.compile(rf"{CLOSE}|{OPEN}|{QUOTE_START}")
    closing = CLOSE

    def _end(self, match: re.Match[str]) -> int | None:
        return match.start() if match[0] == OPEN else match.end()

    def _event(self, source: str, mark: str) -> Call | CallError:
        if mark == OPEN:
            return self._unclosed(source)
        body = source[len(self._head) : -len(CLOSE)]
        return self._catalog.call(self._name, body, source, "wire")


class NativeBody(_Body):
    """A call in our own form; it ends at the bracket that closes its first one."""

    stop = re.compile(rf"[()\[\]{{}}]|{QUOTE_START}")
    closing = ")"

    def __init__(self, catalog: Catalog, name: str | None, head: str, after: State) -> None:
        super().__init__(catalog, name, head, after)
        self._open = ["("]

    def _end(self, match: re.Match[str]) -> int | None:
        opening = _OPENING.get(match[0])
        if opening is None:
            self._open.append(match[0])
        elif opening in self._open:
            while self._open.pop() != opening:
                pass
        return None if self._open else match.end()

    def _event(self, source: str, mark: str) -> Call | CallError:
        body = source[len(self._head) : -len(mark)]
        return self._catalog.call(self._name, body, source, "native")


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
    """Text, in which calls and fences are looked for."""

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
        self._catalog = Catalog(tools)
        self._reset()

    def _reset(self) -> None:
        self._text, self._at = "", 0
        self._state: State = Outside(self._catalog)

    def feed(self, chunk: str) -> list[Event]:
        """Read a chunk; return what is now known."""
        _check(chunk)
        kept = max(0, self._at - 1)
        self._text = self._text[kept:] + chunk
        self._at -= kept
        return self._run(final=False)

    def flush(self) -> list[Event]:
        """Read what was held back as the end; the parser can then be used for another text."""
        events = self._run(final=True)
        self._reset()
        return events

    def _run(self, *, final: bool) -> list[Event]:
        events: list[Event] = []
        state: State | None = self._state
        while state is not None:
            self._state = state
            step = state.step(self._text, self._at, final)
            self._at, state = step.at, step.state
            events.extend(step.events)
        return events


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


def _check(chunk: object) -> None:
    if not isinstance(chunk, str):
        raise TypeError(f"a text is to be read, not {type(chunk).__name__}")


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
