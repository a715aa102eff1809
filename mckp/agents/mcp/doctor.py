"""A look at servers before a host does: do they start, what do they list, what does it take."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from mckp import __version__, tokenizers
from mckp.agents.config import in_project
from mckp.agents.config.places import telemetry_folder
from mckp.agents.mcp import CATALOGS
from mckp.agents.mcp.catalog import BETWEEN, catalog
from mckp.agents.mcp.link import linked
from mckp.agents.mcp.messages import (
    VERSIONS,
    Code,
    RefusedError,
    failure,
    is_request,
    notification,
    request,
)
from mckp.agents.mcp.relay import MAX_PAGES, items
from mckp.agents.mcp.servers import ProxySettings
from mckp.display.blocks import aligned
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.agents.mcp.link import Link
    from mckp.agents.mcp.servers import ServerSpec

MAX_NAME_CHARS: Final = 64
"""Characters of a tool's name that every host takes."""

_HOST: Final = len("mcp__mckp__")


@dataclass(slots=True)
class Checkup:
    """What was found out about a server."""

    name: str
    error: str = ""
    version: str = ""
    server: str = ""
    seconds: float = 0.0
    tools: int = 0
    tokens: dict[str, int] = field(default_factory=dict[str, int])
    warnings: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Findings:
    """What was found out about all servers, and about this installation."""

    servers: list[Checkup]
    notes: list[str]

    @property
    def is_well(self) -> bool:
        """Whether all servers can be used."""
        return not any(each.error for each in self.servers)

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain data that JSON can hold."""
        return {"servers": [asdict(each) for each in self.servers], "notes": self.notes}

    def to_text(self) -> str:
        """Return a table of the servers, and a line for all else."""
        head = ["server", "status", "protocol", "seconds", "tools", *_shapes(self.servers)]
        lines = aligned(head, [_row(each, head[5:]) for each in self.servers])
        if head[5:]:
            lines.append("(the last columns: tokens of the list of tools in each shape)")
        for each in self.servers:
            lines += [f"{each.name}: {each.error}"] if each.error else []
            lines += [f"{each.name}: {warning}" for warning in each.warnings]
        return "\n".join([*lines, *self.notes])


def _shapes(servers: Sequence[Checkup]) -> list[str]:
    return list(next((each.tokens for each in servers if each.tokens), dict[str, int]()))


def _row(each: Checkup, shapes: Sequence[str]) -> list[str]:
    counts = [f"{each.tokens[shape]:,}" if shape in each.tokens else "" for shape in shapes]
    status = "fails" if each.error else "well"
    return [each.name, status, each.version, f"{each.seconds:.1f}", str(each.tools), *counts]


async def examine(specs: Sequence[ServerSpec], settings: ProxySettings) -> Findings:
    """Start servers one after another, and ask each for its tools."""
    several = len(specs) > 1
    servers = [await _checked(spec, settings, several=several) for spec in specs]
    return Findings(servers, list(_notes(settings)))


async def _checked(spec: ServerSpec, settings: ProxySettings, *, several: bool) -> Checkup:
    found, began = Checkup(spec.name), time.perf_counter()
    try:
        with anyio.fail_after(settings.patience):
            await _look(spec, settings, found, began, several=several)
    except TimeoutError:
        found.error = f"it does not answer within {settings.patience:g} s"
    except (OSError, RefusedError) as error:
        found.error = str(error)
    except BaseExceptionGroup as group:
        cause = _first(group)
        found.error = str(cause) if isinstance(cause, OSError | RefusedError) else repr(cause)
    return found


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    found = group.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


async def _look(
    spec: ServerSpec, settings: ProxySettings, found: Checkup, began: float, *, several: bool
) -> None:
    async with linked(spec) as link, anyio.create_task_group() as tasks:
        tasks.start_soon(link.pump)
        client = {"name": "mckp", "version": __version__}
        greeting = {"protocolVersion": VERSIONS[-1], "capabilities": {}, "clientInfo": client}
        said = await _asked(link, "initialize", greeting, found)
        link.agreed(said)
        found.seconds = round(time.perf_counter() - began, 2)
        found.version = link.version
        if found.version not in VERSIONS:
            found.error = f"{said.get('protocolVersion')!r} is no version of the protocol"
            link.capabilities = {}
        server = said.get("serverInfo")
        if is_object(server):
            found.server = f"{server.get('name', '')} {server.get('version', '')}".strip()
        link.send(notification("notifications/initialized"))
        if "tools" in link.capabilities:
            tools = await _tools(link, found)
            found.tools = len(tools)
            found.tokens = _tokens(spec.name, tools, settings, several=several)
            found.warnings += [
                w for tool in tools for w in _warnings(spec.name, tool, several=several)
            ]
        link.close()
        tasks.cancel_scope.cancel()


async def _asked(link: Link, method: str, params: dict[str, Any], found: Checkup) -> dict[str, Any]:
    """Return what a server answers; what it asks meanwhile is refused, and noise noted."""
    link.send(request(1, method, params))
    async for message in link.read:
        if isinstance(message, Exception):
            found.warnings.append(f"what it sent is no message: {message}")
        elif is_request(message):
            link.send(failure(message["id"], Code.METHOD_NOT_FOUND, message["method"]))
        elif message.get("id") in (1, None) and "error" in message:
            raise RefusedError(message["error"])
        elif message.get("id") == 1 and "method" not in message:
            answer: dict[str, Any] = message["result"]
            return answer
    raise OSError("it has ended")


async def _tools(link: Link, found: Checkup) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = []
    given: dict[str, Any] = {}
    for _ in range(MAX_PAGES):
        page = await _asked(link, "tools/list", given, found)
        tools += [each for each in items(page, "tools") if is_object(each)]
        if not page.get("nextCursor"):
            break
        given = {"cursor": page["nextCursor"]}
    return tools


def _tokens(
    name: str, tools: list[dict[str, Any]], settings: ProxySettings, *, several: bool
) -> dict[str, int]:
    counter = tokenizers.get(settings.tokenizer)
    found: dict[str, int] = {}
    for shape in CATALOGS:
        wanted = ProxySettings(catalog=shape, recall=settings.recall)
        found[shape] = catalog({name: tools}, wanted, counter, several=several).tokens
    return found


def _warnings(server: str, tool: dict[str, Any], *, several: bool) -> list[str]:
    name = str(tool.get("name"))
    shown = f"{server}{BETWEEN}{name}" if several else name
    found: list[str] = []
    if _HOST + len(shown) > MAX_NAME_CHARS:
        found.append(
            f"hosts may refuse the name of {name}, which has more than {MAX_NAME_CHARS} signs"
        )
    for key in ("inputSchema", "outputSchema"):
        if key in tool:
            try:
                Draft202012Validator.check_schema(tool[key])
            except SchemaError as error:
                found.append(f"the {key} of {name} is no schema: {error.message}")
    return found


def _notes(settings: ProxySettings) -> list[str]:
    telemetry = in_project(Path.cwd(), asked=settings.telemetry is not None).telemetry
    counter = tokenizers.get(settings.tokenizer)
    notes = [f"tokens are {'counted' if counter.exact else 'estimated'} by {counter.name}"]
    if telemetry.enabled or settings.telemetry is not None:
        folder = settings.telemetry or str(telemetry_folder(telemetry))
        notes.append(f"figures are written to {folder}; see `mckp stats`")
    else:
        notes.append("no figures are written; with --telemetry `mckp stats` tells what was saved")
    if "" not in settings.limits:
        notes.append("results are not limited, but for what is named; see --budget")
    return notes
