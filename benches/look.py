"""Print ten real documents as they are within 50, 20 and 10 % of their tokens, to be looked at.

    python benches/look.py FILE [--count 10] [--shares 0.5 0.2 0.1] [--formats native]

FILE has a record a line, with the document as its ``payload`` (or is a document itself), and maybe
``source`` and ``tool``. Which are chosen is a fixed rule: of those of 300 to 6,000 tokens of
compact JSON the sources take turns, and each gives the one of a tool that was not shown yet whose
size is closest to the next of the sizes that are spread evenly, by ratios, over that range. So the
same texts can be looked at before a change and after it.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cutters import recount

import mckp
from mckp.jsontext import dump, is_object

if TYPE_CHECKING:
    from collections.abc import Sequence

SHARES: Final = (0.5, 0.2, 0.1)
LEAST: Final = 300
MOST: Final = 6000
COUNT: Final = 10
CUTS: Final = 8
"""How many of the cuts are listed."""


@dataclass(frozen=True)
class Record:
    """A document and where it comes from."""

    name: str
    source: str
    tool: str
    tokens: int
    value: Any


def records(path: Path) -> list[Record]:
    """Return the documents of a file that are neither small nor large."""
    found: list[Record] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        record: Any = json.loads(line)
        if not is_object(record) or "payload" not in record:
            record = {"payload": record}
        if record.get("kind", "json") != "json":
            continue
        tokens = recount(dump(record["payload"]))
        name, source = str(record.get("id", number)), str(record.get("source", path.stem))
        if LEAST <= tokens <= MOST:
            tool = str(record.get("tool") or "")
            found.append(Record(name, source, tool, tokens, record["payload"]))
    return found


def chosen(found: Sequence[Record], count: int) -> list[Record]:
    """Return some documents by the fixed rule.

    Examples
    --------
    >>> sizes = (300, 301, 1300, 6000)
    >>> made = [Record(str(n), "a", f"t{n % 3}", n, None) for n in sizes]
    >>> [record.tokens for record in chosen(made, 3)]
    [300, 1300, 6000]
    """
    sources = sorted({record.source for record in found})
    left, shown, taken = list(found), set[tuple[str, str]](), list[Record]()
    for number in range(min(count, len(found))):
        wanted = LEAST * (MOST / LEAST) ** (number / max(1, count - 1))
        turns = sources[number % len(sources) :] + sources[: number % len(sources)]
        source = next(each for each in turns if any(record.source == each for record in left))
        best = min(
            (record for record in left if record.source == source),
            key=lambda record: (
                (record.source, record.tool) in shown,
                max(record.tokens, wanted) / min(record.tokens, wanted),
                record.name,
            ),
        )
        left.remove(best)
        shown.add((best.source, best.tool))
        taken.append(best)
    return taken


def looked_at(record: Record, share: float, formats: str) -> str:
    """Return the text of a document within a share of its tokens, with what there is to know."""
    budget = int(record.tokens * share)
    head = f"--- {share:.0%}: budget {budget}"
    try:
        result = mckp.encode(record.value, budget=budget, formats=formats)
    except mckp.BudgetError as error:
        return f"{head}: refused, the least is {error.floor}\n"
    worth = result.value / result.total if result.total else 1.0
    lines = [f"{head}, {result.tokens} tokens, {result.status}, {worth:.1%} of the worth"]
    cuts = [f"{cut} ({cut.tokens} tokens)" for cut in result.elided]
    lines += [f"    cut {cut}" for cut in cuts[:CUTS]]
    if len(cuts) > CUTS:
        lines.append(f"    and {len(cuts) - CUTS} cuts more")
    return "\n".join([*lines, result.text])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the texts."""
    parser = argparse.ArgumentParser(description="Print real documents within budgets.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--count", type=int, default=COUNT, help="documents")
    parser.add_argument("--shares", type=float, nargs="+", default=list(SHARES))
    parser.add_argument("--formats", default="native")
    told = parser.parse_args(arguments)
    for record in chosen(records(told.file), told.count):
        print(f"=== {record.source} {record.tool} {record.name}: {record.tokens} tokens of JSON")
        for share in told.shares:
            print(looked_at(record, share, told.formats))
    return 0


if __name__ == "__main__":
    sys.exit(main())
