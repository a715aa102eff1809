"""What hosts show their model of the result of an MCP tool.

Each row was seen by running the host, its model played by a stub, with the version that the row
names. A host says who it is when it greets a server (``clientInfo.name``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

DATA: Final = "data"
"""Only structured content, where a result has it; its texts are not shown."""
TEXT: Final = "text"
"""Only texts; structured content is shown at most where there is no text."""
BOTH: Final = "both"
"""Texts and structured content."""


@dataclass(frozen=True, slots=True)
class Showing:
    """What a host shows of a result, and up to what size; it cuts longer ones, or stores them."""

    host: str
    client: str
    """How the host names itself to servers, or how that name begins."""
    version: str
    """The version that was run."""
    shows: str
    """`DATA`, `TEXT` or `BOTH`."""
    is_one_text: bool = False
    """Whether the texts of a result become one: then they are joined with line ends between."""
    most_chars: int | None = None
    """Most characters of a result; None: no limit was seen."""
    most_bytes: int | None = None
    most_lines: int | None = None
    failure_chars: int | None = None
    """Most characters of a failure; None: the same as of any result."""
    reads_json: bool = False
    """Whether a first text that is JSON is taken for structured content where there is none, so a
    text such as ``[]`` or ``42``, which is no object, makes a result ill-formed."""

    def excess(self, texts: Sequence[str], *, most_chars: int | None = None) -> float:
        """Return how many times as long as the host shows texts are; 1 or less is shown whole.

        `most_chars` is a limit of the tool in place of the host's.

        Examples
        --------
        >>> showing_of("copilot-cli").excess(["a" * 30_000]), UNKNOWN.excess(["a" * 30_000])
        (1.5, 0.0)
        """
        chars = self.most_chars if most_chars is None else most_chars
        ratios = [0.0]
        if chars is not None:
            ratios.append(sum(map(len, texts)) / chars)
        if self.most_bytes is not None:
            ratios.append(
                sum(len(text.encode("utf-8", "replace")) for text in texts) / self.most_bytes
            )
        if self.most_lines is not None:
            ratios.append(sum(text.count("\n") + 1 for text in texts) / self.most_lines)
        return max(ratios)


UNKNOWN: Final = Showing("unknown host", "", "", BOTH)
"""What is expected of a host that is not in the table: that it shows all there is."""

# Limits are a little below those that were seen, for what hosts write around a text.
SHOWINGS: Final = (
    Showing("Claude Code", "claude-code", "2.1.332", DATA, most_chars=49_000, failure_chars=9_500),
    Showing("Codex CLI", "codex-mcp-client", "0.171.0", DATA, most_chars=47_000),
    Showing(
        "Gemini CLI",
        "gemini-cli-mcp-client",
        "0.61.0",
        TEXT,
        True,
        most_chars=39_000,
        reads_json=True,
    ),
    Showing("opencode", "opencode", "1.18.33", TEXT, True, most_bytes=50_000, most_lines=1_900),
    Showing("Copilot CLI", "copilot-cli", "1.0.102", BOTH, True, most_bytes=20_000),
    Showing("Qwen Code", "qwen-cli-mcp-client", "0.24.4", BOTH, True),
)


def showing_of(client: Any) -> Showing:
    """Return what the host shows that names itself so.

    Examples
    --------
    >>> showing_of("qwen-cli-mcp-client-files").host, showing_of("my-agent").host
    ('Qwen Code', 'unknown host')
    """
    name = client if isinstance(client, str) else ""
    known = (showing for showing in SHOWINGS if f"{name}-".startswith(f"{showing.client}-"))
    return next(known, UNKNOWN)
