"""Results on their way to the host: shortened, or only measured to tell what that would save."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.mcp.desk import Called, Delivered
from mckp.agents.mcp.servers import MIN_TOKENS
from mckp.agents.mcp.structured import arranged, texts_in
from mckp.agents.mcp.turns import Turns
from mckp.agents.session.classify import json_value
from mckp.agents.session.excerpts import excerpt, plain_cut
from mckp.agents.session.recall import MAX_CHARS
from mckp.agents.session.selection import projected
from mckp.encoders.fakes import escape
from mckp.errors import BudgetError, PathError
from mckp.jsontext import dump, is_array
from mckp.tokenizers.backends import fastest
from mckp.tokenizers.encodings import VOCABULARIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from mckp.agents.mcp.servers import ProxySettings
    from mckp.agents.mcp.spill import Spill
    from mckp.agents.session import Session

_LOG: Final = logging.getLogger(__name__)

_LABEL_TOKENS: Final = 8


def prepare(tokenizer: str) -> None:
    """Load the vocabulary of the tokenizer that counts results."""
    if tokenizer in VOCABULARIES:
        fastest(tokenizer)


class Deliverer:
    """Makes results shorter, or leaves them as they are."""

    def __init__(
        self,
        session: Session,
        settings: ProxySettings,
        turns: Turns | None = None,
        spill: Spill | None = None,
    ) -> None:
        self.session, self._settings = session, settings
        self._count = session.tokenizer.count
        self._turns = Turns(None) if turns is None else turns
        self._spill = spill

    def deliver(self, called: Called, result: dict[str, Any]) -> Delivered:
        """Return what to send for a result; if that fails, its texts count as not sent."""
        delivered = Delivered(result)
        try:
            return self._delivered(called, result, delivered)
        except Exception:
            self.gone(delivered.numbers)
            raise

    def gone(self, numbers: Sequence[int]) -> None:
        """Note that texts did not reach the host, or that the host dropped them."""
        for number in numbers:
            try:
                self.session.gone(number)
            except LookupError:
                _LOG.debug("#%d was forgotten already", number)

    def _delivered(self, called: Called, result: dict[str, Any], delivered: Delivered) -> Delivered:
        way = self._settings.structured_of(called.server, called.tool)
        result = delivered.result = arranged(result, way)
        blocks = result.get("content")
        places = list(texts_in(blocks))
        if not places or not is_array(blocks):
            return delivered
        limit = self._settings.limit(called.server, called.tool)
        given = [blocks[place]["text"] for place in places]
        is_error = result.get("isError") is True
        texts, notes = (given, []) if is_error else self._fields(called, given)
        room = self._turns.room(called.at, limit)
        sent = self._as_they_came(texts, room) if is_error else None
        if sent is None:
            why = ["cut to what this turn has left"] if room != limit else []
            path = self._path(given, room)
            held = [*notes, *_note(why, path, ["#99999", ""])]
            sent = self._within(called, texts, room, held, delivered)
            if delivered.cut:
                is_there = path and self._spill and self._spill.write(path, _joined(given))
                notes += _note(why, path if is_there else None, delivered.cut)
        if room is not None and self._settings.turn_budget is not None:
            self._turns.spend(called.at, sum(map(self._count, [*sent, *notes])), room)
        if sent == given and not notes:
            return delivered
        kept = {place: {**blocks[place], "text": text} for place, text in zip(places, sent)}  # noqa: B905 - joined texts are fewer
        gone = set(places) - set(kept)
        content = [kept.get(n, block) for n, block in enumerate(blocks) if n not in gone]
        content += [{"type": "text", "text": note} for note in notes]
        delivered.result = {**result, "content": content}
        return delivered

    def _path(self, given: list[str], room: int | None) -> Path | None:
        """Return the path for a result that is cut; None if it is short, or the path too long."""
        if self._spill is None or sum(map(len, given)) <= self._settings.spill_above:
            return None
        path = self._spill.path(is_json=len(given) > 1 or json_value(given[0]) is not None)
        return path if room is None or 2 * self._count(str(path)) < room else None

    def _within(
        self,
        called: Called,
        texts: list[str],
        room: int | None,
        notes: Sequence[str],
        delivered: Delivered,
    ) -> list[str]:
        """Return texts cut to `room` tokens, and to as many characters as the host shows."""
        limit = None if room is None else room - sum(map(self._count, notes))
        most = (called.most_chars or math.inf) - sum(map(len, notes))
        while True:
            sent = self._sent(called, texts, limit, delivered)
            size = sum(map(len, sent))
            tokens = sum(map(self._count, sent)) if size > most else 0
            if tokens <= MIN_TOKENS:
                return sent
            self.gone(delivered.numbers)
            delivered.numbers, delivered.cut = [], []
            limit = max(MIN_TOKENS, min(tokens - 1, int(tokens * most / size)))

    def _fields(self, called: Called, texts: list[str]) -> tuple[list[str], list[str]]:
        """Return only the fields of texts that were asked for, and notes that say so."""
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
        number = self.session.keep(_joined(texts))
        said = told or "only the fields asked for; "
        return found, [f"> [{said}handle #{number}]"]

    def _as_they_came(self, texts: Sequence[str], limit: int | None) -> list[str] | None:
        """Return texts with marks on lines that look like ours; None if they exceed the limit."""
        marked = [escape(text, raw=True) for text in texts]
        # A token has at least one character, so short texts need not be counted.
        if limit is None or sum(map(len, marked)) <= limit:
            return marked
        return marked if sum(map(self._count, marked)) <= limit else None

    def _sent(
        self, called: Called, texts: list[str], limit: int | None, delivered: Delivered
    ) -> list[str]:
        if limit is None or len(texts) == 1:
            return [self._one(called, text, limit, delivered) for text in texts]
        wants = [self._count(text) + _LABEL_TOKENS for text in texts]
        is_over = sum(wants) > limit
        last = max(1, limit // MIN_TOKENS) - 1  # so that each has enough, the last are joined
        if is_over and last < len(texts):
            texts = [*texts[:last], "\n".join(texts[last:])]
            wants = [*wants[:last], sum(wants[last:])]
        sent: list[str] = []
        for number, text in enumerate(texts):
            room = shares(wants[number:], limit)[0] if is_over else wants[number]
            sent.append(self._one(called, text, room, delivered))
            limit -= self._count(sent[-1])
        return sent

    def _one(self, called: Called, text: str, limit: int | None, delivered: Delivered) -> str:
        if len(text) > MAX_CHARS:
            return self._long(called, text, limit, delivered)
        try:
            delivery = self.session.add(tool=called.name, args=called.args, text=text, budget=limit)
        except BudgetError:
            return self._long(called, text, limit, delivered)
        if delivery.number is not None and delivery.layer != "L0":
            delivered.numbers.append(delivery.number)
            if delivery.elided:
                delivered.cut.append(f"#{delivery.number}")
        return delivery.text

    def _long(self, called: Called, text: str, limit: int | None, delivered: Delivered) -> str:
        if limit is None:
            _LOG.warning("%s: %s characters go through as they are", called.name, f"{len(text):,}")
            return escape(text, raw=True)
        delivered.cut.append(f"#{self.session.keep(text)}")
        return excerpt(text, limit, delivered.cut[-1], self._count)


def cut_plainly(
    result: dict[str, Any], limit: int | None, count: Callable[[str], int]
) -> dict[str, Any]:
    """Return a result that could not be delivered, with equal parts of the limit for its texts.

    Data beside the texts are left out, as a host may show them instead.
    """
    blocks: Any = result.get("content")
    places = list(texts_in(blocks))
    if limit is None or not places:
        return result
    kept = {key: value for key, value in result.items() if key != "structuredContent"}
    texts = {at: plain_cut(blocks[at]["text"], limit // len(places), count) for at in places}
    content = [
        {**block, "text": texts[at]} if at in texts else block for at, block in enumerate(blocks)
    ]
    return {**kept, "content": content}


def _joined(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else dump(texts)


def _note(why: Sequence[str], path: Path | None, handles: Sequence[str]) -> list[str]:
    """Return the line that says why texts were cut and how to get all of them, if any were."""
    said = [*why, *([] if path is None else [f"all of it is in {path}"])]
    more = " and others" if len(handles) > 1 else ""
    return [f"> [{'; '.join(said)}; handle {handles[0]}{more}]"] if said else []


def shares(wants: Sequence[int], whole: int) -> list[int]:
    """Return fair shares of a whole: small wants are met, the others get equal parts of the rest.

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
    """Counts what the proxy would have saved if it had changed results.

    Examples
    --------
    >>> shadow = Shadow(lambda text: len(text.split()))
    >>> long, short = ({"content": [{"type": "text", "text": "word " * n}]} for n in (40, 10))
    >>> shadow.note(long, short)
    >>> print(shadow)
    1 result of 40 tokens would have had 10 (75 % less)
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
        blocks: Any = result.get("content")
        texts = [blocks[place]["text"] for place in texts_in(blocks)]
        if "structuredContent" in result:
            texts.append(dump(result["structuredContent"]))
        return sum(map(self.count, texts))

    def __str__(self) -> str:
        less = 100 * (1 - self.after / self.before) if self.before else 0
        results = f"{self.results:,} result{'s' * (self.results != 1)}"
        said = f"{results} of {self.before:,} tokens would have had {self.after:,}"
        return f"{said} ({less:.0f} % less){self.lists}"
