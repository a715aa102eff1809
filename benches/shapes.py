"""What each format saves, by the shape of the data.

    python benches/shapes.py [--corpus DIR ...] [--json OUT]

takes documents apart: each object and each array of some twenty tokens or more is a part, of one
of five shapes. Parts and whole documents are written in every format that takes them, and by mckp
at each level; of each shape in each set, 120 at most are drawn. Ratios are to compact JSON and to
JSON with indents, in tokens of o200k. ``csv_naive`` and ``table_naive`` lose types or nested
values; every other text is read back as the same data.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from nodes import FORMATS, OWN, PRETTY, SHAPES, WHOLE, nodes, own_tokens, texts
from rich.console import Console
from rich.progress import track
from solver_figures import show, store
from subjects import chosen, options

from mckp import tokenizers
from mckp.encoders import BASELINES, JSON

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nodes import Node

TOKENIZER: Final = "o200k"
PLAIN: Final = ("json", "kv", "csv", "table")
"""The formats that the design paper chooses from."""
LOSSY: Final = frozenset(format_.name for format_ in BASELINES)
DRAWS: Final = 2000


def counted(node: Node, tokenizer: str) -> dict[str, int]:
    """Return the tokens of a part in each format that takes it."""
    counter = tokenizers.get(tokenizer)
    by_format = texts(node.value, counter.count_batch)
    numbers = dict(zip(by_format, counter.count_batch(list(by_format.values())), strict=True))
    return numbers | own_tokens(node.value, tokenizer)


def entry(rows: Sequence[dict[str, int]], format_: str, base: str) -> dict[str, Any] | None:
    """Return what a format saves beside another one, on the parts that both take."""
    both = [(row[format_], row[base]) for row in rows if format_ in row and base in row]
    if not both:
        return None
    low, high = interval(both)
    return {
        "parts": len(both),
        "takes": round(len(both) / len(rows), 4),
        "ratio": round(sum(own for own, _ in both) / sum(other for _, other in both), 4),
        "interval": [round(low, 4), round(high, 4)],
    }


def interval(both: Sequence[tuple[int, int]], seed: int = 1) -> tuple[float, float]:
    """Return an interval of 95 % for a ratio of sums, from drawing the parts again and again."""
    numbers = np.array(both, dtype=float)
    drawn = np.random.default_rng(seed).integers(0, len(both), (DRAWS, len(both)))
    sums = numbers[drawn].sum(axis=1)
    low, high = np.quantile(sums[:, 0] / sums[:, 1], [0.025, 0.975])
    return float(low), float(high)


def winners(rows: Sequence[dict[str, int]], among: Sequence[str]) -> dict[str, float]:
    """Return on which share of the parts each format is the smallest, the first of equals."""
    first = [
        min((row[name], i, name) for i, name in enumerate(among) if name in row) for row in rows
    ]
    names = [name for *_, name in first]
    return {name: round(names.count(name) / len(names), 4) for name in among if name in names}


def report(counts: Sequence[tuple[Node, dict[str, int]]]) -> dict[str, Any]:
    """Return the figures of each shape."""
    single = [name for name in FORMATS if name not in OWN and name not in LOSSY]
    result: dict[str, Any] = {}
    for shape in (*SHAPES, WHOLE):
        rows = [row for node, row in counts if node.shape == shape]
        if rows:
            result[shape] = {
                "parts": len(rows),
                "tokens": sum(row[JSON.name] for row in rows),
                "to json": _entries(rows, JSON.name),
                "to json-pretty": _entries(rows, PRETTY),
                "smallest of plain formats": winners(rows, PLAIN),
                "smallest of all that lose nothing": winners(rows, single),
            }
    return result


def _entries(rows: Sequence[dict[str, int]], base: str) -> dict[str, Any]:
    by_format = {name: entry(rows, name, base) for name in (JSON.name, *FORMATS)}
    return {name: figures for name, figures in by_format.items() if figures is not None}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure."""
    arguments_read = options("Count what each format saves, by shape.").parse_args(arguments)
    parts = (
        nodes(chosen(arguments_read), many=10)
        if arguments_read.quick
        else nodes(chosen(arguments_read))
    )
    console = Console(stderr=True)
    counted_parts = [
        (node, counted(node, TOKENIZER)) for node in track(parts, "Parts", console=console)
    ]
    names = dict.fromkeys(node.set for node in parts)
    sets = {name: report([part for part in counted_parts if part[0].set == name]) for name in names}
    sets["all"] = report(counted_parts)
    for name, by_shape in sets.items():
        for shape, figures in by_shape.items():
            rows = [
                {"format": key} | figures_of_format
                for key, figures_of_format in figures["to json"].items()
            ]
            show(f"{name}, {shape}: tokens to compact JSON", rows, *rows[0])
    store(arguments_read.json, {"tokenizer": TOKENIZER, "sets": sets})
    return 0


if __name__ == "__main__":
    sys.exit(main())
