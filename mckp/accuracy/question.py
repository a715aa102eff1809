"""A question about data, with the answer that the data gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.accuracy.query import UNKNOWN

if TYPE_CHECKING:
    from mckp.accuracy.query import Query

KINDS: Final = ("retrieval", "aggregation", "filtering", "structure", "missing")
"""What questions are about."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes
    ----------
    id : str
        Its name, unlike that of all others: ``builds/aggregation/3``.
    kind : str
        One of `KINDS`.
    prompt : str
        What is asked, in words.
    query : Query
        What is asked, as a program.
    gold
        The answer of the whole data; `UNKNOWN` if that does not tell.
    type : str
        What answers are compared as: ``integer``, ``number``, ``boolean``, ``string``, ``list``
        (in order), ``set`` or ``unknown``.
    """

    id: str
    kind: str
    prompt: str
    query: Query
    gold: Any
    type: str


def type_of(gold: Any) -> str:
    """Return what an answer is compared as.

    Examples
    --------
    >>> [type_of(gold) for gold in (True, 3, 0.5, "x", ["x"], UNKNOWN)]
    ['boolean', 'integer', 'number', 'string', 'list', 'unknown']
    """
    if gold is UNKNOWN:
        return "unknown"
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "list"}
    return kinds[type(gold)]
