"""``mckp stats`` and ``mckp replay``: what sessions saved, or would save."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from mckp.agents.config import Config, in_project, load, settings_for
from mckp.agents.places import telemetry_folder
from mckp.agents.replay import Response, read_log, replay
from mckp.agents.stats import HEAD, caption_of, figures, gains, kind_rows, page, rows
from mckp.agents.telemetry import read_telemetry
from mckp.agents.telemetry.costs import ModelPrices
from mckp.agents.telemetry.recorder import DAY_S
from mckp.cli import streams
from mckp.errors import MckpError
from mckp.jsontext import dump

if TYPE_CHECKING:
    from argparse import Namespace

    from mckp.agents.replay import Played
    from mckp.agents.session.record import Tally


def print_statistics(arguments: Namespace) -> None:
    """Print what telemetry has recorded, as text or JSON; with ``--html``, write a page instead."""
    folder = folder_of(arguments.folder)
    records = read_telemetry(folder)
    since = 0 if arguments.days is None else int(time.time() - arguments.days * DAY_S) * 1000
    by: str = arguments.by
    tally = figures(records.events, since_ms=since, skipped=records.skipped, by=by)
    if arguments.html is not None:
        gains_by_day = gains(records.events, ModelPrices(), since_ms=since), ModelPrices()
        text = page("Tokens of tool results", caption_of(tally), tally, by, gains_by_day)
        streams.write(text, arguments.html)
    if arguments.json:
        plain = tally.to_dict()
        plain |= {} if by == "tool" else {f"by_{by}": plain.pop("tools")}
        streams.write(dump(plain) + "\n", streams.STANDARD)
    elif arguments.html is None and not tally.total.responses:
        raise MckpError(_nothing_message(folder, arguments.days, tally.skipped))
    elif arguments.html is None:
        _print_tally(caption_of(tally), tally, by)


def folder_of(named: str | None) -> Path:
    """Return the named telemetry folder, or else the configured one; raise if it does not exist."""
    if named is not None:
        folder = Path(named)
    else:
        folder = telemetry_folder(in_project(Path.cwd(), asked=True).telemetry.path)
    if not folder.is_dir():
        raise MckpError(
            f"there is no telemetry in {folder}; start the proxy with mckp mcp --telemetry, or set "
            "telemetry.enabled in the configuration"
        )
    return folder


def _nothing_message(folder: Path, days: int | None, unread_count: int) -> str:
    """Return the message that a folder has no results, or none of its last `days` days.

    `unread_count` is the number of lines that could not be read.
    """
    period = "" if days is None else f" of the last {days} day{'s' * (days != 1)}"
    unread_note = (
        f"; {unread_count:,} line{'s' * (unread_count != 1)} could not be read"
        if unread_count
        else ""
    )
    return f"no results{period} were recorded in {folder}{unread_note}"


def _print_tally(caption: str, tally: Tally, by: str = "tool") -> None:
    """Print the tables of savings."""
    streams.write(streams.table([by, *HEAD], rows(tally), caption), streams.STANDARD)
    if tally.kinds:
        by_kind = streams.table(["kind", *HEAD], kind_rows(tally), "by kind of result")
        streams.write(f"\n{by_kind}", streams.STANDARD)


def print_replay(arguments: Namespace) -> None:
    """Replay a log, and print what was saved."""
    config = Config() if arguments.config is None else load(_existing_path(arguments.config))
    settings = settings_for(config, budget=arguments.budget)
    response_count = sum(isinstance(event, Response) for event in read_log(arguments.log))
    with streams.bar("replaying") as report:
        played = replay(
            read_log(arguments.log), settings, on_response=lambda done: report(done, response_count)
        )
    lines = [*_replay_lines(played), *played.failures]
    if arguments.html is not None:
        text = page("Sessions replayed", "; ".join(lines), played)
        streams.write(text, arguments.html)
    if arguments.json:
        streams.write(dump(played.to_dict()) + "\n", streams.STANDARD)
    elif arguments.html is None:
        _print_tally("; ".join(_replay_lines(played)), played)
        for line in played.failures:
            streams.write(f"{streams.printable(line)}\n", streams.STANDARD)
    if played.failures:
        lost = played.total.responses - played.restored
        raise MckpError(f"{lost:,} responses could not be decoded; please report this")


def _existing_path(name: str) -> Path:
    """Return a path; raise if nothing is there, since `load` would take it for an empty file."""
    file = Path(name)
    if not file.exists():
        raise MckpError(f"{name} does not exist; leave --config out to replay with the defaults")
    return file


def _replay_lines(played: Played) -> list[str]:
    """Return lines on what could be read back, and on how much of what was used later is kept."""
    lines = [f"{played.restored:,} of {played.total.responses:,} responses could be decoded"]
    if played.left_out:
        lines.append(f"{played.left_out:,} left out, because only a shortened text was recorded")
    if played.uses:
        used = f"{played.uses_kept:,} of {played.uses:,} values that later calls used are kept"
        lines.append(used)
    return lines
