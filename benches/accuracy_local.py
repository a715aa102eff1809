"""How well a small model on this machine reads small documents in each format.

    python benches/accuracy_local.py [--model FILE.gguf] [--keep FILE] [--json OUT]

asks SmolLM2-135M-Instruct (extra ``smollm2``), or the model of a file, the same questions about
each document in every format, with temperature 0 and one thread. It can write nothing but what may
be an answer (a number, yes or no, a string of the data, a list), for it gives none else. Two
floors stand beside: answers to the same prompts with nothing where the document stood, and the one
reply to all questions of a kind that is right most often. Questions without an answer are left
out: prompts do not say what to answer then. Documents have at most 500 tokens as JSON with indents.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.progress import Progress
from samples import samples
from solver_figures import add_common, store

from mckp.accuracy import KINDS, Asked, LocalReader, Question, Reader, answers, is_right
from mckp.accuracy.query import UNKNOWN
from mckp.accuracy.reader import SMOLLM2
from mckp.accuracy.replies import spelled
from mckp.accuracy.report import report
from mckp.accuracy.running import all_asked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.accuracy import Answer

WAYS: Final = ("json-pretty", "json", "kv", "kv+csv", "kv+table", "native", "dense")
NOTHING: Final = "no document"
SHAPES: Final = ("table", "orders", "events", "flags", "settings")
ROWS: Final = 5
MOST: Final = 500
EACH: Final = 3
LONGEST: Final = 32
CONTEXT: Final = 2048
SHOWN: Final = 3


def documents(seeds: int) -> Iterator[tuple[str, Any]]:
    """Yield small documents by name."""
    for seed in range(1, seeds + 1):
        for name, value in samples(seed, ROWS):
            if name in SHAPES:
                yield f"{name}-{seed}", value


def asked_of(name: str, data: Any, each: int) -> list[Asked]:
    """Return the questions that have an answer about all texts of a document, and about none."""
    made = [
        one
        for one in all_asked({name: data}, WAYS, (None,), each, 1, "o200k")
        if one.question.gold is not UNKNOWN
    ]
    if not made or made[0].writing.tokens > MOST:
        return []
    first = made[0].writing
    empty = replace(first, way=NOTHING, text="", tokens=0)
    return made + [Asked(one.question, empty) for one in made if one.writing is first]


def constant(questions: Sequence[Question]) -> dict[str, list[int]]:
    """Return how often the best single reply to all questions of a kind is right, and of how many.

    Examples
    --------
    >>> from mckp.accuracy import questions
    >>> constant(questions({"a": 1, "b": 1, "c": 2}, each=3))["retrieval"]
    [2, 3]
    """
    found: dict[str, list[int]] = {}
    for kind in KINDS:
        own = [question for question in questions if question.kind == kind]
        replies = {spelled(question.gold) for question in own}
        rights = [sum(is_right(reply, q.gold, q.type) for q in own) for reply in replies]
        found[kind] = [max(rights, default=0), len(own)]
    return found


def facts_of(reader: LocalReader) -> dict[str, Any]:
    """Return what model answered, and how it was run."""
    try:
        library = version("llama-cpp-python")
    except PackageNotFoundError:
        library = "unknown"
    return {
        "file": reader.file.name,
        "sha256": hashlib.sha256(reader.file.read_bytes()).hexdigest(),
        "llama-cpp-python": library,
        "temperature": 0,
        "seed": 1,
        "threads": reader.threads,
        "context": reader.context,
        "longest answer": reader.longest,
        "answers within a grammar": reader.forced,
    }


def ask(asked: Sequence[Asked], reader: Reader, kept: Path | None) -> list[Answer]:
    """Ask everything, text by text, with a bar."""
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("The model", total=len(asked))
        return answers(
            asked, reader, kept=kept, told=lambda done, _: bar.update(task, completed=done)
        )


def summed(found: Sequence[Answer], reader: Reader) -> dict[str, Any]:
    """Return the report, the floors, and a few replies."""
    first = found[0].asked.writing.way
    questions = [one.asked.question for one in found if one.asked.writing.way == first]
    told = report(found, reader.name)
    Console().print(told.to_text(), highlight=False)
    kinds = constant(questions)
    right = sum(count for count, _ in kinds.values())
    return {
        "questions": len(questions),
        "report": without_text(told.to_dict()),
        "constant reply": {"right": right, "share": right / len(questions), "kinds": kinds},
        "replies": [shown(one) for one in found if one.asked.question.id in _some(questions)],
    }


def without_text(told: dict[str, Any]) -> dict[str, Any]:
    """Return a report that says that nothing can be answered without the document."""
    for line in told["lines"]:
        if line["way"] == NOTHING:
            line["answerable"] = 0
    return told


def _some(questions: Sequence[Question]) -> set[str]:
    return {question.id for question in questions[:SHOWN]}


def shown(answer: Answer) -> dict[str, Any]:
    """Return a question with what was answered."""
    return {
        "way": answer.asked.writing.way,
        "question": answer.asked.question.prompt,
        "answer": spelled(answer.asked.question.gold),
        "reply": answer.reply.text if answer.reply else answer.failure,
        "right": answer.is_right,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description="Ask a small model about small documents.")
    add_common(parser)
    parser.add_argument("--model", default=SMOLLM2, help="a GGUF file, or smollm2")
    parser.add_argument("--keep", type=Path, help="a file for the model's replies")
    parser.add_argument("--seeds", type=int, default=3, help="documents of each shape")
    told = parser.parse_args(arguments)
    reader = LocalReader(told.model, CONTEXT, LONGEST, threads=1, forced=True)
    made = list(documents(1 if told.quick else told.seeds))[: 1 if told.quick else None]
    asked = [one for name, data in made for one in asked_of(name, data, EACH)]
    found = summed(ask(asked, reader, told.keep), reader)
    names = {one.question.id.split("/")[0] for one in asked}
    store(told.json, {"model": facts_of(reader), "documents": len(names), **found})
    return 0


if __name__ == "__main__":
    sys.exit(main())
