"""The settings of a proxy, and its servers: from a command, an address, or a configuration file."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

from mckp.agents.limits import WORK_SECONDS
from mckp.agents.mcp import CATALOGS, STRUCTURED
from mckp.errors import ConfigError, PatternError, UnknownNameError
from mckp.jsontext import is_array, is_object, load
from mckp.regexes import regex
from mckp.weights.patterns import read_selection

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike

    from mckp.agents.config.rules import ToolRule
    from mckp.agents.config.settings import SessionSettings

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """The settings of the proxy: the options of ``mckp mcp``; see its help for details."""

    limits: Mapping[str, int] = field(default_factory=dict[str, int])
    """Token limits by ``server`` or ``server.tool``; the empty name is for all others."""
    structured: Mapping[str, str] = field(default_factory=dict[str, str])
    """Ways to treat structured content, by the same names; each is one of `STRUCTURED`."""
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Patterns that select parts of results, by the same names."""
    servers: tuple[ServerSpec, ...] = ()
    """The servers, whose own rules are weaker than these options."""
    ask_fields: bool = False
    """Whether each tool gets an argument that selects parts of its result."""
    shadow: bool = False
    turn_budget: int | None = None
    turn_pause: float = 30.0
    """Seconds; see `mckp.agents.mcp.turns.Turns`."""
    spill: str = ""
    """The folder for the whole text of results that were cut; empty to save none."""
    spill_above: int = 32_000
    """Results with more characters than this are saved."""
    work_limit: int | None = None
    """The most operations of the solver for one result; None for the configured limit."""
    tokenizer: str = "o200k"
    catalog: str = "same"
    """One of `CATALOGS`."""
    tools_budget: int | None = None
    references: bool = True
    short_names: bool = False
    recall: bool = True
    recall_name: str = "recall"
    telemetry: str | None = None
    """The telemetry folder; None: the configuration decides; empty: it is on, in its folder."""
    patience: float = 30.0
    """Seconds to wait for each server when all are asked, and for an answer that may be damaged."""
    work: float = WORK_SECONDS
    """Seconds of CPU time for writing a result, after which the result is cut plainly."""
    timeout: float = 3600.0
    """Seconds without an answer or progress after which a request is given up."""

    def __post_init__(self) -> None:
        """Raise for an unknown name, a limit that is too small, or a spill without a budget."""
        if self.catalog not in CATALOGS:
            raise UnknownNameError("form of tool lists", self.catalog, CATALOGS)
        for treatment in self.structured.values():
            if treatment not in STRUCTURED:
                raise UnknownNameError("way to treat structured content", treatment, STRUCTURED)
        for name, limit in self.limits.items():
            if limit < MIN_TOKENS:
                message = f"{limit} tokens are too few for a result; the minimum is {MIN_TOKENS}"
                raise ConfigError(message, key=f"budget {name}".strip())
        has_limits = self.limits or any(spec.limits for spec in self.servers)
        if self.spill and not has_limits and self.turn_budget is None:
            raise ConfigError(
                "only results that were cut are saved, so give a budget too", key="spill"
            )

    def session_settings(self, rules: Iterable[ToolRule] = ()) -> SessionSettings:
        """Return the settings of a session: these options, and weaker rules, such as of files.

        Examples
        --------
        >>> settings = ProxySettings({"": 900, "git": 500, "git.git_log": 300}).session_settings()
        >>> names = "mcp__git__git_log", "mcp__git__x", "mcp__a__x"
        >>> [settings.of(name).limit for name in names]
        [300, 500, 900]
        """
        from mckp.agents.config.rules import RuleSource, ToolRule  # loading it takes time
        from mckp.agents.config.settings import SessionSettings

        all_rules = list(rules)
        for spec in self.servers:
            by_value = {"budget": spec.limits, "structured": spec.structured, "fields": spec.fields}
            for value_name, by_tool in by_value.items():
                for tool, value in by_tool.items():
                    name, place = session_name(spec.name, tool or "*"), f"mcpServers.{spec.name}"
                    all_rules.append(ToolRule({value_name: value}, name, RuleSource.SERVER, place))
        options = {"budget": self.limits, "structured": self.structured, "fields": self.fields}
        for value_name, by_name in options.items():
            for name, value in by_name.items():
                server, _, tool = name.partition(".")
                pattern = session_name(server, tool or "*") if name else "*"
                all_rules.append(
                    ToolRule({value_name: value}, pattern, RuleSource.OPTION, "option")
                )
        if not self.references:
            all_rules.append(ToolRule({"references": False}, "*", RuleSource.SWITCH, "option"))
        # A host may remove results from its context, and only few say so.
        return SessionSettings(
            rules=all_rules,
            work_limit=self.work_limit,
            refers_again=False,
            short_names=self.short_names,
        )


def session_name(server: str, tool: str) -> str:
    """Return the name that a tool has in sessions, telemetry and settings.

    Examples
    --------
    >>> session_name("ci", "builds")
    'mcp__ci__builds'
    """
    return f"mcp__{server}__{tool}"


MIN_TOKENS: Final = 64
"""The smallest token limit of a result: fewer tokens hardly hold a hint."""

_VARIABLE: Final = regex(r"\$\{(\w+)(?::-([^}]*))?\}")
_NOT_IN_NAMES: Final = regex(r"[^A-Za-z0-9-]+")
_STARTERS: Final = frozenset({"npx", "uvx", "uv", "node", "python", "python3", "docker", "bunx"})


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """One server: a program to start, or an address for streamable HTTP, with headers."""

    name: str
    """The name that tool names and figures have."""
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """Environment variables in addition to those of the proxy."""
    cwd: str | None = None
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    limits: Mapping[str, int] = field(default_factory=dict[str, int])
    """Token limits as in `ProxySettings`, by tool; the empty name is for all others."""
    structured: Mapping[str, str] = field(default_factory=dict[str, str])
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


def server_of_command(words: Sequence[str]) -> ServerSpec:
    """Return the server that a command starts, with a name derived from it.

    Examples
    --------
    >>> server_of_command(["npx", "-y", "@modelcontextprotocol/server-memory@1.2"]).name
    'server-memory'
    """
    arguments = [word for word in words if not word.startswith("-")]
    candidates = [word for word in arguments if PurePath(word).stem not in _STARTERS] or arguments
    stem = (
        PurePath(candidates[0].rpartition("/")[2].partition("@")[0] or candidates[0]).stem
        if candidates
        else ""
    )
    return ServerSpec(_clean_name(stem), words[0], tuple(words[1:]))


def server_of_url(url: str, headers: Mapping[str, str]) -> ServerSpec:
    """Return the server at a web address, named after its host.

    A `ConfigError` is raised unless the address begins with http:// or https://.
    """
    _check_url(url, "--url", "")
    return ServerSpec(_clean_name(urlsplit(url).hostname or ""), url=url, headers=headers)


def read_servers(path: str | PathLike[str]) -> list[ServerSpec]:
    """Read the servers in a file with ``mcpServers``, as hosts write them.

    A server may also have ``mckp``, with ``maxTokens``, ``structured`` and ``fields``, and with
    ``tools``, an object that maps tool names to the same. ``${NAME}`` and ``${NAME:-default}``
    stand for environment variables. Servers with ``"disabled": true`` are left out. A
    `ConfigError` is raised if anything in the file is wrong, or if no server is left.
    """
    source = str(path)
    try:
        data = load(Path(path).read_text("utf-8-sig"))
    except ValueError as error:
        raise ConfigError(f"not JSON: {error}", source=source) from None
    servers = data.get("mcpServers", data.get("servers")) if is_object(data) else None
    if not is_object(servers):
        raise ConfigError(
            "expected an object that maps names to servers", key="mcpServers", source=source
        )
    specs = [
        _read_spec(name, entry, source)
        for name, entry in servers.items()
        if not (is_object(entry) and entry.get("disabled") is True)
    ]
    if not specs:
        raise ConfigError(
            "no server is listed, or all are disabled", key="mcpServers", source=source
        )
    _check_names(specs, source)
    return specs


def _check_names(specs: list[ServerSpec], source: str) -> None:
    """Raise a `ConfigError` if two servers get the same name."""
    for name, count in Counter(spec.name for spec in specs).items():
        if count > 1:
            message = (
                f"two servers get the name {name} when other characters become hyphens; rename one"
            )
            raise ConfigError(message, key="mcpServers", source=source)


def _read_spec(name: str, entry: Any, source: str) -> ServerSpec:
    """Return the server of an entry; raise a `ConfigError` if a member is wrong."""
    key = f"mcpServers.{name}"
    if not is_object(entry):
        raise ConfigError("expected an object", key=key, source=source)
    reader = _MemberReader(entry, key, source)
    command, url = reader.text("command"), reader.text("url")
    if bool(command) == bool(url):
        raise ConfigError("expected either a command or a url", key=key, source=source)
    if url:
        _check_url(url, f"{key}.url", source)
    our_rules = entry.get("mckp", {})
    readers = _MemberReader(
        our_rules if is_object(our_rules) else {}, f"{key}.mckp", source
    ).readers_by_tool()
    return ServerSpec(
        name=_clean_name(name),
        command=command,
        args=tuple(reader.texts("args")),
        env=reader.text_map("env"),
        cwd=reader.text("cwd") or None,
        url=url,
        headers=reader.text_map("headers"),
        limits=_read_rules(readers, _MemberReader.tokens),
        structured=_read_rules(readers, _MemberReader.structured),
        fields=_read_rules(readers, _MemberReader.fields),
    )


def _read_rules(
    readers: Mapping[str, _MemberReader], read: Callable[[_MemberReader], T | None]
) -> dict[str, T]:
    """Return what `read` returns for the reader of each tool, except where it is None."""
    rules = {tool: read(reader) for tool, reader in readers.items()}
    return {tool: rule for tool, rule in rules.items() if rule is not None}


def _check_url(url: str, key: str, source: str) -> None:
    """Raise a `ConfigError` unless an address has a host and begins with http:// or https://."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        message = f"{url!r} is not an address that begins with http:// or https://"
        raise ConfigError(message, key=key, source=source)


def _clean_name(name: str) -> str:
    """Return a name of letters, digits and hyphens only; anything else becomes a hyphen.

    It is ``server`` if nothing is left.
    """
    return _NOT_IN_NAMES.sub("-", name).strip("-") or "server"


@dataclass(frozen=True, slots=True)
class _MemberReader:
    """Reads the members of one object; its errors name the member that is wrong."""

    entry: Mapping[str, Any]
    key: str
    source: str

    def text(self, name: str) -> str:
        """Return a member that is a text, or an empty text if it is missing."""
        return self._expand(self.entry.get(name, ""), name)

    def texts(self, name: str) -> list[str]:
        """Return a member that is a list of texts, or an empty list if it is missing."""
        items = self.entry.get(name, [])
        if not is_array(items):
            raise self._error(name, "expected a list of strings")
        return [
            self._expand(item, f"{name}[{item_number}]") for item_number, item in enumerate(items)
        ]

    def text_map(self, name: str) -> dict[str, str]:
        """Return a member that is an object of texts, or an empty one if it is missing."""
        members = self.entry.get(name, {})
        if not is_object(members):
            raise self._error(name, "expected an object of strings")
        return {
            member: self._expand(value, f"{name}.{member}") for member, value in members.items()
        }

    def tokens(self) -> int | None:
        """Return the token limit, or None if none is given."""
        limit = self.entry.get("maxTokens")
        if limit is None:
            return None
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < MIN_TOKENS:
            message = f"expected a whole number of {MIN_TOKENS} or more, got {limit!r}"
            raise self._error("maxTokens", message)
        return limit

    def structured(self) -> str | None:
        """Return the treatment of structured content, or None if none is given."""
        treatment = self.entry.get("structured")
        if treatment is not None and treatment not in STRUCTURED:
            message = f"expected one of {', '.join(STRUCTURED)}, got {treatment!r}"
            raise self._error("structured", message)
        return treatment

    def fields(self) -> tuple[str, ...] | None:
        """Return the patterns of fields, or None if none are given."""
        if "fields" not in self.entry:
            return None
        patterns = tuple(self.texts("fields"))
        for number, pattern in enumerate(patterns):
            try:
                read_selection(pattern)
            except PatternError as error:
                raise self._error(f"fields[{number}]", str(error)) from None
        return patterns

    def readers_by_tool(self) -> Mapping[str, _MemberReader]:
        """Return a reader of rules for each tool; the one for the whole server has no name."""
        tools = self.entry.get("tools", {})
        if not is_object(tools):
            raise self._error("tools", "expected an object that maps tools to rules")
        entries = {
            tool: rule if is_object(rule) else {"maxTokens": rule} for tool, rule in tools.items()
        }
        return {"": self} | {
            tool: _MemberReader(entry, f"{self.key}.tools.{tool}", self.source)
            for tool, entry in entries.items()
        }

    def _expand(self, value: Any, name: str) -> str:
        """Return a text with environment variables in place of their names.

        A variable that is not set and has no default raises a `ConfigError`.
        """
        if not isinstance(value, str):
            raise self._error(name, "expected a string")

        def variable(match: re.Match[str]) -> str:
            """Return the value of a variable, or its default."""
            default: str | None = match[2]
            value = os.environ.get(match[1], default)
            if value is None:
                raise self._error(name, f"the environment variable {match[1]} is not set")
            return value

        return _VARIABLE.sub(variable, value)

    def _error(self, name: str, message: str) -> ConfigError:
        """Return an error that names a member and the file."""
        return ConfigError(message, key=f"{self.key}.{name}", source=self.source)
