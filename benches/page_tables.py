"""The tables of the pages that quote stored figures, made from them.

    python benches/page_tables.py

writes each of them again between its two marks. A test holds that they are what the stored figures
say, so this is to be run after any of them is measured again.
"""

from __future__ import annotations

import re
import sys
import tomllib
from functools import partial
from pathlib import Path
from statistics import geometric_mean
from typing import TYPE_CHECKING, Any, Final

from nodes import FORMATS
from solver_figures import shown, stored
from solver_grid import groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PAGES: Final = (
    Path(__file__).parents[1] / "README.md",
    Path(__file__).parents[1] / "docs" / "guides" / "formats.md",
    Path(__file__).parents[1] / "docs" / "guides" / "pack.md",
    Path(__file__).with_name("README.md"),
    Path(__file__).parents[1] / "solvers" / "README.md",
)
RELEVANCE: Final = {
    "chats": "LoCoMo: all turns with evidence, as records (1,024, 2,048, 4,096, 8,192 tokens)",
    "lines": "LoCoMo: the same, as lines of text",
    "tables": "WikiTableQuestions: the answer, in its column",
    "spans": "MultiSpanQA: the answer spans, in one passage",
}
"""What each set of questions asks for."""
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
    every_family = stored("solver-grid.json")["summary"]["families"]
    sizes = list(dict.fromkeys(entry["classes"] for entry in every_family))
    rows = [
        [family, *(_median_and_worst(entry) for entry in entries)]
        for (family,), entries in groups(every_family, "family").items()
    ]
    return markdown(["family", *(f"{size:,}" for size in sizes)], rows)


def _median_and_worst(entry: dict[str, Any]) -> str:
    own = f"{shown(entry['median'])} ({shown(entry['worst'])})"
    text = f"{own}; {shown(entry['large'])} ({shown(entry['large worst'])})"
    return text + f", {entry['unproved']} unproved" if entry["unproved"] else text


def passes() -> str:
    """Return by how much `large` is above one pass over the data."""
    every_family = stored("solver-grid.json")["summary"]["families"]
    by_size = groups(every_family, "classes")
    rows = [
        [
            f"{size:,}",
            shown(min(e["passes"] for e in members)),
            shown(max(e["passes"] for e in members)),
        ]
        for (size,), members in by_size.items()
    ]
    return markdown(["classes", "fastest family", "slowest family"], rows)


def peers() -> str:
    """Return how many times slower the peers are."""
    every_peer = stored("solver-grid.json")["summary"]["peers"]
    names = list(dict.fromkeys(entry["peer"] for entry in every_peer))
    rows: list[list[str]] = []
    for (size,), entries in groups(every_peer, "classes").items():
        by_peer = {entry["peer"]: entry for entry in entries}
        rows.append(
            [f"{size:,}", *(_ratio(by_peer[name]) if name in by_peer else "" for name in names)]
        )
    return markdown(["classes", *names], rows)


def _ratio(entry: dict[str, Any]) -> str:
    return shown(entry["times"]) + (
        " ({unproved} of {cells} unproved, {late} at the limit)".format(**entry)
        if entry["unproved"]
        else ""
    )


def targets() -> str:
    """Return what was aimed at, and what was found."""
    aims = stored("solver-grid.json")["summary"]["targets"]
    return markdown(
        ["measure", "found", "target", ""],
        [
            [t["what"], shown(t["found"]), shown(t["target"]), "met" if t["met"] else "missed"]
            for t in aims
        ],
    )


def nested() -> str:
    """Return the times of `tree`."""
    lines = stored("solver-nested.json")["summary"]["lines"]
    rows = [
        [
            line["kind"],
            line["budget"] if isinstance(line["budget"], str) else f"{line['budget']:,}",
            shown(line["median"]),
            shown(line["worst"]),
            str(line["unproved"]),
        ]
        for line in lines
    ]
    heads = ["kind", "budget", "median, ms", "worst, ms", "unproved"]
    return markdown(heads, rows)


def commands() -> str:
    """Return which command made which file of results, when, and with which version."""
    entries = tomllib.loads(Path(__file__).with_name("commands.toml").read_text(encoding="utf-8"))
    rows = list[list[str]]()
    for name, entry in entries.items():
        run = stored(f"{name}.json")
        measured = f"{run['mckp']}, {run['date'][:10]}"
        rows.append([f"`{name}.json`", entry["gives"], measured, f"`{entry['command']}`"])
    return markdown(["file", "what", "version, date", "command"], rows)


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


def binary(file: str = "binary-knapsack.json") -> str:
    """Return worth and use recall beside the binary knapsack, at equal budgets."""
    figures = ("worth", "recall", "used", "notes")
    rows = [
        [
            f"{row['share']:.0%}",
            row["rival"],
            *("" if row[name] is None else f"{row[name]:.3f}" for name in figures),
        ]
        for row in stored(file)["rows"]
    ]
    return markdown(["budget", "", "worth", "use recall", "budget used", "notes"], rows)


def relevance() -> str:
    """Return how much of what a question needs is left, with a query, without, and by BM25."""
    ways = {"no": "no query", "yes": "query", "bm25": "BM25"}
    rows = [
        [RELEVANCE[row["set"]], ways[row["query"]], *(f"{score:.3f}" for score in row["scores"])]
        for row in stored("relevance-public.json")["rows"]
    ]
    return markdown(["what must be left", "", "50%", "20%", "10%", "5%"], rows)


def _recalled(own: dict[str, Any]) -> str:
    low, high = own["interval"]
    return f"{own['recall']:.3f} ({low:.3f} to {high:.3f})"


def _of_worth(own: dict[str, Any]) -> str:
    return "" if own["worth"] is None else f"{own['worth']:.3f}"


def ablation() -> str:
    """Return use recall without a group of traits, by what the table was fitted to."""
    results = stored("salience-ablation.json")
    rows = [
        [
            f"without {group}" if group != "none" else "all traits",
            way,
            *map(_three, by_group[group]),
        ]
        for way, by_group in results["recall"].items()
        for group in by_group
    ]
    shares = (f"{share:.0%}" for share in results["shares"])
    return markdown(["", "fitted to", *shares], [[r[0], FITTED[r[1]], *r[2:]] for r in rows])


FITTED: Final = {"tasks": "other tasks", "sources": "other sources", "all": "all"}
"""What a table of salience was fitted to, by the name of the way."""


def _three(share: float) -> str:
    return f"{share:.3f}"


def formats() -> str:
    """Return tokens as a share of compact JSON, by format, tokenizer and data."""
    by_tokenizer = stored("formats-corpus.json")["tokenizers"]
    columns = [
        (f"{title}, {tokenizer}", ratios)
        for tokenizer, sets in by_tokenizer.items()
        for title, ratios in (
            (f"{sets['responses']['documents']} responses", response_ratios(sets)),
            (f"{len(data_sets(sets))} data sets", data_set_ratios(sets)),
        )
    ]
    rows = [
        [name, *(f"{ratios[name]:.3f}" for _, ratios in columns)]
        for name in columns[0][1]
        if name != "json" and all(name in ratios for _, ratios in columns)
    ]
    return markdown(["format", *(head for head, _ in columns)], rows)


def response_ratios(sets: dict[str, Any]) -> dict[str, float]:
    """Return the tokens of all responses together by format, as a share of compact JSON."""
    formats: dict[str, Any] = sets["responses"]["formats"]
    return {name: numbers["ratio"] for name, numbers in formats.items()}


def data_sets(sets: dict[str, Any]) -> list[dict[str, float]]:
    """Return the figures of the data sets in the folder of TOON's benchmark.

    The folder also has small versions of them (``acc_*``), some of which are equal, and the
    questions of that benchmark.
    """
    sources: dict[str, dict[str, float]] = sets["toon_bench"]["sources"]
    return [figures for name, figures in sources.items() if name.startswith("tok_")]


def data_set_ratios(sets: dict[str, Any]) -> dict[str, float]:
    """Return the geometric means over the data sets by format, as a share of compact JSON."""
    counted = data_sets(sets)
    return {
        name: geometric_mean(figures[name] for figures in counted)
        for name in sets["toon_bench"]["formats"]
        if all(name in figures for figures in counted)
    }


def tokenizers() -> str:
    """Return tokens by tokenizer: of compact JSON to `o200k`, of formats to compact JSON."""
    rows_of_tokenizers = stored("tokenizer-formats.json")["rows"]
    names = ("rows", "flow", "table", "kv", "csv", "prose", "fence")
    rows = [
        [
            f"`{row['tokenizer'].removesuffix('_base')}`",
            f"{row['json'] / rows_of_tokenizers[0]['json']:.2f}",
            *(f"{row['formats'][name]:.2f}" for name in names),
            str(row["other_format"]),
        ]
        for row in rows_of_tokenizers
    ]
    return markdown(["tokenizer", "`json`", *(f"`{name}`" for name in names), "other"], rows)


def speed() -> str:
    """Return the passes of tiktoken that encoding takes in a plain install."""
    by_document: dict[tuple[str, int], dict[str, float]] = {}
    for row in stored("encode-speed.json")["rows"]:
        by_document.setdefault((row["document"], row["bytes"]), {})[row["budget"]] = row["ratio"]
    rows = [
        [document, f"{size / 1000:,.0f}", *(shown(ratios[budget]) for budget in ("none", "half"))]
        for (document, size), ratios in by_document.items()
    ]
    return markdown(["document", "kB", "whole", "half"], rows)


def goals() -> str:
    """Return how many goals of speed are missed, as a sentence."""
    met = [row["met"] for row in stored("encode-speed.json")["rows"] if "goal" in row]
    return f"Of {len(met)} goals (`goals.py`), {met.count(False)} are missed.\n"


def saves() -> str:
    """Return tokens with nothing lost, by kind of data, as a share of compact JSON."""
    sets = stored("formats-corpus.json")["tokenizers"]["o200k"]
    tools = stored("tools.json")["sum"]
    responses, tables = sets["responses"]["documents"], len(data_sets(sets))
    rows = [
        [title, *(f"{ratios[f'mckp {level}']:.2f}" for level in LEVELS), f"{best(ratios):.2f}"]
        for title, ratios in (
            (f"{responses} API responses (total)", response_ratios(sets)),
            (f"{tables} data sets, mostly tables (geometric mean)", data_set_ratios(sets)),
        )
    ]
    rows.append(
        [
            f"{tools['tools']} definitions of MCP tools (`mckp.encode_tools`)",
            "-",
            f"{tools['full'] / tools['json']:.2f}",
            "-",
            "-",
        ]
    )
    return markdown(["data", *LEVELS, "best other"], rows)


def matters() -> str:
    """Return what is left of data, texts and causes within a budget, beside simple ways to cut."""
    data, all_texts = stored("use-recall.json"), stored("text-recall.json")
    rows: list[tuple[str, str, Any, tuple[str, ...]]]
    rows = [
        (f"used later, of data ({data['results']} results)", title, data["shares"], (name,))
        for name, title in MATTER_DATA.items()
    ]
    for what, key in (("used later, of texts", "uses"), ("causes of failures", "outputs")):
        number = all_texts["results" if key == "uses" else "outputs"]
        rows += [
            (f"{what} ({number} results)", title, all_texts["shares"], (key, name))
            for name, title in MATTER_TEXTS.items()
            if name in all_texts["shares"]["0.5"][key]
        ]
    lines: list[list[str]] = []
    for what, title, shares, keys in rows:
        figures = [_at(shares[share], keys) for share in ("0.5", "0.2", "0.1")]
        lines.append(["" if lines and what in {w for w, *_ in lines} else what, title, *figures])
    return markdown(["what is left", "with", "50%", "20%", "10%"], lines)


def _at(entry: dict[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        entry = entry[key]
    return f"{entry['recall'] if 'recall' in entry else entry['cause']:.2f}"


MATTER_DATA: Final = {
    "mckp default": "**mckp**",
    "headroom": "headroom",
    "lean head cut": "the beginning, empty values dropped",
    "head cut": "the beginning",
}
MATTER_TEXTS: Final = {
    "mckp, request given": "**mckp**, given the request",
    "mckp": "**mckp**",
    "head": "the beginning",
    "tail": "the end",
}
"""Ways to cut, in the order of the first table of the README."""

LEVELS: Final = ("standard", "native", "dense")
"""Levels of formats, `native` is the default."""


def best(ratios: dict[str, float]) -> float:
    """Return the least ratio of all formats but ours."""
    return min(ratio for name, ratio in ratios.items() if not name.startswith("mckp"))


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
    "binary, JSON by salience": "leaves of compact JSON, chosen by our weights (binary knapsack)",
    "binary, JSON": "as many leaves of compact JSON as fit (binary knapsack)",
    "head cut": "compact JSON, cut off at its end",
    "headroom": "headroom",
    "tooltrim": "tooltrim",
    "oracle": "an oracle that knows what will be used, on our menu",
}
"""What the README reports, and how it calls it."""


def texts() -> str:
    """Return what is left of texts within a budget, beside cutting off."""
    by_share = stored("text-recall.json")["shares"]
    heads = [f"{float(share):.0%}" for share in by_share]
    used = [
        [
            f"content used later, {title}",
            *(_with_interval(entry["uses"][name]) for entry in by_share.values()),
        ]
        for name, title in TEXTS.items()
    ]
    causes = [
        [
            f"causes of failures, {title}",
            *(f"{entry['outputs'][name]['cause']:.2f}" for entry in by_share.values()),
        ]
        for name, title in TEXTS.items()
        if name in next(iter(by_share.values()))["outputs"]
    ]
    return markdown(["share that is left in texts cut to", *heads], used + causes)


TEXTS: Final = {
    "mckp": "with mckp",
    "mckp, request given": "with mckp and the user's request",
    "head": "if only the beginning is kept",
    "tail": "if only the end is kept",
}
"""Ways to cut a text, in the order of the table, and what the table calls them."""


def packs() -> str:
    """Return what is left of several documents within one budget, beside simpler choices."""
    rows = stored("packs.json")["rows"]
    scores = {(row["set"], row["measure"], row["way"]): row["scores"] for row in rows}
    table: list[list[str]] = []
    for (kind, measure), (name, budgets) in PACKS.items():
        for position, budget in enumerate(budgets):
            cells = (scores.get((kind, measure, way)) for way in PACK_WAYS)
            shares = [f"{own[position]:.2f}" if own else "" for own in cells]
            table.append([f"{name}, {budget}", *shares])
    return markdown(["documents, budget", *PACK_WAYS.values()], table)


PACKS: Final = {
    ("tasks", "uses"): ("tool results of a task", ("50%", "20%", "10%")),
    ("repositories", "places"): ("files of a repository", ("4,000 tokens", "16,000 tokens")),
    ("chats", "turns"): ("sessions of a chat", ("1,024 tokens", "2,048 tokens", "4,096 tokens")),
    ("passages", "answers"): ("passages", ("20%", "10%", "5%")),
}
"""A measure for each set, and how the guide calls the documents and budgets (see `packs.py`)."""
PACK_WAYS: Final = {
    "pack": "`pack`",
    "greedy": "greedy",
    "equal": "equal shares",
    "equal heads": "equal beginnings",
    "bm25": "BM25",
}
"""Ways to choose, and how the guide calls them."""


def judged() -> str:
    """Return what is left of fields that were rated by need, and where a cut keeps more."""
    names = ("mckp", "other sources", "facts", "leaves", "cut off", "oracle")
    rows = [
        [f"{row['share']:.0%}", *(f"{row[name]:.3f}" for name in names), str(row["below"])]
        for row in stored("judged-recall.json")["rows"]
    ]
    return markdown(["budget", *names, "below"], rows)


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
    return markdown(["document", "formats", "MB", "ms per MB", "peak, bytes per byte"], rows)


def limits() -> str:
    """Return what a MB of JSON costs in time and memory, as a line of a list."""
    rows = [
        row
        for row in stored("encode-growth.json")["rows"]
        if row["formats"] == "native" and row["MB"] >= 1
    ]
    whole, half = (
        _least_to_most(
            [row["ms per MB"] / 1000 for row in rows if row.get("budget", "none") == budget], ".1f"
        )
        for budget in ("none", "half")
    )
    peak = _least_to_most([row["peak per byte"] for row in rows], ".0f")
    return (
        "- Large documents take time and memory. On one processor, each MB of JSON takes "
        f"{whole} s to encode without a budget,\n"
        f"  and {half} s to cut to half its tokens. Memory peaks at {peak} times the size of the "
        "document.\n"
    )


def _least_to_most(figures: list[float], digits: str) -> str:
    return f"{min(figures):{digits}} to {max(figures):{digits}}"


def tools() -> str:
    """Return the tokens of catalogs of real servers in every format."""
    results = stored("tools.json")
    whole = results["sum"]["json"]
    rows = [
        [name, f"{number:,}", f"{number / whole:.3f}"]
        for name, number in results["sum"].items()
        if name != "tools"
    ]
    return markdown(["format", "tokens", "share of compact JSON"], rows)


def servers() -> str:
    """Return what arrives of results of real servers, with and without the proxy."""
    by_server: dict[str, Any] = stored("mcp-servers.json")["servers"]
    heads = ["server", "tools", "called", "calls", "equal"]
    heads += ["tokens", "proxied", "within the limit"]
    rows = [
        [
            name,
            *(str(numbers[key]) for key in ("tools", "tools_called", "calls", "equal")),
            *(f"{numbers[key]:,}" for key in ("tokens_direct", "tokens_proxied")),
            f"{numbers['held']} of {numbers['calls']}",
        ]
        for name, numbers in by_server.items()
    ]
    return markdown(heads, rows)


def lists() -> str:
    """Return the tokens of lists of tools in each shape."""
    by_server: dict[str, Any] = stored("mcp-servers.json")["servers"]
    shapes = list(next(iter(by_server.values()))["tokens_of_list"])
    rows = [
        [name, *(f"{numbers['tokens_of_list'][shape]:,}" for shape in shapes)]
        for name, numbers in by_server.items()
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
    by_way = stored("accuracy.json")["oracle"]["ways"]
    rows = [
        [
            way,
            f"{numbers['tokens']:,}",
            *(f"{numbers[key]:,}" for key in _COUNTS),
            f"{numbers['share']:.3f}",
        ]
        for way, numbers in by_way.items()
    ]
    return markdown(["way", "tokens", *_COUNTS, "right"], rows)


def shapes() -> str:
    """Return the ratio to compact JSON of each format, by shape."""
    by_shape = stored("shapes.json")["sets"]["all"]
    rows = [
        [name, *(_taken(entry["to json"].get(name)) for entry in by_shape.values())]
        for name in FORMATS
    ]
    heads = [f"{shape} ({entry['parts']})" for shape, entry in by_shape.items()]
    return markdown(["format", *heads], rows)


def _taken(own: dict[str, Any] | None) -> str:
    if own is None:
        return ""
    taken = "" if own["takes"] >= 0.995 else f" ({own['takes']:.0%})"
    return f"{own['ratio']:.3f}{taken}"


def damage() -> str:
    """Return what readers notice of damage."""
    by_way = stored("damage.json")["ways"]
    heads = next(iter(by_way.values()))
    return markdown(["way", *heads], [[way, *counts.values()] for way, counts in by_way.items()])


def verdicts() -> str:
    """Return what became of each claim, with the first of its findings on all data."""
    rows = [
        [
            claim["claim"],
            claim["verdict"],
            *(str(claim["counts"][name]) for name in ("holds", "fails", "undecided")),
        ]
        for claim in stored("verdicts.json")["claims"]
    ]
    return markdown(["claim", "verdict", "holds", "fails", "undecided"], rows)


def findings() -> str:
    """Return the numbers that the verdicts rest on, of all data together."""
    rows = [
        [
            claim["claim"],
            finding["what"].removesuffix(", all"),
            f"{finding['found']:.1%}",
            f"{finding['interval'][0]:.1%} to {finding['interval'][1]:.1%}",
            finding["verdict"],
        ]
        for claim in stored("verdicts.json")["claims"]
        for finding in claim["findings"]
        if finding["source"] != "shapes.json" or finding["what"].endswith(", all")
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
    "binary_public": partial(binary, "binary-knapsack-public.json"),
    "relevance": relevance,
    "ablation": ablation,
    "formats": formats,
    "tokenizers": tokenizers,
    "encode_speed": speed,
    "goals": goals,
    "saves": saves,
    "kept": kept,
    "judged": judged,
    "packs": packs,
    "matters": matters,
    "texts": texts,
    "encode_responses": responses,
    "encode_growth": growth,
    "limits": limits,
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
    """Return a text with all marked tables written again."""
    return MARKED.sub(lambda match: match[1] + TABLES[match[2]]() + match[3], text)


def main() -> int:
    """Write the tables into the pages."""
    for page in PAGES:
        page.write_text(rendered(page.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
