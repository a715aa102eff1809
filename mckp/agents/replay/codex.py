"""Reads Codex CLI session files ("rollouts"), as written by version 0.171."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.agents.replay.actions import (
    Compact,
    LeftOut,
    ModelRequest,
    Response,
    args_text,
    record_of,
)
from mckp.agents.session.classify import is_shortened
from mckp.errors import ParseError
from mckp.jsontext import is_array, is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.agents.replay.actions import Action
    from mckp.plain import JsonValue

_KINDS: Final = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
_CALLS: Final = ("function_call", "custom_tool_call")
_OUTPUTS: Final = ("function_call_output", "custom_tool_call_output")
_OWN: Final = ("reasoning", "message", *_CALLS)
_CUT: Final = regex(r"…[0-9]+ (?:tokens|chars) truncated…")


def is_rollout(record: dict[str, JsonValue]) -> bool:
    """Whether the first record of a file is from Codex CLI."""
    return record.get("type") in _KINDS and is_object(record.get("payload"))


class Rollout:
    """The state of a Codex CLI session after the lines read so far.

    Outputs of calls become responses; one that Codex has cut becomes `LeftOut`, since the rest is
    not stored. The model's first answer after an output or a user message is a request.
    """

    def __init__(self) -> None:
        """Begin without calls; `broken` counts the lines that are not a JSON object."""
        self.broken = 0
        self._model = ""
        self._is_new_request = True
        self._calls: dict[str, tuple[str, str]] = {}

    def read(self, line: bytes) -> Iterator[Action]:
        """Yield the actions in a line; many kinds of lines have none. Broken ones are counted."""
        try:
            record = record_of(line)
        except ParseError:
            self.broken += 1
            return
        kind, item = record.get("type"), record.get("payload")
        if kind == "compacted":
            yield Compact()
        elif kind == "turn_context" and is_object(item):
            self._model = str(item.get("model") or self._model)
        elif kind == "response_item" and is_object(item):
            yield from self._item_actions(item)

    def _item_actions(self, item: dict[str, JsonValue]) -> Iterator[Action]:
        """Yield the actions of an item; a call has none, but is remembered for its output."""
        kind = item.get("type")
        is_own = kind in _OWN and item.get("role", "assistant") == "assistant"
        if is_own and self._is_new_request:
            self._is_new_request = False
            yield ModelRequest(model=self._model)
        elif not is_own:
            self._is_new_request = True
        if kind in _CALLS:
            names = [str(item[name]) for name in ("namespace", "name") if item.get(name)]
            args = item.get("arguments", item.get("input"))
            self._calls[str(item.get("call_id"))] = "__".join(names), args_text(args)
        elif kind in _OUTPUTS:
            yield from self._result_actions(item)

    def _result_actions(self, item: dict[str, JsonValue]) -> Iterator[Action]:
        """Yield the result of a call, or that it was left out; nothing for an unknown call."""
        tool, args = self._calls.pop(str(item.get("call_id")), ("", ""))
        text = _output_text(item.get("output"))
        if not tool or not text:
            return
        if is_shortened(text) or _CUT.search(text):
            yield LeftOut(tool)
        else:
            yield Response(tool, args, text)


def _output_text(output: object) -> str:
    """Return the text of an output: a text, blocks, or an object with ``content``; else empty."""
    if is_object(output):
        return _output_text(output.get("content"))
    if is_array(output):
        blocks = [block for block in output if is_object(block)]
        return "\n".join(block["text"] for block in blocks if isinstance(block.get("text"), str))
    return output if isinstance(output, str) else ""
