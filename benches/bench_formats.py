"""Tokens of mckp beside those of other formats, on the same data.

    python benches/bench_formats.py [PATH ...] [--tokenizer NAME ...] [--json OUT]

reads files or folders of ``*.json``, each a document, and ``*.jsonl``, each line a document
or a record whose ``payload`` is one, with its ``source``; without any, documents that are
made up. Each is written as compact JSON, by every peer that is installed (`peers`), and by
mckp at each of its levels. A text counts only if its own library reads the same data back;
where a format fails, compact JSON counts in its stead.

With a second tokenizer everything is counted again: mckp chooses for the one that counts,
and, in columns of their own, for the first.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from figures import OWN, Row, figures, groups
from peers import PEERS, WrongTextError, same, share_vocabularies
from rich.console import Console
from rich.progress import track
from samples import samples
from solver_figures import show, store

import mckp
from mckp import tokenizers
from mckp.encoders import LEVELS
from mckp.jsontext import dump, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PROCESSES: Final = 2


@dataclass(frozen=True, slots=True)
class Document:
    """One document, the set that it is part of, and where it comes from."""

    set: str
    source: str
    name: str
    value: Any


def documents(paths: Sequence[Path]) -> Iterator[Document]:
    """Yield the documents of files and folders, or made-up ones if none are given."""
    if not paths:
        yield from (Document("samples", name, name, value) for name, value in samples())
    for path in paths:
        for file in sorted(path.rglob("*.json*")) if path.is_dir() else [path]:
            if file.suffix == ".jsonl":
                yield from _records(file)
            else:
                value = mckp.parse(file.read_bytes(), "json").value
                yield Document(file.resolve().parent.name, file.stem, file.stem, value)


def _records(path: Path) -> Iterator[Document]:
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        record: Any = json.loads(line)
        name = f"{path.stem}:{number}"
        if not is_object(record) or "payload" not in record:
            yield Document(path.stem, path.stem, name, record)
        elif record.get("kind", "json") == "json":
            source, name = record.get("source", path.stem), record.get("id", name)
            yield Document(path.stem, source, name, record["payload"])


def measure(names: Sequence[str], seconds: int, document: Document) -> dict[str, Row]:
    """Write one document in every format.

    Parameters
    ----------
    names : sequence of str
        Tokenizers; the first is the one that mckp chooses for where another counts.
    seconds : int
        How long a peer may take.
    document : Document
        What is written.

    Returns
    -------
    dict
        A row for each tokenizer.
    """
    rows = {name: _row(document, name) for name in names}
    for peer in PEERS:
        if peer.version is not None:
            _note(rows, peer.name, partial(peer.text, document.value, seconds))
    for level in LEVELS:
        for name, row in rows.items():
            own = partial(_own, document.value, level, name)
            _note({name: row}, OWN + level, own)
        if others := {name: rows[name] for name in names[1:]}:
            own = partial(_own, document.value, level, names[0])
            _note(others, f"{OWN}{level} for {names[0]}", own)
    return rows


def _row(document: Document, tokenizer: str) -> Row:
    value, count = document.value, tokenizers.get(tokenizer).count
    tokens = {"json": count(dump(value))}
    return Row(document.set, document.source, document.name, tokens)


def _note(rows: dict[str, Row], column: str, write: Callable[[], str]) -> None:
    """Count a text in the tokenizer of each row, and note how long it took to write."""
    text, failure, start = "", "", time.perf_counter()
    try:
        text = write()
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"[:200]
    seconds = time.perf_counter() - start
    for name, row in rows.items():
        row.seconds[column] = seconds
        if failure:
            row.failures[column] = failure
        else:
            row.tokens[column] = tokenizers.get(name).count(text)


def _own(value: Any, level: str, tokenizer: str) -> str:
    text = mckp.encode(value, formats=[level], tokenizer=tokenizer).text
    if not same(mckp.decode(text), value):
        raise WrongTextError("another value is read back")
    return text


def report(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the figures of all rows, of each set, and of each source in it."""
    return {
        name: figures(members) | {"sources": _sources(members), "failures": _failures(members)}
        for name, members in groups(rows, lambda row: row.set).items()
    }


def _sources(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        source: {"documents": len(members), "tokens": sum(row.json for row in members)}
        | {column: entry["ratio"] for column, entry in figures(members)["formats"].items()}
        | {"best rival of each": figures(members)["best rival of each"]["ratio"]}
        for source, members in groups(rows, lambda row: row.source).items()
    }


def _failures(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    """Return on how many documents formats failed, by format and reason."""
    reasons_by_format: dict[str, dict[str, int]] = {}
    for row in rows:
        for column, why in row.failures.items():
            reasons = reasons_by_format.setdefault(column, {})
            reasons[why] = reasons.get(why, 0) + 1
    return reasons_by_format


def broken(entry: dict[str, Any]) -> bool:
    """Whether mckp is above compact JSON in the tokenizer that it chose for, or fails."""
    columns = [OWN + level for level in LEVELS]
    return any(
        entry["levels"][column]["above compact JSON"] or entry["formats"][column]["failed"]
        for column in columns
    )


def main() -> int:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description="Count tokens of mckp and of other formats.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--tokenizer", action="append", help="o200k unless said; may be repeated")
    parser.add_argument("--seconds", type=int, default=20, help="how long a peer may take")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    options = parser.parse_args()
    names: list[str] = options.tokenizer or ["o200k"]
    paths = list(documents(options.paths))
    if not paths:
        parser.error("there is no .json or .jsonl file")
    # On a pipe, rich would fold the tables to 80 columns.
    console = Console(width=None if sys.stdout.isatty() else 220)
    for peer in PEERS:
        if peer.version is None:
            console.print(f"{peer.name}: skipped, {peer.distribution} is not installed")
    work = partial(measure, names, options.seconds)
    with ProcessPoolExecutor(
        PROCESSES, multiprocessing.get_context("spawn"), share_vocabularies
    ) as pool:
        results = pool.map(work, paths)
        rows = list(track(results, "Documents", len(paths), console=Console(stderr=True)))
    reports = {name: report([row[name] for row in rows]) for name in names}
    for name, sets in reports.items():
        console.rule(f"tokens of {name}")
        for title, entry in sets.items():
            lines = [{"format": column} | ratios for column, ratios in entry["formats"].items()]
            show(f"{title}: {entry['documents']} documents", lines, *lines[0])
            for level, counts in entry["levels"].items():
                console.print(
                    f"{level} above compact JSON: {counts['above compact JSON'] or 'none'}"
                )
    peers = {peer.name: f"{peer.distribution} {peer.version}" for peer in PEERS}
    store(options.json, {"peers": peers, "tokenizers": reports})
    return 1 if any(broken(entry) for sets in reports.values() for entry in sets.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
