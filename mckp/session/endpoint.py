"""Names of tools without what they tell about their users."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Final

from mckp.jsontext import is_object

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


def hashed(text: str, salt: str, size: int = 8) -> str:
    """Return a salted hash in hexadecimal digits."""
    key = blake2b(salt.encode(), digest_size=32).digest() if salt else b""
    raw = text.encode("utf-8", "surrogatepass")
    return blake2b(raw, digest_size=(size + 1) // 2, key=key).hexdigest()[:size]


def anonymous(tool: str, salt: str) -> str:
    """Return the name of a tool with that of its MCP server hashed.

    Examples
    --------
    >>> anonymous("mcp__acme__get__x", "")[:5], anonymous("Read", "")
    ('mcp__', 'Read')
    """
    slug, found, verb = tool.removeprefix("mcp__").rpartition("__")
    if not tool.startswith("mcp__") or not found:
        return tool
    return f"mcp__p{hashed(slug, salt, 6)}__{verb}"


def endpoint_class(tool: str, args: Any, salt: str) -> str:
    """Return what kind of call it is; of a command only its name, and only if it is well known.

    Examples
    --------
    >>> [endpoint_class("Bash", {"command": c}, "") for c in ("git log -3", "curl x", "./mine")]
    ['git_log', 'curl', 'shell']
    """
    if tool != "Bash":
        return anonymous(tool, salt)
    command = args.get("command") if is_object(args) else args
    words = command.split() if isinstance(command, str) else []
    if not words or words[0] not in _COMMANDS:
        return "shell"
    has_verb = words[0] == "git" and len(words) > 1 and words[1] in _GIT
    return f"git_{words[1]}" if has_verb else words[0]
