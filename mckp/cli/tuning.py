"""``mckp tune``: learns from recorded sessions, tries it on others, and shares it."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from difflib import unified_diff
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config import effective, in_project, loads
from mckp.agents.config.collect import described_settings
from mckp.agents.config.files import merged_table, table_in, table_of
from mckp.agents.places import LEARNT, config_files, read_whole, user_folder, write_atomically
from mckp.agents.replay import fingerprints, read_log
from mckp.agents.replay.learning import lessons, lessons_to_keep, used_in
from mckp.agents.replay.tuning import Tuner, recorded_sessions
from mckp.agents.telemetry import Anonymiser, installation_salt, read_telemetry
from mckp.cli import streams
from mckp.errors import MckpError
from mckp.jsontext import dump, is_array, is_object

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from mckp.agents.replay.learning import Counted, Lesson
    from mckp.agents.replay.tuning import Proposal
    from mckp.plain import JsonValue

_SHOWN: Final = ("setting", "value", "why")
_HEAD: Final = "# Written by mckp tune. Your own tables, in pipeline_config.toml, override these."
_NOTHING: Final = "nothing was written"


def run(arguments: Namespace) -> None:
    """Learn from a log, or export or merge figures for sharing."""
    actions = {"show": _show, "export": _export, "merge": _merge}
    action = actions.get(arguments.log, _learn)
    if arguments.files and action in (_show, _learn):
        raise MckpError(f"expected one LOG, but {arguments.files[0]} was given too")
    action(arguments)


def _show(arguments: Namespace) -> None:
    """Print what `mckp config explain` prints, under its former name."""
    sys.stderr.write("mckp: warning: mckp tune show is mckp config explain TOOL now\n")
    explain(arguments)


def explain(arguments: Namespace) -> None:
    """Print the effective settings in this folder, and where each comes from."""
    settings = effective(in_project(Path.cwd(), asked=True), tokenizer=arguments.tokenizer)
    rows = list(described_settings(settings, arguments.tool))
    if arguments.json:
        records = [dict(zip(_SHOWN, row, strict=True)) for row in rows]
        streams.write(dump(records) + "\n", streams.STANDARD)
        return
    caption = f"settings for {arguments.tool}" if arguments.tool else "settings in this folder"
    cells = [[name, _cell_text(value), why] for name, value, why in rows]
    streams.write(streams.table(_SHOWN, cells, caption), streams.STANDARD)


def _cell_text(value: JsonValue) -> str:
    """Return a value as a cell of a table."""
    if value is None or value == {}:
        return "-"
    return value if isinstance(value, str) else dump(value)


def _export(arguments: Namespace) -> None:
    """Write the fingerprints of tools, without what occurs in too few sessions."""
    if len(arguments.files) != 1:
        raise MckpError("give exactly one log: mckp tune export LOG")
    exported = fingerprints.fingerprints(read_log(arguments.files[0]), arguments.fewest)
    _write_fingerprints(exported, arguments.out)
    tools = f"{len(exported)} tool{'s' * (len(exported) != 1)}"
    sys.stderr.write(f"{tools} that occur in {arguments.fewest} or more sessions\n")


def _merge(arguments: Namespace) -> None:
    """Merge files of fingerprints that were exported, and write the result."""
    if not arguments.files:
        raise MckpError("give the files to join: mckp tune merge FILE...")
    ours = [fingerprints.read(file) for file in arguments.files]
    providers = [fingerprints.read(file) for file in arguments.provider]
    weights = None if arguments.weights is None else _parse_weights(arguments.weights)
    _write_fingerprints(fingerprints.merged_files(ours, weights, providers), arguments.out)


def _parse_weights(text: str) -> list[float]:
    """Parse numbers between commas."""
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise MckpError(f"--weights takes comma-separated numbers, not {text!r}") from None


def _write_fingerprints(tools: fingerprints.Tools, out: str) -> None:
    """Write fingerprints to a file, or to standard output."""
    content = fingerprints.file_content(tools, out)
    if out == streams.STANDARD:
        streams.write(content.decode(), out)
    else:
        write_atomically(out, content)


def _learn(arguments: Namespace) -> None:
    """Learn from a log, try the changes on other sessions, and write those that help."""
    counts = _counts_by_tool(Path(arguments.uses)) if arguments.uses else None
    actions = list(read_log(arguments.log))
    salience = in_project(Path.cwd(), asked=True).salience
    learnt = list(lessons(used_in(actions), salience, counts))
    with streams.bar("replaying") as report:
        tuner = Tuner(
            recorded_sessions(actions),
            table_in(config_files(Path.cwd())),
            progress=lambda done: report(done, done),
        )
        tried = list(tuner.proposals())
    kept_lessons, file = lessons_to_keep(learnt), Path(LEARNT)
    tables = [{"salience": {lesson.tool: lesson.factors}} for lesson in kept_lessons]
    tables += [proposal.table for proposal in tried if proposal.gains]
    before = read_whole(file).decode("utf-8") if file.exists() else ""
    after = _with_tables(before, tables) if tables else before
    outcome = _NOTHING
    if before != after and not arguments.dry_run:
        loads(after, source=str(file))
        write_atomically(file, after.encode())
        outcome = f"wrote {file}"
    _report(arguments, learnt, kept_lessons, tried, outcome)
    if not arguments.json and before != after:
        old, new = before.splitlines(), after.splitlines()
        lines = unified_diff(old, new, str(file), str(file), lineterm="")
        diff = "".join(f"{streams.printable(line)}\n" for line in lines)
        streams.write(f"\n{diff}", streams.STANDARD)


def _report(
    arguments: Namespace,
    learnt: Sequence[Lesson],
    kept_lessons: Sequence[Lesson],
    tried: Sequence[Proposal],
    outcome: str,
) -> None:
    """Print what was learnt and tried."""
    gain_count = sum(proposal.gains for proposal in tried)
    line = f"{sum(lesson.gains for lesson in learnt)} of {len(learnt)} tools gain; {outcome}\n"
    if tried:
        helping = f"{gain_count} of {len(tried)} changes help on held-out sessions"
        line = f"{helping}; {line}" if learnt else f"{helping}; {outcome}\n"
    elif not learnt:
        line = "no call uses a value of an earlier result, so there is nothing to learn\n"
    if arguments.json:
        records = [{**asdict(lesson), "kept": lesson in kept_lessons} for lesson in learnt]
        records += [
            {"key": proposal.key, **asdict(proposal), "kept": proposal.gains} for proposal in tried
        ]
        streams.write(dump(records) + "\n", streams.STANDARD)
        sys.stderr.write(line)
        return
    tables = (
        _lessons_table(learnt, kept_lessons) if learnt else "",
        _changes_table(tried) if tried else "",
    )
    streams.write("\n".join(filter(None, [*tables, line])), streams.STANDARD)


def _counts_by_tool(place: Path) -> Counted:
    """Return a function from a tool's name to its counts, from telemetry or fingerprints."""
    if place.is_file():
        tools = fingerprints.read(place)
        return lambda tool: fingerprints.counts_of(tools, tool)
    uses = read_telemetry(place).uses
    if not uses:
        raise MckpError(
            f"{place} has no telemetry that counts uses; name another place, or leave out --uses"
        )
    names = Anonymiser(installation_salt(user_folder() / "salt"))

    def counts(tool: str) -> list[Any]:  # the tool's name may be hashed
        """Return the counts of a tool."""
        records = (source.get(name) for source in uses for name in {tool, names.tool(tool)})
        return [record for record in records if is_object(record)]

    return counts


def _lessons_table(learnt: Sequence[Lesson], kept_lessons: Sequence[Lesson]) -> str:
    """Return the table of what was learnt."""
    rows: list[list[str]] = []
    for lesson in learnt:
        cells = (
            f"{lesson.before:.3f}",
            f"{lesson.after:.3f}",
            "yes" if lesson in kept_lessons else "no",
        )
        rows.append([lesson.tool, str(len(lesson.factors)), str(lesson.results), *cells])
    head = ("tool", "fields", "results", "before", "after", "kept")
    caption = (
        "before, after: of the values used later, the share that is kept at 20 % of the tokens"
    )
    return streams.table(head, rows, caption)


def _changes_table(tried: Sequence[Proposal]) -> str:
    """Return the table of changes that were tried."""
    rows: list[list[str]] = []
    for proposal in tried:
        cells = f"{proposal.before:,}", f"{proposal.after:,}", str(proposal.lost)
        value = _cell_text(_only_value(proposal.table))
        rows.append(
            [
                f"{proposal.key} = {value}",
                proposal.measure,
                *cells,
                "yes" if proposal.gains else "no",
            ]
        )
    head = ("change", "measure", "before", "after", "lost", "kept")
    return streams.table(
        head,
        rows,
        "sums over held-out sessions; lost: values used later that were cut",
    )


def _only_value(table: JsonValue) -> JsonValue:
    """Return the innermost value of a table with one setting."""
    while is_object(table):
        table = next(iter(table.values()))
    return table


def _with_tables(text: str, tables: Sequence[dict[str, Any]]) -> str:
    """Return a file's settings with tables merged in, as TOML; its comments are not kept."""
    settings = table_of(text)
    settings.pop("schema_version", None)
    lines = [_HEAD, "schema_version = 2", *_toml_lines(reduce(merged_table, tables, settings), ())]
    return "\n".join(lines) + "\n"


def _toml_lines(table: dict[str, JsonValue], path: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines of a table as TOML; the tables in it are sorted by name.

    `path` has the names of the table and of those around it.
    """
    plain = {name: value for name, value in table.items() if not is_object(value)}
    if plain and path:
        yield ""
        yield f"[{'.'.join(map(_toml_key, path))}]"
    for name, value in plain.items():
        yield f"{_toml_key(name)} = {_toml_value(value)}"
    for name, value in sorted(table.items()):
        if is_object(value):
            yield from _toml_lines(value, (*path, name))


def _toml_value(value: JsonValue) -> str:
    """Return a value as TOML."""
    if is_array(value):
        return f"[{', '.join(map(_toml_value, value))}]"
    return _toml_string(value) if isinstance(value, str) else repr(value).lower()


def _toml_key(name: str) -> str:
    """Return a name as a key of TOML."""
    is_bare = name.isascii() and name.replace("-", "_").isidentifier()
    return name if is_bare else _toml_string(name)


def _toml_string(text: str) -> str:
    """Return a TOML string: a JSON string, with the one character escaped that TOML forbids."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
