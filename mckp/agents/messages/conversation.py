"""The parts of a conversation in order: the texts of results, with the calls they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.agents.messages.requests import Request
from mckp.agents.messages.shapes import (
    Slot,
    ToolText,
    as_mapping,
    calls_of,
    checked_messages,
    name_of,
    results_of,
    slots_of,
    with_item,
    words_of,
)
from mckp.agents.telemetry.uses import ConversationPart, call_parts, result_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mckp.agents.messages.shapes import Path
    from mckp.plain import JsonValue


def find_slots(messages: Sequence[JsonValue]) -> list[Slot]:
    """Return a slot for each text of each tool result, in the order of the conversation."""
    calls: dict[str, tuple[str, Any]] = {}
    request = Request()
    slots: list[Slot] = []
    step, unanswered = 0, list[tuple[str, str]]()
    for message_index, message in enumerate(checked_messages(messages)):
        plain = as_mapping(message)
        request.hear(plain)
        calls_made = list(calls_of(plain))
        if calls_made:
            if not unanswered or plain.get("role") == "assistant":
                step, unanswered = step + 1, []
            unanswered += [(call_id, tool) for call_id, (tool, _) in calls_made]
        calls.update(calls_made)
        for raw_result in results_of(plain):
            call_id = raw_result.call_id
            tool, args = calls.get(call_id, (raw_result.tool, None))
            if (answered := (call_id, tool)) in unanswered:
                unanswered.remove(answered)
            later = tuple(later_tool for _, later_tool in unanswered)
            result = ToolText(
                *(tool, "", args, call_id, raw_result.is_error),
                step=step,
                later=later,
                request=request.text_for(args),
            )
            path = (message_index, *raw_result.path)
            slots.extend(slots_of(path, raw_result.content, result, raw_result.wrap))
    return slots


def conversation_parts(
    messages: Sequence[JsonValue], read: Callable[[str], Any] = str
) -> Iterator[ConversationPart]:
    """Yield the parts of a conversation, as `mckp.agents.telemetry.uses` takes them.

    `read` turns the text of a result into data; by default, the text is not changed.

    Examples
    --------
    >>> call = {"id": "1", "function": {"name": "get", "arguments": '{"id": 7}'}}
    >>> run = [{"role": "user", "content": "Go"}, {"role": "assistant", "tool_calls": [call]}]
    >>> [(part.kind, part.text) for part in conversation_parts(run)]
    [('request', 'Go'), ('argument', '7')]
    """
    calls: dict[str, tuple[str, Any]] = {}
    for message in map(as_mapping, checked_messages(messages)):
        for raw_result in results_of(message):
            tool, args = calls.get(raw_result.call_id, (raw_result.tool or name_of(message), None))
            texts = [slot.result.text for slot in slots_of((), raw_result.content)]
            for content in map(read, texts) if texts else [raw_result.content]:
                yield result_part(tool, args, content)
        if message.get("role") not in ("tool", "function"):
            kind = "message" if message.get("role") in ("assistant", "model") else "request"
            yield from (ConversationPart(kind, text) for _, text in words_of(message))
        calls_made = dict(calls_of(message))
        calls.update(calls_made)
        for _, args in calls_made.values():
            yield from call_parts(args)


def with_texts(messages: Sequence[Any], texts: Iterable[tuple[Path, Any]]) -> list[Any]:
    """Return messages with new texts at the given paths; only what changes is copied."""
    changed = list(messages)
    for path, text in texts:
        changed = with_item(changed, path, text)
    return changed
