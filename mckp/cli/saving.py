"""``mckp discover`` and ``mckp gain``: what results cost, and what is saved."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mckp.agents.config import Config, settings_for
from mckp.agents.replay.discover import discover, session_files, session_folders
from mckp.agents.stats import GAIN_HEAD, REQUESTS_NOTE, gain_rows, gains
from mckp.agents.telemetry import read_telemetry
from mckp.agents.telemetry.costs import ModelPrices
from mckp.agents.telemetry.recorder import DAY_S
from mckp.cli import streams
from mckp.cli.statistics import folder_of
from mckp.errors import MckpError
from mckp.jsontext import dump

if TYPE_CHECKING:
    from argparse import Namespace

    from mckp.agents.replay.discover import Discovery, ToolFigures

_SHOWN: Final = 15
_COUNTS: Final = ("results", "repeats", "tokens", "shorter", "cut", "used", "kept")
_HEAD: Final = ("tool", *_COUNTS, "$", "$ saved")


def prices_of(arguments: Namespace) -> ModelPrices:
    """Return the token prices that the options of a command give."""
    prices = dict(arguments.price)
    return ModelPrices({"*": 3.0, **prices}, arguments.write, arguments.read)


def print_gains(arguments: Namespace) -> None:
    """Print what was saved, by day, session or tool."""
    folder, prices = folder_of(arguments.folder), prices_of(arguments)
    since = 0 if arguments.days is None else int(time.time() - arguments.days * DAY_S) * 1000
    totals = gains(read_telemetry(folder).events, prices, since_ms=since, by=arguments.by)
    if arguments.json:
        plain = {name: {**asdict(gain), "saved": gain.cost.saved} for name, gain in totals.items()}
        streams.write(dump({"by": arguments.by, "gains": plain}) + "\n", streams.STANDARD)
        return
    if not totals:
        raise MckpError(f"no results of this time are recorded in {folder}")
    caption = f"{prices}. {REQUESTS_NOTE}"
    text = streams.table([arguments.by, *GAIN_HEAD], gain_rows(totals), caption)
    streams.write(text, streams.STANDARD)


def print_costs(arguments: Namespace) -> None:
    """Print what tools cost in recorded sessions, with advice."""
    named_places = [Path(place).expanduser() for place in arguments.places]
    for place in named_places:
        if not place.exists():
            raise MckpError(f"{place} does not exist")
    existing = [place for place in session_folders().values() if place.is_dir()]
    files = session_files(named_places or existing, arguments.sessions, arguments.days)
    settings = settings_for(Config(), budget=arguments.budget or None)
    with streams.bar("reading sessions") as report:
        discovery = discover(
            files,
            settings,
            prices=prices_of(arguments),
            tokenizer=arguments.tokenizer,
            on_session=lambda done: report(done, len(files)),
        )
    if arguments.json:
        streams.write(dump(discovery.to_dict()) + "\n", streams.STANDARD)
        return
    _print_discovery(discovery)


def _print_discovery(discovery: Discovery) -> None:
    """Print a table of what tools cost, and advice."""
    rows = [_tool_row(name, figures) for name, figures in discovery.tools.items()][:_SHOWN]
    hidden_count = len(discovery.tools) - len(rows)
    rows.append(
        _tool_row("all" if not hidden_count else f"all, with {hidden_count} more", discovery.total)
    )
    budget = (
        "without a budget"
        if discovery.budget is None
        else f"if each result is cut to {discovery.budget:,}"
    )
    caption = (
        f"sessions: {discovery.sessions}. shorter: tokens without cuts; cut: tokens {budget}; "
        f"used: values that later calls used; kept: how many of these the cut results still have. "
        f"{discovery.prices}."
    )
    lines = [f"{number}. {text}" for number, text in enumerate(discovery.findings(), 1)]
    if discovery.total.left_out:
        lines.append(
            f"{discovery.total.left_out} results were shortened by the host or by a hook before "
            f"they were recorded, and are not counted here"
        )
    lines += [f"{file} was skipped: {why}" for file, why in discovery.skipped.items()]
    body = "".join(f"{streams.printable(line)}\n" for line in lines)
    streams.write(f"{streams.table(_HEAD, rows, caption)}\n{body}", streams.STANDARD)


def _tool_row(name: str, figures: ToolFigures) -> list[str]:
    """Return the row of a tool."""
    counts = (figures.results, figures.repeats, figures.before, figures.shorter, figures.after)
    money = figures.cost.before, figures.cost.saved
    return [
        name,
        *(f"{number:,}" for number in (*counts, figures.uses, figures.kept)),
        *(f"{dollars:,.2f}" for dollars in money),
    ]
