"""What kind of call it was, without what it tells about its user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_object

if TYPE_CHECKING:
    from mckp.telemetry.names import Anonymiser

_COMMANDS: Final = frozenset(
    """
    awk aws bash brew cargo cat cd chmod cmake cp curl cut date diff docker du echo env find
    gh git glab go gradle grep head helm java jq just kill kubectl ls make mkdir mv mvn mypy
    node npm npx pip pnpm ps psql pytest python python3 rm rg ruff rustc sed sleep sort ssh
    tail tar terraform test touch tsc uv wc wget which yarn
    """.split()  # noqa: SIM905
)
_GIT: Final = frozenset(
    """
    add blame branch checkout clone commit diff fetch grep log merge pull push rebase remote
    reset restore rev-parse show stash status switch tag
    """.split()  # noqa: SIM905
)


def endpoint_class(tool: str, args: Any, names: Anonymiser) -> str:
    """Return what kind of call it is; of a command only its name, and only if it is well known.

    Examples
    --------
    >>> from mckp.telemetry.names import Anonymiser
    >>> commands = [{"command": each} for each in ("git log -3", "curl x", "./mine")]
    >>> [endpoint_class("Bash", each, Anonymiser("ours")) for each in commands]
    ['git_log', 'curl', 'shell']
    """
    if tool != "Bash":
        return names.tool(tool)
    command = args.get("command") if is_object(args) else args
    words = command.split() if isinstance(command, str) else []
    if not words or words[0] not in _COMMANDS:
        return "shell"
    has_verb = words[0] == "git" and len(words) > 1 and words[1] in _GIT
    return f"git_{words[1]}" if has_verb else words[0]
