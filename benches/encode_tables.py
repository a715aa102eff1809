"""The tables of `benches/README.md` about encoding: speed, growth, budgets, catalogs of tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from solver_figures import shown, stored
from table_text import markdown

if TYPE_CHECKING:
    from collections.abc import Callable


def speed() -> str:
    """Return the passes of tiktoken that encoding takes in a plain install."""
    found: dict[tuple[str, int], dict[str, float]] = {}
    for row in stored("encode-speed.json")["rows"]:
        found.setdefault((row["document"], row["bytes"]), {})[row["budget"]] = row["ratio"]
    rows = [
        [document, f"{size / 1000:,.0f}", *(shown(own[budget]) for budget in ("none", "half"))]
        for (document, size), own in found.items()
    ]
    return markdown(["document", "kB", "whole", "half"], rows)


LARGEST: Final = {
    "table": "a table",
    "responses": "responses of APIs",
    "markdown": "Markdown",
    "log": "a log",
}
"""Documents of which the README tells, in their largest size."""


def in_short() -> str:
    """Return the passes that one encode takes, for a few documents."""
    rows = stored("encode-speed.json")["rows"]
    told: list[list[str]] = []
    for document, name in LARGEST.items():
        size = max(row["bytes"] for row in rows if row["document"] == document)
        own = {row["budget"]: row["ratio"] for row in rows if row["bytes"] == size}
        told.append([f"{name}, {size / 1e6:.1f} MB", shown(own["none"]), shown(own["half"])])
    return markdown(["document", "whole", "half of the tokens"], told)


def alone() -> str:
    """Return the milliseconds for one response in a new process of a plain install."""
    rows = [
        [row["budget"], row["quantile"], shown(row["first"]), shown(row["later"])]
        for row in stored("encode-responses.json")["alone"]
    ]
    return markdown(["budget", "quantile", "first", "again"], rows)


def responses() -> str:
    """Return the milliseconds for one response."""
    rows = [
        [row["writer"], *(shown(row["ms"][key]) for key in ("median", "p95", "p99", "max"))]
        for row in stored("encode-rivals.json")["writers"]
    ]
    return markdown(["writer", "median", "95 %", "99 %", "longest"], rows)


def growth() -> str:
    """Return how time and memory grow with a document."""
    rows = [
        [
            row["document"],
            row["formats"],
            f"{row['MB']:g}",
            f"{row['ms per MB']:.0f}",
            f"{row['peak per byte']:.1f}",
        ]
        for row in stored("encode-growth.json")["rows"]
        if row.get("budget", "none") == "none"
    ]
    return markdown(["document", "formats", "MB", "ms a MB", "peak, bytes a byte"], rows)


def budgets() -> str:
    """Return who keeps to a budget, uses it, and keeps how many leaves."""
    found = stored("budget.json")["shares"]
    rows: list[list[str]] = []
    for share, entry in found.items():
        for name, own in entry["systems"].items():
            rows.append([f"{float(share):.0%}", name, *_budget_cells(own)])
    heads = ["budget", "system", "over", "used", "used, p10", "leaves", "present", "counted"]
    return markdown([*heads, "readable", "ms"], rows)


def _budget_cells(own: dict[str, Any]) -> list[str]:
    keys = ("used", "used p10", "leaves", "present", "counted", "readable")
    cells = [f"{own[key]:.3f}" if own.get(key) is not None else "" for key in keys]
    return [str(own["over"]), *cells, shown(own["ms"])]


def tools() -> str:
    """Return the tokens of catalogs of real servers in every format."""
    found = stored("tools.json")
    whole = found["sum"]["json"]
    rows = [
        [name, f"{number:,}", f"{number / whole:.3f}"]
        for name, number in found["sum"].items()
        if name != "tools"
    ]
    return markdown(["format", "tokens", "to compact JSON"], rows)


BESIDE: Final = {
    "mckp native": "exact, proved",
    "mckp dense": "exact, proved",
    "binary, JSON": "exact, proved; tells nothing",
    "oldest first": "kept; tells nothing",
    "head cut": "kept; no JSON left",
    "tooltrim": "mostly kept",
    "cendor-squeeze": "kept",
    "governor": "mostly exceeded",
}
"""Systems of the bench of budgets, and what they do with one."""


def beside() -> str:
    """Return what is left of responses at half of their tokens, by system."""
    found = stored("budget.json")
    systems = found["shares"]["0.5"]["systems"]
    rows = [
        [name, f"{own['over']}", f"{own['used']:.3f}", f"{own['present']:.3f}", _exactly(own), what]
        for name, what in BESIDE.items()
        for own in (systems[name],)
    ]
    heads = ["system", "over budget", "used", "leaves found", "leaves read back", "the budget is"]
    return markdown(heads, rows)


def _exactly(own: dict[str, Any]) -> str:
    return f"{own['leaves']:.3f}" if own.get("leaves") is not None else "no reader"


def corpora() -> str:
    """Return how fast a corpus is encoded, by the clock and by the processor."""
    rows = [
        [
            row["run"],
            f"{row['records']:,}",
            f"{row['seconds']:.0f}",
            f"{row['records a second']:.0f}",
            f"{row['processor, ms a record']:.2f}",
            f"{row['load']:.0f}",
        ]
        for row in stored("corpus.json")["rows"]
    ]
    heads = ["run", "records", "seconds", "records a second", "processor, ms a record", "load"]
    return markdown(heads, rows)


def corpus_killed() -> str:
    """Return what became of a corpus whose encoding was killed."""
    found = stored("corpus.json")["killed"]
    names = ("parts before the kill", "of them done again", "lost", "twice", "foreign")
    return markdown(list(names), [[str(found[name]) for name in names]])


TABLES: Final[dict[str, Callable[[], str]]] = {
    "encode_speed": speed,
    "encode_in_short": in_short,
    "encode_responses": responses,
    "encode_alone": alone,
    "encode_growth": growth,
    "budgets": budgets,
    "tools": tools,
    "beside": beside,
    "corpora": corpora,
    "corpus_killed": corpus_killed,
}
