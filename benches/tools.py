"""Tokens of tool catalogs at every level and in every rendering, and the time a budget takes.

    python benches/tools.py [FOLDER] [--tokenizer NAME] [--json OUT] [--quick]

reads ``*.json`` below FOLDER, each a list of tools; without one, a catalog that is made up.
The sum is over the catalogs of `REAL` that are there, which have no tool in common; others
are shown and not summed.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from machine import load
from solver_figures import show, store

from mckp import tokenizers
from mckp.tools import LEVELS, Tool, encode_tools, parse_tools
from mckp.tools.renderings import RENDERINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mckp.result import Result

REAL: Final = (
    "github_mcp_all",
    "github_ref",
    "gitlab_zereight",
    "gitlab_ref",
    "notion",
    "playwright",
    "firecrawl",
    "filesystem",
    "memory",
    "everything",
    "mcp_reference_small",
)
"""Catalogs of real servers: 437 of the 562 distinct tools of the reference figures."""

SHARES: Final = (5, 10, 20, 30, 50, 75, 100)
"""Budgets, as shares of the compact JSON in percent."""


def _level(level: str) -> Callable[[Sequence[Tool]], str]:
    return lambda tools: encode_tools(list(tools), level=level).text


COLUMNS: Final[Mapping[str, Callable[[Sequence[Tool]], str]]] = {
    **RENDERINGS,
    **{level: _level(level) for level in LEVELS if level != "json"},
}
"""Every column of the table, from tools to text; ``full`` has what is shared hoisted."""


def catalogs(folder: Path | None) -> dict[str, list[Tool]]:
    """Return the catalogs of a folder by name, or one that is made up."""
    if folder is None:
        return {"made_up": parse_tools(_made_up())}
    return {path.stem: parse_tools(path.read_bytes()) for path in sorted(folder.glob("*.json"))}


def _made_up() -> list[dict[str, Any]]:
    page = {"type": "integer", "minimum": 1, "description": "Which page of the list to return."}
    return [
        {
            "name": f"{verb}_{thing}",
            "description": f"{verb.title()} a {thing}. It needs permission to {verb}.",
            "inputSchema": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "page": page},
                "required": ["id"],
            },
        }
        for verb in ("read", "close", "list", "lock")
        for thing in ("issue", "pull", "branch", "tag", "run")
    ]


def sizes(by_catalog: Mapping[str, list[Tool]], count: Callable[[str], int]) -> dict[str, Any]:
    """Return the tokens of each catalog in each column."""
    return {
        name: {"tools": len(tools), **{key: count(text(tools)) for key, text in COLUMNS.items()}}
        for name, tools in by_catalog.items()
    }


def total(rows: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Return the sum over the real catalogs, or over all if there are none."""
    summed = [rows[name] for name in REAL if name in rows] or list(rows.values())
    return {key: sum(row[key] for row in summed) for key in summed[0]}


def budgets(by_catalog: Mapping[str, list[Tool]], tokenizer: str) -> list[dict[str, Any]]:
    """Return what each catalog keeps at each budget, and the processor time it took."""
    count = tokenizers.get(tokenizer).count
    rows: list[dict[str, Any]] = []
    for name, tools in {**by_catalog, **together(by_catalog)}.items():
        whole = count(RENDERINGS["json"](tools))
        levels = [encode_tools(tools, level=level, tokenizer=tokenizer) for level in LEVELS]
        for share in SHARES:
            row = _measured(name, tools, whole * share // 100, share, tokenizer)
            rows.append(row | best_level(levels, row["budget"]))
    return rows


def together(by_catalog: Mapping[str, list[Tool]]) -> dict[str, list[Tool]]:
    """Return all tools of the real catalogs as one catalog, named by their catalogs as well."""
    every = [
        replace(tool, name=f"{name}.{tool.name}")
        for name in REAL
        for tool in by_catalog.get(name, ())
    ]
    return {"all": every} if every else {}


def best_level(levels: Sequence[Result], budget: int) -> dict[str, Any]:
    """Return what is kept by the best of the levels that fits for all tools alike."""
    shares = [result.value / max(1, result.total) for result in levels if result.tokens <= budget]
    return {"kept by one level": round(max(shares, default=0), 4)}


def _measured(
    name: str, tools: list[Tool], budget: int, share: int, tokenizer: str
) -> dict[str, Any]:
    start = time.process_time()
    try:
        result = encode_tools(tools, budget=budget, tokenizer=tokenizer)
    except ValueError as error:
        return {"catalog": name, "share": share, "budget": budget, "error": str(error)}
    seconds = time.process_time() - start
    return {
        "catalog": name,
        "share": share,
        "budget": budget,
        "tokens": result.tokens,
        "kept": round(result.value / max(1, result.total), 4),
        "status": result.status,
        "levels": _levels(result),
        "seconds": round(seconds, 3),
    }


def _levels(result: Result) -> dict[str, int]:
    names = [choice.format for choice in result.choices]
    return {level: names.count(level) for level in LEVELS if level in names}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the bench and return 0."""
    parser = argparse.ArgumentParser(description="Tokens of tool catalogs.")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--tokenizer", default="o200k")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true", help="only a catalog that is made up")
    options = parser.parse_args(argv)
    before = load()
    by_catalog = catalogs(None if options.quick else options.folder)
    rows = sizes(by_catalog, tokenizers.get(options.tokenizer).count)
    summed = total(rows)
    lines = [{"format": key, "sum": summed[key]} for key in summed]
    lines = [line | {name: rows[name][line["format"]] for name in rows} for line in lines]
    show("tokens of each catalog; the sum is over those of REAL", lines, *lines[0])
    # The first call compiles the solver, which is no part of any budget.
    encode_tools(next(iter(by_catalog.values())), budget=rows[next(iter(by_catalog))]["args"])
    timed = budgets(by_catalog, options.tokenizer)
    show("budgets", timed, "catalog", "share", "tokens", "kept", "kept by one level", "status")
    circumstances = {"load before": before, "load after": load(), "tokenizer": options.tokenizer}
    results = {"catalogs": rows, "sum": summed, "budgets": timed}
    store(options.json, circumstances | results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
