"""Where TSCG's theorem holds, that it saves 51 % or more on any well-formed schema.

    python benches/tools_theorem.py [PATH ...] [--tokenizer NAME] [--json OUT]

reads files or folders of ``*.json``, each a list of tools; without any, two catalogs that are
made up. For each it counts, with a real tokenizer, what TSCG saves of compact JSON and of
JSON as OpenAI's function calling has it: the package as it was released, profile balanced, and
what the paper means, likewise. Beside that stands what the package's own meter claims, and
how many parameters its text lacks: what is left out is saved as well.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from foreign.census import lost
from foreign.tscg import tscg
from foreign.tscg_released import tscg_released
from foreign.tscg_released.meter import claimed
from machine import load
from rich.console import Console
from rich.table import Table
from solver_figures import facts

from mckp import tokenizers
from mckp.jsontext import dump
from mckp.tools import parse_tools

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.tokenizers import Tokenizer
    from mckp.tools import Tool

BOUND: Final = 51.0
"""The percentage that the theorem promises."""


@dataclass(frozen=True)
class Row:
    """What TSCG saves of one catalog, in percent; `of_calls` is of function-calling JSON."""

    catalog: str
    tools: int
    compact: int
    calls: int
    released: int
    paper: int
    released_of_compact: float
    released_of_calls: float
    paper_of_compact: float
    paper_of_calls: float
    claimed: float
    lost_parameters: int
    parameters: int

    @property
    def holds(self) -> bool:
        """Whether the released package saves as much as promised of either JSON."""
        return min(self.released_of_compact, self.released_of_calls) >= BOUND

    @property
    def holds_on_paper(self) -> bool:
        """Whether what the paper means does."""
        return min(self.paper_of_compact, self.paper_of_calls) >= BOUND


def measured(name: str, tools: list[Tool], tokenizer: Tokenizer) -> Row:
    """Measure one catalog."""
    compact, calls, released, paper = tokenizer.count_batch(
        [_compact(tools), _calls(tools), tscg_released(tools), tscg(tools, "balanced")]
    )
    gone, there = lost(tools, "tscg released balanced").get("parameter", (0, 0))
    return Row(
        catalog=name,
        tools=len(tools),
        compact=compact,
        calls=calls,
        released=released,
        paper=paper,
        released_of_compact=_saved(released, compact),
        released_of_calls=_saved(released, calls),
        paper_of_compact=_saved(paper, compact),
        paper_of_calls=_saved(paper, calls),
        claimed=claimed(tools),
        lost_parameters=gone,
        parameters=there,
    )


def _saved(after: int, before: int) -> float:
    return round(100 * (before - after) / before, 1)


def _compact(tools: list[Tool]) -> str:
    return dump([_named(tool, "inputSchema") for tool in tools])


def _calls(tools: list[Tool]) -> str:
    return dump([{"type": "function", "function": _named(tool, "parameters")} for tool in tools])


def _named(tool: Tool, schema: str) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, schema: tool.parameters}


def catalogs(paths: Sequence[Path]) -> Iterator[tuple[str, list[Tool]]]:
    """Yield the catalogs of files and folders, or those that are made up."""
    if not paths:
        yield from made_up()
    for path in paths:
        for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
            yield file.stem, parse_tools(file.read_bytes())


def made_up() -> Iterator[tuple[str, list[Tool]]]:
    """Yield a catalog of flat tools with few words, and one with many."""
    for name, words in (("terse", 2), ("wordy", 40)):
        said = " ".join(f"word{number}" for number in range(words))
        member = {"type": "string", "description": said}
        schema = {"type": "object", "properties": {"from": member, "to": member}}
        yield name, parse_tools({f"move_{n}": {"inputSchema": schema} for n in range(9)})


def table(rows: list[Row]) -> Table:
    """Return the rows as a table: percent saved of compact JSON and of function calls."""
    shown = Table("catalog", "tools", "released", "paper", "claimed", "lost", "holds")
    for row in rows:
        shown.add_row(
            row.catalog,
            str(row.tools),
            f"{row.released_of_compact:.1f} {row.released_of_calls:.1f}",
            f"{row.paper_of_compact:.1f} {row.paper_of_calls:.1f}",
            f"{row.claimed:.1f}",
            f"{row.lost_parameters}/{row.parameters}",
            " ".join("yes" if held else "no" for held in (row.holds, row.holds_on_paper)),
        )
    return shown


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and store."""
    parser = argparse.ArgumentParser(description="Where TSCG saves 51 % or more.")
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--tokenizer", default="o200k")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    parser.add_argument("--quick", action="store_true", help="the first catalog alone")
    options = parser.parse_args(arguments)
    before, counter = load(), tokenizers.get(options.tokenizer)
    found = list(catalogs(options.paths))[: 1 if options.quick else None]
    rows = [measured(name, tools, counter) for name, tools in found]
    Console().print(table(rows))
    kept, on_paper = (sum(row.holds for row in rows), sum(row.holds_on_paper for row in rows))
    print(
        f"Of {len(rows)} catalogs TSCG's theorem holds for {kept} as released, "
        f"for {on_paper} as its paper means it ({counter.name})"
    )
    if options.json:
        stored = {**facts(), "load before": before, "load after": load()}
        stored |= {"tokenizer": counter.name, "rows": [asdict(row) for row in rows]}
        options.json.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
