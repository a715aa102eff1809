"""Long output of commands, which Claude Code writes to a file; its hooks get only the beginning.

A file is opened only where Claude Code writes it: in the session's folder ``tool-results``, next to
its transcript. No link below the project's folder is followed, so no event can name another file.
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
"""The most characters of a command's output that Claude Code shows (2.1.332)."""

FOLDER: Final = "tool-results"
"""The folder of these files in the session's folder."""


def persisted_output(event: Mapping[str, Any]) -> tuple[Path, str] | None:
    """Return the file that an event names for a command's complete output, and its text.

    The text of a long file is its beginning and its end, as `text_below` returns them. The result
    is None if the event names no file.

    Raises
    ------
    OSError
        If there is no file at this path, it is not in the session's folder, or it cannot be read;
        or if the event has no transcript.
    """
    response, transcript = event.get("tool_response"), event.get("transcript_path")
    named_file = response.get(MEMBERS[0]) if is_object(response) else None
    if not isinstance(named_file, str):
        return None
    if not isinstance(transcript, str) or not transcript:
        raise PermissionError("the event names an output file, but has no transcript_path")
    session, file = Path(transcript).with_suffix(""), Path(named_file)
    if not file.is_absolute() or file.parent != session / FOLDER or file.name in ("", ".", ".."):
        raise PermissionError(f"the output file {file} is outside of {session / FOLDER}")
    return file, text_below(session.parent, [session.name, FOLDER, file.name])
