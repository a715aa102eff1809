"""One parser of calls for streams and for whole texts.

Calls within fenced blocks of code are text, as is one in our own form that is not the first mark
on its line (or after another call). Of what was fed, only the longest end that may begin a mark is
held back; where the chunks end changes nothing but how text is cut into events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.tools.calls.ends import Catalog
from mckp.tools.calls.events import Text
from mckp.tools.calls.outside import Outside

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.tools.calls.events import Event
    from mckp.tools.calls.steps import State
    from mckp.tools.tool import Tool


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
