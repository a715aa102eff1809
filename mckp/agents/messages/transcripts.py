"""The tool results of a conversation in order; each is delivered once and never changes."""

from __future__ import annotations

import logging
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypedDict, TypeVar

from mckp.agents.session import Session, SessionSettings
from mckp.agents.session.excerpts import plain_cut
from mckp.agents.session.recall import answer
from mckp.agents.session.scopes import spelled
from mckp.agents.session.tool import NAME as RECALL
from mckp.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mckp.agents.messages.shapes import ToolText
    from mckp.api import TokenizerLike

LEAST: Final = 32
"""The smallest budget of a result: it always holds a label, and a note on what was cut."""

ON_ERROR: Final = ("text", "pass", "raise")
"""What may be done with a result that cannot be encoded."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Rules:
    """How results are delivered."""

    settings: SessionSettings
    tokenizer: TokenizerLike
    leave: frozenset[str]
    on_error: str = "text"

    @classmethod
    def of(
        cls,
        *,
        settings: SessionSettings | None = None,
        budget: int | None = None,
        tokenizer: TokenizerLike = "o200k",
        leave: Iterable[str] = (),
        on_error: str = "text",
    ) -> Rules:
        """Return the rules of these options; a budget below `LEAST` is a `ValueError`."""
        if on_error not in ON_ERROR:
            raise UnknownNameError("way to go on after an error", on_error, ON_ERROR)
        found = SessionSettings() if settings is None else settings
        found = found if budget is None else replace(found, budget=budget)
        if found.budget is not None and found.budget < LEAST:
            message = f"budget={found.budget} has no room for a note on what was cut"
            raise ValueError(f"{message}; use {LEAST} or more, or None")
        return cls(found, tokenizer, frozenset({*leave, RECALL}), on_error)


class Transcript:
    """Delivers the results of one conversation, one after another.

    A delivered text depends only on the results up to it, so a conversation gets the same texts in
    every process.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.session = Session(rules.settings, tokenizer=rules.tokenizer)
        self.texts: list[str] = []
        self.key, self.size = b"", 0

    def add(self, result: ToolText) -> None:
        """Deliver one more result; if that fails, do with it what the rules say."""
        try:
            text = self._delivered(result)
        except Exception:
            if self._rules.on_error == "raise":
                raise
            passes = self._rules.on_error == "pass"
            what = "is sent as it came" if passes else "is cut without reading it"
            _LOG.warning("a result of %r %s", result.tool, what, exc_info=True)
            text = result.text if passes else self._cut(result)
        self.key = key_after(self.key, result)
        self.texts.append(text)
        self.size += len(result.text) + len(text)

    def _delivered(self, result: ToolText) -> str:
        if not result.text or result.tool in self._rules.leave:
            return result.text
        budget = share(self._rules.settings.budget, result.parts)
        if not result.tool:
            return self.session.written(result.text, budget).text
        return self.session.add(
            tool=result.tool,
            args=result.args,
            text=result.text,
            budget=budget,
            is_error=result.is_error,
            request=result.request,
        ).text

    def _cut(self, result: ToolText) -> str:
        """Return the plain cut of a result, which can be recalled if nothing of that fails."""
        number = 0
        with suppress(Exception):
            number = self.session.keep(result.text)
        budget = share(self._rules.settings.budget, result.parts)
        handle = f"#{number}" if number else ""
        return plain_cut(result.text, budget, self.session.tokenizer.count, handle)


def share(budget: int | None, parts: int) -> int | None:
    """Return the budget of one of several texts of a result.

    Examples
    --------
    >>> share(100, 2), share(100, 5), share(None, 2)
    (50, 32, None)
    """
    return None if budget is None else max(LEAST, budget // parts)


def key_after(key: bytes, result: ToolText) -> bytes:
    """Return the hash of a conversation after one more result."""
    plain = [
        *(result.tool, spelled(result.args), result.call_id, result.is_error, result.parts),
        result.request,
    ]
    said = blake2b(key, digest_size=16)
    for part in (repr(plain), result.text):
        raw = part.encode("utf-8", "surrogatepass")
        said.update(b"%d:" % len(raw))
        said.update(raw)
    return said.digest()


class Options(TypedDict, total=False):
    """The options of all encoders of conversations; all are optional.

    Attributes
    ----------
    settings : SessionSettings
        Settings of references and formats.
    budget : int or None
        Most tokens of a result, at least `mckp.agents.messages.LEAST`; by default that of the
        settings.
    tokenizer : str, Tokenizer or callable
        What counts tokens; "o200k" by default.
    leave : iterable of str
        Tools whose results are sent as they are.
    on_error : {"text", "pass", "raise"}
        What is done if a result cannot be encoded, whatever the reason: by default its beginning
        and end are sent, within the budget, with a note on what is missing; ``pass`` sends it as
        it came, also over the budget, and ``raise`` raises the error. The log has it in any case.
    """

    settings: SessionSettings | None
    budget: int | None
    tokenizer: TokenizerLike
    leave: Iterable[str]
    on_error: Literal["text", "pass", "raise"]


K = TypeVar("K")
V = TypeVar("V")

MAX_CHARS: Final = 1 << 27
"""Most characters of text in one memory; the newest text is always kept."""


class Recent(Generic[K, V]):
    """A cache of the latest values, safe for threads.

    Examples
    --------
    >>> recent = Recent[str, int](2)
    >>> for number, name in enumerate("abc"):
    ...     recent.put(name, number, 1)
    >>> recent.get("a"), recent.take("c"), recent.get("c")
    (None, 2, None)
    """

    def __init__(self, most: int, room: int = MAX_CHARS) -> None:
        self._most, self._room, self._size = most, room, 0
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        """Return a value, if it is there."""
        with self._lock:
            found = self._values.get(key)
        return None if found is None else found[0]

    def take(self, key: K) -> V | None:
        """Return a value, if it is there, and remove it."""
        with self._lock:
            return self._taken(key)

    def put(self, key: K, value: V, size: int) -> None:
        """Keep a value, and remove the oldest if there is no room."""
        with self._lock:
            self._taken(key)
            self._values[key] = value, size
            self._size += size
            while len(self._values) > 1 and (
                len(self._values) > self._most or self._size > self._room
            ):
                self._taken(next(iter(self._values)))

    def _taken(self, key: K) -> V | None:
        value, size = self._values.pop(key, (None, 0))
        self._size -= size
        return value


def recalled(session: Session, rules: Rules, asked: Mapping[str, Any]) -> str:
    """Return the answer to a recall; an error is a text for the model."""
    text, is_error = answer(session, asked, rules.settings.budget)
    return f"error: {text}" if is_error else text
