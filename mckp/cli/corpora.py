"""The command ``mckp corpus``: what was done, and what was set aside."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from mckp import corpus
from mckp.cli import streams
from mckp.corpus.tasks import REFERENCE
from mckp.errors import MckpError
from mckp.jsontext import dump

if TYPE_CHECKING:
    from argparse import Namespace

    from rich.table import Table

    from mckp.telemetry.fields import Figures


def run(arguments: Namespace) -> None:
    """Do one action; raise at the end if records were set aside."""
    summary = _summary(arguments)
    _write(dump(summary) if arguments.json else _told(summary, arguments.action))
    if failed := summary["failed"]:
        records = "1 record was" if failed == 1 else f"{failed:,} records were"
        place = streams.shown_name(arguments.target)
        raise MckpError(f"{records} set aside; see {place}/errors")


def _how(arguments: Namespace) -> corpus.How:
    return {
        "column": getattr(arguments, "column", None),
        "partitions": arguments.partitions,
        "runner": arguments.runner,
        "progress": streams.is_watched(),
    }


def _summary(arguments: Namespace) -> Figures:
    places, how = (arguments.file, arguments.target), _how(arguments)
    if arguments.action == "encode":
        wishes: dict[str, Any] = {
            "weights": arguments.weights,
            "priorities": arguments.priority,
            "query": arguments.query,
            "solver": arguments.solver,
        }
        return corpus.encode(
            *places,
            budget=arguments.budget,
            tokenizer=arguments.tokenizer,
            formats=arguments.formats,
            options=wishes,
            **how,
        )
    formats = _listed(arguments.formats) or corpus.EVERY
    if arguments.action == "measure":
        return corpus.measure(*places, formats=formats, tokenizer=arguments.tokenizer, **how)
    counters = _listed(arguments.tokenizers)
    return corpus.compare(*places, formats=formats, tokenizers=counters, **how)


def _write(line: str) -> None:
    streams.write(line + "\n", streams.STANDARD)


def _listed(names: str | list[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else names or []


def _told(summary: Figures, action: str) -> str:

    figures = summary["figures"]
    records = f"{summary['records']:,} records"
    if action == "encode":
        return f"{records}, {figures.get('tokens', 0):,} tokens, {figures.get('cut', 0):,} cut"
    streams.console(sys.stdout).print(table(figures.get("tokens", {})))
    return records


def table(tokens: Figures) -> Table:
    """Return the tokens of formats side by side, by tokenizer, the fewest first."""
    from rich.table import Table

    found = Table(caption="tokens, and their ratio to compact JSON or the source text")
    found.add_column("format")
    found.add_column("records", justify="right")
    for name in tokens:
        found.add_column(name, justify="right")
        found.add_column("ratio", justify="right")
    counted: list[Figures] = list(tokens.values())
    first: Figures = counted[0] if counted else {}
    for name in sorted(first, key=lambda name: _ratio(first[name])):
        cells = [name, f"{first[name]['records']:,}"]
        for each in tokens.values():
            cells += [f"{each[name]['tokens']:,}", f"{_ratio(each[name]):.3f}"]
        found.add_row(*cells, style="bold" if name == "native" else None)
    return found


def _ratio(counted: Figures) -> float:
    return float(counted["tokens"] / max(1, counted[REFERENCE]))
