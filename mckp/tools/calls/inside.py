"""Where a parser is within a call: it looks for the end and leaves the rest for then."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Final

from mckp.tools.calls.ends import unclosed
from mckp.tools.calls.grammar import CLOSE, OPEN, QUOTE_START, STRING_REST
from mckp.tools.calls.steps import Step

if TYPE_CHECKING:
    from mckp.tools.calls.ends import Catalog
    from mckp.tools.calls.events import Call, CallError
    from mckp.tools.calls.steps import State

_OPENING: Final = {")": "(", "]": "[", "}": "{"}


class _Body(ABC):
    """A call whose end is looked for.

    Parameters
    ----------
    catalog
        What makes calls of texts.
    name
        The tool, None if there was no name.
    head
        What was read of the call before its body.
    after
        The state after the call.
    """

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
