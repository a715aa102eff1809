"""What hosts show their model of the result of an MCP tool.

Each row was seen by running the host, its model played by a stub, with the version that the row
names. A host says who it is when it greets a server (``clientInfo.name``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

DATA: Final = "data"
"""Only structured content, where a result has it; its texts are not shown."""
TEXT: Final = "text"
"""Only texts; structured content is shown at most where there is no text."""
BOTH: Final = "both"
"""Texts and structured content."""


@dataclass(frozen=True, slots=True)
class Showing:
    """What a host shows of a result."""

    host: str
    client: str
    """How the host names itself to servers, or how that name begins."""
    version: str
    """The version that was run."""
    shows: str
    """`DATA`, `TEXT` or `BOTH`."""
    is_one_text: bool = False
    """Whether the texts of a result become one: then they are joined with line ends between."""


UNKNOWN: Final = Showing("unknown host", "", "", BOTH)
"""What is expected of a host that is not in the table: that it shows all there is."""

SHOWINGS: Final = (
    Showing("Claude Code", "claude-code", "2.1.332", DATA),
    Showing("Codex CLI", "codex-mcp-client", "0.171.0", DATA),
    Showing("Gemini CLI", "gemini-cli-mcp-client", "0.61.0", TEXT, is_one_text=True),
    Showing("opencode", "opencode", "1.18.33", TEXT, is_one_text=True),
    Showing("Copilot CLI", "copilot-cli", "1.0.102", BOTH, is_one_text=True),
    Showing("Qwen Code", "qwen-cli-mcp-client", "0.24.4", BOTH, is_one_text=True),
)


def showing_of(client: Any) -> Showing:
    """Return what the host shows that names itself so.

    Examples
    --------
    >>> showing_of("qwen-cli-mcp-client-files").host, showing_of("my-agent").host
    ('Qwen Code', 'unknown host')
    """
    name = client if isinstance(client, str) else ""
    known = (each for each in SHOWINGS if f"{name}-".startswith(f"{each.client}-"))
    return next(known, UNKNOWN)
