"""Figures of the paper, from the stored figures of the solvers and of use recall.

    python benches/plots.py [--results DIR] [--out DIR]

writes grid.svg, growth.svg and recall.svg to paper/figures, as far as their figures are stored;
needs matplotlib.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from solver_figures import RESULTS
from solver_grid import groups

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FIGURES: Final = Path(__file__).parents[1] / "paper/figures"
BLACK, ORANGE, SKY, GREEN, BLUE, RED, PINK, GREY = (
    "#000000",
    "#e69f00",
    "#56b4e9",
    "#009e73",
    "#0072b2",
    "#d55e00",
    "#cc79a7",
    "#888888",
)
"""The colours of Okabe and Ito, which the colour-blind tell apart, and a grey."""
PEERS: Final = {
    "cpsat": (RED, "^"),
    "highs": (ORANGE, "D"),
    "llmslim": (PINK, "v"),
}
RIVALS: Final = {
    "oracle": ":",
    "mckp default": "-",
    "greedy, default": "--",
    "density, default": "--",
    "in order, default": "-.",
    "random, default": ":",
    "binary, default": "--",
    "head cut": "-.",
}
"""What is drawn of use recall, and the style of its line, which tells them apart in print."""
OWN: Final = (("ms", "default", BLUE, "o"), ("large", "large", GREEN, "s"))
"""Our solvers: the member of a cell, the name, and the style."""
SERIES: Final = (
    (BLUE, "o"),
    (SKY, "s"),
    (PINK, "D"),
    (GREEN, "^"),
    (RED, "v"),
    (ORANGE, "<"),
    (GREY, ">"),
    (BLACK, "x"),
)
SETTINGS: Final = {
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "lines.markeredgewidth": 0.7,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "mckp",
}


def panels(rows: int, columns: int, width: float, height: float) -> tuple[Any, Any, list[Any]]:
    """Return pyplot, a figure and its axes in reading order."""
    matplotlib: Any = importlib.import_module("matplotlib")
    matplotlib.use("svg")
    plt: Any = importlib.import_module("matplotlib.pyplot")
    plt.rcParams.update(SETTINGS)
    figure, axes = plt.subplots(
        rows, columns, figsize=(width, height), layout="constrained", squeeze=False
    )
    return plt, figure, list(axes.ravel())


def grid(figures: dict[str, Any], out: Path) -> None:
    """Draw time against classes, one panel a family, peers beside it."""
    families = groups(figures["grid"], "family")
    columns = min(4, len(families))
    count = -(-len(families) // columns)
    plt, figure, axes = panels(count, columns, 7.2, 1.55 * count + 0.5)
    for ax, ((family,), rows) in zip(axes, families.items(), strict=False):
        _family(ax, rows)
        ax.set_title(family, loc="left", fontsize=8)
    for ax in axes[len(families) :]:
        ax.set_visible(False)
    low = min(ax.get_ylim()[0] for ax in axes[: len(families)])
    high = max(ax.get_ylim()[1] for ax in axes[: len(families)])
    for i, ax in enumerate(axes[: len(families)]):
        ax.set_ylim(low, high)
        if i % columns:
            ax.tick_params(labelleft=False)
        if i + columns < len(families):
            ax.tick_params(labelbottom=False)
    figure.supxlabel("classes", fontsize=8)
    figure.supylabel("milliseconds", fontsize=8)
    handles = {
        label: handle
        for ax in axes
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    handles["not proved"] = plt.Line2D(
        [], [], color=GREY, marker="o", markerfacecolor="white", linestyle="none"
    )
    figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=7)
    save(plt, figure, out / "grid.svg")


def _family(ax: Any, rows: Sequence[dict[str, Any]]) -> None:
    by_size = {size: own for (size,), own in groups(rows, "classes").items()}
    sizes = list(by_size)
    ax.set_xscale("log")
    ax.set_yscale("log")
    for name, (colour, marker) in PEERS.items():
        # Of several options and parts, only the cells that every peer gets can be compared.
        chosen = _chosen(rows, name)
        if not chosen:
            continue
        xs, ys = [row["classes"] for row in chosen], [row["peers"][name]["ms"] for row in chosen]
        ax.plot(xs, ys, color=colour, marker=marker, label=name, linewidth=0.8)
        late = [row for row in chosen if row["peers"][name]["status"] != "optimal"]
        ax.plot(
            [row["classes"] for row in late],
            [row["peers"][name]["ms"] for row in late],
            color=colour,
            marker=marker,
            markerfacecolor="white",
            linestyle="none",
        )
    one_pass = [statistics.median(row["pass"] for row in by_size[size]) for size in sizes]
    for key, label, colour, marker in OWN:
        every = [[row[key] for row in by_size[size]] for size in sizes]
        ax.fill_between(sizes, [*map(min, every)], [*map(max, every)], color=colour, alpha=0.15)
        ax.plot(sizes, [*map(statistics.median, every)], color=colour, marker=marker, label=label)
    ax.plot(sizes, one_pass, color=GREY, linestyle=":", label="one pass")


def _chosen(rows: Sequence[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return one cell for each number of classes that a peer solved: 7 options, the middle."""
    own = [row for row in rows if name in row["peers"] and row["part"] == 0.5]
    seven = [row for row in own if row["options"] in (2, 7)]
    return list({row["classes"]: row for row in seven}.values())


def recall(figures: dict[str, Any], out: Path) -> None:
    """Draw use recall, and the share of the worth that is kept, against the budget."""
    shares = figures["shares"]
    percents = [100 * float(share) for share in shares]
    plt, figure, axes = panels(1, 2, 7.2, 2.9)
    for (rival, style), (colour, marker) in zip(RIVALS.items(), SERIES, strict=False):
        for ax, key in zip(axes, ("recall", "worth"), strict=True):
            points = [by_rival[rival][key] for by_rival in shares.values() if rival in by_rival]
            if points and None not in points:
                ax.plot(percents, points, style, color=colour, marker=marker, label=rival)
    for ax, title in zip(axes, ("use recall", "worth, share of the document's"), strict=True):
        ax.set_title(title, loc="left", fontsize=8)
        ax.set_xlabel("budget, % of the tokens of compact JSON")
        ax.set_ylim(0, 1.03)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    save(plt, figure, out / "recall.svg")


def growth(results: dict[str, Any], out: Path) -> None:
    """Draw the time and the work of the solver against the size of documents."""
    kinds = groups(results["rows"], "kind")
    plt, figure, axes = panels(1, len(kinds), 7.2, 2.6)
    heads = {"fields": "fields of one object", "depth": "objects in each other, levels"}
    for ax, ((kind,), rows) in zip(axes, kinds.items(), strict=True):
        ax.set_xscale("log")
        ax.set_yscale("log")
        sizes = [row["size"] for row in rows]
        ax.plot(sizes, [1000 * row["seconds"] for row in rows], color=BLUE, marker="o", label="ms")
        options = [row["options"] for row in rows]
        ax.plot(sizes, options, ":", color=GREY, marker="x", label="options")
        ax.set_title(heads.get(kind, kind), loc="left", fontsize=8)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    save(plt, figure, out / "growth.svg")


def save(plt: Any, figure: Any, path: Path) -> None:
    """Write a figure, the same bytes for the same figures."""
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


FIGURE: Final = {
    "solver-grid": grid,
    "solver-growth": growth,
    "use-recall": recall,
}
"""What is drawn from which results; each figure is named as the function that draws it."""


def write(draw: Callable[[dict[str, Any], Path], None], figures: dict[str, Any], out: Path) -> None:
    """Draw one figure into a folder, with a mark of its data, and print where it is."""
    out.mkdir(parents=True, exist_ok=True)
    draw(figures, out)
    path = out / f"{draw.__name__}.svg"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("<svg ", f"<!-- {mark(figures)} -->\n<svg ", 1), encoding="utf-8")
    print(path)


def mark(figures: dict[str, Any]) -> str:
    """Return the mark that shows that a figure was drawn from this data."""
    text = json.dumps(figures, sort_keys=True, ensure_ascii=False)
    return f"drawn from data of SHA-256 {hashlib.sha256(text.encode()).hexdigest()}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw all figures whose data is stored."""
    parser = argparse.ArgumentParser(description="Draw the figures of the paper.")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of stored figures")
    parser.add_argument("--out", type=Path, default=FIGURES)
    chosen = parser.parse_args(arguments)
    for name, draw in FIGURE.items():
        source = chosen.results / f"{name}.json"
        if source.exists():
            write(draw, json.loads(source.read_text(encoding="utf-8")), chosen.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
