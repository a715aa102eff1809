"""Where hosts keep their configuration on this system."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mckp.agents.places import path_from_env, path_of

if TYPE_CHECKING:
    from mckp.agents.host import Host


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


def files_of(host: Host, project: Path | None = None, config: Path | None = None) -> list[File]:
    """Return the files of a host: the user's, or those in the folder of a project.

    If the path of a file is given as `config`, the result is only this file, as one of servers.

    Examples
    --------
    >>> from mckp.agents.host import HOSTS
    >>> [str(file.path) for file in files_of(HOSTS["claude-code"], Path("work"))]
    ['work/.mcp.json', 'work/.claude/settings.json']
    """
    keys = ((host.key,),)
    if config is not None:
        return [File(config, keys)]
    has_hook = host.name == "claude-code"
    if project is not None:
        hook = [File(project / ".claude" / "settings.json")] if has_hook else []
        return [*([File(project / host.project, keys)] if host.project else []), *hook]
    if has_hook:
        folder = path_from_env("CLAUDE_CONFIG_DIR")
        main = (folder or Path.home()) / ".claude.json"
        local = ("projects", "*", host.key)
        return [
            File(main, (*keys, local)),
            File((folder or Path.home() / ".claude") / "settings.json"),
        ]
    return [File(path_of(host.file), keys)]
