"""Packs: of what a reader of several documents needs, how much is left within one budget?

    python benches/packs.py DATA [--sets NAME ...] [--ways NAME ...] [--half dev|held]
                            [--limit N] [--json OUT]

DATA is a folder with sets that are fetched by hand, as they may not be passed on; a set that is not
there is skipped:

    repositories  repositories.jsonl: a line for each repository with the `folder` (below DATA) of
                  its files before a fix, the issue as `query`, the files that the fix `touched`,
                  and its `places`: file and first line of each definition that it changed. A file
                  counts that stands whole, or has half of its definitions, or both 100 tokens and
                  a tenth of its own; a place counts whose line stands in its file's text. Budgets
                  are 4,000 and 16,000 tokens.
    chats         questions/locomo10.json: all evidence turns stand whole; sessions are documents,
                  budgets 1,024, 2,048 and 4,096
    passages      questions/valid.json of MultiSpanQA: the share of answers that stand in the text;
                  the passage among nine others
    tasks         uses.jsonl and texts.jsonl, records of what agents used later (see `uses`): all
                  results of a task are documents, its first request the query; the share of uses
                  that survive in the text

The ways: `pack`; *no query*, the same without one; *greedy*, the same worths, chosen by worth per
token instead of by a proof; *equal* and *size*, `mckp.encode` with the query for each document with
an equal share (what short ones leave goes to the others), or one by size; *equal heads* and *size
heads*, the beginnings of the documents in such shares; *head*, that of all documents one after the
other; *bm25*, whole documents, the best first. In repositories, *equal* and *size* are left out:
hundreds of files have a handful of tokens each. The exit code tells of a pack over its budget.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import defaultdict
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import bm25
import numpy as np
import uses
from cutters import cut_head, recount
from relevance import COUNT, half_of, read_sets
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid
from samples import samples
from solver_figures import add_common, store
from text_recall import survives, words_of

import mckp
from mckp.agents.telemetry.uses import still_has
from mckp.cli.packing import find_documents
from mckp.jsontext import dump
from mckp.menu.select import Solving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mckp.packing.packed import Packed

    Texts = Mapping[str, str]

WINDOWS: Final = (4000, 16000)
TURNS: Final = (1024, 2048, 4096)
SHARES: Final = (0.5, 0.2, 0.1)
NARROW: Final = (0.2, 0.1, 0.05)
FLOOR: Final = 60
"""Tokens that every budget has."""
WIDEST: Final = 12
"""Characters that a token has at most, about, so that no more of a long file is tokenized."""
HALF: Final = 0.5
READ: Final = (100, 0.1)
"""The fewest tokens, and the share of its own, with which a file that was cut still counts."""
_DEFINES: Final = re.compile(
    r"\s*(?:export |pub(?:\([a-z]+\))? |async |static |default )*"
    r"(?:def|class|func|fn|function|impl|struct|trait|interface)\b"
    r"|[\w.]+ = (?:async )?function\b"
)
"""The first line of a definition in Python, Go, Rust or JavaScript."""


@dataclass(frozen=True)
class Case:
    """Documents by name, what is asked of them, and how what is left of them is judged."""

    documents: dict[str, Any]
    query: str | None
    budgets: tuple[int, ...]
    score: Callable[[Texts], dict[str, float]]
    ways: tuple[str, ...] = ()
    texts: dict[str, str] = field(init=False)
    packs: dict[str | None, Packed] = field(default_factory=dict[Any, Any], init=False)
    """The documents with their prices, by query."""

    def __post_init__(self) -> None:
        texts = {
            name: document if isinstance(document, str) else dump(document)
            for name, document in self.documents.items()
        }
        object.__setattr__(self, "texts", texts)

    def opened(self, query: str | None) -> Packed:
        """Return the documents with their prices, those that matter within the first budget."""
        if query not in self.packs:
            try:
                result = mckp.pack(self.documents, self.budgets[0], query=query)
            except mckp.BudgetError:
                result = mckp.pack(self.documents, query=query)
            assert result.packed is not None
            self.packs[query] = result.packed
        return self.packs[query]


def repositories(data: Path) -> Iterator[Case]:
    """Yield repositories before a fix, with the issue as query."""
    for line in (data / "repositories.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        root = data / record.get("root", record["folder"])
        found, _ = find_documents([str(data / record["folder"])])
        files: dict[str, Any] = {}
        for path, content in found.items():
            try:
                files[Path(path).relative_to(root).as_posix()] = content.decode("utf-8")
            except UnicodeDecodeError:
                continue
        score = partial(_reads, files, record["touched"], record["places"])
        yield Case(files, record["query"], WINDOWS, score, OF_FILES)


def _reads(
    files: Texts, touched: Sequence[str], places: Sequence[tuple[str, str]], texts: Texts
) -> dict[str, float]:
    there = {name: set(map(str.strip, text.split("\n"))) for name, text in texts.items()}
    return {
        "files": fmean(_is_read(files[name], texts.get(name, "")) for name in touched),
        "in part": fmean(bool(texts.get(name)) for name in touched),
        "places": fmean(line in there.get(name, ()) for name, line in places),
    }


def _is_read(file: str, text: str) -> bool:
    if not text:
        return False
    lines, kept = file.split("\n"), set(map(str.strip, text.split("\n")))
    defines = [line.strip() for line in lines if _DEFINES.match(line)]
    if defines and sum(line in kept for line in defines) >= HALF * len(defines):
        return True
    tokens, (least, share) = COUNT(text), READ
    return file.strip() == text.strip() or (tokens >= least and tokens >= share * COUNT(file))


def chats(data: Path) -> Iterator[Case]:
    """Yield questions about long chats, in turn about the first five and about the others."""
    talks = json.loads((data / "questions/locomo10.json").read_text("utf-8"))
    for pair in zip(_of_chats(talks[:5]), _of_chats(talks[5:]), strict=False):
        yield from pair


def _of_chats(talks: Sequence[Any]) -> Iterator[Case]:
    """Yield questions about chats, a document for each session."""
    for chat in talks:
        talk, documents, lines = chat["conversation"], dict[str, Any](), dict[str, str]()
        names = [name for name in talk if re.fullmatch(r"session_\d+", name)]
        for name in sorted(names, key=lambda name: int(name[8:])):
            own = {
                turn["dia_id"]: f"{turn['dia_id']} {turn['speaker']}: {turn['text']}".replace(
                    "\n", " "
                )
                for turn in talk[name]
            }
            lines |= own
            documents[f"{name} ({talk.get(f'{name}_date_time', '')})"] = "\n".join(own.values())
        for question in chat["qa"]:
            at = question.get("evidence", [])
            if at and question.get("category") != 5 and all(turn in lines for turn in at):
                score = partial(_has_lines, [lines[turn] for turn in at])
                yield Case(documents, question["question"], TURNS, score)


def _has_lines(wanted: Sequence[str], texts: Texts) -> dict[str, float]:
    there = {line for text in texts.values() for line in text.split("\n")}
    return {"turns": float(all(line in there for line in wanted))}


def passages(data: Path) -> Iterator[Case]:
    """Yield questions with several answers in one of ten passages."""
    entries = dict[str, tuple[str, list[str]]]()
    for entry in json.loads((data / "questions/valid.json").read_text("utf-8"))["data"]:
        answers: list[list[str]] = []
        for word, label in zip(entry["context"], entry["label"], strict=True):
            if label == "B":
                answers.append([word])
            elif label == "I" and answers:
                answers[-1].append(word)
        if answers:
            asked, wanted = " ".join(entry["question"]), [" ".join(answer) for answer in answers]
            entries.setdefault(" ".join(entry["context"]), (asked, wanted))
    chosen = random.Random(5)
    for text, (asked, wanted) in entries.items():
        texts = [*chosen.sample([other for other in entries if other != text], 9), text]
        chosen.shuffle(texts)
        documents = {f"passage {number}": each for number, each in enumerate(texts, 1)}
        budgets = budgets_of(sum(map(COUNT, texts)), NARROW)
        yield Case(documents, asked, budgets, partial(_has_answers, wanted))


def _has_answers(wanted: Sequence[str], texts: Texts) -> dict[str, float]:
    return {"answers": fmean(any(each in text for text in texts.values()) for each in wanted)}


def tasks(data: Path) -> Iterator[Case]:
    """Yield recorded tasks, two of data and two of texts in turn, at most twelve results each."""
    kinds: list[list[list[Any]]] = []
    for file in ("uses.jsonl", "texts.jsonl"):
        by_task = defaultdict[str, list[Any]](list)
        for record in uses.read([data / file] if (data / file).exists() else []):
            if record["used"] and record["tokens"] <= 12_000:
                by_task[record["task"]].append(record)
        large = [records[:12] for _, records in sorted(by_task.items()) if len(records) > 2]
        random.Random(3).shuffle(large)
        kinds.append(large)
    for start in range(0, max(map(len, kinds)), 2):
        for is_text, records in enumerate(kinds):
            for own in records[start : start + 2]:
                yield _task(own, is_text=bool(is_text))


def _task(records: Sequence[Any], *, is_text: bool) -> Case:
    documents = {f"{n} {record['tool']}": record["payload"] for n, record in enumerate(records)}
    used = [record["used"] for record in records]
    tokens = sum(recount(p if isinstance(p, str) else dump(p)) for p in documents.values())
    score = partial(_survives, used, is_text)
    return Case(documents, records[0]["user"].strip() or None, budgets_of(tokens, SHARES), score)


def _survives(used: Sequence[Any], is_text: bool, texts: Texts) -> dict[str, float]:
    text = "\n".join(texts.values())
    words = words_of(text) if is_text else ""
    return {
        "uses": fmean(
            fmean(survives(use, text, words) if is_text else still_has(text, use) for use in own)
            for own in used
        )
    }


def made_up(_: Path) -> Iterator[Case]:
    """Yield one question about made-up documents, for a test of this bench."""
    documents = dict(samples())
    row = documents["table"]["users"][3]
    score = partial(_has_answers, [str(row["name"])])
    yield Case(documents, str(row["name"]), (400, 200), score)


def budgets_of(tokens: int, shares: Sequence[float]) -> tuple[int, ...]:
    """Return the budgets of documents with so many tokens."""
    return tuple(max(FLOOR, int(tokens * share)) for share in shares)


SETS: Final[dict[str, tuple[str, Callable[[Path], Iterator[Case]]]]] = {
    "repositories": ("repositories.jsonl", repositories),
    "chats": ("questions/locomo10.json", chats),
    "passages": ("questions/valid.json", passages),
    "tasks": ("uses.jsonl", tasks),
}
"""The file by which a set is known to be there, and what reads it."""


def packed(case: Case, *, query: str | None, is_greedy: bool = False) -> Iterator[Texts | None]:
    """Yield the texts that a pack has within each budget; None if it is over the budget."""
    documents = copy(case.opened(query))
    if is_greedy:
        documents.solver = Solving.checked("greedy", None)
    for budget in case.budgets:
        try:
            result = documents.within(budget)
        except mckp.BudgetError:
            yield {}
            continue
        kept = [name for name, state in result.states().items() if state in ("whole", "cut")]
        yield {name: result[name].text for name in kept} if recount(result.text) <= budget else None


def shared(case: Case, *, by_size: bool, heads: bool) -> Iterator[Texts]:
    """Yield the texts of all documents, each with its own share of the budget."""
    sizes = {name: COUNT(text) for name, text in case.texts.items()}
    for budget in case.budgets:
        shares = _by_size(sizes, budget) if by_size else _equal(sizes, budget)
        texts = dict[str, str]()
        for name, share in shares.items():
            if heads:
                texts[name] = head(case.texts[name], share)
            else:
                texts[name] = _encoded(case.documents[name], share, case.query)
        yield texts


def _by_size(sizes: Mapping[str, int], budget: int) -> dict[str, int]:
    total = max(1, sum(sizes.values()))
    return {name: budget * size // total for name, size in sizes.items()}


def _equal(sizes: Mapping[str, int], budget: int) -> dict[str, int]:
    shares = dict.fromkeys(sizes, 0)
    for number, name in enumerate(sorted(sizes, key=sizes.__getitem__)):
        shares[name] = min(sizes[name] + 8, budget // (len(sizes) - number))
        budget -= shares[name]
    return shares


def head(text: str, budget: int) -> str:
    """Return the beginning of a text, as many tokens as the budget has."""
    return cut_head(text[: WIDEST * budget], budget) if budget > 0 else ""


def _encoded(document: Any, budget: int, query: str | None) -> str:
    try:
        return mckp.encode(document, budget=max(1, budget), query=query).text
    except mckp.BudgetError:
        return ""


def beginnings(case: Case) -> Iterator[Texts]:
    """Yield the beginning of all documents one after the other."""
    for budget in case.budgets:
        texts, room = dict[str, str](), budget
        for name, text in case.texts.items():
            if room <= 0:
                break
            texts[name] = head(text, room)
            room -= recount(texts[name]) + recount(name)
        yield texts


def best_whole(case: Case) -> Iterator[Texts]:
    """Yield whole documents, those that BM25 puts first."""
    named = [f"{name}\n{text}" for name, text in case.texts.items()]
    scores = bm25.scores(named, case.query) if case.query else np.zeros(len(named))
    ranks: list[int] = np.argsort(-scores, kind="stable").tolist()
    names = list(case.texts)
    costs = {n: COUNT(case.texts[names[n]]) + COUNT(names[n]) + 4 for n in ranks[:300]}
    for budget in case.budgets:
        texts, room = dict[str, str](), budget
        for n, cost in costs.items():
            if cost <= room:
                room -= cost
                texts[names[n]] = case.texts[names[n]]
        yield texts


WAYS: Final[dict[str, Callable[[Case], Iterator[Texts | None]]]] = {
    "pack": lambda case: packed(case, query=case.query),
    "no query": lambda case: packed(case, query=None),
    "greedy": lambda case: packed(case, query=case.query, is_greedy=True),
    "equal": lambda case: shared(case, by_size=False, heads=False),
    "size": lambda case: shared(case, by_size=True, heads=False),
    "equal heads": lambda case: shared(case, by_size=False, heads=True),
    "size heads": lambda case: shared(case, by_size=True, heads=True),
    "head": beginnings,
    "bm25": best_whole,
}
OF_FILES: Final = ("pack", "no query", "greedy", "equal heads", "size heads", "head", "bm25")
"""The ways that hundreds of files are packed in."""


def measured(name: str, questions: Sequence[Case], ways: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each way and measure."""
    sums = defaultdict[tuple[str, str], list[list[float]]](list)
    over = defaultdict[str, int](int)
    for case in track(questions, name, console=Console(stderr=True)):
        for way in ways:
            if case.ways and way not in case.ways:
                continue
            kept = list(WAYS[way](case))
            over[way] += sum(texts is None for texts in kept)
            by_budget = [case.score(texts or {}) for texts in kept]
            for measure in by_budget[0]:
                sums[way, measure].append([score[measure] for score in by_budget])
    for (way, measure), scores in sums.items():
        means = [round(fmean(column), 4) for column in zip(*scores, strict=True)]
        count = len(scores)
        row = {"set": name, "cases": count, "measure": measure, "way": way, "scores": means}
        yield row | {"over": over[way]}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print and store; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--half", choices=("dev", "held"), default="held")
    parser.add_argument("--limit", type=int, default=60, help="most cases of a set")
    add_common(parser)
    arguments = parser.parse_args(argv)
    rows: list[dict[str, Any]] = []
    for name, cases in read_sets(SETS, arguments.sets, arguments.data):
        if name == "repositories":
            chosen = cases[: arguments.limit]
        else:
            chosen = half_of(cases, arguments.half, arguments.limit)
        rows += measured(name, chosen, arguments.ways)
    if not arguments.data:
        rows += measured("made up", list(made_up(Path())), arguments.ways)
    grid = Grid("set", "cases", "measure", "way", *("1", "2", "3"))
    for row in sorted(rows, key=lambda row: (row["set"], row["measure"])):
        cells = [f"{score:.3f}" for score in row["scores"]]
        grid.add_row(row["set"], str(row["cases"]), row["measure"], row["way"], *cells)
    Console().print(grid)
    store(arguments.json, {"rows": rows})
    return int(any(row["over"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
