"""Hints against questions asked again: how often an agent has to fetch what was cut.

    python benches/followups.py [--corpus DIR ...] [--json OUT]

An agent gets a document within a budget and a question (`mckp.accuracy`). If the text does not
answer it, the agent fetches more, in pages of the same budget. This is simulated; no model is
asked. Four agents read the same text:

*hinted* heeds the notes in it. It fetches what a note says is missing where its question is
about, and nothing if no such note stands there; each of them is a call of its own. *batched* does
the same with one call for several notes, if its tool takes that.

*wary* sees no notes, and knows that documents may be cut. Unless it has found the one value that
it looks for, it reads on through the whole document, page by page.

*trusting* sees no notes either, and takes what it sees for all there is. It only fetches more,
page by page until it finds it, if it finds no answer at all.

Fewer follow-ups are worth something only if the answers are right; so both are told.
"""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid
from solver_figures import fill, store
from subjects import chosen, options

import mckp
from mckp import tokenizers
from mckp.accuracy import Question, is_right, left_of, questions
from mckp.accuracy.query import OF_VALUES, UNKNOWN, Field, Query, Record, at, records
from mckp.accuracy.replies import spelled
from mckp.encoders.hints import NOTES, read_overflow
from mckp.encoders.scalars import ABSENT
from mckp.jsontext import dump

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bench_formats import Document

    from mckp.paths import Path
    from mckp.result import Elided

SHARES: Final = (0.5, 0.2, 0.1)
EACH: Final = 6
LEVEL: Final = "native"
LINES: Final = frozenset({"rows", "items", "fields"})
ROUNDS: Final = 5
DRAWS: Final = 4000
ONE: Final = frozenset({"value", "has", "size"})
"""What is asked of one record."""


@dataclass(frozen=True, slots=True)
class Case:
    """A document within a budget, and what it takes to fetch more of it.

    Attributes
    ----------
    value
        The data.
    elided : tuple of Elided
        What is cut.
    budget, tokens : int
        Tokens of a page, and of the whole document at the same level.
    hints : int
        Tokens of the notes.
    """

    value: Any
    elided: tuple[Elided, ...]
    budget: int
    tokens: int
    hints: int

    def left(self, cuts: Iterable[Elided] | None = None) -> Any:
        """Return what is there while some cuts are not undone."""
        return left_of(self.value, self.elided if cuts is None else cuts).data

    def pages(self, tokens: int) -> int:
        """Return how many calls it takes to fetch so much."""
        return max(1, ceil(tokens / self.budget))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a question: calls, tokens that were fetched, and whether it was right."""

    calls: int
    tokens: int
    right: bool


def hinted(case: Case, question: Question, batched: bool = False) -> Outcome:
    """Fetch what notes say is missing, as long as any of it matters."""
    left, calls, tokens = list(case.elided), 0, 0
    for _ in range(ROUNDS):
        wanted = relevant(question.query, case, left)
        if not wanted:
            break
        sizes = [cut.tokens for cut in wanted]
        tokens += sum(sizes)
        calls += sum(map(case.pages, [sum(sizes)] if batched else sizes))
        left = [cut for cut in left if cut not in wanted]
    return Outcome(calls, tokens, _right(question, case.left(left)))


def wary(case: Case, question: Question) -> Outcome:
    """Read the whole document, unless the one value that is asked for is there."""
    found = case.left()
    one = question.query.ask in ONE or question.query.ask == "scalar"
    if one and answer(question, found) is not UNKNOWN:
        return Outcome(0, 0, _right(question, found))
    return Outcome(case.pages(case.tokens), case.tokens, True)


def trusting(case: Case, question: Question) -> Outcome:
    """Read on only if there is no answer, up to the page that it stands on."""
    found = case.left()
    if answer(question, found) is not UNKNOWN:
        return Outcome(0, 0, _right(question, found))
    pages = case.pages(case.tokens)
    read = max(1, ceil(pages * _depth(question.query, case.value)))
    return Outcome(read, min(case.tokens, read * case.budget), True)


AGENTS: Final[dict[str, Callable[[Case, Question], Outcome]]] = {
    "hinted": hinted,
    "batched": partial(hinted, batched=True),
    "wary": wary,
    "trusting": trusting,
}


def answer(question: Question, data: Any) -> Any:
    """Return what data answers."""
    return UNKNOWN if data is ABSENT else question.query.answer(data)


def relevant(query: Query, case: Case, cuts: Sequence[Elided]) -> list[Elided]:
    """Return the cuts whose notes stand where a question is about, as far as a reader can see."""
    left = case.left(cuts)
    table = ABSENT if left is ABSENT else at(left, query.at)
    if table is ABSENT:
        return [cut for cut in cuts if _is_prefix(cut.path, query.at)]
    around = [cut for cut in cuts if _is_prefix(cut.path, query.at) and cut.kind in NOTES]
    rows = [cut for cut in cuts if cut.path == query.at and cut.kind in LINES]
    if query.ask in OF_VALUES:
        return rows + (around if query.ask != "records" else [])
    kept = _named(case.value, query.at, rows, table)
    lacking, is_found = _lacking(query, kept)
    inside = [cut for cut in cuts if len(cut.path) > len(query.at) and cut not in rows]
    deeper = [cut for cut in inside if cut.path[: len(query.at) + 1] in lacking]
    needs_rows = [] if is_found else rows
    return needs_rows + (around + deeper if lacking or not kept else [])


def _named(value: Any, path: Path, rows: Sequence[Elided], table: Any) -> dict[Path, Record]:
    """Return the records that are left, by where they stand in the whole data."""
    gone = {key for cut in rows for key in cut.keys}
    names = (each.name for each in records(at(value, path)) if each.name not in gone)
    return {(*path, name): each for name, each in zip(names, records(table), strict=False)}


def _lacking(query: Query, kept: dict[Path, Record]) -> tuple[set[Path], bool]:
    """Return records that a reader has to know more of, and whether it needs no others."""
    fields = [field for field in (*(t.field for t in query.tests), query.field) if field]
    if query.ask not in ONE:
        return {path for path, each in kept.items() if _lacks(each, fields)}, False
    found = {p: each for p, each in kept.items() if all(t.holds(each) for t in query.tests)}
    if not found:
        return {path for path, each in kept.items() if _lacks(each, fields[:1])}, False
    short = query.ask == "size"  # a shorter text looks like a whole one
    return {path for path, each in found.items() if short or _lacks(each, fields)}, True


def _lacks(record: Record, fields: Iterable[Field]) -> bool:
    return any(record.get(field) is ABSENT for field in fields)


def _is_prefix(path: Path, of: Path) -> bool:
    return of[: len(path)] == path


def _right(question: Question, data: Any) -> bool:
    return is_right(spelled(answer(question, data)), question.gold, question.type)


def _depth(query: Query, data: Any) -> float:
    """Return how far into a document an answer stands, as a share of its table; 1 for none."""
    rows = list(records(at(data, query.at)))
    chosen = [i for i, each in enumerate(rows) if all(test.holds(each) for test in query.tests)]
    return (chosen[0] + 1) / len(rows) if query.tests and chosen and rows else 1.0


def cases(document: Document, share: float) -> Case | None:
    """Return a document within a budget, None if it fits or nothing does."""
    count = tokenizers.get("o200k").count
    budget = int(share * count(dump(document.value)))
    try:
        # What stored figures tell of keeps as many leaves as it can.
        result = mckp.encode(document.value, budget=budget, formats=LEVEL, weights="facts")
    except mckp.BudgetError:
        return None
    whole = result.at(None).tokens
    notes = (line for line in result.text.split("\n") if read_overflow(line.strip()))
    hints = sum(count(line + "\n") for line in notes)
    return Case(document.value, result.elided, budget, whole, hints) if result.elided else None


def measure(found: Sequence[Document], each: int) -> list[dict[str, Any]]:
    """Return a row for each document, budget, question and agent."""
    rows: list[dict[str, Any]] = []
    for document in track(found, "Documents", console=Console(stderr=True)):
        asked = questions(document.value, each=each, name=document.name)
        for share in SHARES:
            if (case := cases(document, share)) is not None:
                rows += _rows(document, share, case, asked)
    return rows


def _rows(
    document: Document, share: float, case: Case, asked: Iterable[Question]
) -> Iterable[dict[str, Any]]:
    for question in asked:
        for name, agent in AGENTS.items():
            outcome = agent(case, question)
            yield {
                "document": document.name,
                "share": share,
                "kind": question.kind,
                "agent": name,
                "calls": outcome.calls,
                "tokens": outcome.tokens,
                "right": outcome.right,
                "hints": case.hints,
            }


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the means of each agent, and what hints change beside each of the others."""
    agents = {name: _mean([row for row in rows if row["agent"] == name]) for name in AGENTS}
    return {
        "questions": agents["hinted"]["questions"],
        "documents": len({row["document"] for row in rows}),
        "agents": agents,
        "fewer calls": {
            agent: {other: _fewer(rows, agent, other) for other in ("wary", "trusting")}
            for agent in ("hinted", "batched")
        },
        "fewer calls where the trusting agent is right": {
            agent: _fewer(_right_rows(rows), agent, "trusting") for agent in ("hinted", "batched")
        },
    }


def _mean(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    means = {
        what: round(statistics.fmean(row[what] for row in rows), 4)
        for what in ("calls", "tokens", "right", "hints")
    }
    asked_again = round(statistics.fmean(row["calls"] > 0 for row in rows), 4)
    return {"questions": len(rows), "asked again": asked_again} | means


def _right_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of questions that the trusting agent gets right."""
    size = len(AGENTS)
    groups = [rows[i : i + size] for i in range(0, len(rows), size)]
    return [row for group in groups if group[-1]["right"] for row in group]


def _fewer(rows: Sequence[dict[str, Any]], agent: str, other: str) -> dict[str, Any]:
    """Return the share of calls that hints save, with an interval from drawing documents."""
    names = list(dict.fromkeys(row["document"] for row in rows))
    sums = np.zeros((len(names), 2))
    for row in rows:
        if row["agent"] in (agent, other):
            sums[names.index(row["document"]), int(row["agent"] == other)] += row["calls"]
    return saving(sums)


def saving(sums: Any, seed: int = 1) -> dict[str, Any]:
    """Return ``1 - a / b`` of two columns of sums with an interval of 95 %; None where b is 0."""
    total = sums.sum(axis=0)
    if not total[1]:
        return {"share": None, "interval": None}
    drawn = np.random.default_rng(seed).integers(0, len(sums), (DRAWS, len(sums)))
    found = sums[drawn].sum(axis=1)
    found = found[found[:, 1] > 0]
    low, high = np.quantile(1 - found[:, 0] / found[:, 1], [0.025, 0.975])
    share = round(float(1 - total[0] / total[1]), 4)
    return {"share": share, "interval": [round(float(low), 4), round(float(high), 4)]}


def show(console: Console, found: dict[str, Any]) -> None:
    """Print the means by budget."""
    for share, own in found.items():
        heads = ["questions", "asked again", "calls", "tokens", "right", "hints"]
        grid = Grid("agent", *heads, title=f"{share} of the tokens, {own['documents']} documents")
        rows = ([name, *(mean[head] for head in heads)] for name, mean in own["agents"].items())
        console.print(fill(grid, rows))
        console.print({key: value for key, value in own.items() if key.startswith("fewer")})


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure."""
    told = options("Simulate agents that ask again.").parse_args(arguments)
    rows = measure(chosen(told), 2 if told.quick else EACH)
    found = {f"{share:.0%}": [row for row in rows if row["share"] == share] for share in SHARES}
    result = {name: summary(own) for name, own in found.items() if own}
    result["all"] = summary(rows)
    show(Console(width=None if sys.stdout.isatty() else 120), result)
    store(told.json, {"level": LEVEL, "budgets": result})
    return 0


if __name__ == "__main__":
    sys.exit(main())
