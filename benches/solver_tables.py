"""The tables of two pages that quote stored figures, made from them.

    python benches/solver_tables.py

writes each of them anew between its two marks. A test holds that they are what the stored figures
say, so this is to be run after any of them is measured again.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import accuracy_tables
import encode_tables
import mcp_tables
from solver_figures import shown, stored
from solver_grid import groups
from table_text import markdown

if TYPE_CHECKING:
    from collections.abc import Callable

PAGES: Final = (
    Path(__file__).parents[1] / "README.md",
    Path(__file__).with_name("README.md"),
    Path(__file__).parents[1] / "solvers" / "README.md",
)
MARKED: Final = re.compile(r"(<!-- solvers: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def families() -> str:
    """Return the times of the default and of `large` by family and classes."""
    found = stored("solver-grid.json")["summary"]["families"]
    sizes = list(dict.fromkeys(entry["classes"] for entry in found))
    rows = [
        [family, *(_median_and_worst(entry) for entry in entries)]
        for (family,), entries in groups(found, "family").items()
    ]
    return markdown(["family", *(f"{size:,}" for size in sizes)], rows)


def _median_and_worst(entry: dict[str, Any]) -> str:
    own = f"{shown(entry['median'])} ({shown(entry['worst'])})"
    text = f"{own}; {shown(entry['large'])} ({shown(entry['large worst'])})"
    return text + f", {entry['unproved']} unproved" if entry["unproved"] else text


def passes() -> str:
    """Return by how much `large` is above one pass over the data."""
    found = stored("solver-grid.json")["summary"]["families"]
    by_size = groups(found, "classes")
    rows = [
        [f"{size:,}", shown(min(e["passes"] for e in own)), shown(max(e["passes"] for e in own))]
        for (size,), own in by_size.items()
    ]
    return markdown(["classes", "least family", "greatest family"], rows)


def peers() -> str:
    """Return how many times slower the peers are."""
    found = stored("solver-grid.json")["summary"]["peers"]
    names = list(dict.fromkeys(entry["peer"] for entry in found))
    rows: list[list[str]] = []
    for (size,), entries in groups(found, "classes").items():
        own = {entry["peer"]: entry for entry in entries}
        rows.append([f"{size:,}", *(_ratio(own[name]) if name in own else "" for name in names)])
    return markdown(["classes", *names], rows)


def _ratio(entry: dict[str, Any]) -> str:
    return shown(entry["times"]) + (
        " ({unproved} of {cells} unproved, {late} at the limit)".format(**entry)
        if entry["unproved"]
        else ""
    )


def targets() -> str:
    """Return what was aimed at, and what was found."""
    found = stored("solver-grid.json")["summary"]["targets"]
    return markdown(
        ["aim", "found", "target", ""],
        [
            [t["what"], shown(t["found"]), shown(t["target"]), "met" if t["met"] else "missed"]
            for t in found
        ],
    )


def nested() -> str:
    """Return the times of `tree`."""
    found = stored("solver-nested.json")["summary"]["lines"]
    rows = [
        [
            line["kind"],
            line["budget"] if isinstance(line["budget"], str) else f"{line['budget']:,}",
            shown(line["median"]),
            shown(line["worst"]),
            str(line["unproved"]),
        ]
        for line in found
    ]
    heads = ["kind", "budget", "median, ms", "worst, ms", "unproved"]
    return markdown(heads, rows)


def commands() -> str:
    """Return which command made which file of results."""
    told = tomllib.loads(Path(__file__).with_name("commands.toml").read_text(encoding="utf-8"))
    rows = [
        [f"`{name}.json`", entry["gives"], f"`{entry['command']}`"] for name, entry in told.items()
    ]
    return markdown(["file", "what", "command"], rows)


def use_recall() -> str:
    """Return use recall, with its interval, and worth, of all rivals by budget."""
    shares = stored("use-recall.json")["shares"]
    names = next(iter(shares.values()))
    rows = [
        [
            name.removesuffix(" default").removesuffix(","),
            *(_recalled(own[name]) for own in shares.values()),
            *(_of_worth(own[name]) for own in shares.values()),
        ]
        for name in names
    ]
    heads = [f"{float(share):.0%}" for share in shares]
    return markdown(["", *heads, *(f"worth, {head}" for head in heads)], rows)


def _recalled(own: dict[str, Any]) -> str:
    low, high = own["interval"]
    return f"{own['recall']:.3f} ({low:.3f} to {high:.3f})"


def _of_worth(own: dict[str, Any]) -> str:
    return "" if own["worth"] is None else f"{own['worth']:.3f}"


def ablation() -> str:
    """Return use recall without a group of traits, by what the table was fitted to."""
    found = stored("salience-ablation.json")
    rows = [
        [f"without {group}" if group != "none" else "all traits", way, *map(_three, own[group])]
        for way, own in found["recall"].items()
        for group in own
    ]
    shares = (f"{share:.0%}" for share in found["shares"])
    return markdown(["", "fitted to", *shares], [[r[0], FITTED[r[1]], *r[2:]] for r in rows])


FITTED: Final = {"tasks": "other tasks", "sources": "other sources", "all": "all"}
"""What a table of salience was fitted to, by the name of the way."""


def _three(share: float) -> str:
    return f"{share:.3f}"


TABLES: Final[dict[str, Callable[[], str]]] = {
    "families": families,
    "passes": passes,
    "peers": peers,
    "targets": targets,
    "nested": nested,
    "commands": commands,
    "use_recall": use_recall,
    "ablation": ablation,
    **encode_tables.TABLES,
    **mcp_tables.TABLES,
    **accuracy_tables.TABLES,
}


def rendered(text: str) -> str:
    """Return a text with all marked tables made anew."""
    return MARKED.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], text)


def main() -> int:
    """Write the tables into the pages."""
    for page in PAGES:
        page.write_text(rendered(page.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
