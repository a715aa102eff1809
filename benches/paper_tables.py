"""The tables of the paper: those of the pages, as heads and rows, some with fewer of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import page_tables
from solver_figures import stored

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    Made = dict[str, Any]

WAYS: Final = ";".join(
    f"{level}{budget}"
    for budget in ("", "@0.5", "@0.2", "@0.1")
    for level in ("json", "standard", "native", "dense")
)
"""Texts whose reading the paper reports."""


def cells(name: str, keep: Collection[int] | None = None, rows: str = "") -> Made:
    """Return a table of the pages, its columns by number, its rows by words in them.

    Parameters
    ----------
    name : str
        Its name in `page_tables.TABLES`.
    keep : collection of int, optional
        Columns, all if none are given.
    rows : str
        Beginnings of rows with ``|`` between cells and ``;`` between rows; all if empty.
    """
    lines = page_tables.TABLES[name]().rstrip("\n").split("\n")
    heads, _, *cells_of_rows = [
        line[2:-2].split(" | ") if "--" not in line else [] for line in lines
    ]
    wanted = [words.split("|") for words in rows.split(";") if words]
    if wanted:
        cells_of_rows = [
            row for row in cells_of_rows if any(row[: len(words)] == words for words in wanted)
        ]
    chosen = range(len(heads)) if keep is None else keep
    return {
        "heads": [heads[i] for i in chosen],
        "rows": [[row[i] for i in chosen] for row in cells_of_rows],
    }


def peers() -> Made:
    """Return how many times slower the peers are, with how many runs have no proof."""
    made = cells("peers")
    short = re.compile(r" \((\d+) of (\d+) unproved, .*\)")
    rows = [[short.sub(r" (\1/\2)", cell) for cell in row] for row in made["rows"]]
    return made | {"rows": rows}


def law() -> Made:
    """Return how often counts of parts add up."""
    rows = [
        [row["tokenizer"], row["parts"], *(f"{row[key]:,}" for key in ("misses", "over", "under"))]
        for row in stored("fragment-law.json")["rows"]
    ]
    return {
        "heads": ["tokenizer", "parts", "misses", "sum too large", "sum too small"],
        "rows": rows,
    }


def catalogs() -> Made:
    """Return what budgets keep of all catalogs together."""
    rows = [row for row in stored("tools.json")["budgets"] if row["catalog"] == "all"]
    heads = ["budget, % of compact JSON", "tokens", "value kept", "by one level for all", "status"]
    return {
        "heads": heads,
        "rows": [
            [
                str(row["share"]),
                f"{row['tokens']:,}",
                f"{row['kept']:.3f}",
                f"{row['kept by one level']:.3f}",
                row["status"],
            ]
            for row in rows
        ],
    }


READERS: Final = {"mckp": "mckp and its tool", "shell": "the beginning and commands"}


def end_to_end() -> Made:
    """Return how much readers saw of documents, and how many questions they answered."""
    heads = ["what readers had", "documents", "right answers", "shown", "asked", "in all", "calls"]
    rows = [
        [
            f"{READERS[row['mode']]}, {row['kind']}",
            str(row["documents"]),
            f"{row['right'] + row['right by judge']} of {row['questions']}",
            *(f"{row[share]:.3f}" for share in ("shown", "asked", "in all")),
            str(row["calls"]),
        ]
        for row in stored("end-to-end.json")["rows"]
    ]
    return {"heads": heads, "rows": rows}


def accuracy() -> Made:
    """Return what the oracle answers, whole texts first, then by budget."""
    made, order = cells("accuracy", rows=WAYS), WAYS.split(";")
    return made | {"rows": sorted(made["rows"], key=lambda row: order.index(row[0]))}


def ablation() -> Made:
    """Return what the groups of traits bring on sources that the table was not fitted to."""
    made = cells("ablation", (0, 2, 3, 4))
    kept = [row[1] == "other sources" for row in cells("ablation")["rows"]]
    return made | {"rows": [row for row, keep in zip(made["rows"], kept, strict=True) if keep]}


TABLES: Final[dict[str, tuple[str, Callable[[], Made]]]] = {
    "law": ("fragment-law", law),
    "formats": ("formats-corpus", lambda: cells("formats")),
    "speed": (
        "encode-speed",
        lambda: cells("encode_speed"),
    ),
    "responses": ("encode-rivals", lambda: cells("encode_responses")),
    "growth": ("encode-growth", lambda: cells("encode_growth")),
    "recall": ("use-recall", lambda: cells("use_recall")),
    "judged": ("judged-recall", lambda: cells("judged")),
    "texts": ("text-recall", lambda: cells("texts")),
    "end to end": ("end-to-end", end_to_end),
    "ablation": ("salience-ablation", ablation),
    "families": ("solver-grid", lambda: cells("families")),
    "peers": ("solver-grid", peers),
    "nested": ("solver-nested", lambda: cells("nested")),
    "tools": (
        "tools",
        lambda: cells(
            "tools",
            rows="json;pruned;tscg;ttc;wire;ts;name;args;typed;described;full",
        ),
    ),
    "catalogs": ("tools", catalogs),
    "accuracy": ("accuracy", accuracy),
    "shapes": ("shapes", lambda: cells("shapes")),
    "damage": ("damage", lambda: cells("damage")),
    "verdicts": ("verdicts", lambda: cells("verdicts")),
    "findings": ("verdicts", lambda: cells("findings")),
}
"""By name, the file of results and what makes the table."""
