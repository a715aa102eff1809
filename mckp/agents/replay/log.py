"""Reads recorded sessions of agents: our own logs, and session files of Claude Code and Codex CLI.

A line of our logs is a JSON object with ``do``: ``result`` (with the members of `Response`),
``edit``, ``compact``, ``asked`` or ``end``; members with a default may be left out. A wrong line
is an error. In a host's session file, lines that are not understood are skipped.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.places import text_below
from mckp.agents.replay.actions import (
    Action,
    Compact,
    Edit,
    End,
    LeftOut,
    ModelRequest,
    Response,
    args_text,
    record_of,
    text_of,
)
from mckp.agents.replay.codex import Rollout, is_rollout
from mckp.agents.session.classify import is_shortened
from mckp.agents.session.scopes import EDITS, MAIN, file_of
from mckp.errors import MckpError, ParseError
from mckp.jsontext import is_array, is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from mckp.plain import JsonValue

_LOG: Final = logging.getLogger(__name__)


_KINDS: Final[dict[str, type[Action]]] = {
    "result": Response,
    "edit": Edit,
    "compact": Compact,
    "end": End,
    "asked": ModelRequest,
}


def from_line(line: str | bytes, number: int = 1, source: str = "") -> Action:
    """Return the action in a line of a log; errors name the line's `number` and file, the `source`.

    Raises
    ------
    ParseError
        If the line is not an action; the message says what is wrong and where.

    Examples
    --------
    >>> from_line('{"do":"compact","agent":"review"}')
    Compact(agent='review')
    """
    try:
        return _own_action(record_of(line))
    except ParseError as error:
        message = f"{source}: {error.message}" if source else error.message
        raise ParseError(message, line=number, column=error.column or 1) from None


def _own_action(record: dict[str, Any]) -> Action:
    """Return the action that a record of our own logs describes, or raise a `ParseError`."""
    kind = _KINDS.get(str(record.get("do")))
    if kind is None:
        names = ", ".join(_KINDS)
        raise ParseError(f'"do" must be one of {names}')
    known = fields(kind)
    missing = [
        field.name for field in known if field.default is MISSING and field.name not in record
    ]
    if missing:
        raise ParseError(f'"{missing[0]}" is missing')
    members = {field.name: record[field.name] for field in known if field.name in record}
    wrong = [name for name, value in members.items() if not isinstance(value, str)]
    if wrong:
        raise ParseError(f'"{wrong[0]}" must be a string')
    return kind(**members)


def read_log(place: str | PathLike[str]) -> Iterator[Action]:
    """Read recorded sessions, one action at a time.

    Parameters
    ----------
    place : path
        A log, a session file of Claude Code or Codex CLI, or a folder whose ``*.jsonl`` files are
        all read, each as a session. These hosts keep their files in ``~/.claude/projects`` and
        ``~/.codex/sessions``.

    Yields
    ------
    Response, Edit, Compact, End, LeftOut or ModelRequest

    Raises
    ------
    ParseError
        At the first line of a log that is not an action.
    MckpError
        If a folder has no such file.
    OSError
        If a file cannot be read.
    """
    root = Path(place).expanduser()
    files = sorted(root.rglob("*.jsonl")) if root.is_dir() else [root]
    if not files:
        raise MckpError(f"no sessions were found in {root}: it has no *.jsonl files")
    for file in files:
        with file.open("rb") as lines:
            yield from _actions(lines, file)
        if root.is_dir():
            yield End()


def _actions(lines: Iterable[bytes], file: Path) -> Iterator[Action]:
    """Yield the actions in a file, whose first line that is not blank shows its format."""
    numbered = (
        (line_number, line) for line_number, line in enumerate(lines, 1) if not line.isspace()
    )
    conversation: Conversation | Rollout | None = None
    for index, (number, line) in enumerate(numbered):
        if index == 0 and (first := _host_record(line)) is not None:
            conversation = Rollout() if is_rollout(first) else Conversation(file)
        if conversation is None:
            action = from_line(line, number, str(file))
            if isinstance(action, Response) and is_shortened(action.text):
                action = LeftOut(action.tool)
            yield action
        else:
            yield from conversation.read(line)
    if conversation is not None:
        yield End()
        if conversation.broken:
            _LOG.warning("%s: skipped %d lines that are not JSON", file, conversation.broken)


def _host_record(line: bytes) -> dict[str, JsonValue] | None:
    """Return the first line of a host's session file as an object; None for any other line."""
    with suppress(ParseError):
        record = record_of(line)
        return record if "type" in record and "do" not in record else None
    return None


_STORE: Final = "tool-results"
_STORED: Final = regex(rf"[/\\]{_STORE}[/\\]([^/\\\s\]]+)")
_RECALL: Final = "mckp hook recall"
_COMMAND: Final = ("/compact", "<command-name>/compact")


class Conversation:
    """The state of a Claude Code session after the lines read so far.

    Tool results become responses, unless they are errors; those of ``Edit`` and similar tools also
    become an edit of their file. Sub-agents are distinguished, and compactions are found by their
    mark or by the summary that they leave. A shortened result is read from the session's folder
    (``tool-results`` in the folder named like the file), or becomes `LeftOut` if it is missing.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self.broken = 0  # lines that are not a JSON object
        self._calls: dict[str, tuple[str, Any]] = {}
        self._branches: dict[str, str] = {}
        self._is_context_empty: dict[str, bool] = {}
        self._message_ids: dict[str, object] = {}

    def read(self, line: bytes) -> Iterator[Action]:
        """Yield the actions in a line; many kinds of lines have none. Broken ones are counted."""
        try:
            record = record_of(line)
        except ParseError:
            self.broken += 1
            return
        agent = self._agent_name(record)
        if _marks_compaction(record):
            yield from self._compaction_actions(agent)
            return
        message = record.get("message")
        if record.get("type") not in ("user", "assistant") or not is_object(message):
            return
        identity = message.get("id") or record.get("uuid")
        if record["type"] == "assistant" and self._message_ids.get(agent) != identity:
            self._message_ids[agent] = identity  # an answer has one line per block
            yield ModelRequest(agent, str(message.get("model") or ""))
        yield from self._message_actions(message, agent)

    def _message_actions(self, message: dict[str, JsonValue], agent: str) -> Iterator[Action]:
        """Yield the actions of a message."""
        content = message.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for block in content if is_array(content) else ():
            if is_object(block):
                yield from self._block_actions(block, agent, message.get("role"))

    def _block_actions(
        self, block: dict[str, JsonValue], agent: str, role: object
    ) -> Iterator[Action]:
        """Yield the actions of a block: a result, or a compaction that the user asked for.

        A call has none; it is remembered for its result.
        """
        kind = block.get("type")
        if kind == "tool_use":
            self._calls[str(block.get("id"))] = str(block.get("name")), block.get("input")
        elif kind == "tool_result":
            yield from self._result_actions(block, agent)
        elif kind == "text" and role == "user" and str(block.get("text")).startswith(_COMMAND):
            yield from self._compaction_actions(agent)

    def _result_actions(self, block: dict[str, JsonValue], agent: str) -> Iterator[Action]:
        """Yield the result of a call, or that it was left out; first the edit if it changed a file.

        Nothing is yielded for an error or for the result of an unknown call.
        """
        call = self._calls.pop(str(block.get("tool_use_id")), None)
        if call is None or block.get("is_error") is True:
            return
        tool, args = call
        file = file_of(args, None)
        if tool in EDITS and file is not None:
            yield Edit(file, agent)
        self._is_context_empty[agent] = False
        shown = text_of(block.get("content"))
        text = self._stored_result(shown) if is_shortened(shown) else shown
        if text is None or _is_recall(args):
            yield LeftOut(tool)
        else:
            yield Response(tool, args_text(args), text, file, agent)

    def _stored_result(self, shown: str) -> str | None:
        """Return the full result that a shortened text replaced, or None if it is not found."""
        file_match = _STORED.search(shown)
        if file_match is None or self._file is None:
            return None
        with suppress(OSError):
            file = file_match[1].rstrip(".,;)'\"")
            return text_below(self._file.parent, [self._file.with_suffix("").name, _STORE, file])
        return None

    def _compaction_actions(self, agent: str) -> Iterator[Action]:
        """Yield a compaction, but only one for both its mark and the summary after it."""
        if not self._is_context_empty.get(agent, True):
            self._is_context_empty[agent] = True
            yield Compact(agent)

    def _agent_name(self, record: dict[str, JsonValue]) -> str:
        """Return the agent of a line: a sub-agent has an id, or a message where it branched off."""
        if record.get("isSidechain") is not True:
            return MAIN
        agent_id = record.get("agentId")
        if isinstance(agent_id, str) and agent_id:
            return agent_id
        uuid = str(record.get("uuid"))
        self._branches[uuid] = self._branches.get(str(record.get("parentUuid")), uuid)
        return self._branches[uuid]


def _is_recall(args: object) -> bool:
    """Whether a call with these arguments was a recall, which no session without mckp has."""
    command = args.get("command") if is_object(args) else None
    return isinstance(command, str) and command.lstrip().startswith(_RECALL)


def _marks_compaction(record: dict[str, JsonValue]) -> bool:
    """Whether a line says that the conversation was compacted."""
    return record.get("subtype") == "compact_boundary" or record.get("isCompactSummary") is True
