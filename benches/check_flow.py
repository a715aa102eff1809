"""Hold what encoding promises against real documents, and count what breaks it.

    python benches/check_flow.py RESPONSES [SETS ...] [--checks worth used bytes totals]
                                 [--every N] [--triples 3000] [--quick] [--json OUT]

reads files and folders as `bench_formats` does, of folders the ``tok_*.json`` alone. The checks:

worth
    No larger budget gives less worth. A *triple* is a document and two budgets, drawn at random,
    every second time close together; each text is within its budget, and is read back.
used
    How much of the budget is used at half and a fifth of the tokens of compact JSON, over documents
    of 200 tokens or more of which something was cut, and on which too little is, while all of a
    thing that was cut would have fitted. Where but a part of it would have, taking all parts of a
    cut for equal, is told and not judged.
bytes
    The same bytes (`same_bytes`): in other processes, after other documents, in threads, with other
    seeds of hashes, with what Numba kept and without.
totals
    The tokens of all texts without a budget are those of `results/formats-*.json`, or fewer.

The exit code tells of a violation. Goals that are means are judged only if no document is left out.
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from bench_formats import Document, documents
from cutters import recount
from fresh import add_place, place_of
from leaves import kept
from rich.console import Console
from rich.progress import track
from same_bytes import check_bytes
from solver_figures import add_common, store, stored

import mckp
from mckp.jsontext import canonical, dump

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SHARES: Final = (0.5, 0.2)
LEAST: Final = 200
"""Tokens of compact JSON from which on the use of a budget is measured."""
TRIPLES: Final = 3000
CLOSE: Final = 40
"""Tokens that two budgets are apart at most every second time."""
MEAN_USED: Final = 0.97
TENTH_USED: Final = 0.93
LITTLE: Final = 0.85
"""Documents below this share of the budget are listed."""
MORE: Final = 1.005
"""How much more than stored all texts may take together."""
LEVELS: Final = ("native", "dense")
BYTES: Final = 200
"""Documents of the check of bytes."""
LISTED: Final = 10


@dataclass
class Told:
    """What a check found.

    Attributes
    ----------
    figures
        What is stored and printed.
    wrong
        What breaks a promise.
    """

    figures: dict[str, Any]
    wrong: list[str] = field(default_factory=list["str"])


@dataclass(frozen=True)
class Asked:
    """What is checked, and how much of it.

    Attributes
    ----------
    documents
        All of them.
    every
        One document in so many is taken; 1 takes all.
    triples, seed
        How many pairs of budgets are drawn, and from which seed.
    """

    documents: Sequence[Document]
    every: int
    triples: int
    seed: int

    @property
    def taken(self) -> Sequence[Document]:
        """The documents that are taken."""
        return self.documents[:: self.every]

    def tracked(self, what: str) -> Iterator[Document]:
        """Yield them with a bar of progress."""
        yield from track(self.taken, what, console=Console(stderr=True))


def _within(document: Document, budget: int, wrong: list[str]) -> mckp.Result | None:
    """Encode within a budget, and note what the result breaks; None if nothing fits."""
    where = f"{document.name} at {budget}"
    try:
        result = mckp.encode(document.value, budget=budget)
    except mckp.BudgetError as error:
        if error.floor <= budget:
            wrong.append(f"{where}: refused, though {error.floor} would do")
        return None
    counted = recount(result.text)
    if not result.tokens == counted <= budget:
        wrong.append(f"{where}: {result.tokens} tokens told, {counted} counted")
    found = kept(document.value, mckp.decode(result.text), result)
    if not found.faithful:
        wrong.append(f"{where}: read as something else than the result says")
    return result


def check_worth(asked: Asked) -> Told:
    """Draw pairs of budgets, and compare what the larger one keeps."""
    random, told = Random(asked.seed), Told({})
    each = -(-asked.triples // max(1, len(asked.taken)))
    done = refused = 0
    for document in asked.tracked("worth"):
        whole = max(2, recount(dump(document.value)))
        for number in range(each):
            low = max(1, int(whole * math.exp(random.uniform(-3, 0))))
            apart = random.randint(1, CLOSE if number % 2 else whole)
            less, more = (_within(document, budget, told.wrong) for budget in (low, low + apart))
            done, refused = done + 1, refused + (less is None)
            where = f"{document.name} at {low} and {low + apart}"
            if less and more is None:
                told.wrong.append(f"{where}: the larger budget is refused")
            if less and more and more.value < less.value - 1e-9 * max(1.0, abs(less.value)):
                told.wrong.append(f"{where}: worth {less.value:g}, then {more.value:g}")
    told.figures = {"triples": done, "refused": refused}
    return told


def check_used(asked: Asked) -> Told:
    """Measure how much of budgets is used, and why not more."""
    told = Told({})
    for share in SHARES:
        used: list[float] = []
        little: list[str] = []
        partly: list[str] = []
        proved = refused = whole = 0
        for document in asked.tracked(f"used at {share:.0%}"):
            tokens = recount(dump(document.value))
            if tokens < LEAST:
                continue
            budget = int(tokens * share)
            result = _within(document, budget, told.wrong)
            if result is None or not result.elided:
                refused, whole = refused + (result is None), whole + (result is not None)
                continue
            used.append(result.tokens / budget)
            proved += result.status == "optimal"
            left = budget - result.tokens
            where = f"{document.name}: {used[-1]:.3f}, {left} left"
            cuts = [cut for cut in result.elided if cut.tokens > 0]
            if used[-1] < LITTLE and cuts:
                least = min(cut.tokens for cut in cuts)
                part = min(cut.tokens / cut.count for cut in cuts)
                if least <= left:
                    little.append(f"{where}, {least} would fit")
                elif part <= left:
                    partly.append(f"{where}, {part:.1f} a part")
        found = _spread(used) | {"refused": refused, "whole": whole, "proved": proved}
        found["little, where parts would fit in the mean"] = partly
        told.figures[str(share)] = found | {"too little": little}
        told.wrong += [f"used at {share}: {line}" for line in little]
        if used and asked.every == 1:
            for name, goal in (("mean", MEAN_USED), ("p10", TENTH_USED)):
                if found[name] < goal:
                    told.wrong.append(f"used at {share}: {name} {found[name]} below {goal}")
    return told


def _spread(used: Sequence[float]) -> dict[str, Any]:
    """Return how many there are, their mean, and their tenth percentile, which is one of them.

    Examples
    --------
    >>> _spread([1.0, 0.5])
    {'documents': 2, 'mean': 0.75, 'p10': 0.5}
    """
    ranked = sorted(used)
    mean = round(math.fsum(ranked) / len(ranked), 4) if ranked else None
    tenth = round(ranked[-(-len(ranked) // 10) - 1], 4) if ranked else None
    return {"documents": len(ranked), "mean": mean, "p10": tenth}


def check_totals(asked: Asked) -> Told:
    """Add up the tokens of all texts without a budget, set by set, beside the stored totals."""
    told = Told({})
    known: dict[str, Any] = {}
    for name in ("formats-corpus.json", "formats-samples.json"):
        known |= stored(name)["tokenizers"]["o200k"]
    for level in LEVELS:
        sums: dict[str, list[int]] = {}
        for document in asked.tracked(f"totals, {level}"):
            own = sums.setdefault(document.set, [0, 0])
            text = mckp.encode(document.value, formats=level).text
            if canonical(mckp.decode(text)) != canonical(document.value):
                told.wrong.append(f"{document.name}, {level}: does not read back")
            compact = recount(dump(document.value))
            tokens = recount(text)
            if tokens > compact:
                told.wrong.append(f"{document.name}, {level}: {tokens} above compact {compact}")
            own[0], own[1] = own[0] + compact, own[1] + tokens
        for name, (compact, tokens) in sums.items():
            own_figures: dict[str, Any] = {"json": compact, "tokens": tokens}
            before = known.get(name, {}).get("formats", {})
            if before and before["json"]["tokens"] == compact:
                stood = before[f"mckp {level}"]["tokens"]
                own_figures |= {"stored": stood, "ratio": round(tokens / stood, 4)}
                if tokens > MORE * stood:
                    told.wrong.append(f"{name}, {level}: {tokens:,} tokens, {stood:,} stored")
            told.figures[f"{name}, {level}"] = own_figures
    return told


CHECKS: Final[dict[str, Callable[[Asked], Told]]] = {
    "worth": check_worth,
    "used": check_used,
    "totals": check_totals,
}


def read(paths: Sequence[Path]) -> list[Document]:
    """Return the documents of files, and of the ``tok_*.json`` of folders."""
    files = [
        file
        for path in paths
        for file in (sorted(path.glob("tok_*.json")) if path.is_dir() else [path])
    ]
    return list(documents(files))


def show(console: Console, name: str, told: Told) -> None:
    """Print what a check found."""
    console.rule(name)
    for key, found in told.figures.items():
        console.print(f"{key}: {found}", markup=False, highlight=False, soft_wrap=True)
    for line in told.wrong[:LISTED]:
        console.print(f"wrong: {line}", markup=False, highlight=False, soft_wrap=True)
    console.print(f"{name}: {len(told.wrong)} violations")


def main(arguments: Sequence[str] | None = None) -> int:
    """Check; 1 if something is violated."""
    names = [*CHECKS, "bytes"]
    parser = argparse.ArgumentParser(description="Hold what encoding promises against documents.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    add_common(parser)
    add_place(parser)
    parser.add_argument("--checks", nargs="+", choices=names, default=names)
    parser.add_argument("--every", type=int, default=1, help="take one document in so many")
    parser.add_argument("--triples", type=int, default=TRIPLES, help="pairs of budgets in all")
    parser.add_argument("--bytes", type=int, default=BYTES, help="documents of the check of bytes")
    parser.add_argument("--seed", type=int, default=0, help="of the pairs of budgets")
    chosen = parser.parse_args(arguments)
    every, triples = (7, 4) if chosen.quick else (chosen.every, chosen.triples)
    asked = Asked(read(chosen.paths), every, triples, chosen.seed)
    console = Console(width=None if sys.stdout.isatty() else 160)
    found: dict[str, Told] = {}
    for name in chosen.checks:
        if name == "bytes":
            most = 2 if chosen.quick else chosen.bytes
            own = check_bytes(asked.taken, most, place_of(chosen), quick=chosen.quick)
            found[name] = Told(*own)
        else:
            found[name] = CHECKS[name](asked)
        show(console, name, found[name])
    sizes = {"documents": len(asked.documents), "every": every, "seed": chosen.seed}
    checks = {name: {"wrong": told.wrong} | told.figures for name, told in found.items()}
    store(chosen.json, sizes | {"checks": checks})
    return 1 if any(told.wrong for told in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
