"""Which calls may have changed files, and so what no exact reference is made to any more.

An exact reference says that two results are the same, which stays true whatever changed.
Yet who has just edited a file and reads it again expects to be shown it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.session.store import Entry

READS: Final = frozenset({"Read", "Grep", "Glob", "NotebookRead"})
EDITS: Final = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
SHELLS: Final = frozenset({"Bash"})

_PATHS: Final = ("file_path", "notebook_path", "path")
_VERBS = re.compile(
    r"(?:add|apply|close|commit|create|delete|edit|merge|move|patch|post|put|push|remove|rename"
    r"|replace|reopen|save|set|update|upload|write)(?:_|$)"
)
_SERVER = re.compile(r"(mcp__.+?__)(.+)")
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
_WRITES = re.compile(r">(?!&|\s*/dev/null)|-delete\b|-exec|-ok|--output|\$\(|`|<\(")
_BETWEEN = re.compile(r"\|\|?|(?<!>)&&?|;|\n")


@dataclass(frozen=True, slots=True)
class Effect:
    """What a call may have changed.

    Attributes
    ----------
    files : bool
        Whether files, those at `path` or in it, or any if it is None.
    path : str or None
        A file or folder.
    server : str
        What the names of tools begin with whose results may be others now; empty for none.
    tools : tuple of str
        Further tools of that kind.
    """

    files: bool = False
    path: str | None = None
    server: str = ""
    tools: tuple[str, ...] = ()

    def touches(self, entry: Entry) -> bool:
        """Whether an earlier result may be another one now."""
        if entry.tool in self.tools or (self.server and entry.tool.startswith(self.server)):
            return True
        if not self.files or (entry.file is None and entry.tool not in READS):
            return False
        return self.path is None or entry.file is None or _overlap(self.path, entry.file)


def file_of(args: Any, file: str | None) -> str | None:
    """Return the file that a call is about."""
    if file is not None or not is_object(args):
        return file
    return next((args[name] for name in _PATHS if isinstance(args.get(name), str)), None)


def effect_of(
    tool: str, args: Any, file: str | None, invalidates: Mapping[str, tuple[str, ...]]
) -> Effect | None:
    """Return what a call may have changed; None for nothing.

    Examples
    --------
    >>> effect_of("Bash", {"command": "git log | head"}, None, {}) is None
    True
    >>> effect_of("mcp__jira__update_issue", {}, None, {}).server
    'mcp__jira__'
    """
    tools = invalidates.get(tool, ())
    if tool in EDITS:
        return Effect(files=True, path=file, tools=tools)
    if tool in SHELLS:
        return Effect(files=True, tools=tools) if _may_write(args) else None
    match = _SERVER.fullmatch(tool)
    server = match[1] if match and _VERBS.match(match[2]) else ""
    if not server and not tools:
        return None
    return Effect(files=bool(server and file), path=file, server=server, tools=tools)


def _may_write(args: Any) -> bool:
    command = args.get("command") if is_object(args) else args
    if not isinstance(command, str) or _WRITES.search(command):
        return True
    return not all(_is_quiet(part.split()) for part in _BETWEEN.split(command))


def _is_quiet(words: list[str]) -> bool:
    if not words or words[0] not in _QUIET:
        return not words
    return words[0] != "git" or (len(words) > 1 and words[1] in _QUIET_GIT)


def _overlap(one: str, other: str) -> bool:
    first, second = PurePosixPath(one), PurePosixPath(other)
    return first.is_relative_to(second) or second.is_relative_to(first)
