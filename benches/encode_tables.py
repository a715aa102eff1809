"""The tables of `benches/README.md` about encoding: speed, growth, catalogs of tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

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


def saves() -> str:
    """Return tokens with nothing lost, by kind of data, as a share of compact JSON."""
    found = stored("formats-corpus.json")["tokenizers"]["o200k"]
    tools = stored("tools.json")["sum"]
    rows = [
        [
            title,
            *(f"{found[data]['formats'][f'mckp {level}'][what]:.2f}" for level in LEVELS),
            f"{best(found[data]['formats'], what):.2f}",
        ]
        for data, title, what in (
            ("responses", "428 responses of APIs, in total", "ratio"),
            ("toon_bench", "8 data sets, mostly tables, in the mean", "geometric mean"),
        )
    ]
    rows.append(
        [
            f"{tools['tools']} tools of MCP servers, but for unused definitions",
            "",
            f"{tools['full'] / tools['json']:.2f}",
            "",
            "",
        ]
    )
    return markdown(["data", *LEVELS, "best other format"], rows)


LEVELS: Final = ("standard", "native", "dense")
"""Levels of formats, `native` is the default."""


def best(formats: dict[str, Any], what: str) -> float:
    """Return the least of a figure over all formats but ours."""
    return float(min(own[what] for name, own in formats.items() if not name.startswith("mckp")))


def kept() -> str:
    """Return the use recall of a few ways to keep to a budget."""
    shares = stored("use-recall.json")["shares"]
    rows = [
        [title, *(_with_interval(own[name]) for own in shares.values())]
        for name, title in KEPT.items()
    ]
    return markdown(["", *(f"{float(share):.0%}" for share in shares)], rows)


def _with_interval(own: dict[str, Any]) -> str:
    low, high = own["interval"]
    return f"{own['recall']:.2f} ({low:.2f} to {high:.2f})"


KEPT: Final = {
    "mckp default": "mckp",
    "mckp, other sources": "mckp, weights fitted to other sources",
    "binary, JSON by salience": "leaves of compact JSON by our weights (binary knapsack)",
    "binary, JSON": "the most leaves of compact JSON (binary knapsack)",
    "head cut": "compact JSON, cut off at its end",
    "headroom": "headroom",
    "tooltrim": "tooltrim",
    "oracle": "an oracle that knows what will be used, on our menu",
}
"""What the README tells of, and how it calls it."""


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
    "saves": saves,
    "kept": kept,
    "encode_responses": responses,
    "encode_growth": growth,
    "tools": tools,
}
