"""A parser of calls, for streams and for complete texts.

It is a generator that waits for more text wherever that could change the meaning of a mark, so the
result does not depend on where a stream is cut into chunks.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, cast

from mckp.regexes import regex
from mckp.tools.calls.bodies import read_body
from mckp.tools.calls.grammar import (
    CLOSE,
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
    skip,
    source_of,
    string_at,
)
from mckp.tools.tool import parse_tools

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    Waiting = Generator[None, None, None]
    """Reads on, and waits where it needs more text."""

_LINE: Final = r"(?<=\n)[ \t\r]*"
"""The blanks at the start of a line; what is read begins with the end of the line before."""
_MARK: Final = regex(
    rf"{OPEN}|{_LINE}(?:(?P<code>`{{3,}}+)[^`\n]*(?:\n|\Z)|(?P<tilde>~{{3,}}+)[^\n]*(?:\n|\Z)|`{{3,}}+[^`\n]*(?=`))"
)
"""A call, a block of code with its first line, or code within a line that looks like one."""
_TAIL: Final = regex(
    rf"(?:<(?:c(?:a(?:ll?)?)?)?|{_LINE}(?:`{{0,2}}|~{{0,2}}|`{{3,}}[^`\n]*|~{{3,}}[^\n]*))\Z"
)
"""What may become a mark when more text comes."""
_STOP: Final = regex(rf"{CLOSE}|{OPEN}|{QUOTE_START}")
"""What may end a call, or begins a string in it."""


class CallParser:
    """Finds the calls in a text that comes in chunks; code blocks are skipped.

    Parameters
    ----------
    tools
        The tools that may be called, as `parse_tools` reads them; their schemas give the type of
        a bare word. Without any, all names are taken.

    Examples
    --------
    >>> parser = CallParser()
    >>> parser.feed("Let me see. <ca")
    [Text(text='Let me see. ')]
    >>> parser.feed("ll>getWeather ")
    [CallStart(name='getWeather')]
    >>> [event.arguments for event in parser.feed("location='New York' days=2</call>")]
    [{'location': 'New York', 'days': 2}]
    >>> parser.flush()
    []
    """

    def __init__(self, tools: Any = None) -> None:
        self._tools = None if tools is None else {tool.name: tool for tool in parse_tools(tools)}
        self._reset()

    def _reset(self) -> None:
        """Begin a new text."""
        self._text, self._at, self._is_final = "\n", 1, False
        self._events: list[Event] = []
        self._reading = self._read_text()

    def feed(self, chunk: str) -> list[Event]:
        """Read a chunk; return the events that no later text can change."""
        if not isinstance(cast("object", chunk), str):
            raise TypeError(f"expected a text, got {type(chunk).__name__}")
        # What a mark or a quote means depends on the character before it.
        self._text, self._at = self._text[self._at - 1 :] + chunk, 1
        return self._read()

    def flush(self) -> list[Event]:
        """End the text and return its last events; the parser is then ready for another text."""
        self._is_final = True
        events = self._read()
        self._reset()
        return events

    def _read(self) -> list[Event]:
        """Read as far as the text allows, and return the events."""
        next(self._reading, None)
        events, self._events = self._events, []
        return events

    def _advance_to(self, end: int) -> None:
        """Move to an index, and add the text up to there to the events."""
        if end > self._at:
            self._events.append(Text(self._text[self._at : end]))
        self._at = end

    def _read_text(self) -> Waiting:
        """Read a whole text with the calls and code blocks in it."""
        while True:
            mark = _MARK.search(self._text, self._at)
            if mark is None:
                tail = None if self._is_final else _TAIL.search(self._text, self._at)
                self._advance_to(len(self._text) if tail is None else tail.start())
                if self._is_final:
                    return
                yield
            elif mark[0] == OPEN:
                self._advance_to(mark.start())
                self._at = mark.end()
                yield from self._read_call()
            elif mark.lastgroup and mark[0][-1] != "\n" and not self._is_final:
                self._advance_to(mark.start())  # the line goes on
                yield
            else:
                self._advance_to(mark.end())
                if fence := mark["code"] or mark["tilde"]:
                    yield from self._read_block(fence)

    def _read_block(self, fence: str) -> Waiting:
        """Read a code block from its second line on, line by line; `fence` is what opened it."""
        closing = re.compile(rf"^[ \t]*{fence[0]}{{{len(fence)},}}[ \t\r]*(?=\n)", re.MULTILINE)
        while (match := closing.search(self._text, self._at)) is None:
            complete_end = len(self._text) if self._is_final else self._text.rfind("\n") + 1
            self._advance_to(max(self._at, complete_end))
            if self._is_final:
                return
            yield
        self._advance_to(match.end())

    def _read_call(self) -> Waiting:
        """Read a call, from after its opening tag up to a closing tag outside quotes."""
        while True:
            name, end = _name_at(self._text, skip(self._text, self._at))
            if end < len(self._text) or self._is_final:
                break
            yield
        end = self._at if name is None else end
        head = OPEN + self._text[self._at : end]
        parts, quote, self._at = [head], "", end
        if name is not None:
            self._events.append(CallStart(name))
        while True:
            at, mark, quote = self._find_end(quote)
            parts.append(self._text[self._at : at])
            self._at = at
            if mark or self._is_final:
                break
            yield
        source = "".join(parts)
        if mark == CLOSE:
            self._events.append(self._complete_call(name, source[len(head) : -len(CLOSE)], source))
        else:
            missing = f"{quote} and {CLOSE}" if quote else CLOSE
            message = f"the call is not closed; end it with {missing}"
            self._events.append(CallError(name, message, source))

    def _find_end(self, quote: str) -> tuple[int, str, str]:
        """Return the index read so far, the tag that ends the call there, and the open quote.

        The tag is empty if there is none yet, and the quote if no string is open.
        """
        text, at = self._text, self._at
        while True:
            if quote:
                rest = STRING_REST[quote].match(text, at)
                at = at if rest is None else rest.end()
                if not text.startswith(quote, at):
                    break
                at, quote = at + 1, ""
            match = _STOP.search(text, at)
            if match is None:
                break
            if match[0] == OPEN:
                return match.start(), OPEN, ""
            at = match.end()
            if match[0] == CLOSE:
                return at, CLOSE, ""
            quote = match[0]
        if self._is_final:
            return len(text), "", quote
        # A mark may begin in the last characters, but not in a string.
        return at if quote else max(at, len(text) - len(CLOSE) + 1), "", quote

    def _complete_call(self, name: str | None, body: str, source: str) -> Call | CallError:
        """Return the call that a complete body makes, or the error in it."""
        if name is None:
            return CallError(None, "the call has no name; write the name of a tool first", source)
        if self._tools is not None and name not in self._tools:
            return CallError(name, _unknown_tool_message(name, list(self._tools)), source)
        try:
            arguments = read_body(body, self._tools[name] if self._tools else None)
        except SyntaxProblem as problem:
            return CallError(name, str(problem), source)
        return Call(name, arguments, source)


def _unknown_tool_message(name: str, known: list[str]) -> str:
    """Return the message that a tool is unknown, with the nearest names."""
    near = get_close_matches(name, known, n=3) or known[:3]
    others = "" if len(near) == len(known) else f" and {len(known) - len(near)} more"
    return f"there is no tool {name}; there are {', '.join(near)}{others}"


def _name_at(text: str, at: int) -> tuple[str | None, int]:
    """Return the tool name at an index and the index after it; the name is None if there is none.

    If more text could extend the name, the index is the end of the text.
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


def read_calls(text: str, tools: Any = None) -> list[Event]:
    r"""Return the calls in a complete text and the pieces of text between them.

    The sources of all events, joined, are the text; see `source_of`.

    Examples
    --------
    >>> for event in read_calls("Both at once:\n<call>now</call>\n<call>getTime zone=UTC</call>"):
    ...     print(event)
    Text(text='Both at once:\n')
    CallStart(name='now')
    Call(name='now', arguments={}, source='<call>now</call>')
    Text(text='\n')
    CallStart(name='getTime')
    Call(name='getTime', arguments={'zone': 'UTC'}, source='<call>getTime zone=UTC</call>')
    """
    parser = CallParser(tools)
    return joined([*parser.feed(text), *parser.flush()])


def joined(events: Iterable[Event]) -> list[Event]:
    """Return the events with adjacent pieces of text joined."""
    merged: list[Event] = []
    for is_text, group in groupby(events, lambda event: isinstance(event, Text)):
        if is_text:
            merged.append(Text("".join(map(source_of, group))))
        else:
            merged += group
    return merged
