"""The tables of `benches/README.md` about encoding: speed, growth, catalogs of tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solver_figures import shown, stored
from table_text import markdown

if TYPE_CHECKING:
    from collections.abc import Callable


def formats() -> str:
    """Return tokens as a share of compact JSON, by format, tokenizer and data."""
    found = stored("formats-corpus.json")["tokenizers"]
    columns = [
        (f"{title}, {tokenizer}", own[data]["formats"], what)
        for tokenizer, own in found.items()
        for data, title, what in SETS
    ]
    rows = [
        [name, *(f"{own[name][what]:.3f}" for _, own, what in columns)]
        for name in columns[0][1]
        if name != "json" and all(name in own for _, own, _ in columns)
    ]
    return markdown(["format", *(head for head, *_ in columns)], rows)


SETS: Final = (
    ("responses", "responses", "ratio"),
    ("toon_bench", "data sets", "geometric mean"),
)
"""Sets of documents: their name in the results, in tables, and which mean is told."""


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


TABLES: Final[dict[str, Callable[[], str]]] = {
    "formats": formats,
    "encode_speed": speed,
    "encode_in_short": in_short,
    "encode_responses": responses,
    "encode_alone": alone,
    "encode_growth": growth,
    "tools": tools,
}
