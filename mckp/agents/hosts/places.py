"""The known hosts, and where each keeps its configuration on this system."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mckp.agents.places import path_from_env


@dataclass(frozen=True, slots=True)
class File:
    """A file of a host."""

    path: Path
    keys: tuple[tuple[str, ...], ...] = ()
    """The paths of keys to its servers, with ``*`` for any key; empty for a file of hooks."""

    @property
    def is_toml(self) -> bool:
        """Whether the file is TOML; if not, it is JSON."""
        return self.path.suffix == ".toml"


@dataclass(frozen=True, slots=True)
class Host:
    """A program that starts servers."""

    name: str
    """Its name on the command line."""
    key: str = "mcpServers"
    """The key of the servers in its configuration."""
    project: str = ""
    """The path of its file in a project; empty if there is none."""
    program: str = ""
    """Its program; empty if it has none that prints its version."""
    client: str = ""
    """The name that it gives to servers, as in `mckp.agents.showing`; empty if unknown."""

    def files(self, project: Path | None = None, config: Path | None = None) -> list[File]:
        """Return the files of this host: the user's, or those in the folder of a project.

        If the path of a file is given as `config`, the result is only this file, as one of servers.

        Examples
        --------
        >>> [str(file.path) for file in HOSTS["claude-code"].files(Path("work"))]
        ['work/.mcp.json', 'work/.claude/settings.json']
        """
        keys = ((self.key,),)
        if config is not None:
            return [File(config, keys)]
        has_hook = self.name == "claude-code"
        if project is not None:
            hook = [File(project / ".claude" / "settings.json")] if has_hook else []
            return [*([File(project / self.project, keys)] if self.project else []), *hook]
        if has_hook:
            folder = path_from_env("CLAUDE_CONFIG_DIR")
            main = (folder or Path.home()) / ".claude.json"
            local = ("projects", "*", self.key)
            return [
                File(main, (*keys, local)),
                File((folder or Path.home() / ".claude") / "settings.json"),
            ]
        return [File(_user_file(self.name), keys)]


HOSTS: Final = {
    host.name: host
    for host in (
        Host("claude-code", project=".mcp.json", program="claude", client="claude-code"),
        Host("claude-desktop"),
        Host("cursor", project=".cursor/mcp.json"),
        Host("codex", "mcp_servers", ".codex/config.toml", "codex", "codex-mcp-client"),
        Host("vscode", "servers", project=".vscode/mcp.json"),
        Host(
            "gemini-cli",
            project=".gemini/settings.json",
            program="gemini",
            client="gemini-cli-mcp-client",
        ),
        Host("opencode", "mcp", "opencode.json", "opencode", "opencode"),
        Host("copilot-cli", program="copilot", client="copilot-cli"),
        Host(
            "qwen-code",
            project=".qwen/settings.json",
            program="qwen",
            client="qwen-cli-mcp-client",
        ),
    )
}


def _user_file(name: str) -> Path:
    """Return the file in which a host keeps the user's servers."""
    return {
        "claude-desktop": _desktop_folder() / "Claude" / "claude_desktop_config.json",
        "cursor": Path.home() / ".cursor" / "mcp.json",
        "codex": (path_from_env("CODEX_HOME") or Path.home() / ".codex") / "config.toml",
        "vscode": _desktop_folder() / "Code" / "User" / "mcp.json",
        "gemini-cli": Path.home() / ".gemini" / "settings.json",
        "opencode": _settings_folder() / "opencode" / "opencode.json",
        "copilot-cli": Path.home() / ".copilot" / "mcp-config.json",
        "qwen-code": Path.home() / ".qwen" / "settings.json",
    }[name]


def _desktop_folder() -> Path:
    """Return the folder in which desktop programs keep their settings."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return path_from_env("APPDATA") or Path.home() / "AppData" / "Roaming"
    return _settings_folder()


def _settings_folder() -> Path:
    """Return the folder in which other programs keep the user's settings."""
    return path_from_env("XDG_CONFIG_HOME") or Path.home() / ".config"
