"""How much the texts of each format answer: what the oracle makes of them.

    python benches/accuracy.py [--corpus DIR ...] [--json OUT]

makes questions from each document (`mckp.accuracy`) and asks them about its texts in every
format, whole and within budgets. The oracle decodes a text and evaluates the question: without
a budget it must be right always. `mckp accuracy` asks models the same.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.progress import track
from solver_figures import show, store
from subjects import chosen, options

import mckp
from mckp.accuracy import (
    KINDS,
    WAYS,
    Answer,
    OracleReader,
    Question,
    TextQuestion,
    Writing,
    questions,
    writings,
)
from mckp.accuracy.paired import wilson
from mckp.accuracy.query import Query, records, value_at
from mckp.jsontext import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bench_formats import Document

BUDGETS: Final = (None, 0.5, 0.2, 0.1)
EACH: Final = 6


LUCKY: Final = frozenset({"count", "sum", "mean", "least", "most", "distinct", "has"})
"""What may come out the same though part of what it is made from is missing."""


@dataclass(slots=True)
class Tally:
    """What the oracle made of one way to write.

    Attributes
    ----------
    asked : int
        Questions.
    answerable : int
        Those that the text answers, all that the answer is made from being there.
    lucky : int
        Right answers that something is missing of.
    unknown, misled : int
        Answers that say so, and answers that are wrong for something is missing of them.
    """

    texts: int = 0
    tokens: int = 0
    asked: int = 0
    answerable: int = 0
    lucky: int = 0
    unknown: int = 0
    misled: int = 0
    right: dict[str, list[int]] = field(
        default_factory=lambda: {str(kind): [0, 0] for kind in KINDS}
    )

    def read(self, writing: Writing, asked: Iterable[Question], reader: OracleReader) -> None:
        """Add a text with its questions."""
        self.texts += 1
        self.tokens += writing.tokens
        decoded = mckp.decode(writing.text)
        for question in asked:
            answer = Answer(
                TextQuestion(question, writing), reader.read(TextQuestion(question, writing))
            )
            whole = basis(question.query, decoded) == basis(question.query, writing.data)
            self.asked += 1
            self.answerable += answer.is_right and whole
            self.lucky += answer.is_right and not whole
            self.unknown += answer.is_unknown and not answer.is_right
            self.misled += not answer.is_right and not answer.is_unknown
            counts = self.right[question.kind]
            counts[0] += answer.is_right
            counts[1] += 1

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


def basis(query: Query, data: Any) -> list[list[str]]:
    """Return the values that an answer is made from, by record in any order, if luck is possible.

    The members of an object may come in another order in a text.
    """
    if query.ask not in LUCKY:
        return []
    fields = [query.field, *(test.field for test in query.tests)]
    rows = records(value_at(data, query.at))
    values = [[record.get(field) for field in fields if field] for record in rows]
    return sorted(["" if v is mckp.ABSENT else canonical(v) for v in row] for row in values)


def by_oracle(documents: Sequence[Document], ways: Sequence[str], count: int) -> dict[str, Any]:
    """Ask the oracle about every text of every document."""
    tallies: dict[str, Tally] = {}
    made: dict[str, int] = dict.fromkeys(KINDS, 0)
    reader = OracleReader()
    for document in track(documents, "The oracle", console=Console(stderr=True)):
        asked = questions(document.value, each=count, name=document.name)
        for question in asked:
            made[question.kind] += 1
        for writing in writings(document.value, ways, BUDGETS):
            tally = tallies.setdefault(writing.way, Tally())
            tally.read(writing, asked, reader)
    return {
        "documents": len(documents),
        "questions": made,
        "ways": {way: tally.to_dict() for way, tally in tallies.items()},
    }


def failed(figures: dict[str, Any]) -> bool:
    """Whether an answer without a budget was wrong."""
    return any(
        way_figures["share"] < 1 for way, way_figures in figures["ways"].items() if "@" not in way
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure."""
    parser = options("Ask questions about texts in every format.")
    parser.add_argument("--ways", nargs="+", default=list(WAYS), help="formats, and mixes of them")
    parser.add_argument("--each", type=int, help="questions of each kind, for one document")
    arguments_read = parser.parse_args(arguments)
    result = by_oracle(
        chosen(arguments_read),
        arguments_read.ways,
        arguments_read.each or (2 if arguments_read.quick else EACH),
    )
    title = f"{result['documents']} documents, {sum(result['questions'].values())} questions"
    rows = [{"way": way} | figures for way, figures in result["ways"].items()]
    show(title, rows, "way", "asked", "answerable", "lucky", "unknown", "misled", "share")
    store(arguments_read.json, {"oracle": result})
    return 1 if failed(result) else 0


if __name__ == "__main__":
    sys.exit(main())
