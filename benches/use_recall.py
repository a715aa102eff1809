"""Use recall: of what agents used later of a tool result, how much is left within a budget?

    python benches/use_recall.py [PATH ...] [--weights facts MODULE:CALLABLE] [--shares 0.5 0.2 0.1]
                                 [--source NAME] [--every N] [--rivals NAME ...]
                                 [--processes N] [--json OUT]

PATH is a file or folder of recorded runs, in which what was used is found (`uses`), or of records
of such uses; without any, runs are made up. A budget is a share of the tokens of compact JSON, and
never below 24. All rivals (`recall_rivals`) have the same budget; where one writes more, its text
is cut off at the end, which is counted as *over*.

*Recall* is the mean over results of the share of uses that survive, with a 95 % bootstrap interval
over tasks, and *behind* by how much the first rival is better, with its interval, result by result;
*all* is the share of results of which every use survives. Of what mckp writes a use
survives if the text, decoded, has the value at one of its places, whatever the indexes, as cut
arrays have others. Nothing decodes the texts of rivals, so there it is enough that the form of the
value is anywhere in the text, as it is or escaped; *in text* is that easier measure for all.
*Worth* is that of a text of mckp as a share of the worth of the whole document: what a solver
maximises, and *one line* the share of its tokens in one-line notation: the less, the more is read
with ease. *Used* and its tenth percentile are shares of the budget, over the results that are not
left whole; one that is *refused* keeps and uses nothing. The exit code is 1 for a text of mckp over
its budget.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import uses
from cutters import cut_head, recount
from leaves import leaves
from recall_rivals import Rival, encoded, rivals
from rich.console import Console
from rich.table import Table as Grid
from samples import samples
from solver_figures import add_common, installed, store, tenth

import mckp
from mckp.agents.telemetry.uses import still_has, survivals
from mckp.jsontext import dump

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    Record = dict[str, Any]

SHARES: Final = (0.5, 0.2, 0.1)
FLOOR: Final = 24
"""Tokens that every budget has."""
DRAWS: Final = 2000
"""Samples of tasks that intervals are made from."""
PEERS: Final = ("cendor-squeeze", "headroom-ai", "tool-result-size-governor", "tooltrim")


@dataclass(frozen=True)
class Outcome:
    """What is left of one result within one budget.

    Attributes
    ----------
    kept, named : tuple of bool
        For each use whether it survives, and whether its form is in the text.
    used : float
        Tokens of the text as a share of the budget.
    whole, over, refused : bool
        Whether the text says all of the payload, was cut off to keep to the budget, or is missing.
    worth, on_lines : float, optional
        Of a text of mckp, its worth as a share of that of the whole document, and the share of its
        tokens that are in one-line notation.
    """

    kept: tuple[bool, ...]
    named: tuple[bool, ...]
    used: float
    whole: bool = False
    over: bool = False
    refused: bool = False
    worth: float | None = None
    on_lines: float | None = None

    @property
    def share(self) -> float:
        """The share of the uses that survive."""
        return sum(self.kept) / len(self.kept)


def records(paths: Iterable[Path]) -> list[Record]:
    """Return the records of files and folders, whether runs or records; made up without any."""
    given = list(paths)
    every_record = uses.read(given) if given else _made_up()
    return [record for record in every_record if record["used"]]


def _made_up() -> Iterator[Record]:
    """Find the uses of an agent that gets made-up documents and then asks for a few values."""
    for seed in (1, 2, 3):
        for name, value in samples(seed):
            asked = {f"about {n}": leaf for n, (_, leaf) in enumerate(leaves(value)) if n % 23 == 3}
            own: list[Any] = []
            for number, given in enumerate(({"name": name}, asked)):
                call = {"name": "get", "arguments": dump(given)}
                own.append({"role": "assistant", "tool_calls": [{"id": number, "function": call}]})
                own.append({"role": "tool", "tool_call_id": number, "content": dump(value)})
            yield from uses.found_in(own[:-1], "samples", f"samples/{name}-{seed}")


def named(record: Record, text: str) -> list[bool]:
    """Return for each use whether it is in a text, wherever, as it is or escaped as JSON."""
    return [still_has(text, use) for use in record["used"]]


def fitted(rival: Rival, record: Record, budget: int) -> Outcome:
    """Let a rival write a result within a budget, and look for what was used of it."""
    payload = record["payload"]
    try:
        text, worth, on_lines = rival.write(payload, budget, record)
    except mckp.BudgetError:
        nothing = (False,) * len(record["used"])
        return Outcome(nothing, nothing, 0.0, refused=True)
    tokens = recount(text)
    if over := tokens > budget:
        text = cut_head(text, budget)
        tokens = recount(text)
    in_text = tuple(named(record, text))
    kept, whole = in_text, False
    if rival.reads and not over:
        decoded = mckp.decode(text)
        kept, whole = tuple(survivals(record["used"], decoded)), decoded == payload
    return Outcome(kept, in_text, tokens / budget, whole, over, False, worth, on_lines)


def recall(record: Record, budget: int, **settings: Any) -> Outcome:
    """Return what `mckp.encode` with these settings keeps of what was used.

    Examples
    --------
    >>> use = {"value": "Ann", "form": "Ann", "paths": [["name"]]}
    >>> record = {"payload": {"id": None, "name": "Ann"}, "used": [use]}
    >>> recall(record, 24).share
    1.0
    """
    return fitted(Rival("mckp", partial(encoded, **settings), True), record, budget)


def budget_of(record: Record, share: float) -> int:
    """Return the budget of a result."""
    return max(FLOOR, int(record["tokens"] * share))


def measure(every: Sequence[Rival], shares: Sequence[float], record: Record) -> list[list[Outcome]]:
    """Return what each rival keeps of a result, for each share of its tokens."""
    return [
        [fitted(rival, record, budget_of(record, share)) for rival in every] for share in shares
    ]


@contextmanager
def progress(state: Callable[[], str]) -> Generator[None]:
    """Tell every second or two how far the work within is."""
    ended, begin = threading.Event(), time.monotonic()

    def tell() -> None:
        while not ended.wait(1.5):
            print(f"{state()} in {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def measured(
    every: Sequence[Rival], shares: Sequence[float], every_record: Sequence[Record], processes: int
) -> list[list[list[Outcome]]]:
    """Return what `measure` does for each record, in their order."""
    work, rows = partial(measure, every, shares), list[list[list[Outcome]]]()
    with progress(lambda: f"{len(rows)} of {len(every_record)} results"):
        if processes <= 1:
            for record in every_record:
                rows.append(work(record))
        else:
            # Processes that are copied from one with threads may hang.
            with multiprocessing.get_context("spawn").Pool(processes) as pool:
                for row in pool.imap(work, every_record):
                    rows.append(row)
    return rows


def interval(shares: Sequence[float], tasks: Sequence[str]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean over results, drawing whole tasks.

    Examples
    --------
    >>> interval([0.0, 1.0, 0.5], ["a", "a", "b"])
    (0.5, 0.5)
    """
    numbers = {task: number for number, task in enumerate(dict.fromkeys(tasks))}
    own = [numbers[task] for task in tasks]
    sums, sizes = np.bincount(own, weights=shares), np.bincount(own)
    drawn = np.random.default_rng(0).integers(0, sums.size, (DRAWS, sums.size))
    low, high = np.quantile(sums[drawn].sum(1) / sizes[drawn].sum(1), (0.025, 0.975))
    return round(float(low), 4), round(float(high), 4)


def summary(
    every_record: Sequence[Record], outcomes: Sequence[Outcome], first: Sequence[Outcome]
) -> dict[str, Any]:
    """Return the figures of one rival at one share, beside those of the first rival."""
    shares, tasks = (
        [outcome.share for outcome in outcomes],
        [record["task"] for record in every_record],
    )
    ahead = [outcome.share - share for outcome, share in zip(first, shares, strict=True)]
    used = [outcome.used for outcome in outcomes if not outcome.whole]
    by_source: dict[str, list[float]] = {}
    for record, share in zip(every_record, shares, strict=True):
        by_source.setdefault(record["source"], []).append(share)
    return {
        "recall": _mean(shares),
        "interval": interval(shares, tasks),
        "behind": {"difference": _mean(ahead), "interval": interval(ahead, tasks)},
        "all": _mean([float(share == 1) for share in shares]),
        "worth": _mean([outcome.worth for outcome in outcomes if outcome.worth is not None]),
        "one line": _mean(
            [outcome.on_lines for outcome in outcomes if outcome.on_lines is not None]
        ),
        "in text": _mean([sum(outcome.named) / len(outcome.named) for outcome in outcomes]),
        "used": _mean(used),
        "used p10": tenth(sorted(used, reverse=True)),
        "over": sum(outcome.over for outcome in outcomes),
        "refused": sum(outcome.refused for outcome in outcomes),
        "sources": {
            source: _mean(source_shares) for source, source_shares in sorted(by_source.items())
        },
    }


def _mean(numbers: Sequence[float]) -> float | None:
    return round(sum(numbers) / len(numbers), 4) if numbers else None


def show(console: Console, figures: dict[str, Any]) -> None:
    """Print a table for each share, the sources at its right."""
    for share, by_rival in figures["shares"].items():
        title = f"use recall of {figures['results']} results at {float(share):.0%} of their tokens"
        first = next(iter(by_rival.values()))
        heads = [head for head in first if head not in ("interval", "behind", "sources")]
        sources = list(figures["sources"])
        grid = Grid("", heads[0], "95 %", *heads[1:], *sources, title=title)
        for name, numbers in by_rival.items():
            low, high = numbers["interval"]
            cells = [_cell(numbers[head]) for head in heads]
            by_source = (_cell(numbers["sources"][source]) for source in sources)
            grid.add_row(name, cells[0], f"{low:.3f}–{high:.3f}", *cells[1:], *by_source)  # noqa: RUF001
        console.print(grid)


def _cell(value: float | None) -> str:
    return f"{value:.3f}" if isinstance(value, float) else "" if value is None else str(value)


def weights_of(name: str) -> Any:
    """Return what a name of weights stands for: itself, several by commas, or a callable."""
    module, _, attribute = name.partition(":")
    if attribute:
        sys.path.insert(0, "")  # modules of the current folder, as for python -m
        return getattr(importlib.import_module(module), attribute)
    return name.split(",") if "," in name else name


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return what to measure."""
    parser = argparse.ArgumentParser(description="Measure what is left of what agents used later.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    add_common(parser)
    parser.add_argument("--weights", nargs="+", default=[], metavar="NAME|MODULE:CALLABLE")
    parser.add_argument("--formats", nargs="+", metavar="LEVEL", help="as for mckp.encode")
    parser.add_argument("--shares", nargs="+", type=float, default=list(SHARES))
    parser.add_argument("--source", help="take the results of this one alone")
    parser.add_argument("--every", type=int, default=1, help="take one result in so many")
    parser.add_argument("--rivals", nargs="+", metavar="NAME", help="those alone, by their names")
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison; 1 if mckp breaks a budget."""
    chosen = parsed(arguments)
    console = Console(width=None if sys.stdout.isatty() else 180)
    with progress(lambda: "reading"):
        chosen_records = records(chosen.paths)
    every_record = chosen_records
    chosen_records = [
        record for record in chosen_records if chosen.source in (None, record["source"])
    ]
    chosen_records = chosen_records[:: chosen.every][: 5 if chosen.quick else None]
    if not chosen_records:
        raise SystemExit("there is no result of which something was used")
    settings = {"formats": chosen.formats} if chosen.formats else {}
    from fit_salience import of_other_sources  # which measures by this module

    models = [weights_of(name) for name in chosen.weights]
    every, skipped = rivals(chosen.weights, settings, models, of_other_sources(every_record))
    every = [rival for rival in every if chosen.rivals is None or rival.name in chosen.rivals]
    for line in skipped:
        console.print(line)
    rows = measured(every, chosen.shares, chosen_records, 1 if chosen.quick else chosen.processes)
    shares: dict[str, dict[str, Any]] = {}
    is_wrong = False
    for at, share in enumerate(chosen.shares):
        shares[str(share)] = {}
        for number, rival in enumerate(every):
            outcomes = [row[at][number] for row in rows]
            first = [row[at][0] for row in rows]
            shares[str(share)][rival.name] = summary(chosen_records, outcomes, first)
            is_wrong |= rival.reads and any(outcome.over for outcome in outcomes)
    figures: dict[str, Any] = {
        "results": len(chosen_records),
        "tasks": len({record["task"] for record in chosen_records}),
        "uses": sum(len(record["used"]) for record in chosen_records),
        "sources": dict(sorted(Counter(record["source"] for record in chosen_records).items())),
        "libraries": {name: version for name in PEERS if (version := installed(name))},
        "shares": shares,
    }
    show(console, figures)
    store(chosen.json, figures)
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
