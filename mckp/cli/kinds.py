"""``mckp kinds``: lists kinds of texts, explains what lines are worth, checks kinds of users."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mckp.agents.places import kinds_files
from mckp.cli import streams
from mckp.errors import ConfigError
from mckp.jsontext import dump
from mckp.parsers.repair import repair_text, text_of
from mckp.texts import register, registered
from mckp.texts.explained import failed_check, line_worths
from mckp.texts.records import kind_names, record

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from mckp.texts.explained import LineWorth

_LISTED: Final = ("kind", "like", "from")
_EXPLAINED: Final = ("line", "worth", "kind", "rule", "text")
_CHECKED: Final = ("kind", "from", "check")
LONGEST: Final = 60
"""Characters that are shown of a line, and of a pattern."""


def run(arguments: Namespace) -> None:
    """List the kinds of texts, explain the worth of lines, or check the examples of users' kinds.

    Raises
    ------
    ConfigError
        If a file of kinds is not valid, or an example fails.
    """
    actions = {"list": _list, "explain": _explain, "check": _check}
    if arguments.action == "check" and arguments.text:
        register(Path(arguments.text))
    else:
        for file in kinds_files(Path.cwd()):
            if file.is_file():
                register(file)
    actions[arguments.action](arguments)


def _list(arguments: Namespace) -> None:
    """Print all kinds, with the files that those of users are from."""
    shipped = [(name, record(name).group, "mckp") for name in kind_names()]
    rows = [*shipped, *((name, kind.like, kind.file) for name, kind in registered().items())]
    if arguments.json:
        streams.write(_as_json(_LISTED, rows), streams.STANDARD)
        return
    streams.write(streams.table(_LISTED, rows, "kinds of texts"), streams.STANDARD)


def _explain(arguments: Namespace) -> None:
    """Print what each line of a text is worth, and the rule that says so."""
    raw = streams.document(arguments.text or streams.STANDARD)
    text = (repair_text(raw) if isinstance(raw, str) else text_of(raw))[0]
    kind = arguments.kind or ""
    if kind and kind not in registered():
        known = ", ".join(registered()) or "none; add one to .mckp/kinds.toml"
        raise ConfigError(f"{kind!r} is no kind that you added: known are {known}")
    lines = [*line_worths(text, kind)]
    if arguments.json:
        rows = [(line.number, line.worth, line.kind, _rules(line), line.text) for line in lines]
        streams.write(_as_json(_EXPLAINED, rows), streams.STANDARD)
        return
    cells = [
        (str(line.number), f"{line.worth:.2f}", line.kind, _rules(line), _short(line.text))
        for line in lines
    ]
    streams.write(streams.table(_EXPLAINED, cells, "worth of lines"), streams.STANDARD)


def _check(arguments: Namespace) -> None:
    """Print whether the example of each kind that a user added shows what it should."""
    rows = [(name, kind.file, failed_check(kind)) for name, kind in registered().items()]
    if not rows:
        files = " and ".join(str(file) for file in kinds_files(Path.cwd()))
        raise ConfigError(f"there are no kinds of your own: neither {files} has any")
    if arguments.json:
        streams.write(_as_json(_CHECKED, rows), streams.STANDARD)
    else:
        cells = [(name, file, failure or "passes") for name, file, failure in rows]
        streams.write(streams.table(_CHECKED, cells, "kinds of your own"), streams.STANDARD)
    failed = [name for name, _, failure in rows if failure]
    if failed:
        sys.stdout.flush()
        raise ConfigError(f"{len(failed)} of {len(rows)} examples fail: {', '.join(failed)}")


def _rules(line: LineWorth) -> str:
    """Return the rules that rated a line: whose they are, and their patterns."""
    rules = (f"{rule.owner}: {_short(rule.rule.line.pattern)}" for rule in line.rules)
    return "; ".join(rules) or "-"


def _short(text: str) -> str:
    text = streams.printable(text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _as_json(names: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    return dump([dict(zip(names, row, strict=True)) for row in rows]) + "\n"
