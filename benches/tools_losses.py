"""What the formats of others lose of tool catalogs, keyword by keyword.

    python benches/tools_losses.py [PATH ...] [--formats NAME,...] [--json OUT]

reads files or folders of ``*.json``, each a list of tools; without any, catalogs that are made
up. Each row is a keyword: how often it stands in all of them, and how often each format says
less than all of it, nested parameters that a format has no place for with whatever is in them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from foreign import FORMATS
from foreign.census import lost
from machine import load
from rich.console import Console
from rich.table import Table
from solver_figures import facts
from tools_theorem import catalogs

if TYPE_CHECKING:
    from collections.abc import Sequence

SHOWN: Final = (
    "tscg balanced,tscg released balanced,ttc,ttc released,ts namespace,ts lines,mcpc medium"
)


def losses(found: list[Any], names: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return for each keyword how often it stands there, and how often each format loses it."""
    total, gone = Counter[str](), {name: Counter[str]() for name in names}
    for number, name in enumerate(names):
        for tools in found:
            for keyword, (missing, there) in lost(tools, name).items():
                gone[name][keyword] += missing
                total[keyword] += there if number == 0 else 0
    return {
        keyword: {"there": count, **{name: gone[name][keyword] for name in names}}
        for keyword, count in total.most_common()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Count, print, and store."""
    parser = argparse.ArgumentParser(description="What formats lose of tool catalogs.")
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--formats", default=SHOWN, help="names with commas, or all")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    parser.add_argument("--quick", action="store_true", help="the first catalog alone")
    options = parser.parse_args(arguments)
    before = load()
    names = list(FORMATS) if options.formats == "all" else options.formats.split(",")
    found = list(catalogs(options.paths))[: 1 if options.quick else None]
    rows = losses([tools for _, tools in found], names)
    table = Table("keyword", "there", *names)
    for keyword, counts in rows.items():
        table.add_row(keyword, *map(str, counts.values()))
    Console().print(table)
    if options.json:
        stored = {**facts(), "load before": before, "load after": load()}
        stored |= {"catalogs": [name for name, _ in found], "rows": rows}
        options.json.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
