"""What each format costs: by tokenizer, by shape, and beside which baseline.

    python benches/cost_table.py [--corpus DIR ...] [--json OUT]

takes the parts of `shapes`, and counts each text with every tokenizer. Ratios are to compact
JSON, to JSON with indents, and to TOON, on the parts that both formats take. mckp chooses for the
tokenizer that counts. ``anthropic_class`` and ``ollama_bpe`` are estimates.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from nodes import FORMATS, PRETTY, SHAPES, WHOLE, Node, nodes
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid
from shapes import counted, entry
from solver_figures import store
from subjects import chosen, options

from mckp import tokenizers

if TYPE_CHECKING:
    from collections.abc import Sequence

TOKENIZERS: Final = ("o200k", "cl100k", "anthropic_class", "ollama_bpe")
BASES: Final = ("json", PRETTY, "toon")


def table(parts: Sequence[Node], counts: Sequence[dict[str, int]]) -> dict[str, Any]:
    """Return ratios by shape, baseline and format."""
    found: dict[str, Any] = {}
    for shape in (*SHAPES, WHOLE):
        pairs = zip(parts, counts, strict=True)
        rows = [row for node, row in pairs if node.shape == shape]
        if rows:
            bases = {base: _ratios(rows, base) for base in BASES}
            found[shape] = {"parts": len(rows), "to": {b: own for b, own in bases.items() if own}}
    return found


def _ratios(rows: Sequence[dict[str, int]], base: str) -> dict[str, Any]:
    found = {name: entry(rows, name, base) for name in ("json", *FORMATS)}
    kept = ("ratio", "interval", "geometric mean", "takes")
    return {name: {key: own[key] for key in kept} for name, own in found.items() if own is not None}


def show(console: Console, name: str, found: dict[str, Any]) -> None:
    """Print the table of one tokenizer beside compact JSON."""
    grid = Grid("format", *found, title=f"{name}: ratio to compact JSON")
    for format_ in FORMATS:
        own = [found[shape]["to"]["json"].get(format_) for shape in found]
        grid.add_row(format_, *(f"{each['ratio']:.3f}" if each else "" for each in own))
    console.print(grid)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure."""
    told = options("Count what each format costs, by tokenizer.").parse_args(arguments)
    parts = nodes(chosen(told), many=5 if told.quick else 60)
    result: dict[str, Any] = {}
    for name in TOKENIZERS:
        console = Console(stderr=True)
        counts = [counted(node, name) for node in track(parts, name, console=console)]
        exact = tokenizers.get(name).exact
        result[name] = {"exact": exact, "shapes": table(parts, counts)}
        show(Console(width=None if sys.stdout.isatty() else 140), name, result[name]["shapes"])
    store(told.json, {"parts": len(parts), "tokenizers": result})
    return 0


if __name__ == "__main__":
    sys.exit(main())
