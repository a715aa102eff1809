"""The hosts: programs that start servers and run hooks, and what each shows its model.

What a host shows was observed by running that version of it, with a stub as its model. A host gives
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


class Host(NamedTuple):
    """A host: what it shows of a result and up to what size, its files, and what its hook can do.

    It cuts or stores results that are longer than its limits.
    """

    title: str
    """Its name in sentences."""
    name: str = ""
    """Its name on the command line."""
    client: str = ""
    """The name that it gives to servers, or a prefix of it; empty if unknown."""
    version: str = ""
    """The version of the host that was run; empty if none was."""
    shows: str = BOTH
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
    program: str = ""
    """Its program; empty if it has none that prints its version."""
    file: str = ""
    """The file of the user's servers, as `mckp.agents.places.path_of` reads it."""
    project: str = ""
    """The path of its file in a project; empty if there is none."""
    key: str = "mcpServers"
    """The key of the servers in its configuration."""
    sessions: str = ""
    """The folder of its recorded sessions, if we read them."""
    has_hook: bool = False
    """Whether ``mckp hook`` answers its events."""
    hook_tokens: int | None = None
    """The most tokens of a text by which its hook may replace a result, or None for no limit."""
    hook_note: str = ""
    """What its hook can do, and what only the proxy can do."""

    def excess(self, texts: Sequence[str], *, most_chars: int | None = None) -> float:
        """Return the length of texts as a multiple of what the host shows; up to 1, it shows all.

        If the host has several limits, it is the largest multiple. `most_chars`, a limit of the
        tool, replaces that of the host.

        Examples
        --------
        >>> HOSTS["copilot-cli"].excess(["a" * 30_000]), UNKNOWN.excess(["a" * 30_000])
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


UNKNOWN: Final = Host("unknown host")
"""The host to assume for one that is not in the table: it shows everything."""

# Limits are a little below the observed ones, because hosts write something around a text.
_ALL: Final = (
    Host(
        "Claude Code",
        "claude-code",
        "claude-code",
        "2.1.332",
        DATA,
        most_chars=49_000,
        failure_chars=9_500,
        program="claude",
        file="~/.claude.json",
        project=".mcp.json",
        sessions="$CLAUDE_CONFIG_DIR/projects",
        has_hook=True,
        hook_note="the hook cannot shorten failed results, and leaves file reads unchanged; the "
        "proxy shortens failed results of MCP servers",
    ),
    Host("Claude Desktop", "claude-desktop", file="$desktop/Claude/claude_desktop_config.json"),
    Host("Cursor", "cursor", file="~/.cursor/mcp.json", project=".cursor/mcp.json"),
    Host(
        "Codex CLI",
        "codex",
        "codex-mcp-client",
        "0.171.0",
        DATA,
        most_chars=47_000,
        program="codex",
        file="$CODEX_HOME/config.toml",
        project=".codex/config.toml",
        key="mcp_servers",
        sessions="$CODEX_HOME/sessions",
        has_hook=True,
        hook_tokens=2_300,
        hook_note="the hook must be set up by hand (mckp hook codex) and trusted in Codex; it gets "
        "shell output that Codex has already cut, and no failed results of MCP servers",
    ),
    Host(
        "VS Code",
        "vscode",
        file="$desktop/Code/User/mcp.json",
        project=".vscode/mcp.json",
        key="servers",
    ),
    Host(
        "Gemini CLI",
        "gemini-cli",
        "gemini-cli-mcp-client",
        "0.61.0",
        TEXT,
        True,
        most_chars=39_000,
        reads_json=True,
        program="gemini",
        file="~/.gemini/settings.json",
        project=".gemini/settings.json",
        has_hook=True,
        hook_note="the hook must be set up by hand (mckp hook gemini-cli); Gemini CLI shows its "
        "answers as errors",
    ),
    Host(
        "opencode",
        "opencode",
        "opencode",
        "1.18.33",
        TEXT,
        True,
        most_bytes=50_000,
        most_lines=1_900,
        program="opencode",
        file="$settings/opencode/opencode.json",
        project="opencode.json",
        key="mcp",
        has_hook=True,
        hook_note="plugins get shell output that opencode has already cut, and no failed results",
    ),
    Host(
        "Copilot CLI",
        "copilot-cli",
        "copilot-cli",
        "1.0.102",
        BOTH,
        True,
        most_bytes=20_000,
        program="copilot",
        file="~/.copilot/mcp-config.json",
        has_hook=True,
        hook_note="the hook must be set up by hand (mckp hook copilot-cli); it gets output that "
        "Copilot has already cut, and cannot replace failed results",
    ),
    Host(
        "Qwen Code",
        "qwen-code",
        "qwen-cli-mcp-client",
        "0.24.4",
        BOTH,
        True,
        program="qwen",
        file="~/.qwen/settings.json",
        project=".qwen/settings.json",
        hook_note="hooks cannot replace results in this host, but the proxy can",
    ),
    Host("pi", "pi", has_hook=True),
)
HOSTS: Final = {host.name: host for host in _ALL}
"""The known hosts by name. A new host is one more record."""


def host_of(client: Any) -> Host:
    """Return the host that gives servers this name, or `UNKNOWN`.

    Examples
    --------
    >>> host_of("qwen-cli-mcp-client-files").title, host_of("my-agent").title
    ('Qwen Code', 'unknown host')
    """
    name = client if isinstance(client, str) else ""
    fitting = (host for host in _ALL if host.client and f"{name}-".startswith(f"{host.client}-"))
    return next(fitting, UNKNOWN)
