"""``mckp mcp``: runs the proxy."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mckp.agents.mcp.servers import (
    ProxySettings,
    read_servers,
    server_of_command,
    server_of_url,
)
from mckp.agents.places import config_files
from mckp.cli import streams
from mckp.errors import MckpError, MissingExtraError

if TYPE_CHECKING:
    from argparse import Namespace

    from mckp.agents.mcp.servers import ServerSpec

_FORMAT: Final = "mckp: %(levelname)s: %(message)s"
_SAME: Final = (
    *("shadow", "turn_budget", "turn_pause", "spill", "spill_above", "tools_budget"),
    *("work_limit", "recall_name", "telemetry", "timeout"),
)
"""Options with the same names as the settings."""


class _Short(logging.Formatter):
    """Formats a log record as one line; an exception is shortened to its message."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line, without control characters."""
        error = record.exc_info[1] if record.exc_info else None
        text = f"mckp: {record.levelname}: {record.getMessage()}{f' {error!r}' if error else ''}"
        return streams.printable(text.replace("\n", " "))


def run(arguments: Namespace) -> int:
    """Serve a host; return the exit code."""
    specs = _server_specs(arguments)
    settings = settings_of(arguments, specs)
    if arguments.tokenizer is None:
        settings = _with_tokenizer(settings)
    _set_up_log(verbose=arguments.verbose)
    if find_spec("mcp") is None:  # importing it takes a second, so it is only looked for
        raise MissingExtraError("mcp", "mcp")
    import anyio

    from mckp.agents.mcp.serve import serve

    return anyio.run(serve, specs, settings)


def _with_tokenizer(settings: ProxySettings) -> ProxySettings:
    """Return settings with the tokenizer that the configuration names, if any."""
    if not any(file.exists() for file in config_files(Path.cwd())):
        return settings
    from mckp.agents.config import effective, in_project  # takes time, and most have no file

    return replace(settings, tokenizer=effective(in_project(Path.cwd(), asked=True)).tokenizer)


def settings_of(arguments: Namespace, specs: list[ServerSpec]) -> ProxySettings:
    """Return the settings of the proxy: the servers' settings, overridden by the options."""
    return ProxySettings(
        limits=dict(arguments.budget),
        structured=dict(arguments.structured),
        servers=tuple(specs),
        ask_fields=arguments.fields,
        catalog=arguments.tools,
        references=not arguments.no_references,
        short_names=arguments.short_names,
        recall=not arguments.no_recall,
        tokenizer=arguments.tokenizer or "o200k",
        **{name: getattr(arguments, name) for name in _SAME},
    )


def _server_specs(arguments: Namespace) -> list[ServerSpec]:
    """Return the servers of a command, an address or a file; raise unless one of these is given."""
    sources = [bool(arguments.server), arguments.url is not None, arguments.config is not None]
    if sum(sources) != 1:
        raise MckpError(
            "say which server to use: pass exactly one of --url URL, --config FILE and -- COMMAND"
        )
    if arguments.config is not None:
        return read_servers(arguments.config)
    if arguments.url is not None:
        return [server_of_url(arguments.url, dict(arguments.header))]
    return [server_of_command(arguments.server)]


def _set_up_log(*, verbose: bool) -> None:
    """Send the log to standard error, one line per record unless `verbose`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter(_FORMAT) if verbose else _Short())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO if verbose else logging.WARNING)
