"""What hosts show their model of the result of an MCP tool.

Each row was observed by running that version of the host, with a stub as its model. A host gives
its name when it greets a server (``clientInfo.name``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

DATA: Final = "data"
"""Only structured content, if a result has it; its texts are not shown."""
TEXT: Final = "text"
"""Only texts; structured content is shown only if there is no text, if at all."""
BOTH: Final = "both"
"""Texts and structured content."""


def is_for_model(annotations: Any) -> bool:
    """Whether a block of an MCP result with these annotations is not for the user alone.

    Examples
    --------
    >>> is_for_model({"audience": ["user"]}), is_for_model(None)
    (False, True)
    """
    known = cast("dict[str, Any]", annotations) if isinstance(annotations, dict) else {}
    audience = known.get("audience")
    return not isinstance(audience, list) or "assistant" in audience


class Showing(NamedTuple):
    """What a host shows of a result, and up to what size; it cuts or stores longer results."""

    host: str
    client: str
    """The name that the host gives to servers, or a prefix of it."""
    version: str
    """The version of the host that was run."""
    shows: str
    """`DATA`, `TEXT` or `BOTH`."""
    is_one_text: bool = False
    """Whether the texts of a result become one, joined with line ends in between."""
    most_chars: int | None = None
    """The most characters of a result, or None if no limit was seen."""
    most_bytes: int | None = None
    most_lines: int | None = None
    failure_chars: int | None = None
    """The most characters of a failure, or None if the limit is that of any result."""
    reads_json: bool = False
    """Whether the host reads a first text that is JSON as structured content, if there is none.

    If that JSON is not an object, as in ``[]`` or ``42``, the host refuses the result.
    """

    def excess(self, texts: Sequence[str], *, most_chars: int | None = None) -> float:
        """Return the length of texts as a multiple of what the host shows; up to 1, it shows all.

        If the host has several limits, it is the largest multiple. `most_chars`, a limit of the
        tool, replaces that of the host.

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
"""The host to assume for one that is not in the table: it shows everything."""

# Limits are a little below the observed ones, because hosts write something around a text.
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
    """Return what a host shows, given the name that it gives to servers, or `UNKNOWN`.

    Examples
    --------
    >>> showing_of("qwen-cli-mcp-client-files").host, showing_of("my-agent").host
    ('Qwen Code', 'unknown host')
    """
    name = client if isinstance(client, str) else ""
    fitting = (showing for showing in SHOWINGS if f"{name}-".startswith(f"{showing.client}-"))
    return next(fitting, UNKNOWN)
