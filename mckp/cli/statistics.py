"""The command ``mckp stats``: what sessions saved, as a table, JSON or a page."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mckp.cli import streams
from mckp.config import in_project
from mckp.config.places import telemetry_folder
from mckp.errors import MckpError
from mckp.jsontext import dump
from mckp.stats import figures, page
from mckp.stats.figures import HEAD, row, scope
from mckp.telemetry import read_events
from mckp.telemetry.fingerprint import DAY_MS

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from mckp.stats import Figures


def tell(arguments: Namespace) -> None:
    """Print the figures, and write the page if one is wanted."""
    folder = _folder(arguments.folder)
    events = read_events(folder)
    since = 0 if arguments.days is None else int(time.time() * 1000) - arguments.days * DAY_MS
    found = figures(events.records, since_ms=since, skipped=events.skipped)
    if arguments.html is not None:
        streams.write(page(found), arguments.html)
    if arguments.json:
        streams.write(dump(found.to_dict()) + "\n", streams.STANDARD)
    elif arguments.html is None and not found.total.events:
        raise MckpError(_nothing(folder, arguments.days, found.skipped))
    elif arguments.html is None:
        _print(found)


def _folder(named: str | None) -> Path:
    if named is not None:
        folder = Path(named)
    else:
        folder = telemetry_folder(in_project(Path.cwd(), asked=True).telemetry)
    if not folder.is_dir():
        raise MckpError(
            f"no telemetry is in {folder}: start the proxy with mckp mcp --telemetry, or set "
            "telemetry.enabled in the configuration"
        )
    return folder


def _nothing(folder: Path, days: int | None, skipped: int) -> str:
    time = "" if days is None else f" of the last {days} day{'s' * (days != 1)}"
    lines = f"; {skipped:,} line{'s' * (skipped != 1)} could not be read" if skipped else ""
    return f"no results{time} were recorded in {folder}{lines}"


def _shorter(cells: Sequence[str]) -> list[str]:
    """Return a row that leaves room for names: the share of references says enough of repeats."""
    return [cell for cell, name in zip(cells, HEAD, strict=True) if name != "repeats"]


def _print(found: Figures) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(caption=streams.printable(scope(found)), box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("tool", overflow="fold")
    for name in _shorter(HEAD):
        table.add_column(name, justify="right", no_wrap=True)
    for name, sums in [*found.tools.items(), ("all", found.total)]:
        tool, *cells = row(name, sums)
        table.add_row(streams.printable(tool), *_shorter(cells))
    streams.console(sys.stdout).print(table)
