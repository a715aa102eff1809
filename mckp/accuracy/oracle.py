"""The perfect reader: our decoder and the query behind a question.

What it cannot answer, nobody can answer from the text; and it must be what the result told.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from mckp.accuracy.cuts import left_of
from mckp.accuracy.query import UNKNOWN, records
from mckp.accuracy.query import at as value_at
from mckp.accuracy.reader import Reply
from mckp.accuracy.replies import spelled
from mckp.encoders.scalars import ABSENT
from mckp.jsontext import canonical
from mckp.reading import decode

if TYPE_CHECKING:
    from mckp.accuracy.query import Query, Question
    from mckp.accuracy.reader import Asked
    from mckp.accuracy.writing import Writing

_LUCKY: Final = frozenset({"count", "sum", "mean", "least", "most", "distinct", "has"})
"""What may come out the same though part of what it is made from is missing."""


class OracleReader:
    """Reads the text back, and asks what it finds.

    Examples
    --------
    >>> from mckp.accuracy import Asked, questions, writings
    >>> data = [{"id": n, "ok": n > 5} for n in range(9)]
    >>> [asked] = questions(data, each=1)[:1]
    >>> [native] = writings(data, ["native"])
    >>> OracleReader().read(Asked(asked, native)).text == ("yes" if asked.gold else "no")
    True
    """

    name = "oracle"

    def read(self, asked: Asked) -> Reply:
        return Reply(spelled(asked.question.query.answer(_decoded(asked.writing.text))))


@lru_cache(maxsize=4)
def _decoded(text: str) -> Any:
    return decode(text)


@dataclass(frozen=True, slots=True)
class Foretold:
    """What is known of an answer before the text is read.

    Attributes
    ----------
    answer
        What the oracle has to answer.
    sure : bool
        False where the answer is about a text that may have been shortened: how many texts of
        a table were is told, but not which.
    whole : bool
        Whether all that the answer is made from is there; else a right one is luck.
    """

    answer: Any
    sure: bool
    whole: bool


class Foresight:
    """Tells by `elided` alone what a text answers.

    Parameters
    ----------
    writing : Writing
        The text; only its data and what was cut of it are looked at.
    """

    def __init__(self, writing: Writing) -> None:
        self._data = writing.data
        self.left = left_of(writing.data, writing.elided)

    def of(self, question: Question) -> Foretold:
        """Return what is known of the answer to a question."""
        query, left = question.query, self.left.data
        answer = UNKNOWN if left is ABSENT else query.answer(left)
        return Foretold(answer, self._is_sure(query), self._is_whole(query))

    def _is_sure(self, query: Query) -> bool:
        return query.ask != "size" or not any(
            path[: len(query.at)] == query.at or query.at[: len(path)] == path
            for path in self.left.shortened
        )

    def _is_whole(self, query: Query) -> bool:
        if query.ask not in _LUCKY:
            return True
        left = self.left.data
        return left is not ABSENT and _basis(query, left) == _basis(query, self._data)


def _basis(query: Query, data: Any) -> list[list[str]]:
    """Return the values that an answer is made from, record by record."""
    table = value_at(data, query.at)
    fields = [query.field, *(test.field for test in query.tests)]
    return [[_text(each.get(field)) for field in fields if field] for each in records(table)]


def _text(value: Any) -> str:
    return "" if value is ABSENT else canonical(value)
