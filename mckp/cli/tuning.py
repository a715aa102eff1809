"""The command ``mckp tune``: from what was recorded to a configuration that saves more."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mckp.cli import streams
from mckp.cli.replays import savings_table
from mckp.config import Config, SessionContext, load, resolve, save
from mckp.config.places import user_folder
from mckp.config.tuner import Verdict, tune
from mckp.errors import MckpError
from mckp.jsontext import dump, is_object
from mckp.replay import read_log, write_log
from mckp.replay.claude import PROJECTS, Counts, marks_of_files, read_claude, session_files
from mckp.replay.marking import marks_of_events, read_events
from mckp.replay.tuning import tune_log
from mckp.session.record import names_of, settings_for
from mckp.telemetry import installation_salt, read_sessions

if TYPE_CHECKING:
    from argparse import Namespace

    from mckp.config.tuner import Tuning
    from mckp.replay.recall import Counted


def run(arguments: Namespace) -> None:
    """Do what is asked for: tune on a log, on sessions of Claude Code, or show."""
    if arguments.what == "show":
        if arguments.log is not None:
            raise MckpError("show takes no LOG; name the configuration by --config FILE")
        _show(arguments.config, as_json=arguments.json)
        return
    config = load(arguments.config)
    if arguments.what == "analyze":
        tuning = _analyzed(arguments, config)
    else:
        tuning = _imported(arguments, config)
    _print(tuning, as_json=arguments.json)
    _write(tuning, arguments, config)


def _show(name: str, *, as_json: bool) -> None:
    file, config = Path(name), load(name)
    if as_json:
        text = dump(config.to_table()) + "\n"
    else:
        text = file.read_text("utf-8") if file.exists() else f"# no {name}: all defaults hold\n"
    streams.write(text, streams.STANDARD)


def _analyzed(arguments: Namespace, config: Config) -> Tuning:
    if arguments.log is None:
        raise MckpError("name the LOG to analyze, or the folder of telemetry")
    event = next(read_events(arguments.log), None)
    if event is not None:
        with streams.bar("trying") as report:
            found = list(marks_of_events(read_events(arguments.log)))
            return tune(found, config.to_table(), on_trial=report)
    if Path(arguments.log).is_dir():
        raise MckpError(f"no events of telemetry were found in {arguments.log}")
    with streams.bar("trying") as report:
        return tune_log(
            lambda: read_log(arguments.log),
            config.to_table(),
            exact=arguments.exact,
            counts=_counts(Path(arguments.uses), config) if arguments.uses else None,
            on_trial=report,
        )


def _counts(folder: Path, config: Config) -> Counted:
    """Return what telemetry has counted of a tool, whose name it may have hashed."""
    found = [each.uses for each in read_sessions(folder).records if each.uses]
    if not found:
        raise MckpError(f"no counts of uses were found in {folder}; leave --uses out")
    salt = installation_salt(user_folder() / "salt")
    names = names_of(settings_for(resolve(config, SessionContext()), salt=salt))

    def counts(tool: str) -> list[Any]:
        own = (each.get(name) for each in found for name in {tool, names.tool(tool)})
        return [each for each in own if is_object(each)]

    return counts


def _imported(arguments: Namespace, config: Config) -> Tuning:
    folder = PROJECTS if arguments.log is None else arguments.log
    files = session_files(folder, arguments.project)
    if not files:
        raise MckpError(f"no sessions were found in {folder}")
    counts, total, done = Counts(), sum(file.stat().st_size for file in files), 0
    if arguments.keep_texts is not None:
        write_log(chain.from_iterable(map(read_claude, files)), arguments.keep_texts)
    with streams.bar("reading") as report:

        def tell(size: int) -> None:
            nonlocal done
            done += size
            report(done, total)

        found = marks_of_files(files, counts, processes=arguments.processes, on_bytes=tell)
        marks = list(found)
    with streams.bar("trying") as report:
        tuning = tune(marks, config.to_table(), on_trial=report)
    _tell(counts)
    return tuning


def _tell(counts: Counts) -> None:
    said = (
        f"{counts.files:,} files, {counts.lines:,} lines; passed over: {counts.broken:,} broken, "
        f"{counts.unknown:,} of other kinds, {counts.errors:,} errors, {counts.orphans:,} results "
        "without a call\n"
    )
    sys.stderr.write(said)


def _print(tuning: Tuning, *, as_json: bool) -> None:
    if as_json:
        streams.write(dump(tuning.to_dict()) + "\n", streams.STANDARD)
        return
    from rich.table import Table

    trials = Table(title="proposals, and tokens")
    for name in ("rule", "change", "why", "before", "after", "verdict"):
        trials.add_column(name, overflow="fold", justify="right" if "f" in name else "left")
    for trial in tuning.trials:
        said = [trial.proposal.rule, trial.proposal.said, trial.proposal.why]
        counts = [f"{trial.before:,}", f"{trial.after:,}", trial.verdict.value]
        trials.add_row(*map(streams.printable, said), *counts)
    console = streams.console(sys.stdout)
    console.print(trials)
    console.print(savings_table("all", [("before", tuning.before), ("after", tuning.after)]))


def _write(tuning: Tuning, arguments: Namespace, config: Config) -> None:
    """Write the configuration, unless it is worse or nothing was to be written."""
    taken = sum(trial.verdict is Verdict.TAKEN for trial in tuning.trials)
    if tuning.is_worse:
        raise MckpError("the proposed configuration costs more tokens, so it was not written")
    tuned = Config.of_table(tuning.table)
    if arguments.dry_run or tuned == config:
        _say(f"{taken} proposals taken; nothing was written\n", arguments)
        return
    Path(arguments.config).parent.mkdir(parents=True, exist_ok=True)
    save(tuned, arguments.config)
    _say(f"{taken} proposals taken; wrote {arguments.config}\n", arguments)


def _say(text: str, arguments: Namespace) -> None:
    """Tell people, but not in the midst of JSON."""
    if arguments.json:
        sys.stderr.write(text)
    else:
        streams.write(text, streams.STANDARD)
