"""Long output of commands, which Claude Code writes to a file; its hooks get only the beginning.

The file is opened only where Claude Code writes it: in the folder ``tool-results`` of the session,
beside its transcript. No link below the folder of the project is followed, so no event leads to
another file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.places import text_below
from mckp.plain import is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

MEMBERS: Final = ("persistedOutputPath", "persistedOutputSize")
"""Members of a response that name the file and its size."""

SHOWN_CHARS: Final = 30_000
"""Most characters of a command's output that Claude Code shows (2.1.332)."""

FOLDER: Final = "tool-results"
"""The folder of these files, in that of the session."""


def persisted(event: Mapping[str, Any]) -> tuple[Path, str] | None:
    """Return the file with the whole output of a command, and its text; None if there is none.

    Raises
    ------
    OSError
        If the file is not in the folder of the session, is no file, or cannot be read.
    """
    response, transcript = event.get("tool_response"), event.get("transcript_path")
    named = response.get(MEMBERS[0]) if is_object(response) else None
    if not isinstance(named, str):
        return None
    if not isinstance(transcript, str) or not transcript:
        raise PermissionError("the event names an output file, but has no transcript_path")
    session, file = Path(transcript).with_suffix(""), Path(named)
    if not file.is_absolute() or file.parent != session / FOLDER or file.name in ("", ".", ".."):
        raise PermissionError(f"the output file {file} is outside of {session / FOLDER}")
    return file, text_below(session.parent, [session.name, FOLDER, file.name])
