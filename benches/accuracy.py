"""How well texts are read: what they answer at all, and what models make of them.

    python benches/accuracy.py [--corpus DIR ...] [--json OUT]
    python benches/accuracy.py --base-url URL --model NAME --keep FILE [--json OUT]

makes questions from each document (`mckp.accuracy`) and asks them about its texts in every
format, whole and within budgets. The oracle decodes a text and evaluates the question: without
a budget it must be right always, with one exactly where `elided` says so.
With a model, that is asked the same;
``--keep`` holds its replies, so that a run that broke off goes on.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.progress import Progress, track
from rich.table import Table as Grid
from solver_figures import fill, store
from subjects import chosen, options

import mckp
from mckp.accuracy import (
    KINDS,
    WAYS,
    Asked,
    EndpointReader,
    Foresight,
    OracleReader,
    Question,
    Reader,
    Writing,
    is_right,
    is_unknown,
    measure,
    questions,
    writings,
)
from mckp.accuracy.paired import wilson
from mckp.accuracy.query import UNKNOWN
from mckp.jsontext import canonical

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from bench_formats import Document

BUDGETS: Final = (None, 0.5, 0.2, 0.1)
EACH: Final = 6
MODEL_EACH: Final = 2


@dataclass(slots=True)
class Tally:
    """What the oracle made of one way to write.

    Attributes
    ----------
    asked : int
        Questions.
    sure : int
        Those of which `elided` tells the answer.
    agreed : int
        Those that the oracle answered as told.
    answerable : int
        Those that the text answers, all that the answer is made from being there.
    lucky : int
        Right answers that something is missing of.
    unknown, misled : int
        Answers that say so, and answers that are wrong for something is missing of them.
    exact : int
        Texts that are read as exactly what `elided` leaves of the data.
    shortened : int
        Texts within which texts were shortened, of which `elided` does not tell how.
    """

    texts: int = 0
    tokens: int = 0
    exact: int = 0
    shortened: int = 0
    asked: int = 0
    sure: int = 0
    agreed: int = 0
    answerable: int = 0
    lucky: int = 0
    unknown: int = 0
    misled: int = 0
    right: dict[str, list[int]] = field(
        default_factory=lambda: {str(kind): [0, 0] for kind in KINDS}
    )

    def read(self, writing: Writing, asked: Iterable[Question], reader: OracleReader) -> list[str]:
        """Add a text with its questions; return what was not as it was told."""
        self.texts += 1
        self.tokens += writing.tokens
        sight, found = Foresight(writing), mckp.decode(writing.text)
        self.shortened += bool(sight.left.shortened)
        self.exact += not sight.left.shortened and same(sight.left.data, found)
        return [
            f"{writing.way}: {question.id}"
            for question in asked
            if not self.note(question, sight, reader.read(Asked(question, writing)).text)
        ]

    def note(self, question: Question, sight: Foresight, reply: str) -> bool:
        """Add one answer; whether it is what was told."""
        told = sight.of(question)
        is_good = is_right(reply, question.gold, question.type)
        type = "unknown" if told.answer is UNKNOWN else question.type
        agrees = not told.sure or is_right(reply, told.answer, type)
        self.asked += 1
        self.sure += told.sure
        self.agreed += told.sure and agrees
        self.answerable += is_good and told.whole
        self.lucky += is_good and not told.whole
        self.unknown += not is_good and is_unknown(reply)
        self.misled += not is_good and not is_unknown(reply)
        own = self.right[question.kind]
        own[0] += is_good
        own[1] += 1
        return agrees

    def to_dict(self) -> dict[str, Any]:
        """Return the figures, with an interval of the share of right answers."""
        right = self.answerable + self.lucky
        figures = {name: getattr(self, name) for name in Tally.__slots__ if name != "right"}
        low, high = wilson(right, self.asked)
        share = round(right / self.asked, 4)
        return (
            figures
            | {"share": share, "interval": [round(low, 4), round(high, 4)]}
            | {"kinds": self.right}
        )


def same(left: Any, found: Any) -> bool:
    """Whether two values are equal, or both are not there."""
    if left is mckp.ABSENT or found is mckp.ABSENT:
        return left is found
    return canonical(left) == canonical(found)


def by_oracle(found: Sequence[Document], ways: Sequence[str], each: int) -> dict[str, Any]:
    """Ask the oracle about every text of every document."""
    tallies: dict[str, Tally] = {}
    wrong: list[str] = []
    made: dict[str, int] = dict.fromkeys(KINDS, 0)
    reader = OracleReader()
    for document in track(found, "The oracle", console=Console(stderr=True)):
        asked = questions(document.value, each=each, name=document.name)
        for question in asked:
            made[question.kind] += 1
        for writing in writings(document.value, ways, BUDGETS):
            tally = tallies.setdefault(writing.way, Tally())
            wrong += tally.read(writing, asked, reader)
    return {
        "documents": len(found),
        "questions": made,
        "ways": {way: tally.to_dict() for way, tally in tallies.items()},
        "not as told": len(wrong),
        "examples of these": wrong[:10],
    }


def by_model(found: Sequence[Document], reader: Reader, told: argparse.Namespace) -> dict[str, Any]:
    """Ask a model, with a bar."""
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("The model", total=None)
        report = measure(
            {document.name: document.value for document in found},
            reader,
            ways=told.ways,
            budgets=(None, 0.5),
            each=told.each or MODEL_EACH,
            concurrency=told.concurrency,
            kept=told.keep,
            told=lambda done, total: bar.update(task, completed=done, total=total),
        )
    Console().print(report.to_text(), highlight=False)
    return report.to_dict()


def show(console: Console, found: dict[str, Any]) -> None:
    """Print what the oracle found."""
    heads = ["asked", "agreed", "answerable", "lucky", "unknown", "misled", "share"]
    title = f"{found['documents']} documents, {sum(found['questions'].values())} questions"
    grid = Grid("way", *heads, title=title)
    rows = ([way, *(own[head] for head in heads)] for way, own in found["ways"].items())
    console.print(fill(grid, rows))
    console.print(f"not as told: {found['not as told']} {found['examples of these']}")


def reader_of(told: argparse.Namespace) -> Reader | None:
    """Return the model that options name, if they do."""
    if told.base_url:
        return EndpointReader(told.base_url, told.model or "")
    return None


def failed(found: dict[str, Any]) -> bool:
    """Whether an answer was not as told, or one without a budget was wrong."""
    whole = (own for way, own in found["ways"].items() if "@" not in way)
    return bool(found["not as told"]) or any(own["share"] < 1 for own in whole)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure."""
    parser = options("Ask questions about texts in every format.")
    parser.add_argument("--ways", nargs="+", default=list(WAYS), help="formats, and mixes of them")
    parser.add_argument("--each", type=int, help="questions of each kind, for one document")
    parser.add_argument("--base-url", help="an address that speaks the protocol of OpenAI")
    parser.add_argument("--model", help="a model's name there")
    parser.add_argument("--keep", help="a file for the model's replies")
    parser.add_argument("--concurrency", type=int, default=4)
    told = parser.parse_args(arguments)
    found, reader = chosen(told), reader_of(told)
    own = by_oracle(found, told.ways, told.each or (2 if told.quick else EACH))
    show(Console(width=None if sys.stdout.isatty() else 140), own)
    model = partial(by_model, found, reader, told) if reader else lambda: None
    store(told.json, {"oracle": own, "model": model()})
    return 1 if failed(own) else 0


if __name__ == "__main__":
    sys.exit(main())
