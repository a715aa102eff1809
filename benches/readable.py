"""How the texts of a level look to a reader: lines, columns, headers.

    python benches/readable.py [PATH ...] [--formats LEVEL] [--every N] [--json OUT]

reads documents as ``bench_formats.py`` does, writes each whole, and reports what makes a text hard
to read: all of a document on one or two lines, lines of hundreds of tokens, tables whose cells a
reader must count, headers that are repeated, and what stands between a count and its first row.

Flat objects, whose values are all leaves, may stand on a line. A single long string in a line is
not counted to its length.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import numpy as np
from bench_formats import documents
from solver_figures import add_common, store

import mckp
from mckp import tokenizers
from mckp.encoders import rows
from mckp.encoders.native_reader import Line
from mckp.encoders.shapes import Constant, Derived, Group, Tagged
from mckp.jsontext import dump, is_container, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.encoders.shapes import Record

MOST_COLUMNS: Final = 12
"""Cells of a row that a reader can tell apart by their places."""
MOST_ABSENT: Final = 0.2
"""Share of absent cells of a table that can be read by places."""
MOST_LINES: Final = 2
"""Lines of a text that has no layout."""
HEADER: Final = re.compile(r"(#*) ?([^\[{]*)[\[{][0-9]+[\]}](\{.*)")
LONG: Final = 100
"""Characters of a string that is long by itself."""


@dataclass
class Looks:
    """What was seen of all texts.

    Attributes
    ----------
    tokens, unlaid : int
        Tokens of all texts, and of those of one or two lines that are no flat object.
    longest : list of int
        Tokens of the longest line of each text, without its longest string.
    tables, wide, sparse : int
        Tables, those of too many positional columns, those of too many absent cells.
    repeated : int
        Headers that another table among its siblings has as well.
    before : list of int
        Tokens between the count of a table in a block of its own and its first row.
    """

    tokens: int = 0
    unlaid: int = 0
    longest: list[int] = field(default_factory=list[int])
    tables: int = 0
    wide: int = 0
    sparse: int = 0
    repeated: int = 0
    before: list[int] = field(default_factory=list[int])

    def figures(self) -> dict[str, float]:
        """Return the figures by name."""
        return {
            "tokens": self.tokens,
            "tokens in texts of one or two lines, share": round(self.unlaid / self.tokens, 4),
            "longest line, median": float(np.median(self.longest)),
            "longest line, 90 %": float(np.percentile(self.longest, 90)),
            "longest line": max(self.longest),
            "tables": self.tables,
            "tables of more than 12 columns by place": self.wide,
            "tables of more than 20 % absent cells": self.sparse,
            "headers repeated among siblings": self.repeated,
            "before the first row, 95 %": float(np.percentile(self.before or [0], 95)),
        }


class Tables:
    """What stands in the tables of a text, seen while the text is read back."""

    def __init__(self, looks: Looks) -> None:
        self.looks = looks

    def read(self, text: str) -> None:
        """Read a text, and note its tables."""
        inline, block = Line.rows, rows.RowReader.read

        def read_inline(line: Line, record: Record) -> list[Any]:
            return self.note(record, inline(line, record))

        def read_block(reader: rows.RowReader, count: int) -> tuple[list[Any], bool]:
            found, is_cut = block(reader, count)
            self.note(reader.record, [each[1] for each in found] if reader.named else found)
            return found, is_cut

        with (
            patch.object(Line, "rows", read_inline),
            patch.object(rows.RowReader, "read", read_block),
        ):
            mckp.decode(text)

    def note(self, record: Record, found: list[Any]) -> list[Any]:
        """Note a table by its columns and its rows, which are returned."""
        groups = [*record.groups.values()] if isinstance(record, Tagged) else [record]
        own = [group for group in groups if isinstance(group, Group)]
        self.looks.tables += 1
        self.looks.wide += max(map(positional, own), default=0) > MOST_COLUMNS
        if len(own) == 1 and isinstance(record, Group):
            counts = [cells(record, each) for each in found if is_object(each)]
            absent, every = sum(a for a, _ in counts), sum(e for _, e in counts)
            self.looks.sparse += absent > MOST_ABSENT * every
        return found


def cells(group: Group, value: dict[str, Any]) -> tuple[int, int]:
    """Return how many cells of a record are absent, and how many there are."""
    absent = every = 0
    for key, shape in group.columns.items():
        if isinstance(shape, Group) and is_object(value.get(key)):
            more = cells(shape, value[key])
            absent, every = absent + more[0], every + more[1]
        elif not isinstance(shape, Constant | Derived):
            absent, every = absent + (key not in value), every + 1
    return absent, every


def positional(group: Group) -> int:
    """Return the cells that a row of a group has by their places."""
    count = 0
    for shape in group.columns.values():
        if isinstance(shape, Group):
            count += positional(shape)
        elif not isinstance(shape, Constant | Derived):
            count += 1
    return count


def is_flat(value: Any) -> bool:
    """Whether a value is an object of leaves."""
    return is_object(value) and not any(map(is_container, value.values()))


def strings(value: Any) -> Iterator[str]:
    """Yield the long strings of a value."""
    ahead = [value]
    while ahead:
        each = ahead.pop()
        if isinstance(each, str):
            if len(each) > LONG:
                yield each
        elif is_container(each):
            ahead += each.values() if is_object(each) else each


def look(value: Any, text: str, looks: Looks) -> None:
    """Add what is seen of one text."""
    count = tokenizers.get("o200k").count
    tokens = count(text)
    lines = text.rstrip("\n").split("\n")
    looks.tokens += tokens
    if len(lines) <= MOST_LINES and not is_flat(value):
        looks.unlaid += tokens
    long = sorted(strings(value), key=len, reverse=True)
    raw = {line for each in long for line in each.split("\n")}
    most = 0
    for line in lines:
        if line in raw or len(line) < most:
            continue
        left = line
        for each in long:
            spelt = next((text for text in (each, dump(each)[1:-1]) if text in left), "")
            if spelt:
                left = left.replace(spelt, "", 1)
                break
        most = max(most, count(left))
    looks.longest.append(most)
    Tables(looks).read(text)
    above: list[dict[str, str]] = [{}]
    for line in lines:
        header = HEADER.match(line)
        if header is None or line in raw:
            continue
        depth = len(header[1])
        del above[depth + 1 :]
        above += [{} for _ in range(depth + 1 - len(above))]
        columns = header[3]
        looks.before.append(count(columns))
        looks.repeated += columns in above[depth]
        above[depth][columns] = header[2]
        above.append({})


def main(arguments: Sequence[str] | None = None) -> int:
    """Write documents, look at their texts, and print what was seen."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--formats", default="native")
    parser.add_argument("--every", type=int, default=1)
    add_common(parser)
    args = parser.parse_args(arguments)
    looks: dict[str, Looks] = {}
    every = 20 if args.quick else args.every
    for document in [*documents(args.paths)][::every]:
        text = mckp.encode(document.value, formats=args.formats).text
        look(document.value, text, looks.setdefault(document.set, Looks()))
    found = {name: each.figures() for name, each in looks.items()}
    print(json.dumps(found, indent=1))
    store(args.json, {"formats": args.formats, "sets": found})
    return 0


if __name__ == "__main__":
    sys.exit(main())
