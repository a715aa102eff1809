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
    results_of,
    with_item,
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
"""The fewest tokens that a text of the model, or a text in a call's arguments, has if it is cut."""

SHORT: Final = 50
"""The most tokens of a result that is never cut, because a cut would save too little."""

NEARLY: Final = 0.9
"""A new text replaces the old one only if it has less than this share of its tokens."""

LAST: Final = 2.0
"""The factor by which the results of the last step are worth more."""

TINY: Final = 2
"""The most characters of a word that is no part of a query.

Such a short word or number of a call, a limit for example, is anywhere in a long text.
"""

_MODEL: Final = ("assistant", "model")
"""Roles of the model in several APIs."""

_NO_WORDS: Final = frozenset(
    """
    id type role tool_call_id call_id tool_use_id toolUseId signature encrypted_content status
    cache_control mime_type media_type mimeType data thoughtSignature thought_signature
    """.split()  # noqa: SIM905
)
"""Members of messages whose texts are not counted."""


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
        """How many messages before the first change are the same; prompt caches hold for them."""
        return min((change.message for change in self.changes), default=len(self.messages))


class CuttableText(NamedTuple):
    """A text that may be cut: its place, the full text, and the text that would be sent."""

    path: Path
    what: str
    text: str
    sent: str
    inner_path: Path = ()
    """Its place in the arguments of a call, if they are JSON in a string."""
    step: int = 0
    wrap: Callable[[str], Any] = str
    query: str = ""
    """What it was meant to answer, if it is a result: the words before it, and its call."""


def compact(sent: Sequence[Any], texts: Sequence[str], session: Session, budget: int) -> Compacted:
    """Return messages within a budget, some of their parts cut; see `MessageEncoder.compact`.

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

    Raises
    ------
    BudgetError
        If what must stay does not fit.
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
    without_results = with_texts(messages, [(slot.path, "") for slot in result_slots])
    texts = [slot.result.text for slot in result_slots]
    return sum(
        count_batch(
            texts + [text for message in without_results for text in _message_texts(message)]
        )
    )


def _message_texts(value: JsonValue, name: str = "") -> Iterator[str]:
    """Yield the texts in a message, or in its member `name`; data in arguments becomes JSON."""
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
    """Yield what may be cut: results, and the model's long texts and arguments in earlier steps.

    Earlier steps are those before `_last_step_start`. `sent` are the messages as they would be
    sent, and `texts` the results in them as they came.
    """
    result_slots = find_slots(sent)
    for slot, text in zip(result_slots, texts, strict=True):
        if count(slot.result.text) > SHORT:
            step = slot.result.step
            query = " ".join(word for word in slot.result.request.split() if len(word) > TINY)
            yield CuttableText(
                slot.path, "result", text, slot.result.text, (), step, slot.wrap, query
            )
    for message_index, message in enumerate(map(as_mapping, sent[: _last_step_start(sent)])):
        if message.get("role") in _MODEL:
            for path, text in words_of(message):
                if count(text) >= LONG:
                    yield CuttableText((message_index, *path), "words", text, text)
        for call in placed_calls(message):
            args = parsed_arguments(call.args)
            is_encoded = isinstance(call.args, str) and not isinstance(args, str)
            for inner_path, text in _texts_with_paths(args):
                if count(text) >= LONG:
                    path = (message_index, *call.path)
                    if is_encoded:
                        yield CuttableText(path, "argument", text, text, inner_path)
                    else:
                        yield CuttableText((*path, *inner_path), "argument", text, text)


def _last_step_start(sent: Sequence[JsonValue]) -> int:
    """Return the index of the user's last message or of the model's last step, if that is later.

    A step is what the model writes before it reads again. In some APIs, its words and calls are
    several messages; the first of them counts. The index is 0 if neither has said anything.
    """
    for index in range(len(sent) - 1, -1, -1):
        if _is_from_user(sent[index]):
            return index
        if _is_from_model(sent[index]) and not (index and _is_from_model(sent[index - 1])):
            return index
    return 0


def _is_from_model(message: JsonValue) -> bool:
    """Whether the model wrote a message."""
    plain = as_mapping(message)
    return plain.get("role") in _MODEL or any(placed_calls(plain))


def _is_from_user(message: JsonValue) -> bool:
    """Whether a message is the user's own, and does not just carry results."""
    plain = as_mapping(message)
    if plain.get("role") != "user":
        return False
    return any(True for _ in words_of(plain)) or not any(results_of(plain))


def _texts_with_paths(value: JsonValue, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield the strings in a value, each with its path; `path` is that of the value."""
    if isinstance(value, str):
        yield path, value
    elif is_array(value):
        for index, item in enumerate(value):
            yield from _texts_with_paths(item, (*path, index))
    elif is_mapping(value):
        for key, item in value.items():
            yield from _texts_with_paths(item, (*path, str(key)))


def _pack_parts(
    parts: Sequence[CuttableText], sent: Sequence[JsonValue], room: int, session: Session
) -> PackResult:
    """Return all parts packed into `room` tokens; `sent` are the messages that they are in."""
    from mckp.packing import pack  # few conversations are compacted

    request = Request()
    for message in map(as_mapping, sent):
        request.hear(message)
    items = {f"{index}": part for index, part in enumerate(parts)}
    last_step = max((part.step for part in parts), default=0)
    # A result that is repeated later gets no more weight: on recorded runs, twice the weight kept
    # no more of what was used afterwards. The query of a result finds the place in a text that the
    # call was meant to find. Data gets none, because the model knows the values in its own call;
    # queries of data lost a fifth of what was used afterwards.
    return pack(
        {name: part.text for name, part in items.items()},
        room,
        query=request.text_for(None) or None,
        queries={
            name: part.query for name, part in items.items() if not begins_like_json(part.text)
        },
        weights={name: LAST for name, part in items.items() if part.step == last_step > 0},
        tokenizer=session.tokenizer,
        formats=session.settings.formats,
        work_limit=session.settings.work_limit,
    )


class _Writer:
    """Puts packed texts into a conversation, each below a label with its handle."""

    def __init__(
        self, sent: Sequence[JsonValue], parts: Sequence[CuttableText], session: Session
    ) -> None:
        """Read the handle of each part that would be sent below a label."""
        self.sent, self.parts, self.session = sent, parts, session
        labels = (read_label(part.sent.partition("\n")[0]) for part in parts)
        self.handles = [None if label is None else label.number for label in labels]
        self.count = session.tokenizer.count

    def write(self, packed: PackResult) -> Compacted:
        """Return the messages with the texts of a pack in place of their own.

        `Compacted.before` is left 0.
        """
        messages, changes = list(self.sent), list[TextChange]()
        encoded_texts: dict[Path, dict[Path, str]] = {}
        changed_handles = set[int]()
        for index, (name, state) in enumerate(packed.states().items()):
            part = self.parts[index]
            text = self._new_text(index, name, state, packed, changed_handles)
            if text is None:
                continue
            if part.inner_path:
                encoded_texts.setdefault(part.path, {})[part.inner_path] = text
            else:
                messages = with_item(messages, part.path, part.wrap(text))
            handle = self.handle_of(index)
            changed_handles.add(handle)
            change_state = "skipped" if state == "named" else state
            sizes = self.count(part.sent), self.count(text)
            changes.append(
                TextChange(int(part.path[0]), part.what, change_state, f"#{handle}", *sizes)
            )
        for path, texts in encoded_texts.items():
            messages = with_item(messages, path, _arguments_with(messages, path, texts))
        tokens = tokens_of(messages, self.session.tokenizer.count_batch)
        changes.sort(key=lambda change: change.message)
        return Compacted(messages, tokens, 0, tuple(changes))

    def handle_of(self, index: int) -> int:
        """Return the handle of a part; if it has none yet, keep its text in the session."""
        handle = self.handles[index]
        if handle is None:
            handle = self.handles[index] = self.session.keep(self.parts[index].text)
        return handle

    def _new_text(
        self,
        index: int,
        name: str,
        state: str,
        packed: PackResult,
        changed_handles: Container[int | None],
    ) -> str | None:
        """Return the new text for a part, or None to keep the text that would have been sent.

        That text is kept if the new one is not much shorter. However, it must not refer to a text
        that is no longer as it was (`changed_handles`), nor to another one than the new text does.
        `name` and `state` are those of the part in the pack.
        """
        part, referred = self.parts[index], _referred_handle(self.parts[index].sent)
        can_stay = referred not in changed_handles
        if state == "whole" and can_stay:
            return None
        if state == "same":
            handle = self.handle_of(int(packed.written_as(name)))
            if referred == handle:
                return None
            text, can_stay = f"{Reference(handle)}\n{EXPLAINED.format(handle)}", referred is None
        elif state in ("whole", "cut"):
            text = labelled_text(packed[name].text, COMPACT, self.handle_of(index))
        else:
            text = excerpt(part.text, 0, f"#{self.handle_of(index)}", self.count)
        if can_stay and self.count(text) >= NEARLY * self.count(part.sent):
            return None
        return text


def _referred_handle(text: str) -> int | None:
    """Return the handle of the text that a reference or delta points to, or None for other text."""
    line = text.partition("\n")[0]
    hint = read_hint(line)
    return hint.number if isinstance(hint, Reference) else read_patch(line)


def _arguments_with(messages: Any, path: Path, texts: Mapping[Path, str]) -> str:
    """Return the arguments at a path as JSON, with new texts at the given paths in them."""
    args = parsed_arguments(content_at(messages, path))
    for inner_path, text in texts.items():
        args = with_item(args, inner_path, text)
    return json.dumps(args, ensure_ascii=False)
