"""What the proxy may do: tokens of results, the shape of tool lists, and who counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mckp.errors import ConfigError, UnknownNameError
from mckp.mcp import CATALOGS
from mckp.mcp.servers import MIN_TOKENS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mckp.mcp.servers import ServerSpec


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """What the proxy may do.

    Attributes
    ----------
    limits : mapping of str to int
        Tokens that results may have, by ``server`` or ``server.tool``; those under the empty
        name are for all others.
    tokenizer : str
        Who counts.
    model : str or None
        Who reads; see `mckp.config.SessionContext`.
    catalog : str
        One of `CATALOGS`.
    tools_budget : int or None
        Tokens that a list of tools may have as compact JSON.
    references : bool
        Whether repeats become references.
    recall : bool
        Whether there is a tool that gives results back.
    telemetry : str or None
        Where figures are written; None for what the configuration says, empty for its folder.
    patience : float
        Seconds after which a server is left out of what all servers are asked.
    """

    limits: Mapping[str, int] = field(default_factory=dict[str, int])
    tokenizer: str = "o200k"
    model: str | None = None
    catalog: str = "same"
    tools_budget: int | None = None
    references: bool = True
    recall: bool = True
    telemetry: str | None = None
    patience: float = 30.0

    def __post_init__(self) -> None:
        if self.catalog not in CATALOGS:
            raise UnknownNameError("shape of tool lists", self.catalog, CATALOGS)
        for name, limit in self.limits.items():
            if limit < MIN_TOKENS:
                message = f"{limit} tokens are too few for a result; the least are {MIN_TOKENS}"
                raise ConfigError(message, key=f"max-tokens {name}".strip())

    def limit(self, server: str, tool: str) -> int | None:
        """Return the tokens that results of a tool may have, None for any number.

        Examples
        --------
        >>> settings = ProxySettings({"": 900, "git": 500, "git.git_log": 300})
        >>> settings.limit("git", "git_log"), settings.limit("git", "x"), settings.limit("a", "x")
        (300, 500, 900)
        """
        for name in (f"{server}.{tool}", server, ""):
            if name in self.limits:
                return self.limits[name]
        return None


def all_limits(given: Mapping[str, int], servers: Iterable[ServerSpec]) -> dict[str, int]:
    """Return limits by name: those of the servers, and over them those that were given."""
    found: dict[str, int] = {}
    for server in servers:
        if server.max_tokens is not None:
            found[server.name] = server.max_tokens
        found.update({f"{server.name}.{tool}": n for tool, n in server.tool_tokens.items()})
    return {**found, **given}
