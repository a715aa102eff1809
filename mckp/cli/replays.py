"""The command ``mckp replay``: what a configuration saves on a log, in tables."""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mckp.cli import streams
from mckp.config import Config, load
from mckp.errors import MckpError
from mckp.jsontext import dump
from mckp.replay import Response, read_log, replay, settings_for

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

    from rich.table import Table

    from mckp.config.tuner import LayerSavings
    from mckp.replay import Played
    from mckp.stats.figures import Sums


def play(arguments: Namespace) -> None:
    """Play a log, and print what was saved."""
    config = Config() if arguments.config is None else load(_there(arguments.config))
    responses = [each.tool for each in read_log(arguments.log) if isinstance(each, Response)]
    settings = settings_for(config, sorted(set(responses)))
    with streams.bar("replaying") as report:
        played = replay(
            read_log(arguments.log), settings, on_response=lambda done: report(done, len(responses))
        )
    if arguments.html is not None:
        streams.write(page(played), arguments.html)
    if arguments.html is None or arguments.json:
        _print(played, as_json=arguments.json)
    if played.failures:
        raise MckpError(f"{played.responses - played.restored} responses could not be read back")


def _there(name: str) -> Path:
    """Return a file that is there: a replay without it would say nothing of it."""
    file = Path(name)
    if not file.exists():
        raise MckpError(f"{name} is not there; leave --config out to replay with the defaults")
    return file


def _print(played: Played, *, as_json: bool) -> None:
    if as_json:
        streams.write(dump(played.to_dict()) + "\n", streams.STANDARD)
        return

    streams.console(sys.stdout).print(savings_table("endpoint", _rows(played.savings)))
    lines = [f"{played.restored:,} of {played.responses:,} responses read back", *played.failures]
    streams.write("".join(f"{streams.printable(line)}\n" for line in lines), streams.STANDARD)


_COLUMNS: Final = ("calls", "tokens", "dedup", "encoder", "combined", "exact", "near")
_CAPTION: Final = (
    "against {baseline}: dedup of all tokens, made of exact and near repeats; encoder of the rest; "
    "combined of all"
)


def _row(savings: LayerSavings) -> list[str]:
    """Return the cells of one line."""
    total = savings.of()
    shares = [savings.dedup, savings.encoder, savings.combined, savings.exact, savings.near]
    return [f"{total.events:,}", f"{total.baseline:,}", *(f"{100 * each:.1f} %" for each in shares)]


def savings_table(name: str, rows: Iterable[tuple[str, LayerSavings]]) -> Table:
    """Return a table with a line for each name."""
    from rich.table import Table

    from mckp.config.tuner.simulate import BASELINE

    found = Table(caption=_CAPTION.format(baseline=BASELINE))
    found.add_column(name, overflow="fold")
    for column in _COLUMNS:
        found.add_column(column, justify="right")
    for label, savings in rows:
        found.add_row(streams.printable(label), *_row(savings))
    return found


def _rows(savings: LayerSavings) -> list[tuple[str, LayerSavings]]:
    """Return all endpoints, the costliest first, and all together."""
    names = sorted(savings.sums, key=lambda name: -savings.only(name).of().baseline)
    return [*((name, savings.only(name)) for name in names), ("all", savings)]


def page(played: Played) -> str:
    """Return a page of what was saved, with a bar for each endpoint."""
    from mckp.config.tuner.simulate import BASELINE
    from mckp.display.blocks import table
    from mckp.display.page import sheet
    from mckp.stats.figures import by_tool

    rows, every = _rows(played.savings), played.savings.of()
    read = f"{played.restored:,} of {played.responses:,} responses read back"
    notes = [read, *played.failures, _CAPTION.format(baseline=BASELINE)]
    return sheet(
        "Sessions replayed",
        f"<p><span class='sum'>{played.savings.combined:.1%}</span> saved: {every.saved:,} of "
        f"{every.baseline:,} tokens</p>",
        by_tool({name: _sums(each) for name, each in rows[:-1]}),
        table("", ["endpoint", *_COLUMNS], [[name, *_row(each)] for name, each in rows]),
        *(f"<p class='note'>{escape(each)}</p>" for each in notes),
    )


def _sums(savings: LayerSavings) -> Sums:
    """Return savings as telemetry adds them up."""
    from mckp.config.tuner.simulate import Layer
    from mckp.stats.figures import Sums

    all_, once = savings.of(), savings.of(Layer.REFERENCE, Layer.NEAR)
    found = Sums(all_.events, once.events, all_.baseline, all_.final)
    found.repeats_baseline, found.by_reference = once.baseline, once.saved
    return found
