"""The parts of a conversation in order: the texts of results, with the calls they answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mckp.agents.messages.requests import Request
from mckp.agents.messages.shapes import (
    Slot,
    ToolText,
    as_mapping,
    calls_of,
    checked_messages,
    name_of,
    put,
    results_of,
    texts_of,
)
from mckp.agents.telemetry.uses import ConversationPart, call_parts, result_part
from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mckp.agents.messages.shapes import Path
    from mckp.plain import JsonValue


def find_slots(messages: Sequence[JsonValue]) -> list[Slot]:
    """Return each text of a tool's result with its place, in the order of the conversation."""
    calls: dict[str, tuple[str, Any]] = {}
    request = Request()
    slots: list[Slot] = []
    step, unanswered = 0, list[tuple[str, str]]()
    for number, message in enumerate(checked_messages(messages)):
        plain = as_mapping(message)
        request.hear(plain)
        calls_made = list(calls_of(plain))
        if calls_made:
            if not unanswered or plain.get("role") == "assistant":
                step, unanswered = step + 1, []
            unanswered += [(call, name) for call, (name, _) in calls_made]
        calls.update(calls_made)
        for raw_result in results_of(plain):
            name, args = calls.get(raw_result.call, (raw_result.tool, None))
            if (answered := (raw_result.call, name)) in unanswered:
                unanswered.remove(answered)
            later = tuple(tool for _, tool in unanswered)
            result = ToolText(
                name, "", args, raw_result.call, raw_result.failed, step=step, later=later
            )
            result = replace(result, request=request.text_for(args))
            texts = texts_of(raw_result.path, raw_result.content, result, raw_result.put)
            slots.extend(slot._replace(path=(number, *slot.path)) for slot in texts)
    return slots


def spoken_parts(
    messages: Sequence[JsonValue], read: Callable[[str], Any] = str
) -> Iterator[ConversationPart]:
    """Yield the parts of a conversation, as `mckp.agents.telemetry.uses` takes them.

    `read` turns the text of a result into data; by default it returns the text itself.

    Examples
    --------
    >>> call = {"id": "1", "function": {"name": "get", "arguments": '{"id": 7}'}}
    >>> run = [{"role": "user", "content": "Go"}, {"role": "assistant", "tool_calls": [call]}]
    >>> [(part.kind, part.text) for part in spoken_parts(run)]
    [('request', 'Go'), ('argument', '7')]
    """
    calls: dict[str, tuple[str, Any]] = {}
    for message in map(as_mapping, checked_messages(messages)):
        for raw_result in results_of(message):
            name, args = calls.get(raw_result.call, (raw_result.tool or name_of(message), None))
            texts = [slot.result.text for slot in texts_of((), raw_result.content)]
            for text in map(read, texts) if texts else [raw_result.content]:
                yield result_part(name, args, text)
        if message.get("role") != "tool":
            kind = "message" if message.get("role") == "assistant" else "request"
            words = texts_of((), _word_blocks(message.get("content")))
            yield from (ConversationPart(kind, slot.result.text) for slot in words)
        calls_made = dict(calls_of(message))
        calls.update(calls_made)
        for _, args in calls_made.values():
            yield from call_parts(args)


def _word_blocks(content: JsonValue) -> JsonValue:
    """Return the blocks of a content that are words, not calls or results."""
    if not is_array(content):
        return content
    return [part for part in content if not is_object(part) or isinstance(part.get("text"), str)]


def with_texts(messages: Sequence[Any], texts: Iterable[tuple[Path, Any]]) -> list[Any]:
    """Return messages with new texts at the given paths; only what changes is copied."""
    copies = list(messages)
    for path, text in texts:
        copies = put(copies, path, text)
    return copies
