"""The lines of one session file, and the actions they stand for."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import orjson

from mckp.jsontext import dump, is_array, is_object
from mckp.replay.actions import MAIN, Action, Compact, Edit, Response

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.replay.claude.counts import Counts

_CHANGING: Final = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
_PATHS: Final = ("file_path", "notebook_path")
_COMMAND: Final = ("/compact", "<command-name>/compact")


class Conversation:
    """What is known after the lines read so far.

    Parameters
    ----------
    counts : Counts
        Counts what cannot be used.
    """

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._calls: dict[str, tuple[str, Any]] = {}
        self._branches: dict[str, str] = {}
        self._is_fresh: dict[str, bool] = {}
        self._models = Counter[str]()

    @property
    def model(self) -> str | None:
        """The model that wrote most messages so far."""
        return max(self._models, key=self._models.__getitem__, default=None)

    def read(self, line: bytes) -> Iterator[Action]:
        """Yield what a line stands for: nothing, if it is of no kind that matters."""
        self._counts.lines += 1
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            self._counts.broken += bool(line.strip())
            return
        if not is_object(record):
            self._counts.broken += 1
            return
        agent = self._agent(record)
        if _marks_compaction(record):
            yield from self._compacted(agent)
            return
        message = record.get("message")
        if record.get("type") not in ("user", "assistant") or not is_object(message):
            self._counts.unknown += 1
            return
        yield from self._message(message, agent)

    def _message(self, message: dict[str, Any], agent: str) -> Iterator[Action]:
        model = message.get("model")
        if isinstance(model, str) and not model.startswith("<"):
            self._models[model] += 1
            self._counts.models[model] = self._counts.models.get(model, 0) + 1
        content = message.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for block in content if is_array(content) else ():
            if is_object(block):
                yield from self._block(block, agent, message.get("role"))

    def _block(self, block: dict[str, Any], agent: str, role: object) -> Iterator[Action]:
        kind = block.get("type")
        if kind == "tool_use":
            self._calls[str(block.get("id"))] = str(block.get("name")), block.get("input")
        elif kind == "tool_result":
            yield from self._result(block, agent)
        elif kind == "text" and role == "user" and str(block.get("text")).startswith(_COMMAND):
            yield from self._compacted(agent)

    def _result(self, block: dict[str, Any], agent: str) -> Iterator[Action]:
        call = self._calls.pop(str(block.get("tool_use_id")), None)
        if call is None:
            self._counts.orphans += 1
            return
        if block.get("is_error") is True:
            self._counts.errors += 1
            return
        tool, args = call
        file = _file(args)
        if tool in _CHANGING and file is not None:
            yield Edit(file, agent)
        self._is_fresh[agent] = False
        yield Response(tool, _text_of_args(args), _text(block.get("content")), file, agent)

    def _compacted(self, agent: str) -> Iterator[Action]:
        """Yield a compaction, unless nothing came since the last: its mark, then its summary."""
        if not self._is_fresh.get(agent, True):
            self._is_fresh[agent] = True
            yield Compact(agent)

    def _agent(self, record: dict[str, Any]) -> str:
        """Return who a line belongs to: sub-agents by their id, or by where they branched off."""
        if record.get("isSidechain") is not True:
            return MAIN
        named = record.get("agentId")
        if isinstance(named, str) and named:
            return named
        own = str(record.get("uuid"))
        self._branches[own] = self._branches.get(str(record.get("parentUuid")), own)
        return self._branches[own]


def _marks_compaction(record: dict[str, Any]) -> bool:
    return record.get("subtype") == "compact_boundary" or record.get("isCompactSummary") is True


def _file(args: object) -> str | None:
    found = [args.get(name) for name in _PATHS] if is_object(args) else []
    return next((path for path in found if isinstance(path, str) and path), None)


def _text_of_args(args: object) -> str:
    try:
        return args if isinstance(args, str) else dump(args)
    except (TypeError, RecursionError):  # more is read than is written: they are nested deeply
        return ""


def _text(content: object) -> str:
    """Return the text of a result; pictures and other blocks have none."""
    if isinstance(content, str):
        return content
    blocks = [each for each in content if is_object(each)] if is_array(content) else []
    return "\n".join(each["text"] for each in blocks if isinstance(each.get("text"), str))
