"""Notes: does a text say what is missing, and are the rows, lines and names in its notes missing?

    python benches/notes.py FILE|FOLDER ... [--most 600] [--shares .5 .2 .1] [--json OUT]

Files are JSON lines of records with a ``payload`` (data or a text), or single texts. Each document
is encoded within a share of its tokens. The check reads the text, and compares its notes with what
`Result.elided` lists:

    counted    entries whose number and unit are in a note, or whose lines are in marks of gaps
    rows       notes that say where rows are missing, and those of them that name other rows
    lines      texts with marks of gaps, and those of them whose marks have other lines
    names      names in notes, and those of them that are not the name of something missing
    tokens     tokens of all notes and marks, as a share of the text

Blank lines may be in a mark or not. A long line may be cut within, with a mark there. Texts that
show the numbers of their lines have marks without numbers. The exit code is 1 if a note is wrong.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.table import Table as Grid
from samples import samples
from solver_figures import add_common, store

import mckp
from mckp import tokenizers
from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.result import Elided

COUNT: Final = tokenizers.get("o200k").count
NOTE: Final = re.compile(r"^> \[\+([0-9]+)(?: of [0-9]+)? ([a-z]+)(?: (.*))?\]$", re.MULTILINE)
GAP: Final = re.compile(r"(?<!\S)…([0-9]+)(?:-([0-9]+))?(?: alike)?$", re.MULTILINE)
PLACES: Final = re.compile(r"[0-9]+(?:-[0-9]+)?(?: (?:[0-9]+(?:-[0-9]+)?|…))*")
MOST_ROWS: Final = "in most rows"
"""Begins what a note says of columns that a few rows have."""
SMALLEST: Final = 600
LARGEST: Final = 90_000
"""Characters of a document."""
LONG: Final = 300
"""Characters of a line that may be cut within."""


def documents(paths: Sequence[Path]) -> Iterator[tuple[str, Any]]:
    """Yield the name and value of each document, those of many files in turn."""
    for path in paths:
        for file in sorted(path.glob("*")) if path.is_dir() else [path]:
            if file.suffix == ".jsonl":
                for line in file.read_text("utf-8").splitlines():
                    record = json.loads(line)
                    yield str(record.get("id")), record["payload"]
            elif file.suffix not in (".json", ".py", ".md"):
                yield file.name, file.read_text("utf-8", errors="replace")


def numbers_in(places: str) -> tuple[set[int], bool]:
    """Return the rows that a note names, and whether it leaves some out.

    Examples
    --------
    >>> numbers_in("4-6 9 … 12")
    ({4, 5, 6, 9, 12}, True)
    """
    rows = set[int]()
    for run in places.split():
        if run != "…":
            first, _, last = run.partition("-")
            rows |= set(range(int(first), int(last or first) + 1))
    return rows, "…" in places.split()


class Checked:
    """What a check of texts has counted."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.note_tokens = 0
        self.tokens = 0
        self.wrong: list[str] = []

    def add(self, name: str, document: Any, result: mckp.Result) -> None:
        """Check the notes of a text."""
        notes = [(int(n), unit, rest or "") for n, unit, rest in NOTE.findall(result.text)]
        marks = [match[0] for match in GAP.finditer(result.text)]
        self.tokens += result.tokens
        self.note_tokens += sum(COUNT(f"{match[0]}\n") for match in NOTE.finditer(result.text))
        self.note_tokens += sum(COUNT(f"{mark}\n") for mark in marks)
        by_unit = Counter((count, unit.rstrip("s")) for count, unit, _ in notes)
        for entry in result.elided:
            kind = entry.kind.rstrip("s")
            self.counts[f"entries {entry.kind}"] += 1
            if entry.kind == "lines":
                continue
            key = (entry.count, kind)
            self.counts[f"counted {entry.kind}"] += by_unit[key] > 0
            by_unit[key] -= 1
        self._lines(name, document, result)
        for count, unit, rest in notes:
            if unit.startswith("row") and PLACES.fullmatch(rest):
                self._rows(name, count, rest, result.elided)
            elif unit.startswith(("column", "fact", "field")) and rest:
                names = rest.removeprefix(MOST_ROWS).partition(";")[0]
                self._names(name, "" if ":" in names else names, result.elided)

    def _rows(self, name: str, count: int, places: str, elided: Sequence[Elided]) -> None:
        named, is_short = numbers_in(places)
        missing = [set(e.keys) for e in elided if e.kind == "rows" and e.count == count]
        self.counts["row notes"] += 1
        fits = any(named <= keys and (is_short or len(named) == count) for keys in missing)
        if missing and not fits:
            self.counts["wrong row notes"] += 1
            self.wrong.append(f"{name}: rows {places}")

    def _names(self, name: str, names: str, elided: Sequence[Elided]) -> None:
        missing = {
            step
            for entry in elided
            for key in (*entry.path, *entry.keys)
            for step in re.split(r"[.\[\]\"]+", str(key))
        }
        if any(not entry.path and not entry.keys for entry in elided):
            return  # nothing is left
        for path in names.split():
            self.counts["names"] += 1
            if missing.isdisjoint(re.split(r"[.\[\]\"]+", path)):
                self.counts["wrong names"] += 1
                self.wrong.append(f"{name}: name {path}")

    def _lines(self, name: str, document: Any, result: mckp.Result) -> None:
        entries = [e for e in result.elided if e.kind == "lines" and not e.path]
        cut = {key for e in entries for key in e.keys if isinstance(key, int)}
        if not isinstance(document, str) or not cut:
            return
        named = set[int]()
        for match in GAP.finditer(result.text):
            named |= set(range(int(match[1]), int(match[2] or match[1]) + 1))
        lines = document.splitlines()
        says = {
            n
            for n in cut ^ named
            if n <= len(lines) and lines[n - 1].strip() and len(lines[n - 1]) < LONG
        }
        if "\n…\n" in f"\n{result.text}":
            self.counts["texts with own numbers"] += 1
            return
        self.counts["texts with marks"] += 1
        if says:
            self.counts["texts with wrong marks"] += 1
            self.wrong.append(f"{name}: lines {sorted(says)[:5]}")


def checked(
    every: Sequence[tuple[str, Any]], share: float, most_wrong: int = 5
) -> tuple[Checked, list[str]]:
    """Encode documents within a share of their tokens; return the counts and what is wrong."""
    result = Checked()
    for name, document in every:
        try:
            result.add(name, document, mckp.encode(document, budget=f"{share:.0%}"))
        except mckp.BudgetError:
            result.counts["refused"] += 1
    return result, result.wrong[:most_wrong]


def main(argv: Sequence[str] | None = None) -> int:
    """Check, print and store; return 1 if a note is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--most", type=int, default=600, help="most documents")
    parser.add_argument("--shares", nargs="+", type=float, default=[0.5, 0.2, 0.1])
    add_common(parser)
    arguments = parser.parse_args(argv)
    every = list(documents(arguments.paths)) if arguments.paths else list(samples(1))
    fitting = [
        (name, value)
        for name, value in every
        if (is_array(value) or is_object(value) or isinstance(value, str))
        and SMALLEST < len(value if isinstance(value, str) else json.dumps(value)) < LARGEST
    ]
    step = max(1.0, len(fitting) / arguments.most)
    chosen = [fitting[int(n * step)] for n in range(min(len(fitting), arguments.most))]
    rows: list[dict[str, Any]] = []
    grid = Grid("share", "what", "number")
    for share in arguments.shares:
        result, wrong = checked(chosen, share)
        figures = dict(sorted(result.counts.items()))
        figures["tokens of notes, per mille"] = round(
            1000 * result.note_tokens / max(1, result.tokens)
        )
        rows.append({"share": share, "documents": len(chosen), **figures})
        for name, number in figures.items():
            grid.add_row(f"{share:.0%}", name, str(number))
        for line in wrong:
            sys.stderr.write(f"{line}\n")
    Console().print(grid)
    store(arguments.json, {"rows": rows})
    return int(any(name.startswith(("wrong", "texts with wrong")) for row in rows for name in row))


if __name__ == "__main__":
    sys.exit(main())
