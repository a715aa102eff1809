"""The command ``mckp tune``: what recorded sessions teach, tried on others, and shared."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from difflib import unified_diff
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config import effective, in_project, loads
from mckp.agents.config.effective import told
from mckp.agents.config.files import over, table_in, table_of
from mckp.agents.places import LEARNT, config_files, read_whole, user_folder, write_atomically
from mckp.agents.replay import fingerprints, read_log
from mckp.agents.replay.learning import lessons, taken, used_in
from mckp.agents.replay.tuning import Tuner, recorded
from mckp.agents.telemetry import Anonymiser, installation_salt, read_telemetry
from mckp.cli import streams
from mckp.errors import MckpError
from mckp.jsontext import dump, is_array, is_object

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from mckp.agents.replay.learning import Counted, Lesson
    from mckp.agents.replay.tuning import Proposal

_SHOWN: Final = ("setting", "value", "why")
_HEAD: Final = "# Written by mckp tune. Your own tables, in pipeline_config.toml, override these."
_NOTHING: Final = "nothing was written"


def run(arguments: Namespace) -> None:
    """Show what holds, learn from a log, or write or join what may be shared."""
    ways = {"show": _show, "export": _export, "merge": _merge}
    way = ways.get(arguments.log, _learn)
    if arguments.files and way in (_show, _learn):
        raise MckpError(f"one log at a time: {arguments.files[0]} is one more")
    way(arguments)


def _show(arguments: Namespace) -> None:
    """Print each setting that holds in this folder, and what says so."""
    found = effective(in_project(Path.cwd(), asked=True), tokenizer=arguments.tokenizer)
    rows = list(told(found, arguments.tool))
    if arguments.json:
        said = [dict(zip(_SHOWN, row, strict=True)) for row in rows]
        streams.write(dump(said) + "\n", streams.STANDARD)
        return
    about = f"what holds for {arguments.tool}" if arguments.tool else "what holds in this folder"
    shown = [[name, _short(value), why] for name, value, why in rows]
    streams.write(streams.table(_SHOWN, shown, about), streams.STANDARD)


def _short(value: Any) -> str:
    if value is None or value == {}:
        return "-"
    return value if isinstance(value, str) else dump(value)


def _export(arguments: Namespace) -> None:
    """Write what sessions show of tools, without what few of them show."""
    if len(arguments.files) != 1:
        raise MckpError("name one log after export")
    found = fingerprints.fingerprints(read_log(arguments.files[0]), arguments.fewest)
    _share(found, arguments.out)
    tools = f"{len(found)} tool{'s' * (len(found) != 1)}"
    sys.stderr.write(f"{tools} of {arguments.fewest} sessions or more\n")


def _merge(arguments: Namespace) -> None:
    """Join files that were exported."""
    if not arguments.files:
        raise MckpError("name the files to join after merge")
    own = [fingerprints.read(file) for file in arguments.files]
    given = [fingerprints.read(file) for file in arguments.provider]
    weights = None if arguments.weights is None else _weights(arguments.weights)
    _share(fingerprints.merged(own, weights, given), arguments.out)


def _weights(text: str) -> list[float]:
    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        raise MckpError(f"--weights takes comma-separated numbers, not {text!r}") from None


def _share(found: fingerprints.Tools, out: str) -> None:
    content = fingerprints.write(found, out)
    if out == streams.STANDARD:
        streams.write(content.decode(), out)
    else:
        write_atomically(out, content)


def _learn(arguments: Namespace) -> None:
    """Learn from a log, try it on sessions it was not learnt from, and keep what gains."""
    counts = _counts(Path(arguments.uses)) if arguments.uses else None
    actions = list(read_log(arguments.log))
    salience = in_project(Path.cwd(), asked=True).settings.salience
    found = list(lessons(used_in(actions), salience, counts))
    with streams.bar("replaying") as report:
        tuner = Tuner(
            recorded(actions),
            table_in(config_files(Path.cwd())),
            told=lambda done: report(done, done),
        )
        tried = list(tuner.proposals())
    kept, file = taken(found), Path(LEARNT)
    tables = [{"salience": {each.tool: each.factors}} for each in kept]
    tables += [each.table for each in tried if each.gains]
    before = read_whole(file).decode("utf-8") if file.exists() else ""
    after = _text(before, tables) if tables else before
    said = _NOTHING
    if before != after and not arguments.dry_run:
        loads(after, source=str(file))
        write_atomically(file, after.encode())
        said = f"wrote {file}"
    _report(arguments, found, kept, tried, said)
    if not arguments.json and before != after:
        old, new = before.splitlines(), after.splitlines()
        lines = unified_diff(old, new, str(file), str(file), lineterm="")
        diff = "".join(f"{streams.printable(line)}\n" for line in lines)
        streams.write(f"\n{diff}", streams.STANDARD)


def _report(
    arguments: Namespace,
    found: Sequence[Lesson],
    kept: Sequence[Lesson],
    tried: Sequence[Proposal],
    said: str,
) -> None:
    """Print what was learnt and tried."""
    gains = sum(each.gains for each in tried)
    line = f"{sum(each.gains for each in found)} of {len(found)} tools gain; {said}\n"
    if tried:
        helping = f"{gains} of {len(tried)} changes help on sessions left out"
        line = f"{helping}; {line}" if found else f"{helping}; {said}\n"
    elif not found:
        line = "no call uses a value of an earlier result, so there is nothing to learn\n"
    if arguments.json:
        told = [{**asdict(each), "kept": each in kept} for each in found]
        told += [{"key": p.key, **asdict(p), "kept": p.gains} for p in tried]
        streams.write(dump(told) + "\n", streams.STANDARD)
        sys.stderr.write(line)
        return
    tables = (_lessons(found, kept) if found else "", _changes(tried) if tried else "")
    streams.write("\n".join(filter(None, [*tables, line])), streams.STANDARD)


def _counts(place: Path) -> Counted:
    """Return what telemetry, or a file of fingerprints, has counted of a tool."""
    if place.is_file():
        tools = fingerprints.read(place)
        return lambda tool: fingerprints.counts_of(tools, tool)
    found = read_telemetry(place).uses
    if not found:
        raise MckpError(f"there are no counts of uses in {place}; leave --uses out")
    names = Anonymiser(installation_salt(user_folder() / "salt"))

    def counts(tool: str) -> list[Any]:  # its name may be hashed
        own = (each.get(name) for each in found for name in {tool, names.tool(tool)})
        return [each for each in own if is_object(each)]

    return counts


def _lessons(found: Sequence[Lesson], kept: Sequence[Lesson]) -> str:
    rows: list[list[str]] = []
    for each in found:
        shares = f"{each.before:.3f}", f"{each.after:.3f}", "yes" if each in kept else "no"
        rows.append([each.tool, str(len(each.factors)), str(each.results), *shares])
    head = ("tool", "fields", "results", "before", "after", "kept")
    caption = "share of what was used later that is left at 20 % of the tokens"
    return streams.table(head, rows, caption)


def _changes(tried: Sequence[Proposal]) -> str:
    rows: list[list[str]] = []
    for each in tried:
        sums = f"{each.before:,}", f"{each.after:,}", str(each.lost)
        value = _short(_value(each.table))
        rows.append([f"{each.key} = {value}", each.measure, *sums, "yes" if each.gains else "no"])
    head = ("change", "measure", "before", "after", "lost", "kept")
    return streams.table(
        head, rows, "sums over sessions that were left out; lost: values used later"
    )


def _value(table: Any) -> Any:
    while is_object(table):
        table = next(iter(table.values()))
    return table


def _text(before: str, tables: Sequence[dict[str, Any]]) -> str:
    """Return a file that says more than before; what it has of other things stays."""
    old = table_of(before)
    old.pop("schema_version", None)
    lines = [_HEAD, "schema_version = 2", *_lines(reduce(over, tables, old), ())]
    return "\n".join(lines) + "\n"


def _lines(table: dict[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines of a table in TOML, names in order."""
    plain = {name: value for name, value in table.items() if not is_object(value)}
    if plain and path:
        yield ""
        yield f"[{'.'.join(map(_key, path))}]"
    for name, value in plain.items():
        yield f"{_key(name)} = {_toml(value)}"
    for name, value in sorted(table.items()):
        if is_object(value):
            yield from _lines(value, (*path, name))


def _toml(value: Any) -> str:
    if is_array(value):
        return f"[{', '.join(map(_toml, value))}]"
    return _quoted(value) if isinstance(value, str) else repr(value).lower()


def _key(name: str) -> str:
    is_bare = name.isascii() and name.replace("-", "_").isidentifier()
    return name if is_bare else _quoted(name)


def _quoted(name: str) -> str:
    """Return a string of TOML: one of JSON, but for a sign that only JSON takes as it is."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")
