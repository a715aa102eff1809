"""The perfect reader: our decoder and the query behind a question.

What it cannot answer, nobody can answer from the text; and it must be what the result told.
"""

from __future__ import annotations

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
    from mckp.accuracy.query import Query
    from mckp.accuracy.reader import Asked

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


class Foretold:
    """What `elided` alone says of the answers that a text has.

    Parameters
    ----------
    asked : Asked
        A question and a text.

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

    def __init__(self, asked: Asked) -> None:
        query, writing = asked.question.query, asked.writing
        left = left_of(writing.data, writing.elided)
        self.answer = UNKNOWN if left.data is ABSENT else query.answer(left.data)
        self.sure = query.ask != "size" or not any(
            path[: len(query.at)] == query.at or query.at[: len(path)] == path
            for path in left.shortened
        )
        self.whole = query.ask not in _LUCKY or (
            left.data is not ABSENT and _basis(query, left.data) == _basis(query, writing.data)
        )


def _basis(query: Query, data: Any) -> list[list[str]]:
    """Return the values that an answer is made from, record by record."""
    table = value_at(data, query.at)
    fields = [query.field, *(test.field for test in query.tests)]
    return [[_text(each.get(field)) for field in fields if field] for each in records(table)]


def _text(value: Any) -> str:
    return "" if value is ABSENT else canonical(value)
