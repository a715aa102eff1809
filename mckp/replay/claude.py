"""Session files of Claude Code as actions, read line by line; whatever is odd is passed over."""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from mckp.errors import WorkerError
from mckp.jsontext import dump, is_array, is_object
from mckp.replay.log import MAIN, Action, Compact, Edit, End, Response
from mckp.replay.marking import marks
from mckp.session.scopes import EDITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from os import PathLike

    from mckp.config.tuner import Mark


@dataclass(slots=True)
class Counts:
    """How much was read.

    Attributes
    ----------
    files, lines : int
        Session files, and lines in them.
    broken : int
        Lines that are no JSON object.
    unknown : int
        Lines of a kind that says nothing about tools.
    errors, orphans : int
        Results that say a call failed, and results whose call is not in the file.
    models : dict of str to int
        Messages by the model that wrote them.
    """

    files: int = 0
    lines: int = 0
    broken: int = 0
    unknown: int = 0
    errors: int = 0
    orphans: int = 0
    models: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, other: Counts) -> None:
        """Add what was found elsewhere.

        Examples
        --------
        >>> counts = Counts(files=1, models={"muse": 2})
        >>> counts.add(Counts(files=1, models={"muse": 1}))
        >>> counts.files, counts.models
        (2, {'muse': 3})
        """
        for name in ("files", "lines", "broken", "unknown", "errors", "orphans"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for model, messages in other.models.items():
            self.models[model] = self.models.get(model, 0) + messages


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
        if tool in EDITS and file is not None:
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


PROJECTS: Final = Path("~/.claude/projects")
"""Where Claude Code keeps its sessions."""


def session_files(folder: str | PathLike[str] = PROJECTS, project: str | None = None) -> list[Path]:
    """Return the session files below a folder, in the order of their names.

    Parameters
    ----------
    folder : path, default "~/.claude/projects"
        A folder, or one file.
    project : str, optional
        Only files whose path below the folder has this in it.

    Returns
    -------
    list of Path
    """
    root = Path(folder).expanduser()
    if root.is_file():
        return [root]
    found = sorted(path for path in root.rglob("*.jsonl") if path.is_file())
    return [each for each in found if project is None or project in str(each.relative_to(root))]


def read_claude(
    file: str | PathLike[str],
    counts: Counts | None = None,
    on_bytes: Callable[[int], object] | None = None,
) -> Iterator[Action]:
    """Read one session file, an action at a time.

    Results of tools become responses, unless they are errors; ``Edit`` and its like also
    make an edit of their file. Sub-agents are told apart, and compactions are found by
    their mark or by the summary that they leave.

    Parameters
    ----------
    file : path
        JSON lines, as below ``~/.claude/projects``.
    counts : Counts, optional
        Counts the lines that were read, and those that could not be.
    on_bytes : callable, optional
        Told the bytes of each line, for a progress bar.

    Yields
    ------
    Response, Edit, Compact or End
        The end comes last, with the model that spoke most.
    """
    counts = Counts() if counts is None else counts
    conversation = Conversation(counts)
    counts.files += 1
    with Path(file).open("rb") as lines:
        for line in lines:
            yield from conversation.read(line)
            if on_bytes is not None:
                on_bytes(len(line))
    yield End(conversation.model)


Marked = tuple[list["Mark"], Counts]
"""The marks of a session file, and what was found in it."""


def marks_of_file(file: Path) -> Marked:
    """Return the marks of one session file, and what could not be used of it."""
    counts = Counts()
    return list(marks(read_claude(file, counts))), counts


def marks_of_files(
    files: Sequence[Path],
    counts: Counts,
    *,
    processes: int | None = None,
    on_bytes: Callable[[int], object] | None = None,
) -> Iterator[Mark]:
    """Yield the marks of session files, in their order.

    Parameters
    ----------
    files : sequence of Path
        Session files.
    counts : Counts
        What was read, and what could not be used, is added to it.
    processes : int, optional
        The most to use, by default one for each CPU; with 1, all is done in this one.
    on_bytes : callable, optional
        Told the bytes of each file, for a progress bar.

    Yields
    ------
    Mark

    Raises
    ------
    WorkerError
        If a process ends early.
    """
    most = min(len(files), processes or os.cpu_count() or 1)
    if most <= 1:
        yield from _told(files, map(marks_of_file, files), counts, on_bytes)
        return
    try:
        with ProcessPoolExecutor(most) as pool:
            yield from _told(files, pool.map(marks_of_file, files), counts, on_bytes)
    except BrokenProcessPool:
        message = "a process ended early, perhaps for want of memory; use fewer processes"
        raise WorkerError(message) from None


def _told(
    files: Sequence[Path],
    found: Iterable[Marked],
    counts: Counts,
    on_bytes: Callable[[int], object] | None,
) -> Iterator[Mark]:
    for file, (made, own) in zip(files, found, strict=True):
        counts.add(own)
        yield from made
        if on_bytes is not None:
            on_bytes(file.stat().st_size)
