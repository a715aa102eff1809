"""Conversations as text, with calls and answers as data again: the inverse of `rewrite_history`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from mckp.errors import UnknownNameError
from mckp.jsontext import dump, is_array
from mckp.tools.calls.events import Call, source_of
from mckp.tools.calls.parser import read_calls
from mckp.tools.calls.results import ToolAnswer, read_results, unescaped_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mckp.tools.tool import Tool

_Message = dict[str, Any]


def restore_history(
    messages: Sequence[Mapping[str, Any]],
    tools: Iterable[Tool] | None = None,
    shape: Literal["openai", "anthropic"] = "openai",
) -> list[dict[str, Any]]:
    """Return a conversation with calls and answers as data, from one in which they are text.

    What `rewrite_history` made comes back as it was, but for ids, which are numbered anew, for
    how the JSON of arguments was spelled, and for texts of a model that followed one another,
    which are one. What is wrong as a call stays text. An answer belongs to the first call of its
    tool that has none yet; an answer without a call stays text as well.

    Examples
    --------
    >>> text = "<call>now zone=UTC</call>"
    >>> [message] = restore_history([{"role": "assistant", "content": text}])
    >>> message["tool_calls"][0]["id"], message["tool_calls"][0]["function"]
    ('call_1', {'name': 'now', 'arguments': '{"zone":"UTC"}'})
    """
    if shape not in ("openai", "anthropic"):
        raise UnknownNameError("shape of messages", shape, ("openai", "anthropic"))
    restorer = _Restorer(list(tools) if tools is not None else None, shape)
    return [each for message in messages for each in restorer.restored(dict(message))]


class _Restorer:
    """Restores messages one after another, and knows the calls that wait for answers."""

    def __init__(self, tools: list[Tool] | None, shape: str) -> None:
        self._tools, self._openai = tools, shape == "openai"
        self._waiting: list[tuple[str, str]] = []
        self._calls = 0

    def restored(self, message: _Message) -> Iterator[_Message]:
        """Yield what a message was."""
        role, content = message.get("role"), message.get("content")
        if role == "assistant":
            yield self._assistant(message, content)
        elif role == "user" and isinstance(content, str):
            yield from self._user(message, content)
        elif role == "user" and is_array(content):
            blocks = [each for block in content for each in self._user_blocks(block)]
            yield {**message, "content": blocks}
        else:
            yield message

    def _assistant(self, message: _Message, content: Any) -> _Message:
        said: Any
        blocks = content if is_array(content) else [{"type": "text", "text": content or ""}]
        found = [each for block in blocks for each in self._model_blocks(block)]
        uses = [block for block in found if block.get("type") == "tool_use"]
        if not uses and not is_array(content):
            said = unescaped_text(content) if isinstance(content, str) else content
            return {**message, "content": said}
        if not self._openai or not uses:
            return {**message, "content": found}
        said = [block for block in found if block.get("type") != "tool_use"]
        if not is_array(content):
            said = "\n".join(block["text"] for block in said)
        return {**message, "content": said or None, "tool_calls": [*map(_function, uses)]}

    def _model_blocks(self, block: Any) -> Iterator[_Message]:
        if block.get("type") != "text":
            yield block
            return
        pieces = _pieces(block["text"], self._tools)
        for number, piece in enumerate(pieces):
            if isinstance(piece, Call):
                yield self._use(piece)
                continue
            piece = piece.removeprefix("\n") if number else piece
            piece = piece.removesuffix("\n") if number + 1 < len(pieces) else piece
            if piece:
                yield {**block, "text": unescaped_text(piece)}

    def _use(self, call: Call) -> _Message:
        self._calls += 1
        key = f"call_{self._calls}"
        self._waiting.append((call.name, key))
        return {"type": "tool_use", "id": key, "name": call.name, "input": call.arguments}

    def _user(self, message: _Message, text: str) -> Iterator[_Message]:
        answers = self._answers(text)
        if not answers or not self._openai:
            yield {**message, "content": unescaped_text(text)}
        for key, answer in answers if self._openai else ():
            yield {"role": "tool", "tool_call_id": key, "content": answer.text}

    def _user_blocks(self, block: Any) -> Iterator[_Message]:
        if block.get("type") != "text":
            yield block
            return
        answers = self._answers(block["text"])
        if not answers:
            yield {**block, "text": unescaped_text(block["text"])}
        for key, answer in answers:
            found = {"type": "tool_result", "tool_use_id": key, "content": answer.text}
            yield {**found, "is_error": True} if answer.error else found

    def _answers(self, text: str) -> list[tuple[str, ToolAnswer]]:
        """Return answers with the ids of their calls, if a text is nothing but answers to calls."""
        waiting, found = list(self._waiting), list[tuple[str, ToolAnswer]]()
        for piece in read_results(text):
            if piece == "\n":
                continue
            call = None
            if isinstance(piece, ToolAnswer):
                call = next((each for each in waiting if each[0] == piece.name), None)
            if call is None or not isinstance(piece, ToolAnswer):
                return []
            waiting.remove(call)
            found.append((call[1], piece))
        self._waiting = waiting
        return found


def _pieces(text: str, tools: list[Tool] | None) -> list[str | Call]:
    """Return calls, and all else as text between them."""
    found: list[str | Call] = []
    for event in read_calls(text, tools):
        if isinstance(event, Call):
            found.append(event)
        elif found and isinstance(found[-1], str):
            found[-1] += source_of(event)
        elif source_of(event):
            found.append(source_of(event))
    return found


def _function(use: _Message) -> _Message:
    function = {"name": use["name"], "arguments": dump(use["input"])}
    return {"id": use["id"], "type": "function", "function": function}
