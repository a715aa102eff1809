"""Session files of Claude Code as actions, read line by line; whatever is odd is passed over."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from mckp.replay.actions import End
from mckp.replay.claude.conversation import Conversation
from mckp.replay.claude.counts import Counts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from mckp.replay.actions import Action

__all__ = ["PROJECTS", "Counts", "read_claude", "session_files"]

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
