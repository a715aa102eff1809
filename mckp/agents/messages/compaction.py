"""Fits a conversation that has grown too long into a budget: results, and long words and calls."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.agents.messages.conversation import find_slots, with_texts
from mckp.agents.messages.requests import Request
from mckp.agents.messages.shapes import (
    as_mapping,
    placed_calls,
    put,
    results_of,
    words_of,
)
from mckp.agents.session.classify import parsed_arguments
from mckp.agents.session.excerpts import excerpt
from mckp.agents.session.sender import EXPLAINED, labelled_text
from mckp.encoders.hints import COMPACT, Reference, read_hint, read_label, read_patch
from mckp.errors import BudgetError
from mckp.jsontext import dump, is_array, is_mapping
from mckp.parsers.detect import begins_like_json
from mckp.paths import content_at

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence

    from mckp.agents.messages.shapes import Path
    from mckp.agents.session import Session
    from mckp.packing import PackResult
    from mckp.plain import JsonValue

LONG: Final = 150
"""The fewest tokens of a model's message, or a string in a call's arguments, that may be cut."""

SHORT: Final = 50
"""The most tokens of a result that stays: one that is cut would save less than it loses."""

NEARLY: Final = 0.9
"""The share of its tokens from which on a text is not cut: the marks would cost more than help."""

LAST: Final = 2.0
"""The factor by which the results of the last step are worth more."""

TINY: Final = 2
"""The most characters of a word that says nothing about what a call was meant to find."""

_MODEL: Final = ("assistant", "model")
"""Roles of the model in several APIs."""

_NO_WORDS: Final = frozenset(
    """
    id type role tool_call_id call_id tool_use_id toolUseId signature encrypted_content status
    cache_control mime_type media_type mimeType data thoughtSignature thought_signature
    """.split()  # noqa: SIM905
)
"""Members of messages that are not text for the model, or that are not counted as text."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """What happened to one text of a conversation.

    Attributes
    ----------
    message : int
        The index of its message.
    what : str
        ``result``, ``words`` of the model, or an ``argument`` of a call.
    state : str
        ``cut``, ``skipped``, ``same`` for a repeat of an earlier text, or ``whole`` for a text that
        replaces a reference to one that is no longer there.
    handle : str
        What `MessageEncoder.recall` takes, such as ``#3``.
    before, after : int
        Its tokens.
    """

    message: int
    what: str
    state: str
    handle: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Compacted:
    """A conversation within a budget; see `MessageEncoder.compact`.

    Attributes
    ----------
    messages : list
        The messages to send.
    tokens, before : int
        Tokens of all texts of these messages, and of those that would have been sent.
    changes : tuple of TextChange
        What differs from what would have been sent, in the order of the conversation.
    """

    messages: list[Any]
    tokens: int
    before: int
    changes: tuple[TextChange, ...]

    @property
    def unchanged(self) -> int:
        """The number of messages left as they are at the beginning; caches hold up to there."""
        return min((change.message for change in self.changes), default=len(self.messages))


class CuttableText(NamedTuple):
    """A text that may be cut: its place, the full text, and the text that would be sent."""

    path: Path
    what: str
    text: str
    sent: str
    inner: Path = ()
    """Its place in the arguments of a call, if they are JSON in a string."""
    step: int = 0
    put: Callable[[str], Any] = str
    asked: str = ""
    """What it was meant to answer, if it is a result: the words before it, and its call."""


def compact(sent: Sequence[Any], texts: Sequence[str], session: Session, budget: int) -> Compacted:
    """Return messages within a budget, with parts cut that may be; see `MessageEncoder.compact`.

    Parameters
    ----------
    sent : sequence
        The messages as they would be sent.
    texts : sequence of str
        The results in these messages, as they came.
    session : Session
        Keeps the texts that are cut, for recalls.
    budget : int
        The most tokens of the returned messages, as `tokens_of` counts them.
    """
    counter = session.tokenizer
    before = tokens_of(sent, counter.count_batch)
    if before <= budget:
        return Compacted(list(sent), before, before, ())
    parts = list(_cuttable_parts(sent, texts, counter.count))
    if not parts:
        raise BudgetError(budget, before)
    fixed_tokens = before - sum(counter.count_batch([part.sent for part in parts]))
    writer, room = _Writer(sent, parts, session), max(0, budget - fixed_tokens)
    packed: PackResult | None = None
    is_least = False
    while True:
        try:
            packed = _pack_parts(parts, sent, room, session) if packed is None else packed.at(room)
        except BudgetError as error:
            is_least, room = True, error.floor
            continue
        compacted = writer.write(packed)
        if compacted.tokens <= budget:
            return replace(compacted, before=before)
        if is_least:
            raise BudgetError(budget, compacted.tokens)
        room = max(0, room - (compacted.tokens - budget))


def tokens_of(
    messages: Sequence[JsonValue], count_batch: Callable[[list[str]], Sequence[int]]
) -> int:
    """Return the tokens of all texts in messages: words, arguments, results, tool names.

    Images are not counted, nor the four or so tokens that a provider adds to each message.
    """
    result_slots = find_slots(messages)
    rest_of_message = with_texts(messages, [(slot.path, "") for slot in result_slots])
    texts = [slot.result.text for slot in result_slots]
    return sum(
        count_batch(
            texts + [text for message in rest_of_message for text in _message_texts(message)]
        )
    )


def _message_texts(value: JsonValue, name: str = "") -> Iterator[str]:
    """Yield the texts of a message without its results."""
    if isinstance(value, str):
        yield value
    elif is_array(value):
        for item in value:
            yield from _message_texts(item, name)
    elif name in ("input", "args"):  # arguments as data
        yield dump(value)
    else:
        for key, item in as_mapping(value).items():
            if key not in _NO_WORDS:
                yield from _message_texts(item, key)


def _cuttable_parts(
    sent: Sequence[JsonValue], texts: Sequence[str], count: Callable[[str], int]
) -> Iterator[CuttableText]:
    """Yield the parts that may be cut: results, and long words and arguments of earlier steps.

    Earlier steps are those before the last message in which the user speaks, or the model. `sent`
    are the messages as they would be sent, and `texts` the results in them as they came.
    """
    result_slots = find_slots(sent)
    for slot, text in zip(result_slots, texts, strict=True):
        if count(slot.result.text) > SHORT:
            step = slot.result.step
            # A short word or number of a call, such as a limit, is anywhere in a long text.
            asked = " ".join(word for word in slot.result.request.split() if len(word) > TINY)
            yield CuttableText(
                slot.path, "result", text, slot.result.text, (), step, slot.put, asked
            )
    for number, message in enumerate(map(as_mapping, sent[: _last_step_start(sent)])):
        if message.get("role") in _MODEL:
            for path, text in words_of(message):
                if count(text) >= LONG:
                    yield CuttableText((number, *path), "words", text, text)
        for placed in placed_calls(message):
            args = parsed_arguments(placed.args)
            is_encoded = isinstance(placed.args, str) and not isinstance(args, str)
            for inner_path, text in _texts_with_paths(args):
                if count(text) >= LONG:
                    path = (number, *placed.path)
                    if is_encoded:
                        yield CuttableText(path, "argument", text, text, inner_path)
                    else:
                        yield CuttableText((*path, *inner_path), "argument", text, text)


def _last_step_start(sent: Sequence[JsonValue]) -> int:
    """Return the index of the last message of the user, or where the model's last step begins.

    A step is what the model writes before it reads again: words and calls, in several messages in
    some shapes.
    """
    for number in range(len(sent) - 1, -1, -1):
        if _is_from_user(sent[number]):
            return number
        if _is_from_model(sent[number]) and not (number and _is_from_model(sent[number - 1])):
            return number
    return 0


def _is_from_model(message: JsonValue) -> bool:
    """Whether the model wrote a message."""
    plain = as_mapping(message)
    return plain.get("role") in _MODEL or any(placed_calls(plain))


def _is_from_user(message: JsonValue) -> bool:
    """Whether the user speaks in a message, so that it does not just carry results."""
    plain = as_mapping(message)
    if plain.get("role") != "user":
        return False
    return any(True for _ in words_of(plain)) or not any(results_of(plain))


def _texts_with_paths(value: JsonValue, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield the texts in a value with their paths."""
    if isinstance(value, str):
        yield path, value
    elif is_array(value):
        for number, item in enumerate(value):
            yield from _texts_with_paths(item, (*path, number))
    elif is_mapping(value):
        for key, item in value.items():
            yield from _texts_with_paths(item, (*path, str(key)))


def _pack_parts(
    parts: Sequence[CuttableText], sent: Sequence[JsonValue], room: int, session: Session
) -> PackResult:
    """Return all parts packed into a budget.

    A result that later words or calls repeat gets no more weight: on recorded runs, doubling the
    weight of such results kept no more of what was used afterwards. In a text, what its call names
    marks the place that was looked for, so it is a query of its own; in data, what its call names
    is known, and a query of it lost a fifth of what was used afterwards. `sent` are the messages
    that the parts are in, and `room` is the most tokens.
    """
    from mckp.packing import pack  # few conversations are compacted

    request = Request()
    for message in map(as_mapping, sent):
        request.hear(message)
    items = {f"{index}": part for index, part in enumerate(parts)}
    last_step = max((part.step for part in parts), default=0)
    formats = session.settings.formats
    return pack(
        {name: part.text for name, part in items.items()},
        room,
        query=request.text_for(None) or None,
        queries={
            name: part.asked for name, part in items.items() if not begins_like_json(part.text)
        },
        weights={name: LAST for name, part in items.items() if part.step == last_step > 0},
        tokenizer=session.tokenizer,
        formats=[formats] if isinstance(formats, str) else formats,
        work_limit=session.settings.work_limit,
    )


class _Writer:
    """Puts packed texts into a conversation, each below a label of the session."""

    def __init__(
        self, sent: Sequence[JsonValue], parts: Sequence[CuttableText], session: Session
    ) -> None:
        """Find the number of each part that has a label."""
        self.sent, self.parts, self.session = sent, parts, session
        labels = (read_label(part.sent.partition("\n")[0]) for part in parts)
        self.numbers = [None if label is None else label.number for label in labels]
        self.count = session.tokenizer.count

    def write(self, packed: PackResult) -> Compacted:
        """Return the messages with the texts of a pack in place of their own."""
        messages, changes = list(self.sent), list[TextChange]()
        encoded_texts: dict[Path, dict[Path, str]] = {}
        changed_numbers = set[int]()
        for part_number, (name, state) in enumerate(packed.states().items()):
            part = self.parts[part_number]
            text = self._new_text(part_number, name, state, packed, changed_numbers)
            if text is None:
                continue
            if part.inner:
                encoded_texts.setdefault(part.path, {})[part.inner] = text
            else:
                messages = put(messages, part.path, part.put(text))
            number = self.number_of(part_number)
            changed_numbers.add(number)
            change_state = "skipped" if state == "named" else state
            sizes = self.count(part.sent), self.count(text)
            changes.append(
                TextChange(int(part.path[0]), part.what, change_state, f"#{number}", *sizes)
            )
        for path, texts in encoded_texts.items():
            messages = put(messages, path, _arguments_with(messages, path, texts))
        tokens = tokens_of(messages, self.session.tokenizer.count_batch)
        changes.sort(key=lambda change: change.message)
        return Compacted(messages, tokens, 0, tuple(changes))

    def number_of(self, at: int) -> int:
        """Return the number under which a part can be recalled; keep a part that has none."""
        number = self.numbers[at]
        if number is None:
            number = self.numbers[at] = self.session.keep(self.parts[at].text)
        return number

    def _new_text(
        self,
        part_number: int,
        name: str,
        state: str,
        packed: PackResult,
        dropped_numbers: Container[int | None],
    ) -> str | None:
        """Return the new text for a part, or None to keep the text that would have been sent.

        The old text is kept if the new one is not much shorter, and the old one does not refer to a
        text in `dropped_numbers`. `name` and `state` are those of the part in the pack.
        """
        part, target = self.parts[part_number], _referred_number(self.parts[part_number].sent)
        stays = target not in dropped_numbers
        if state == "whole" and stays:
            return None
        if state == "same":
            number = self.number_of(int(packed.written_as(name)))
            if target == number:
                return None
            text, stays = f"{Reference(number)}\n{EXPLAINED.format(number)}", target is None
        elif state in ("whole", "cut"):
            text = labelled_text(packed[name].text, COMPACT, self.number_of(part_number))
        else:
            text = excerpt(part.text, 0, f"#{self.number_of(part_number)}", self.count)
        if stays and self.count(text) >= NEARLY * self.count(part.sent):
            return None
        return text


def _referred_number(text: str) -> int | None:
    """Return the number that a text refers to, or None if it is not a reference."""
    line = text.partition("\n")[0]
    hint = read_hint(line)
    return hint.number if isinstance(hint, Reference) else read_patch(line)


def _arguments_with(messages: Any, path: Path, texts: Mapping[Path, str]) -> str:
    """Return the JSON text of the arguments at a path, with new texts at the given places."""
    args = parsed_arguments(content_at(messages, path))
    for inner, text in texts.items():
        args = put(args, inner, text)
    return json.dumps(args, ensure_ascii=False)
