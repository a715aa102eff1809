"""The command ``mckp replay``: what a configuration saves on a log."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mckp.cli import savings, streams
from mckp.cli.progress import bar
from mckp.config import Config, load
from mckp.errors import MckpError
from mckp.jsontext import dump
from mckp.replay import Response, generate, read_log, replay, settings_for

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable

    from mckp.replay import Action, Played


def play(arguments: Namespace) -> None:
    """Play a log, or made-up sessions, and print what was saved."""
    log = _log(arguments)
    config = Config() if arguments.config is None else load(_there(arguments.config))
    responses = [each.tool for each in log() if isinstance(each, Response)]
    settings = settings_for(config, sorted(set(responses)))
    with bar("replaying") as report:
        played = replay(log(), settings, on_response=lambda done: report(done, len(responses)))
    _print(played, as_json=arguments.json)
    if played.failures:
        raise MckpError(f"{played.responses - played.restored} responses could not be read back")


def _there(name: str) -> Path:
    """Return a file that is there: a replay without it would say nothing of it."""
    file = Path(name)
    if not file.exists():
        raise MckpError(f"{name} is not there; leave --config out to replay with the defaults")
    return file


def _log(arguments: Namespace) -> Callable[[], Iterable[Action]]:
    if (arguments.log is None) == (arguments.profile is None):
        raise MckpError("name either a LOG or a --profile to make one up")
    if arguments.log is not None:
        return lambda: read_log(arguments.log)
    return lambda: generate(arguments.profile, arguments.seed, arguments.events)


def _print(played: Played, *, as_json: bool) -> None:
    if as_json:
        streams.write(dump(played.to_dict()) + "\n", streams.STANDARD)
        return

    streams.console(sys.stdout).print(savings.by_endpoint(played.savings))
    lines = [f"{played.restored:,} of {played.responses:,} responses read back", *played.failures]
    streams.write("".join(f"{streams.printable(line)}\n" for line in lines), streams.STANDARD)
