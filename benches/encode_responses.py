"""Time `encode` on single responses, alone and beside other formats in the same run.

    python benches/encode_responses.py [PATH ...] [--rounds 5] [--alone] [--quick] [--json OUT]

reads files or folders of ``*.json`` and ``*.jsonl``, each line of which is a document or a record
whose ``payload`` is one; without any there are made-up documents. The figures are quantiles over
documents.

First, mckp *alone*: a new process (see `fresh`) encodes one document after the other, each a parsed
value that it has not seen, without a budget; another one does so within half of the tokens that
each took. Goals are for these first calls; *again* is the median of some more rounds. Then, unless
``--alone`` is said, each document is handed over to every peer that is installed and to mckp, to
mckp as text too, all in turns, and the median of some rounds is its time.

mckp reads back each text that it writes, and that is part of its time; what peers write is read
back once, outside of the clock. A peer has no time for a document on which it raises an error;
the documents whose text it does not read as the same data are counted, and its times stay.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import machine
from bench_formats import documents
from fresh import Place, add_place, ask, place_of
from goals import RESPONSE, judged
from peers import PEERS, TIMED, Peer, WrongTextError, share_vocabularies
from rich.console import Console
from rich.progress import track
from solver_figures import add_common, geometric_mean, rounded, show, store, timed

import mckp
from mckp.jsontext import dump

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NAMES: Final = ("terse", "bpp", "toon")
"""The peers of the comparison of formats that are timed; see also `peers.TIMED`."""
ROUNDS: Final = 5
LIMIT: Final = 20
"""Seconds that a peer may take to write and read one document."""
ALONE: Final = ("budget", "documents", "quantile", "first", "goal", "met", "cpu", "later")
MORE: Final = ("total", "mckp by it", "not right", "why")
"""What is printed of rows."""
QUANTILES: Final = {"median": 50, "p95": 95, "p99": 99, "max": 100}


@dataclass(frozen=True)
class Writer:
    """Something that writes documents.

    Attributes
    ----------
    name
        What tables call it.
    prepare
        Makes of the text of a document what is timed.
    peer
        The peer behind it, None for mckp.
    """

    name: str
    prepare: Callable[[str], Callable[[], object]]
    peer: Peer | None = None


def writers(level: str, console: Console) -> list[Writer]:
    """Return mckp and the peers that are installed; the others are named."""
    every_writer = [
        Writer(
            f"mckp {level}", lambda text: partial(mckp.encode, json.loads(text), formats=[level])
        ),
        Writer(f"mckp {level}, of text", lambda text: partial(mckp.encode, text, formats=[level])),
    ]
    for peer in (*(peer for peer in PEERS if peer.name in NAMES), *TIMED):
        if peer.version is None:
            console.print(f"{peer.name}: skipped, {peer.distribution} is not installed")
            continue
        try:
            every_writer.append(Writer(peer.name, _prepare(peer), peer))
        except ImportError as error:
            console.print(f"{peer.name}: skipped, {error}")
    return every_writer


def _prepare(peer: Peer) -> Callable[[str], Callable[[], object]]:
    module = importlib.import_module(peer.module)
    # Some libraries change what they are given, so each call has a value of its own.
    return lambda text: partial(peer.encode, module, json.loads(text))


def faults(writer: Writer, values: Sequence[Any]) -> dict[int, str]:
    """Return on which documents a peer fails, or writes what it does not read, and why."""
    reasons: dict[int, str] = {}
    for number, value in enumerate(values):
        if writer.peer is None:
            break
        try:
            writer.peer.text(value, LIMIT)
        except WrongTextError as error:
            reasons[number] = f"wrong: {error}"
        except Exception as error:
            reasons[number] = f"{type(error).__name__}: {error}"[:200]
    return reasons


def times(every: Sequence[Writer], text: str, rounds: int) -> list[float | None]:
    """Return the milliseconds of each writer on one document, None where it fails."""
    runs: list[list[float]] = [[] for _ in every]
    for _ in range(rounds):
        for own, writer in zip(runs, every, strict=True):
            work = writer.prepare(text)
            try:
                own.append(timed(work)[1])
            except Exception:
                own.append(float("inf"))
    medians = [statistics.median(own) for own in runs]
    return [None if median == float("inf") else median for median in medians]


def quantiles(numbers: Sequence[float]) -> dict[str, float]:
    """Return median, 95th and 99th percentile and maximum, each one of the numbers.

    Examples
    --------
    >>> quantiles([float(number) for number in range(1, 201)])
    {'median': 100.0, 'p95': 190.0, 'p99': 198.0, 'max': 200.0}
    """
    ranked = sorted(numbers)
    return {
        name: rounded(ranked[-(-percent * len(ranked) // 100) - 1])
        for name, percent in QUANTILES.items()
    }


def summary(
    every: Sequence[Writer], rows: Sequence[Sequence[float | None]], values: Sequence[Any]
) -> list[dict[str, Any]]:
    """Return the figures of each writer; the first is what the others are compared with."""
    entries: list[dict[str, Any]] = []
    for number, writer in enumerate(every):
        pairs = [(row[0], row[number]) for row in rows]
        both = [(ours, theirs) for ours, theirs in pairs if ours is not None and theirs is not None]
        why = faults(writer, values)
        entry: dict[str, Any] = {"writer": writer.name, "documents": len(both)}
        if writer.peer:
            entry["version"] = f"{writer.peer.distribution} {writer.peer.version}"
        if both:
            entry["ms"] = quantiles([theirs for _, theirs in both])
            entry["total"] = rounded(sum(theirs for _, theirs in both))
            entry["mckp by it"] = rounded(geometric_mean(ours / theirs for ours, theirs in both))
        entries.append(entry | {"not right": len(why), "why": dict(Counter(why.values()))})
    return entries


def alone(texts: Sequence[str], level: str, place: Place, rounds: int) -> list[dict[str, Any]]:
    """Return the quantiles of mckp in a process of its own, by budget and by round."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.json"
        path.write_text(json.dumps(list(texts)), encoding="utf-8")
        job = {"work": "singles", "path": str(path), "formats": level, "rounds": rounds}
        answer = ask(job | {"budgets": None}, place)
        if "failed" in answer:
            return [{"budget": "none"} | answer]
        rows += _alone("none", answer)
        answer = ask(job | {"budgets": [tokens // 2 for tokens in answer["tokens"]]}, place)
        return rows + (
            [{"budget": "half"} | answer] if "failed" in answer else _alone("half", answer)
        )


def _alone(budget: str, answer: dict[str, Any]) -> list[dict[str, Any]]:
    done = {"budget": budget, "documents": len(answer["first"])}
    if not answer["first"]:
        return [done | {"failed": "no document fits"}]
    first, cpu, later = (quantiles(answer[key]) for key in ("first", "cpu", "later"))
    return [
        done
        | {"quantile": name, "first": first[name], "cpu": cpu[name], "later": later[name]}
        | judged(first[name], RESPONSE[budget, name])
        for name in ("median", "p95")
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Time all writers on all documents; 1 if mckp fails on one."""
    parser = argparse.ArgumentParser(description="Time encode on single responses.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    add_common(parser)
    add_place(parser)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="timed calls of each")
    parser.add_argument("--formats", default="native", help="the level of mckp")
    parser.add_argument("--alone", action="store_true", help="nothing beside mckp")
    parser.add_argument("--every", type=int, default=1, help="take one document in so many")
    chosen = parser.parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 140)
    rounds, place = 1 if chosen.quick else chosen.rounds, place_of(chosen)
    values = [document.value for document in documents(chosen.paths)]
    values = values[:: chosen.every][: 3 if chosen.quick else None]
    texts = [dump(value) for value in values]
    sizes = quantiles([float(len(text.encode())) for text in texts])
    load_before = machine.load()
    own = alone(texts, chosen.formats, place, rounds)
    show("mckp alone, in new processes", own, *ALONE)
    facts: dict[str, Any] = {"rounds": rounds, "documents": len(texts), "bytes": sizes}
    facts |= place.facts() | {"alone": own}
    if not chosen.alone:
        facts |= {"writers": beside(texts, values, chosen.formats, rounds, console)}
    store(chosen.json, facts | {"load before": load_before, "load after": machine.load()})
    writers_done = facts.get("writers", [{"documents": len(texts)}])[0]["documents"]
    return 1 if writers_done < len(texts) or any("failed" in row for row in own) else 0


def beside(
    texts: Sequence[str], values: Sequence[Any], level: str, rounds: int, console: Console
) -> list[dict[str, Any]]:
    """Return and print the figures of mckp and of the peers, in turns in this process."""
    os.environ.setdefault("HEADROOM_OFFLINE", "1")
    share_vocabularies()
    every = writers(level, console)
    for text in texts:
        times(every, text, 1)
    progress = track(texts, "Documents", console=Console(stderr=True))
    rows = [times(every, text, rounds) for text in progress]
    entries = summary(every, rows, values)
    rows_shown = [entry | entry.get("ms", {}) for entry in entries]
    show("milliseconds a document", rows_shown, "writer", "documents", *QUANTILES, *MORE)
    return entries


if __name__ == "__main__":
    sys.exit(main())
