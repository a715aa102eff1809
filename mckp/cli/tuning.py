"""The command ``mckp tune``: what fields of results are worth, learnt from recorded sessions."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config import effective, in_project, load, loads
from mckp.agents.config.effective import told
from mckp.agents.places import LEARNT, user_folder, write_atomically
from mckp.agents.replay import read_log
from mckp.agents.replay.learning import lessons, taken, used_in
from mckp.agents.telemetry import Anonymiser, installation_salt, read_telemetry
from mckp.cli import streams
from mckp.errors import MckpError
from mckp.jsontext import dump, is_object

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence

    from mckp.agents.replay.learning import Counted, Lesson

_SHOWN: Final = ("setting", "value", "why")


def run(arguments: Namespace) -> None:
    """Show what holds, or learn from a log."""
    if arguments.log == "show":
        _show(arguments)
    else:
        _learn(arguments)


def _show(arguments: Namespace) -> None:
    """Print each setting that holds in this folder, and what says so."""
    found = effective(in_project(Path.cwd(), asked=True), tokenizer=arguments.tokenizer)
    rows = list(told(found, arguments.tool))
    if arguments.json:
        streams.write(
            dump([dict(zip(_SHOWN, row, strict=True)) for row in rows]) + "\n", streams.STANDARD
        )
        return
    about = f"what holds for {arguments.tool}" if arguments.tool else "what holds in this folder"
    shown = [[name, _short(value), why] for name, value, why in rows]
    streams.write(streams.table(_SHOWN, shown, about), streams.STANDARD)


def _short(value: Any) -> str:
    if value is None or value == {}:
        return "-"
    return value if isinstance(value, str) else dump(value)


def _learn(arguments: Namespace) -> None:
    """Learn from a log, try it on sessions it was not learnt from, and keep what gains."""
    counts = _counts(Path(arguments.uses)) if arguments.uses else None
    used = used_in(read_log(arguments.log))
    found = list(lessons(used, in_project(Path.cwd(), asked=True).settings.salience, counts))
    kept, file = taken(found), Path(LEARNT)
    said = "nothing was written"
    if kept and not arguments.dry_run:
        _write(file, {each.tool: each.factors for each in kept})
        said = f"wrote {file}"
    line = f"{sum(each.gains for each in found)} of {len(found)} tools gain; {said}\n"
    if not found:
        line = "no call uses anything of an earlier result, so nothing is learnt\n"
    if arguments.json:
        told = [{**asdict(each), "kept": each in kept} for each in found]
        streams.write(dump(told) + "\n", streams.STANDARD)
        sys.stderr.write(line)
    else:
        streams.write((_table(found, kept) if found else "") + line, streams.STANDARD)


def _counts(folder: Path) -> Counted:
    """Return what telemetry has counted of a tool, whose name it may have hashed."""
    found = read_telemetry(folder).uses
    if not found:
        raise MckpError(f"no counts of uses were found in {folder}; leave --uses out")
    names = Anonymiser(installation_salt(user_folder() / "salt"))

    def counts(tool: str) -> list[Any]:
        own = (each.get(name) for each in found for name in {tool, names.tool(tool)})
        return [each for each in own if is_object(each)]

    return counts


def _table(found: Sequence[Lesson], kept: Sequence[Lesson]) -> str:
    rows: list[list[str]] = []
    for each in found:
        shares = f"{each.before:.3f}", f"{each.after:.3f}", "yes" if each in kept else "no"
        rows.append([each.tool, str(len(each.factors)), str(each.results), *shares])
    head = ("tool", "fields", "results", "before", "after", "kept")
    caption = "share of what was used later that is left at 20 % of the tokens"
    return streams.table(head, rows, caption)


def _write(file: Path, learnt: Mapping[str, Mapping[str, float]]) -> None:
    """Write what was learnt, and keep what the file has of other tools."""
    every = {**load(file).settings.salience, **learnt}
    lines = ["# Written by mckp tune. Your own tables, in pipeline_config.toml, go over these."]
    lines.append("schema_version = 2")
    for tool, factors in sorted(every.items()):
        lines += ["", f"[salience.{_quoted(tool)}]"]
        lines += [f"{_quoted(path)} = {factor!r}" for path, factor in factors.items()]
    text = "\n".join(lines) + "\n"
    loads(text, source=str(file))
    write_atomically(file, text.encode())


def _quoted(name: str) -> str:
    """Return a string of TOML: one of JSON, but for a sign that only JSON takes as it is."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")
