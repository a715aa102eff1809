"""Texts within a budget: is what the reader needs still there?

    python benches/text_recall.py [--uses FILE] [--outputs FOLDER] [--shares 0.5 0.2 0.1]
                                  [--every N] [--json OUT]

*Uses*: FILE has a JSON record per line: `payload` (the text of a tool result), `tokens`, `kind`,
`source`, `task`, `user` and `said` (the request, and the last words before the call), and `used`,
what the agent used of it later. A use survives if its form is in the text: bounded by characters
that belong to no word, whole lines as they are, runs of words by their words. The figure is the
mean over results of the share of uses that survive, with a 95 % interval over tasks.

*Outputs*: FOLDER has ``NAME.txt``, the output of a tool, and ``labels.json`` with the numbers of
the lines that say the cause of a failure, its location, the summary, and those that look like an
alarm and are none. A line survives if it is in the text, colour codes aside. The figure is the mean
over outputs of the share of lines that survive; of false alarms, less is better.

Each result is cut to a share of its o200k tokens, by mckp without and with the request, by keeping
its head, its tail, or both ends, and by the lines that BM25 ranks first for the same request.
*Behind* is by how much mckp with the request is better, result by result, with its interval.
Without FILE and FOLDER, a few made-up logs are measured, which only shows that the bench runs. The
exit code is 1 if a text exceeds its budget.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import bm25
from cutters import cut_head, recount
from rich.console import Console
from rich.table import Table as Grid
from solver_figures import add_common, store
from use_recall import SHARES, interval

import mckp
from mckp.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Record = dict[str, Any]
    Cut = Callable[[Record, int], str]

FLOOR: Final = 24
"""Tokens that every budget has."""
LONGEST: Final = 24_000
"""Tokens of the longest result that is measured."""
PARTS: Final = ("cause", "location", "summary", "false_alarm")
COLOURS: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
WORDS: Final = re.compile(r"\w+(?:['’.\-/]\w+)*")  # noqa: RUF001


def cut_by_mckp(record: Record, budget: int) -> str:
    """Encode a result without a request."""
    return _encoded(record["payload"], budget)


def cut_by_request(record: Record, budget: int) -> str:
    """Encode a result with the user's request and the agent's last words."""
    request = f"{record.get('user', '')}\n{record.get('said', '')}".strip()
    return _encoded(record["payload"], budget, query=request or None)


def cut_by_bm25(record: Record, budget: int) -> str:
    """Return the lines that BM25 ranks first for the request, in their order."""
    request = f"{record.get('user', '')}\n{record.get('said', '')}"
    (text,) = bm25.cut(record["payload"], request, [budget], recount)
    return str(text)


def _encoded(text: str, budget: int, **settings: Any) -> str:
    try:
        return mckp.encode(text, budget=budget, **settings).text
    except BudgetError:
        return ""


def cut_tail(text: str, budget: int) -> str:
    """Return the end of a text, as much as the budget holds."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if recount(text[middle:]) <= budget else (middle + 1, high)
    return text[low:]


def cut_ends(text: str, budget: int) -> str:
    """Return both ends of a text with a mark between them."""
    if recount(text) <= budget:
        return text
    half = max(1, (budget - 6) // 2)
    return f"{cut_head(text, half)}\n…\n{cut_tail(text, half)}"


ASKED: Final = "mckp, request given"
CUTS: Final[dict[str, Cut]] = {
    "mckp": cut_by_mckp,
    ASKED: cut_by_request,
    "head": lambda record, budget: cut_head(record["payload"], budget),
    "tail": lambda record, budget: cut_tail(record["payload"], budget),
    "both ends": lambda record, budget: cut_ends(record["payload"], budget),
    "BM25, request given": cut_by_bm25,
}


def survives(use: Record, text: str, words: str) -> bool:
    """Say whether a use is in a text; `words` are the text's words with a blank between them.

    Examples
    --------
    >>> survives({"kind": "number", "text": "1200"}, "1,200 rows", "1,200 rows")
    True
    >>> survives({"kind": "token", "text": "port"}, "report", "report")
    False
    """
    form: str = use["text"]
    if use["kind"] == "run":
        return form in words
    if use["kind"] in ("line", "edit", "quote"):
        return form in text
    forms = {form, f"{int(form):,}"} if use["kind"] == "number" and form.isdigit() else {form}
    return any(
        spelling in text and _bounded(spelling).search(text) is not None for spelling in forms
    )


@cache
def _bounded(form: str) -> re.Pattern[str]:
    left = r"(?<!\w)(?<!\d[.,])" if form[0].isdigit() else r"(?<!\w)" if form[0].isalpha() else ""
    right = r"(?!\w|[.,]\d)" if form[-1].isdigit() else r"(?!\w)" if form[-1].isalpha() else ""
    return re.compile(left + re.escape(form) + right)


def words_of(text: str) -> str:
    """Return the words of a text in lower case, with one blank between them."""
    return " ".join(word.lower() for word in WORDS.findall(text))


def use_recall(
    records: Sequence[Record], cut: Cut, share: float, shares: list[float]
) -> dict[str, Any]:
    """Return the figures of one way to cut at one share; `shares` gets each result's recall."""
    seconds: list[float] = []
    used: list[float] = []
    by_kind: dict[str, list[float]] = defaultdict(list)
    by_source: dict[str, list[float]] = defaultdict(list)
    over = 0
    for record in records:
        budget = max(FLOOR, int(record["tokens"] * share))
        began = time.process_time()
        text = cut(record, budget)
        seconds.append(time.process_time() - began)
        tokens, words = recount(text), words_of(text)
        over += tokens > budget
        used.append(tokens / budget)
        kept = [survives(use, text, words) for use in record["used"]]
        shares.append(sum(kept) / len(kept))
        by_kind[record["kind"]].append(shares[-1])
        by_source[record["source"]].append(shares[-1])
    return {
        "recall": _mean(shares),
        "interval": interval(shares, [record["task"] for record in records]),
        "used": _mean(used),
        "over": over,
        "ms": [round(1000 * at(seconds, quantile), 2) for quantile in (0.5, 0.95)],
        "kinds": {kind: [_mean(own), len(own)] for kind, own in sorted(by_kind.items())},
        "sources": {source: [_mean(own), len(own)] for source, own in sorted(by_source.items())},
    }


def at(numbers: Sequence[float], quantile: float) -> float:
    """Return the number that so large a share of all does not exceed."""
    ordered = sorted(numbers)
    return ordered[min(len(ordered) - 1, int(len(ordered) * quantile))]


def _mean(numbers: Sequence[float]) -> float:
    return round(sum(numbers) / max(1, len(numbers)), 4)


def outputs_of(folder: Path) -> Iterator[Record]:
    """Yield each output of a folder with its labels."""
    for name, label in json.loads((folder / "labels.json").read_text("utf-8")).items():
        text = (folder / f"{name}.txt").read_bytes().decode("utf-8")
        yield label | {"name": name, "payload": text, "tokens": recount(text)}


def lines_kept(outputs: Sequence[Record], cut: Cut, share: float) -> dict[str, Any]:
    """Return which share of labelled lines survives one way to cut at one share."""
    kept: dict[str, list[float]] = {part: [] for part in PARTS}
    over = 0
    for output in outputs:
        budget = max(FLOOR, int(output["tokens"] * share))
        text = cut(output, budget)
        over += recount(text) > budget
        left = "\n".join(line.strip() for line in COLOURS.sub("", text).split("\n"))
        lines = [line.strip() for line in COLOURS.sub("", output["payload"]).split("\n")]
        for part, numbers in ((part, output[f"{part}_lines"]) for part in PARTS):
            if numbers:
                own = [lines[number - 1] in left for number in numbers]
                kept[part].append(sum(own) / len(own))
    return {part: _mean(own) for part, own in kept.items()} | {"over": over}


def made_up() -> Iterator[Record]:
    """Yield logs in which one line says why something failed."""
    for seed, at_line in enumerate((5, 40, 90)):
        lines = [f"2026-03-01T10:{n // 60:02}:{n % 60:02}Z INFO job {n}: ok" for n in range(120)]
        lines[at_line] = f"2026-03-01T10:00:00Z ERROR disk full on /srv/{seed}"
        use = {"text": f"/srv/{seed}", "kind": "path"}
        text = "\n".join(lines) + "\n"
        yield {
            "payload": text,
            "tokens": recount(text),
            "used": [use],
            "kind": "log",
            "source": "made up",
            "task": str(seed),
        }


def show(console: Console, title: str, rows: Iterable[tuple[str, Sequence[object]]]) -> None:
    """Print one table."""
    grid = Grid(title=title)
    for number, (name, cells) in enumerate(rows):
        if not number:
            grid.add_column("")
            for head in cells:
                grid.add_column(str(head))
        else:
            grid.add_row(name, *(f"{c:.3f}" if isinstance(c, float) else str(c) for c in cells))
    console.print(grid)


def at_share(records: Sequence[Record], outputs: Sequence[Record], share: float) -> dict[str, Any]:
    """Return the figures of all ways to cut at one share."""
    unasked = {name: cut for name, cut in CUTS.items() if cut is not cut_by_request}
    recalls: dict[str, list[float]] = {name: [] for name in CUTS}
    uses = {name: use_recall(records, cut, share, recalls[name]) for name, cut in CUTS.items()}
    tasks = [record["task"] for record in records]
    for name, of_rival in recalls.items():
        ahead = [ours - own for ours, own in zip(recalls[ASKED], of_rival, strict=True)]
        uses[name]["behind"] = {"difference": _mean(ahead), "interval": interval(ahead, tasks)}
    return {
        "uses": uses,
        "outputs": {name: lines_kept(outputs, cut, share) for name, cut in unasked.items()},
    }


def tell(console: Console, share: float, figures: dict[str, Any]) -> None:
    """Print the figures of one share."""
    heads = ("recall", "interval", "used", "over", "ms")
    rows: list[tuple[str, Sequence[object]]] = []
    for name, numbers in figures["uses"].items():
        behind = numbers["behind"]
        more = f"{behind['difference']:.3f} {behind['interval']}"
        rows.append((name, [*(numbers[head] for head in heads), more]))
    show(console, f"use recall at {share:.0%}", [("", (*heads, "behind")), *rows])
    rows = [(name, [*numbers.values()]) for name, numbers in figures["outputs"].items()]
    show(console, f"labelled lines at {share:.0%}", [("", (*PARTS, "over")), *rows])


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and store; 1 if a text of mckp exceeds its budget."""
    parser = argparse.ArgumentParser(description="Measure what is left of texts within a budget.")
    add_common(parser)
    parser.add_argument("--uses", type=Path, metavar="FILE")
    parser.add_argument("--outputs", type=Path, metavar="FOLDER")
    parser.add_argument("--shares", nargs="+", type=float, default=list(SHARES))
    parser.add_argument("--every", type=int, default=1, help="take one result in so many")
    chosen = parser.parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 140)
    given: Path | None = chosen.uses
    lines = [] if given is None else given.read_text("utf-8").splitlines()
    records: list[Record] = [json.loads(line) for line in lines] or [*made_up()]
    records = [record for record in records if record["tokens"] <= LONGEST][:: chosen.every]
    outputs = [*outputs_of(chosen.outputs)][:: chosen.every] if chosen.outputs else []
    records, outputs = (
        subjects_read[: 5 if chosen.quick else None] for subjects_read in (records, outputs)
    )
    figures: dict[str, Any] = {"results": len(records), "outputs": len(outputs), "shares": {}}
    for share in chosen.shares:
        figures["shares"][str(share)] = at_share(records, outputs, share)
        tell(console, share, figures["shares"][str(share)])
    if chosen.json:
        store(chosen.json, figures)
    measures = [by_writer for share in figures["shares"].values() for by_writer in share.values()]
    return int(
        any(
            by_writer[name]["over"]
            for by_writer in measures
            for name in by_writer
            if "mckp" in name
        )
    )


if __name__ == "__main__":
    sys.exit(main())
