"""Results on their way to the host: shortened, or only measured to see what that would save."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.limits import MAX_CHARS
from mckp.agents.mcp.desk import DeliveredResult, RoutedCall
from mckp.agents.mcp.servers import MIN_TOKENS
from mckp.agents.mcp.structured import arrange_content, join_texts, texts_in, texts_of
from mckp.agents.mcp.turns import Turns
from mckp.agents.session.classify import json_value
from mckp.agents.session.excerpts import excerpt, plain_cut
from mckp.agents.session.selection import projected
from mckp.api import encode
from mckp.encoders.fakes import escape
from mckp.errors import BudgetError, PathError
from mckp.jsontext import dump, is_array
from mckp.tokenizers.backends import fastest_library
from mckp.tokenizers.encodings import VOCABULARIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from mckp.agents.mcp.servers import ProxySettings
    from mckp.agents.mcp.spill import Spill
    from mckp.agents.session import Session
    from mckp.parsers import KindName
    from mckp.tokenizers.base import Tokenizer

_LOG: Final = logging.getLogger(__name__)

_LABEL_TOKENS: Final = 8


_SAMPLES: Final[tuple[tuple[KindName, str], ...]] = (
    ("json", dump([{"id": n, "name": f"job {n}"} for n in range(9)])),
    ("markdown", "# A title\n\nSome words. And more words.\n\n- an item\n- another item\n"),
)
"""A small document of each kind, which must be cut to fit into `_SAMPLE_TOKENS`."""
_SAMPLE_TOKENS: Final = 20


def prepare(tokenizer: Tokenizer, *, limited: bool) -> None:
    """Load the vocabulary that counts results and the modules that encode them.

    `limited` says whether results have a token limit, so that modules that cut are needed too.
    """
    if tokenizer.name in VOCABULARIES:
        fastest_library(tokenizer.name)
    for kind, text in _SAMPLES:
        with suppress(BudgetError):
            budget = _SAMPLE_TOKENS if limited else None
            encode(text, kind=kind, tokenizer=tokenizer, budget=budget)


class Deliverer:
    """Shortens results, or leaves them as they are."""

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

    def deliver(self, call: RoutedCall, result: dict[str, Any]) -> DeliveredResult:
        """Return what to send for a result; if an error is raised, its texts count as not sent."""
        delivered = DeliveredResult(result)
        try:
            return self._deliver(call, result, delivered)
        except BaseException:  # also when the work limit stops it
            self.gone(delivered.numbers)
            raise

    def gone(self, numbers: Sequence[int]) -> None:
        """Note that texts did not reach the host, or that the host dropped them."""
        for number in numbers:
            try:
                self.session.gone(number)
            except LookupError:
                _LOG.debug("#%d had already been forgotten", number)

    def cut_plainly(self, call: RoutedCall, result: dict[str, Any]) -> DeliveredResult:
        """Return a result that could not be encoded: its beginning and end, within the limit."""
        delivered = DeliveredResult(arrange_content(result, "auto", call.host.shows))
        room = self._turns.reserve(call.at, self.session.settings.of(call.name).limit)
        blocks = delivered.result.get("content")
        texts = texts_of(blocks)
        if not is_array(blocks) or not texts or room is None:
            return delivered
        whole = "\n".join(texts)
        number = self.session.keep(whole)
        text = plain_cut(whole, room, self._count, f"#{number}")
        self._turns.spend(call.at, self._count(text), room)
        other_blocks = [
            block for place, block in enumerate(blocks) if place not in set(texts_in(blocks))
        ]
        content = [{"type": "text", "text": text}, *other_blocks]
        delivered.result = {**delivered.result, "content": content}
        delivered.numbers, delivered.cut_handles = [number], [f"#{number}"]
        return delivered

    def _deliver(
        self, call: RoutedCall, result: dict[str, Any], delivered: DeliveredResult
    ) -> DeliveredResult:
        """Write a result into `delivered`, within what its turn has left, and return that."""
        limit = self.session.settings.of(call.name).limit
        room = self._turns.reserve(call.at, limit)
        spent = 0
        try:
            reasons = ["cut to what this turn has left"] if room != limit else []
            spent = self._write_texts(
                call, self._arrange(call, result, room), delivered, room, reasons
            )
        finally:
            if room is not None:
                self._turns.spend(call.at, spent, room)
        return delivered

    def _arrange(
        self, call: RoutedCall, result: dict[str, Any], room: int | None
    ) -> dict[str, Any]:
        """Return a result with its structured content arranged for the host.

        If it is to be kept, but the result would have more than `room` tokens, it becomes a text.
        """
        treatment, shows = self.session.settings.of(call.name).structured, call.host.shows
        shaped = arrange_content(result, treatment, shows)
        data = shaped.get("structuredContent")
        if data is None or room is None:
            return shaped
        texts = texts_of(shaped.get("content"))
        whole_tokens = sum(map(self._count, [dump(data), *texts])) + _LABEL_TOKENS * len(texts)
        return shaped if whole_tokens <= room else arrange_content(result, "auto", shows)

    def _write_texts(
        self,
        call: RoutedCall,
        result: dict[str, Any],
        delivered: DeliveredResult,
        room: int | None,
        reasons: list[str],
    ) -> int:
        """Write the texts of a result into `delivered`; return the tokens of what is sent.

        `room` is the most tokens, or None for no limit; then nothing is counted, and 0 is returned.
        `reasons` has reasons for a cut, which a note gives if anything is cut.
        """
        delivered.result = result
        blocks = result.get("content")
        places, original_texts = list(texts_in(blocks)), texts_of(blocks)
        data = result.get("structuredContent")
        data_tokens = 0 if room is None or data is None else self._count(dump(data))
        if not places or not is_array(blocks):
            return data_tokens
        is_error = result.get("isError") is True
        texts, notes = (
            (original_texts, []) if is_error else self._select_fields(call, original_texts)
        )
        text_room = None if room is None else room - data_tokens
        is_file = call.is_file_read and not notes
        final_texts = (
            self._unchanged_texts(texts, text_room, marked=is_error)
            if is_error or is_file
            else None
        )
        if final_texts is not None and call.excess(final_texts, is_error=is_error) > 1:
            final_texts = None
        if final_texts is None:
            path = self._spill_path(original_texts, text_room)
            longest_notes = [*notes, *_cut_notes(reasons, path, ["#99999", ""])]
            final_texts = self._cut_to_room(
                call, texts, text_room, longest_notes, delivered, is_error=is_error
            )
            if delivered.cut_handles:
                is_saved = (
                    path and self._spill and self._spill.write(path, _joined_text(original_texts))
                )
                notes += _cut_notes(reasons, path if is_saved else None, delivered.cut_handles)
        tokens = (
            data_tokens
            if room is None
            else data_tokens + sum(map(self._count, [*final_texts, *notes]))
        )
        if final_texts != original_texts or notes:
            placed_texts = zip(places, final_texts)  # noqa: B905 - joined texts are fewer
            new_blocks = {place: {**blocks[place], "text": text} for place, text in placed_texts}
            dropped_places = set(places) - set(new_blocks)
            content = [
                new_blocks.get(place, block)
                for place, block in enumerate(blocks)
                if place not in dropped_places
            ]
            content += [{"type": "text", "text": note} for note in notes]
            delivered.result = {**result, "content": content}
        if call.host.is_one_text and len(final_texts) + len(notes) > 1:
            content = join_texts(delivered.result["content"])
            delivered.result = {**delivered.result, "content": content}
        return tokens

    def _spill_path(self, texts: list[str], room: int | None) -> Path | None:
        """Return a path to save the whole result at, should it be cut.

        None if results are not saved, if this one is short, or if the path would take half the
        room.
        """
        if self._spill is None or sum(map(len, texts)) <= self._settings.spill_above:
            return None
        path = self._spill.path(is_json=len(texts) > 1 or json_value(texts[0]) is not None)
        return path if room is None or 2 * self._count(str(path)) < room else None

    def _cut_to_room(
        self,
        call: RoutedCall,
        texts: list[str],
        room: int | None,
        notes: Sequence[str],
        delivered: DeliveredResult,
        *,
        is_error: bool,
    ) -> list[str]:
        """Return texts cut so that, with the notes that follow, they fit and the host shows them.

        Notes and texts have at most `room` tokens. The numbers of the texts, and the handles of
        those that were cut, are added to `delivered`.
        """
        joints = len(notes) + min(len(texts), (room or 0) // MIN_TOKENS) - 1
        limit = None if room is None else room - sum(map(self._count, notes)) - max(0, joints)
        while True:
            final_texts = self._encode_all(call, texts, limit, delivered)
            excess = call.excess([*final_texts, *notes], is_error=is_error)
            tokens = sum(map(self._count, final_texts)) if excess > 1 else 0
            if tokens <= MIN_TOKENS:
                return final_texts
            self.gone(delivered.numbers)
            delivered.numbers, delivered.cut_handles = [], []
            limit = max(MIN_TOKENS, min(tokens - 1, int(tokens / excess)))

    def _select_fields(self, call: RoutedCall, texts: list[str]) -> tuple[list[str], list[str]]:
        """Return texts with only the requested fields of their data, and a list of notes on that.

        There is no note if no text was changed and no field that the call asks for is missing.
        """
        fields = call.fields or self.session.settings.of(call.name).fields
        if not fields:
            return texts, []
        selected, failure = list(texts), ""
        for index, text in enumerate(texts):
            value = json_value(text)
            try:
                if value is not None and len(text) <= MAX_CHARS:
                    selected[index] = dump(projected(value, fields))
            except PathError as error:
                failure = f"{error}; " if call.fields else ""
        if selected == texts and not failure:
            return texts, []
        number = self.session.keep(_joined_text(texts))
        reason = failure or "only the fields asked for; "
        return selected, [f"> [{reason}handle #{number}]"]

    def _unchanged_texts(
        self, texts: Sequence[str], limit: int | None, *, marked: bool
    ) -> list[str] | None:
        """Return texts unchanged, or if `marked`, escaped; None if they exceed the limit."""
        sent = [escape(text, raw=True) if marked else text for text in texts]
        limit = None if limit is None else limit - len(texts) + 1  # joining them may add line ends
        # A token has at least one character, so short texts need not be counted.
        if limit is None or sum(map(len, sent)) <= limit:
            return sent
        return sent if sum(map(self._count, sent)) <= limit else None

    def _encode_all(
        self, call: RoutedCall, texts: list[str], limit: int | None, delivered: DeliveredResult
    ) -> list[str]:
        """Return the texts of a result encoded, within a limit for all of them.

        Texts for which there is not enough room are joined into one. The numbers of the texts, and
        the handles of those that were cut, are added to `delivered`.
        """
        if limit is None or len(texts) == 1:
            return [self._encode(call, text, limit, delivered) for text in texts]
        wants = [self._count(text) + _LABEL_TOKENS for text in texts]
        is_over = sum(wants) > limit
        joined_from = max(1, limit // MIN_TOKENS) - 1
        if is_over and joined_from < len(texts):
            texts = [*texts[:joined_from], "\n".join(texts[joined_from:])]
            wants = [*wants[:joined_from], sum(wants[joined_from:])]
        final_texts: list[str] = []
        for index, text in enumerate(texts):
            room = shares(wants[index:], limit)[0] if is_over else wants[index]
            final_texts.append(self._encode(call, text, room, delivered))
            limit -= self._count(final_texts[-1])
        return final_texts

    def _encode(
        self, call: RoutedCall, text: str, limit: int | None, delivered: DeliveredResult
    ) -> str:
        """Return a text encoded within a limit; if nothing fits, an excerpt.

        The number of the text, and its handle if it was cut, are added to `delivered`.
        """
        if len(text) > MAX_CHARS:
            return self._excerpt(call, text, limit, delivered)
        try:
            delivery = self.session.add(tool=call.name, args=call.args, text=text, budget=limit)
        except BudgetError:
            return self._excerpt(call, text, limit, delivered)
        if delivery.number is not None and delivery.layer != "L0":
            delivered.numbers.append(delivery.number)
            if delivery.elided:
                delivered.cut_handles.append(f"#{delivery.number}")
        return delivery.text

    def _excerpt(
        self, call: RoutedCall, text: str, limit: int | None, delivered: DeliveredResult
    ) -> str:
        """Return the ends of a text that cannot be encoded, or without a limit, all of it."""
        if limit is None:
            _LOG.warning(
                "%s: a result of %s characters is too long to encode, and is passed on unchanged",
                call.name,
                f"{len(text):,}",
            )
            return escape(text, raw=True)
        delivered.cut_handles.append(f"#{self.session.keep(text)}")
        return excerpt(text, limit, delivered.cut_handles[-1], self._count)


def _joined_text(texts: Sequence[str]) -> str:
    """Return the only text, or if there are several, a JSON array of them."""
    return texts[0] if len(texts) == 1 else dump(texts)


def _cut_notes(reasons: Sequence[str], path: Path | None, handles: Sequence[str]) -> list[str]:
    """Return a list with a note on why texts were cut and how to get the rest.

    `path` is the file with the whole result, and `handles` recall what was cut. The list is empty
    if there is neither a reason nor a file.
    """
    parts = [*reasons, *([] if path is None else [f"all of it is in {path}"])]
    more = " and others" if len(handles) > 1 else ""
    return [f"> [{'; '.join(parts)}; handle {handles[0]}{more}]"] if parts else []


def shares(wants: Sequence[int], total: int) -> list[int]:
    """Divide a total fairly: small wants are met in full, the others share the rest equally.

    Examples
    --------
    >>> shares([10, 500, 900], 210), shares([10, 20], 99)
    ([10, 100, 100], [10, 20])
    """
    parts = [0] * len(wants)
    rest = total
    by_want = sorted(range(len(wants)), key=lambda index: wants[index])
    for served, index in enumerate(by_want):
        parts[index] = min(wants[index], rest // (len(wants) - served))
        rest -= parts[index]
    return parts


@dataclass(slots=True)
class Shadow:
    """Counts what the proxy would save if it changed the results, which it leaves unchanged.

    Examples
    --------
    >>> shadow = Shadow(lambda text: len(text.split()))
    >>> long, short = ({"content": [{"type": "text", "text": "word " * n}]} for n in (40, 10))
    >>> shadow.note(long, short)
    >>> print(shadow)
    1 result of 40 tokens would have had 10 (75 % less)
    """

    count: Callable[[str], int]
    result_count: int = 0
    before: int = 0
    """Tokens of the results as they came."""
    after: int = 0
    """Tokens of the results as they would have been sent."""
    list_note: str = ""
    """What would be saved on the list of tools; empty if no list was made."""
    _lock: Lock = field(default_factory=Lock)

    def note(self, original: Mapping[str, Any], final: Mapping[str, Any]) -> None:
        """Count a result, as it came and as it would have been sent."""
        before, after = self._count_tokens(original), self._count_tokens(final)
        with self._lock:
            self.result_count += 1
            self.before += before
            self.after += after

    def _count_tokens(self, result: Mapping[str, Any]) -> int:
        """Return the tokens of a result's texts and structured content."""
        texts = texts_of(result.get("content"))
        if "structuredContent" in result:
            texts.append(dump(result["structuredContent"]))
        return sum(map(self.count, texts))

    def __str__(self) -> str:
        saved = 100 * (1 - self.after / self.before) if self.before else 0
        results = f"{self.result_count:,} result{'s' * (self.result_count != 1)}"
        summary = f"{results} of {self.before:,} tokens would have had {self.after:,}"
        return f"{summary} ({saved:.0f} % less){self.list_note}"
