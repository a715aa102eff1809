"""The tables of the pages that quote stored figures, made from them.

    python benches/page_tables.py

writes each of them anew between its two marks. A test holds that they are what the stored figures
say, so this is to be run after any of them is measured again.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nodes import FORMATS
from solver_figures import shown, stored
from solver_grid import groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PAGES: Final = (
    Path(__file__).parents[1] / "README.md",
    Path(__file__).parents[1] / "docs" / "guides" / "formats.md",
    Path(__file__).with_name("README.md"),
    Path(__file__).parents[1] / "solvers" / "README.md",
)
MARKED: Final = re.compile(r"(<!-- solvers: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def markdown(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a table.

    Examples
    --------
    >>> print(markdown(["a", "b"], [["1", ""]]), end="")
    | a | b |
    |---|---|
    | 1 |  |
    """
    lines = [list(heads)]
    text = "| " + " | ".join(lines[0]) + " |\n" + "|---" * len(lines[0]) + "|\n"
    return text + "".join("| " + " | ".join(row) + " |\n" for row in rows)


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


def binary() -> str:
    """Return worth and use recall beside the binary knapsack, at equal budgets."""
    figures = ("worth", "recall", "used", "notes")
    rows = [
        [
            f"{row['share']:.0%}",
            row["rival"],
            *("" if row[name] is None else f"{row[name]:.3f}" for name in figures),
        ]
        for row in stored("binary-knapsack.json")["rows"]
    ]
    return markdown(["budget", "", "worth", "use recall", "budget used", "notes"], rows)


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


def tokenizers() -> str:
    """Return tokens by tokenizer: of compact JSON to `o200k`, of formats to compact JSON."""
    found = stored("tokenizer-formats.json")["rows"]
    names = ("rows", "flow", "table", "kv", "csv", "prose", "fence")
    rows = [
        [
            f"`{row['tokenizer'].removesuffix('_base')}`",
            f"{row['json'] / found[0]['json']:.2f}",
            *(f"{row['formats'][name]:.2f}" for name in names),
            str(row["other_format"]),
        ]
        for row in found
    ]
    return markdown(["tokenizer", "`json`", *(f"`{name}`" for name in names), "other"], rows)


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
            ("toon_bench", "8 data sets, mostly tables, geometric mean", "geometric mean"),
        )
    ]
    rows.append(
        [
            f"{tools['tools']} tools of MCP servers, without definitions that nothing refers to",
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


def texts() -> str:
    """Return what is left of texts within a budget, beside cutting off."""
    found = stored("text-recall.json")["shares"]
    heads = [f"{float(share):.0%}" for share in found]
    used = [
        [f"used later: {name}", *(_with_interval(own["uses"][name]) for own in found.values())]
        for name in TEXTS
    ]
    causes = [
        [f"causes: {name}", *(f"{own['outputs'][name]['cause']:.2f}" for own in found.values())]
        for name in TEXTS
        if name in next(iter(found.values()))["outputs"]
    ]
    return markdown(["", *heads], used + causes)


TEXTS: Final = ("mckp", "mckp, request given", "head", "tail")
"""Ways to cut a text, in the order of the table."""


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


def servers() -> str:
    """Return what arrives of results of real servers, with and without the proxy."""
    found: dict[str, Any] = stored("mcp-servers.json")["servers"]
    heads = ["server", "tools", "called", "calls", "equal"]
    heads += ["tokens", "proxied", "within the limit"]
    rows = [
        [
            name,
            *(str(each[key]) for key in ("tools", "tools_called", "calls", "equal")),
            *(f"{each[key]:,}" for key in ("tokens_direct", "tokens_proxied")),
            f"{each['held']} of {each['calls']}",
        ]
        for name, each in found.items()
    ]
    return markdown(heads, rows)


def lists() -> str:
    """Return the tokens of lists of tools in each shape."""
    found: dict[str, Any] = stored("mcp-servers.json")["servers"]
    shapes = list(next(iter(found.values()))["tokens_of_list"])
    rows = [
        [name, *(f"{each['tokens_of_list'][shape]:,}" for shape in shapes)]
        for name, each in found.items()
    ]
    return markdown(["server", *shapes], rows)


def latency() -> str:
    """Return what proxies add to a call."""
    kinds: dict[str, Any] = stored("mcp-latency.json")["kinds"]
    rows: list[list[str]] = []
    for way in next(iter(kinds.values())):
        cells = [
            f"{own['added_median']:.1f} ({own['added_95']:.1f}; {own['processor']:.1f})"
            for own in (by_way[way] for by_way in kinds.values())
        ]
        rows.append([way, *cells])
    ready: dict[str, Any] = stored("mcp-latency.json")["ready"]
    for row in rows:
        row.append(f"{ready[row[0]]['added_median']:.0f} ({ready[row[0]]['median']:.0f})")
    return markdown(["way", *kinds, "ready"], rows[1:])


_COUNTS: Final = ("asked", "answerable", "lucky", "unknown", "misled")


def oracle() -> str:
    """Return what the oracle made of each way to write."""
    found = stored("accuracy.json")["oracle"]["ways"]
    rows = [
        [way, f"{own['tokens']:,}", *(f"{own[key]:,}" for key in _COUNTS), f"{own['share']:.3f}"]
        for way, own in found.items()
    ]
    return markdown(["way", "tokens", *_COUNTS, "right"], rows)


def shapes() -> str:
    """Return the ratio to compact JSON of each format, by shape."""
    found = stored("shapes.json")["sets"]["all"]
    rows = [
        [name, *(_taken(own["to json"].get(name)) for own in found.values())] for name in FORMATS
    ]
    heads = [f"{shape} ({own['parts']})" for shape, own in found.items()]
    return markdown(["format", *heads], rows)


def _taken(own: dict[str, Any] | None) -> str:
    if own is None:
        return ""
    taken = "" if own["takes"] >= 0.995 else f" ({own['takes']:.0%})"
    return f"{own['ratio']:.3f}{taken}"


def damage() -> str:
    """Return what readers notice of damage."""
    found = stored("damage.json")["ways"]
    heads = next(iter(found.values()))
    return markdown(["way", *heads], [[way, *own.values()] for way, own in found.items()])


def verdicts() -> str:
    """Return what became of each claim, with the first of its findings on all data."""
    rows = [
        [
            each["claim"],
            each["verdict"],
            *(str(each["counts"][name]) for name in ("holds", "fails", "undecided")),
        ]
        for each in stored("verdicts.json")["claims"]
    ]
    return markdown(["claim", "verdict", "holds", "fails", "undecided"], rows)


def findings() -> str:
    """Return the numbers that the verdicts rest on, of all data together."""
    rows = [
        [
            each["claim"],
            own["what"].removesuffix(", all"),
            f"{own['found']:.1%}",
            f"{own['interval'][0]:.1%} to {own['interval'][1]:.1%}",
            own["verdict"],
        ]
        for each in stored("verdicts.json")["claims"]
        for own in each["findings"]
        if own["source"] != "shapes.json" or own["what"].endswith(", all")
    ]
    return markdown(["claim", "what", "found", "95 %", "verdict"], rows)


TABLES: Final[dict[str, Callable[[], str]]] = {
    "families": families,
    "passes": passes,
    "peers": peers,
    "targets": targets,
    "nested": nested,
    "commands": commands,
    "use_recall": use_recall,
    "binary": binary,
    "ablation": ablation,
    "formats": formats,
    "tokenizers": tokenizers,
    "encode_speed": speed,
    "saves": saves,
    "kept": kept,
    "texts": texts,
    "encode_responses": responses,
    "encode_growth": growth,
    "tools": tools,
    "mcp_servers": servers,
    "mcp_lists": lists,
    "mcp_latency": latency,
    "accuracy": oracle,
    "shapes": shapes,
    "damage": damage,
    "verdicts": verdicts,
    "findings": findings,
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
