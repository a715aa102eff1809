"""The delivered texts: which of them each agent still sees, and which ones calls make outdated."""

from __future__ import annotations

import operator
from collections import OrderedDict
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config.checks import check_types
from mckp.agents.telemetry.event import hashed
from mckp.encoders.hints import RAW
from mckp.errors import PathError
from mckp.jsontext import canonical, is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mckp.plain import JsonValue


@dataclass(slots=True)
class Entry:
    """A response that was delivered to an agent's context; its number is its handle.

    `file` is the file that the call is about, and `baseline` is the number of tokens of the
    response, as compact JSON if it is JSON.
    """

    number: int
    agent: str
    tool: str
    call: str
    """A hash of the arguments."""
    file: str | None
    text: str
    """The response as it came."""
    body: str | None
    """The delivered text below the label, or None if it is the response as it came."""
    form: str = RAW
    """How the body is written: ``raw`` or ``compact``."""
    tokens: int = 0
    """Tokens of the delivered text, label included."""
    baseline: int = 0
    lossless: int = 0
    """Tokens of the shortest text that holds the whole response."""
    cut_to: int | None = None
    """The budget for which parts were cut, or None if nothing was cut."""
    stale: bool = False
    """Whether its source may have changed since; if so, exact repeats do not refer to it."""
    referred: bool = False
    """Whether a reference to it was made."""

    @property
    def delivered_body(self) -> str:
        """The delivered text below the label, without marks."""
        return self.text if self.body is None else self.body

    @property
    def size(self) -> int:
        """Roughly an upper bound of its bytes in memory; constant once the entry is stored."""
        texts = (self.text, self.body or "", self.agent, self.tool, self.file or "")
        return 1024 + sum(map(_memory_size, texts))


class ResponseStore:
    """Responses by number; the oldest are forgotten when there is no room.

    `size` is roughly the number of bytes that they take in memory.
    """

    def __init__(self, max_bytes: int, on_forgotten: Callable[[Entry], object]) -> None:
        self._max_bytes, self._on_forgotten = max_bytes, on_forgotten
        self._entries: OrderedDict[int, Entry] = OrderedDict()
        self.size = 0

    def __len__(self) -> int:
        """Return the number of responses."""
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        """Yield the responses, the oldest first."""
        return iter(self._entries.values())

    def add(self, entry: Entry) -> None:
        """Keep a response; forget the oldest others until it fits."""
        self._entries[entry.number] = entry
        self.size += entry.size
        while self.size > self._max_bytes and len(self._entries) > 1:
            _, oldest = self._entries.popitem(last=False)
            self.size -= oldest.size
            self._on_forgotten(oldest)

    def get(self, number: int) -> Entry:
        """Return the response with a number; raise `PathError` if it is unknown or forgotten."""
        if number not in self._entries:
            raise PathError(f"#{number}", "no result has this number, or it is no longer stored")
        return self._entries[number]

    def to_list(self) -> list[dict[str, Any]]:
        """Return all entries as plain data."""
        return [asdict(entry) for entry in self]

    def restore(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Add the entries that `to_list` returned."""
        names = [field.name for field in fields(Entry)]
        for plain in entries:
            entry = Entry(**{name: plain[name] for name in names})
            check_types(entry)
            self.add(entry)


def _memory_size(text: str) -> int:
    """Return an upper bound of a text's bytes in memory."""
    return len(text) * (1 if text.isascii() else 4)


READS: Final = frozenset({"Read", "Grep", "Glob", "NotebookRead"})
EDITS: Final = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
READING: Final = READS | {"WebFetch", "WebSearch"}
"""Tools that only read."""
SHELLS: Final = frozenset({"Bash"})

_PATHS: Final = ("file_path", "notebook_path", "path")
_VERBS = regex(
    r"(?:add|apply|close|commit|create|delete|edit|merge|move|patch|post|put|push|remove|rename"
    r"|replace|reopen|save|set|update|upload|write)(?:_|$)"
)
_SERVER = regex(r"(mcp__.+?__)(.+)")
_QUIET: Final = frozenset(
    """
    cat cd cmp cut date diff du echo file find git grep head jq ls nl ps pwd rg stat tail true
    type wc which whoami
    """.split()  # noqa: SIM905
)
_QUIET_GIT: Final = frozenset(
    """
    blame branch diff log ls-files remote rev-parse show status
    """.split()  # noqa: SIM905
)
_WRITES = regex(r">(?!&|\s*/dev/null)|-delete\b|-exec|-ok|--output|\$\(|`|<\(")
_BETWEEN = regex(r"\|\|?|(?<!>)&&?|;|\n")


@dataclass(frozen=True, slots=True)
class Effect:
    """What a call may have changed."""

    files: bool = False
    """Whether files may have changed: those at or below `path`, or any file if it is None."""
    path: str | None = None
    server: str = ""
    """Results of tools with this prefix in their names may have changed; empty for no tool."""

    def touches(self, entry: Entry) -> bool:
        """Whether an earlier result may be outdated now."""
        if self.server and entry.tool.startswith(self.server):
            return True
        if not self.files or (entry.file is None and entry.tool not in READS):
            return False
        return self.path is None or entry.file is None or _do_overlap(self.path, entry.file)


def file_of(args: JsonValue, file: str | None) -> str | None:
    """Return the file that a call reads or changes: `file`, or else the one in its arguments.

    None if they name no file.
    """
    if file is not None or not is_object(args):
        return file
    return next((args[name] for name in _PATHS if isinstance(args.get(name), str)), None)


def effect_of(tool: str, args: JsonValue, file: str | None) -> Effect | None:
    """Return what a call may have changed, as far as its tool is known; None if nothing.

    Examples
    --------
    >>> effect_of("Bash", {"command": "git log | head"}, None) is None
    True
    >>> effect_of("mcp__jira__update_issue", {}, None).server
    'mcp__jira__'
    """
    if tool in EDITS:
        return Effect(files=True, path=file)
    if tool in SHELLS:
        return Effect(files=True) if _may_write(args) else None
    match = _SERVER.fullmatch(tool)
    server = match[1] if match and _VERBS.match(match[2]) else ""
    return Effect(files=bool(file), path=file, server=server) if server else None


def _may_write(args: JsonValue) -> bool:
    """Whether a shell command may write files, which is assumed if in doubt."""
    command = args.get("command") if is_object(args) else args
    if not isinstance(command, str) or _WRITES.search(command):
        return True
    return not all(_writes_no_files(part.split()) for part in _BETWEEN.split(command))


_SHOWS_FILES: Final = regex(
    r"(?:cd [^\s;&|<>`$]+ *&& *)?(?:cat|head|tail|nl|bat|batcat|type|Get-Content|gc|sed -n)"
    r"(?: [^\s;&|<>`$]+)*? [^\s;&|<>`$-][^\s;&|<>`$]*\s*"
)


def shows_file(args: JsonValue) -> bool:
    """Whether a shell command only shows files, or lines of files.

    What it shows may be edited next, so it is needed verbatim.

    Examples
    --------
    >>> shows_file({"command": "sed -n 1,40p a.py"}), shows_file({"command": "cd src && cat a.py"})
    (True, True)
    >>> shows_file({"command": "cat a | jq .b"}), shows_file({"command": "cat > a.py"})
    (False, False)
    """
    command = args.get("command") if is_object(args) else None
    return isinstance(command, str) and _SHOWS_FILES.fullmatch(command) is not None


def _writes_no_files(words: list[str]) -> bool:
    """Whether a command, split into words, is empty or known to write no files."""
    if not words or words[0] not in _QUIET:
        return not words
    return words[0] != "git" or (len(words) > 1 and words[1] in _QUIET_GIT)


def _do_overlap(path: str, other_path: str) -> bool:
    """Whether one path is the other, or is below it."""
    first, second = PurePosixPath(path), PurePosixPath(other_path)
    return first.is_relative_to(second) or second.is_relative_to(first)


MAIN: Final = "main"
"""The agent that is not a sub-agent."""

MAX_AGENTS: Final = 1024
"""The most agents whose contexts are remembered; the least recently used are forgotten."""


class Scope:
    """The texts of one context that a reference may be made to, the latest last."""

    def __init__(self) -> None:
        self.explained = False
        """Whether a reference with an explanation was sent."""
        self.result_count = 0
        """The number of results since the context was last empty."""
        self.compaction_count = 0
        """How often the context was emptied when it had results."""
        self._entries: OrderedDict[int, Entry] = OrderedDict()

    def __iter__(self) -> Iterator[Entry]:
        """Yield the entries, the latest first."""
        return reversed(self._entries.values())

    def add(self, entry: Entry, max_entries: int) -> None:
        """Add a delivered text, and keep only the latest `max_entries`."""
        self._entries[entry.number] = entry
        while len(self._entries) > max_entries:
            self.drop(next(iter(self._entries)))

    def find(self, text: str) -> Entry | None:
        """Return the latest entry with the same text that is not outdated, or None."""
        return next((entry for entry in self if entry.text == text and not entry.stale), None)

    def use(self, entry: Entry) -> None:
        """Make an entry the latest one, since a reference to it was made."""
        self._entries.move_to_end(entry.number)

    def near(self, tool: str, arguments_hash: str) -> Entry | None:
        """Return the latest entry of a call of the tool with the same arguments, or None."""
        call = tool, arguments_hash
        return next((entry for entry in self if (entry.tool, entry.call) == call), None)

    def drop(self, number: int) -> None:
        """Note that a text was removed from the context, or must not be referred to."""
        self._entries.pop(number, None)

    def compact(self) -> None:
        """Forget the context, since it was compacted; hosts may report this more than once."""
        self._entries.clear()
        self.explained = False
        self.compaction_count += self.result_count > 0
        self.result_count = 0


class Scopes:
    """The contexts of all agents."""

    def __init__(self) -> None:
        self._scopes: OrderedDict[str, Scope] = OrderedDict()

    def of(self, agent: str) -> Scope:
        """Return the context of an agent; it is empty if the agent is new.

        If there are more than `MAX_AGENTS`, the one that was used least recently is forgotten.
        """
        scope = self._scopes.setdefault(agent, Scope())
        self._scopes.move_to_end(agent)
        if len(self._scopes) > MAX_AGENTS:
            self._scopes.popitem(last=False)
        return scope

    def drop(self, entry: Entry) -> None:
        """Note that a text was removed from its context, or must not be referred to."""
        if entry.agent in self._scopes:
            self._scopes[entry.agent].drop(entry.number)

    def end(self, agent: str) -> None:
        """Forget an agent and its context."""
        self._scopes.pop(agent, None)

    def mark_stale(self, effect: Effect) -> None:
        """Mark the entries whose sources a call may have changed as outdated, in all contexts."""
        for scope in self._scopes.values():
            for entry in scope:
                entry.stale = entry.stale or effect.touches(entry)

    def to_dict(self) -> dict[str, Any]:
        """Return all contexts as plain data, with the numbers of their texts."""
        return {
            agent: {
                "explained": scope.explained,
                "results": scope.result_count,
                "compactions": scope.compaction_count,
                "numbers": [entry.number for entry in scope][::-1],
            }
            for agent, scope in self._scopes.items()
        }

    def restore(self, data: Mapping[str, Any], entry_of: Callable[[int], Entry]) -> None:
        """Restore the contexts that `to_dict` returned; `entry_of` looks up an entry by number."""
        for agent, plain in data.items():
            scope = self._scopes[agent] = Scope()
            scope.explained = bool(plain["explained"])
            scope.result_count = operator.index(plain.get("results", 0))
            scope.compaction_count = operator.index(plain.get("compactions", 0))
            for number in plain["numbers"]:
                scope.add(entry_of(number), len(plain["numbers"]))


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """A call with the text of its result, and the context of the agent that gets it.

    `file` is the file that the call is about, and `budget` is the token limit of what is sent.
    """

    tool: str
    args: Any
    text: str
    file: str | None
    agent: str
    budget: int | None
    scope: Scope
    request: str = ""
    """What the agent wants to know, if that is known; a cut keeps what is related to it."""
    came: str = ""
    """The result as it came, if the text has short names for its ids."""

    @property
    def arguments_hash(self) -> str:
        """A hash of the arguments."""
        return hashed(argument_text(self.args), "", 32)

    def fits(self, tokens: int) -> bool:
        """Whether a text of that many tokens is within the budget."""
        return self.budget is None or tokens <= self.budget


def argument_text(args: JsonValue) -> str:
    """Return a text by which to compare arguments of calls: equal JSON data have equal texts."""
    try:
        return canonical(args)
    except (TypeError, ValueError, RecursionError):
        with suppress(Exception):  # repr() of an unknown object may raise anything
            return repr(args)
    return type(args).__name__
