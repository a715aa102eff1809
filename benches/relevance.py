"""Relevance: of what a question needs, how much is left in a text within a budget?

    python benches/relevance.py DATA [--sets NAME ...] [--half dev|held] [--limit N] [--json OUT]

DATA is a folder with public sets that are fetched by hand, as they may not be passed on; a set that
is not there is skipped:

    chats   locomo10.json of snap-research/LoCoMo: all evidence turns are there whole, as records
    lines   the same chats as lines of text
    tables  csv/ and data/ of ppasupat/WikiTableQuestions: each answer is in its column
    spans   valid.json of haonan-li/MultiSpanQA: the share of answer spans that are in the text
    uses    uses.jsonl, records of what agents used later (see `uses`): the share that survives
    answers generate_qa_pairs/ of LongFuncEval's toolJSONprocessing: its program has the same answer

Each question is asked with `query=` and without, and of the rows or lines that plain BM25 keeps;
questions with an even index are the half *dev*.
A budget is a share of the tokens of compact JSON, or of the text; for chats a number of tokens. The
score is a mean over questions. The exit code is 1 if a text is over its budget.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import bm25
import tool_answers
import uses
from rich.console import Console
from rich.table import Table as Grid
from samples import samples
from solver_figures import add_common, store

import mckp
from mckp import tokenizers
from mckp.agents.telemetry.uses import survivals
from mckp.jsontext import dump, is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

SHARES: Final = (0.5, 0.2, 0.1, 0.05)
TURNS: Final = (1024, 2048, 4096, 8192)
FLOOR: Final = 24
"""Tokens that every budget has."""
T = TypeVar("T")

COUNT: Final = tokenizers.get("o200k").count


@dataclass(frozen=True)
class Question:
    """A question about a document, and how a text that is cut is judged by what is read in it."""

    document: Any
    asked: str
    budgets: tuple[int, ...]
    score: Callable[[Any], float]
    kind: Any = None


def shares_of(tokens: int) -> tuple[int, ...]:
    """Return the budgets of a document with so many tokens."""
    return tuple(max(FLOOR, int(tokens * share)) for share in SHARES)


def chats(folder: Path, *, as_lines: bool = False) -> Iterator[Question]:
    """Yield questions about long chats whose evidence is known."""
    for chat in json.loads((folder / "locomo10.json").read_text("utf-8")):
        talk = chat["conversation"]
        names = sorted(
            (name for name in talk if re.fullmatch(r"session_\d+", name)), key=lambda n: int(n[8:])
        )
        turns = [
            {"id": turn["dia_id"], "speaker": turn["speaker"], "text": turn["text"]}
            for name in names
            for turn in talk[name]
        ]
        lines = [f"{t['id']} {t['speaker']}: {t['text']}".replace("\n", " ") for t in turns]
        places = {turn["id"]: number for number, turn in enumerate(turns)}
        for question in chat["qa"]:
            at = sorted(
                {places[message] for message in question.get("evidence", []) if message in places}
            )
            if not at or question.get("category") == 5:
                continue
            if as_lines:
                score = partial(_has_lines, [lines[n] for n in at])
                yield Question("\n".join(lines), question["question"], TURNS, score, "text")
            else:
                score = partial(_has_turns, [turns[n] for n in at])
                yield Question(turns, question["question"], TURNS, score)


def _has_turns(wanted: list[dict[str, str]], read: Any) -> float:
    rows = [row for row in read if is_object(row)] if is_array(read) else []
    texts = {row.get("id"): row.get("text") for row in rows}
    return float(all(texts.get(turn["id"]) == turn["text"] for turn in wanted))


def _has_lines(wanted: list[str], text: str) -> float:
    there = set(text.split("\n"))
    return float(all(line in there for line in wanted))


def tables(folder: Path) -> Iterator[Question]:
    """Yield questions about tables of an encyclopedia whose answers are each in one cell."""
    with (folder / "data" / "pristine-unseen-tables.tsv").open(encoding="utf-8") as file:
        given = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    random.Random(1).shuffle(given)
    for entry in given:
        rows = _table(folder / entry["context"])
        answers = [answer.replace("\\p", "|") for answer in entry["targetValue"].split("|")]
        cells: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            for column, cell in row.items():
                cells[cell].append(column)
        if 15 <= len(rows) <= 400 and all(len(cells.get(answer, ())) == 1 for answer in answers):
            score = partial(_has_cells, [(cells[answer][0], answer) for answer in answers])
            yield Question(rows, entry["utterance"], shares_of(COUNT(dump(rows))), score)


def _table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        head, *rows = csv.reader(file, escapechar="\\")
    names = [f"{name} {n}" if name in head[:n] else name or "_" for n, name in enumerate(head)]
    return [dict(zip(names, row, strict=True)) for row in rows if len(row) == len(names)]


def _has_cells(wanted: list[tuple[str, str]], read: Any) -> float:
    rows = [row for row in read if is_object(row)] if is_array(read) else []
    there = [any(row.get(column) == value for row in rows) for column, value in wanted]
    return sum(there) / len(there)


def spans(folder: Path) -> Iterator[Question]:
    """Yield questions about passages with several answers, a sentence a line."""
    for entry in json.loads((folder / "valid.json").read_text("utf-8"))["data"]:
        words, answers = entry["context"], list[list[str]]()
        for word, label in zip(words, entry["label"], strict=True):
            if label == "B":
                answers.append([word])
            elif label == "I" and answers:
                answers[-1].append(word)
        lines = re.split(r"(?<=[.!?]) +", " ".join(words))
        if answers and len(lines) > 3:
            text, asked = "\n".join(lines), " ".join(entry["question"])
            score = partial(_has_spans, [" ".join(span) for span in answers])
            yield Question(text, asked, shares_of(COUNT(text)), score, "text")


def _has_spans(wanted: list[str], text: str) -> float:
    flat = text.replace("\n", " ")
    return sum(span in flat for span in wanted) / len(wanted)


def recorded(folder: Path) -> Iterator[Question]:
    """Yield results of tools, each with the request at that time."""
    for record in uses.read([folder / "uses.jsonl"]):
        asked = f"{record['user']}\n{record['said']}\n{dump(record['call'])}"
        score = partial(_survives, record["used"])
        yield Question(record["payload"], asked, shares_of(record["tokens"]), score)


def _survives(wanted: list[Any], read: Any) -> float:
    return sum(survivals(wanted, read)) / len(wanted)


def answered(folder: Path) -> Iterator[Question]:
    """Yield questions about answers of tools; the programs of the set compute what they ask."""
    for answer in tool_answers.asked(folder):
        budgets = shares_of(COUNT(dump(answer.document)))
        yield Question(answer.document, answer.question, budgets, answer.score)


def made_up(_: Path) -> Iterator[Question]:
    """Yield questions for one record of made-up documents, for a test of this bench."""
    for _name, value in samples(1):
        if is_array(value) and len(value) > 5 and is_object(value[3]):
            score = partial(_has_row, value[3])
            asked = " ".join(map(str, value[3].values()))
            yield Question(value, asked, shares_of(COUNT(dump(value))), score)


def _has_row(wanted: Any, read: Any) -> float:
    return float(is_array(read) and wanted in read)


SETS: Final[dict[str, tuple[str, Callable[[Path], Iterator[Question]]]]] = {
    "chats": ("locomo10.json", chats),
    "lines": ("locomo10.json", partial(chats, as_lines=True)),
    "tables": ("data/pristine-unseen-tables.tsv", tables),
    "spans": ("valid.json", spans),
    "uses": ("uses.jsonl", recorded),
    "answers": (tool_answers.NEEDED, answered),
}
"""The file by which a set is known to be there, and what reads it."""


def scores(question: Question, *, asks: bool) -> tuple[list[float], bool]:
    """Return how much of what is needed each budget leaves, and whether a text was over one."""
    shares, over, result = list[float](), False, None
    for budget in question.budgets:
        try:
            if result is None:
                query = question.asked if asks else None
                result = mckp.encode(
                    question.document, budget=budget, query=query, kind=question.kind
                )
            else:
                result = result.at(budget)
        except mckp.BudgetError:
            shares.append(0.0)
            continue
        over = over or COUNT(result.text) > budget
        read = result.text if question.kind == "text" else mckp.decode(result.text)
        shares.append(question.score(read))
    return shares, over


def scores_of_bm25(question: Question) -> tuple[list[float], bool]:
    """Return how much of what is needed is in the rows or lines that BM25 puts first."""
    cuts = bm25.cut(question.document, question.asked, question.budgets, COUNT)
    return [question.score(cut) for cut in cuts], False


def read_sets(
    sets: Mapping[str, tuple[str, Callable[[Path], Iterator[T]]]],
    names: Sequence[str],
    folder: Path | None,
) -> Iterator[tuple[str, list[T]]]:
    """Yield the name and the content of each set in a folder; say which sets are not there."""
    if folder is None:
        return
    for name in names:
        needed, read = sets[name]
        if (folder / needed).exists():
            yield name, list(read(folder))
        else:
            sys.stderr.write(f"{name}: skipped, as {needed} is not there\n")


def half_of(questions: Sequence[T], half: str, limit: int | None) -> list[T]:
    """Return every other question, and of these at most some, evenly."""
    own = list(questions)[0 if half == "dev" else 1 :: 2]
    if limit is None or len(own) <= limit:
        return own
    return [own[len(own) * n // limit] for n in range(limit)]


def measured(name: str, questions: Sequence[Question]) -> Iterator[dict[str, Any]]:
    """Yield a row for a set without the query, one with it, and one of BM25."""
    ways: dict[str, Callable[[Question], tuple[list[float], bool]]] = {
        "no": partial(scores, asks=False),
        "yes": partial(scores, asks=True),
        "bm25": scores_of_bm25,
    }
    for way, measure in ways.items():
        outcomes = [measure(question) for question in questions]
        columns = zip(*(shares for shares, _ in outcomes), strict=True)
        yield {
            "set": name,
            "questions": len(questions),
            "query": way,
            "scores": [round(sum(column) / len(column), 4) for column in columns],
            "over": sum(over for _, over in outcomes),
        }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print and store; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--half", choices=("dev", "held"), default="dev")
    parser.add_argument("--limit", type=int, default=150, help="most questions of a set")
    add_common(parser)
    arguments = parser.parse_args(argv)
    rows: list[dict[str, Any]] = []
    for name, questions in read_sets(SETS, arguments.sets, arguments.data):
        rows += measured(name, half_of(questions, arguments.half, arguments.limit))
    if not arguments.data:
        rows += measured("made up", list(made_up(Path())))
    grid = Grid("set", "questions", "query", *("1", "2", "3", "4"))
    for row in rows:
        cells = [f"{score:.3f}" for score in row["scores"]]
        grid.add_row(row["set"], str(row["questions"]), row["query"], *cells)
    Console().print(grid)
    store(arguments.json, {"rows": rows})
    return int(any(row["over"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
