"""Results on their way to the host: shortened, or only looked at to tell what that would save."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.fakes import escape
from mckp.errors import BudgetError, PathError
from mckp.jsontext import dump, is_array
from mckp.mcp.desk import Called, Delivered
from mckp.mcp.parts import projected
from mckp.mcp.recall import MAX_CHARS, Kept, excerpt
from mckp.mcp.structured import arranged, texts_in
from mckp.session.classify import json_value
from mckp.tokenizers.backends import fastest
from mckp.tokenizers.encodings import VOCABULARIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mckp.mcp.servers import ProxySettings
    from mckp.session import Session

_LOG: Final = logging.getLogger(__name__)

MIN_SHARE_TOKENS: Final = 48
"""Tokens below which texts of one result are joined, rather than cut one by one."""

_LABEL_TOKENS: Final = 8


def prepare(tokenizer: str) -> None:
    """Load the vocabulary of a tokenizer, which results are counted by."""
    if tokenizer in VOCABULARIES:
        fastest(tokenizer)


class Deliverer:
    """Makes results shorter, or leaves them as they are."""

    def __init__(
        self,
        session: Session,
        settings: ProxySettings,
        count: Callable[[str], int],
        kept: Kept | None = None,
    ) -> None:
        self._session, self._settings, self._count = session, settings, count
        self.kept = Kept() if kept is None else kept

    def deliver(self, called: Called, result: dict[str, Any]) -> Delivered:
        """Return what to send for a result; if anything fails, the result itself."""
        delivered = Delivered(result)
        try:
            return self._delivered(called, result, delivered)
        except Exception:
            _LOG.exception("%s: the result goes through as it came", called.name)
            self.gone(delivered.numbers)
            return Delivered(result)

    def gone(self, numbers: Sequence[int]) -> None:
        """Note that texts did not reach the host, or were thrown away there."""
        for number in numbers:
            try:
                self._session.gone(number)
            except LookupError:
                _LOG.debug("#%d was forgotten already", number)

    def _delivered(self, called: Called, result: dict[str, Any], delivered: Delivered) -> Delivered:
        way = self._settings.structured_of(called.server, called.tool)
        result = delivered.result = arranged(result, way)
        blocks = result.get("content")
        places = list(texts_in(blocks)) if is_array(blocks) else []
        if not places or not is_array(blocks):
            return delivered
        limit = self._settings.limit(called.server, called.tool)
        given = [blocks[place]["text"] for place in places]
        is_error = result.get("isError") is True
        texts, notes = (given, []) if is_error else self._fields(called, given)
        if limit is not None:
            limit -= sum(map(self._count, notes))
        sent = self._as_they_came(texts, limit) if is_error else None
        if sent == given:
            return delivered
        if sent is None:
            sent = self._sent(called, texts, limit, delivered.numbers)
        kept = {place: {**blocks[place], "text": text} for place, text in zip(places, sent)}  # noqa: B905 - joined texts are fewer
        gone = set(places) - set(kept)
        content = [kept.get(n, block) for n, block in enumerate(blocks) if n not in gone]
        content += [{"type": "text", "text": note} for note in notes]
        return Delivered({**result, "content": content}, delivered.numbers)

    def _fields(self, called: Called, texts: list[str]) -> tuple[list[str], list[str]]:
        """Return texts with what is asked for only, and notes that say so."""
        fields = called.fields or self._settings.fields_of(called.server, called.tool)
        if not fields:
            return texts, []
        found, told = list(texts), ""
        for place, text in enumerate(texts):
            value = json_value(text)
            try:
                if value is not None and len(text) <= MAX_CHARS:
                    found[place] = dump(projected(value, fields))
            except PathError as error:
                told = f"{error}; " if called.fields else ""
        if found == texts and not told:
            return texts, []
        handle = self.kept.add(texts[0] if len(texts) == 1 else dump(texts))
        said = told or "only the fields asked for; "
        return found, [f"> [{said}handle {handle}]"]

    def _as_they_came(self, texts: Sequence[str], limit: int | None) -> list[str] | None:
        """Return texts with fakes marked, None if they are over the limit."""
        marked = [escape(text, raw=True) for text in texts]
        # A token has at least one character, so short texts need not be counted.
        if limit is None or sum(map(len, marked)) <= limit:
            return marked
        return marked if sum(map(self._count, marked)) <= limit else None

    def _sent(
        self, called: Called, texts: list[str], limit: int | None, numbers: list[int]
    ) -> list[str]:
        if limit is None or len(texts) == 1:
            return [self._one(called, text, limit, numbers) for text in texts]
        wants = [self._count(text) + _LABEL_TOKENS for text in texts]
        while len(texts) > 1 and sum(wants) > limit and limit < MIN_SHARE_TOKENS * len(texts):
            texts = [*texts[:-2], f"{texts[-2]}\n{texts[-1]}"]
            wants = [*wants[:-2], wants[-2] + wants[-1]]
        sent: list[str] = []
        for number, text in enumerate(texts):
            room = shares(wants[number:], limit)[0]
            sent.append(self._one(called, text, room, numbers))
            limit -= self._count(sent[-1])
        return sent

    def _one(self, called: Called, text: str, limit: int | None, numbers: list[int]) -> str:
        if len(text) > MAX_CHARS:
            return self._long(called, text, limit)
        try:
            delivery = self._session.add(
                tool=called.name, args=called.args, text=text, budget=limit, call_id=called.id
            )
        except BudgetError:
            return self._long(called, text, limit)
        if delivery.number is not None and delivery.layer != "L0":
            numbers.append(delivery.number)
            if delivery.elided:
                self.kept.cut(delivery.number, text, delivery.elided, delivery.text)
        return delivery.text

    def _long(self, called: Called, text: str, limit: int | None) -> str:
        if limit is None:
            _LOG.warning("%s: %s characters go through as they are", called.name, f"{len(text):,}")
            return escape(text, raw=True)
        return excerpt(text, limit, self.kept.add(text), self._count)


def shares(wants: Sequence[int], whole: int) -> list[int]:
    """Share a whole: who wants little gets it, and the others get equal parts of the rest.

    Examples
    --------
    >>> shares([10, 500, 900], 210), shares([10, 20], 99)
    ([10, 100, 100], [10, 20])
    """
    found = [0] * len(wants)
    left = whole
    order = sorted(range(len(wants)), key=lambda place: wants[place])
    for done, place in enumerate(order):
        found[place] = min(wants[place], left // (len(wants) - done))
        left -= found[place]
    return found


@dataclass(slots=True)
class Shadow:
    """What would have been saved, had anything been changed.

    Examples
    --------
    >>> shadow = Shadow(lambda text: len(text.split()))
    >>> long, short = ({"content": [{"type": "text", "text": "word " * n}]} for n in (40, 10))
    >>> shadow.note(long, short)
    >>> print(shadow)
    1 results of 40 tokens would have had 10 (75 % less)
    """

    count: Callable[[str], int]
    results: int = 0
    before: int = 0
    after: int = 0
    lists: str = ""

    def note(self, came: Mapping[str, Any], sent: Mapping[str, Any]) -> None:
        """Count a result as it came, and as it would have been sent."""
        self.results += 1
        self.before += self._tokens(came)
        self.after += self._tokens(sent)

    def _tokens(self, result: Mapping[str, Any]) -> int:
        blocks = result.get("content")
        texts = [blocks[place]["text"] for place in texts_in(blocks)] if is_array(blocks) else []
        if "structuredContent" in result:
            texts.append(dump(result["structuredContent"]))
        return sum(map(self.count, texts))

    def __str__(self) -> str:
        less = 100 * (1 - self.after / self.before) if self.before else 0
        said = f"{self.results:,} results of {self.before:,} tokens would have had {self.after:,}"
        return f"{said} ({less:.0f} % less){self.lists}"
