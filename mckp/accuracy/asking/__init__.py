"""Questions made from data, each kind in a module of its own."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any, Final

from mckp.accuracy.asking import aggregation, filtering, missing, retrieval, structure
from mckp.accuracy.query import UNKNOWN, at
from mckp.accuracy.question import Question, type_of
from mckp.accuracy.tables import tables
from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mckp.accuracy.asking.draft import Draft
    from mckp.accuracy.tables import Table

MAKERS: Final[dict[str, Callable[[Any, Table | None, Random], Iterator[Draft]]]] = {
    "retrieval": retrieval.drafts,
    "aggregation": aggregation.drafts,
    "filtering": filtering.drafts,
    "structure": structure.drafts,
    "missing": missing.drafts,
}
_SETS: Final = frozenset({"members", "columns"})
"""What has no order that formats keep; nor have records under names of their own."""
_COMMAS: Final = re.compile(r"[,;\[\]]")
_LONGEST: Final = 8
"""Items of a list that is an answer."""


def questions(data: Any, *, each: int = 4, seed: int = 1, name: str = "data") -> list[Question]:
    """Make questions from data, with the answers that it gives.

    Parameters
    ----------
    data
        Plain data: what JSON can hold.
    each : int, default 4
        The most questions of a kind; there are fewer if the data gives no more.
    seed : int, default 1
        Which ones; the same for the same data, always.
    name : str, default "data"
        What ids begin with.

    Returns
    -------
    list of Question
        Questions that differ in what they ask.

    Examples
    --------
    >>> jobs = [{"id": n, "state": ["ok", "failed"][n % 3 == 0]} for n in range(8)]
    >>> asked = questions({"jobs": jobs}, each=1)
    >>> [(question.kind, question.gold) for question in asked][:2]
    [('retrieval', 'ok'), ('aggregation', 2)]
    >>> asked[1].prompt
    'How many different `state` are there in `jobs`?'
    """
    found: list[Table | None] = [*tables(data)] or [None]
    made: list[Question] = []
    for kind, maker in MAKERS.items():
        random = Random(f"{seed} {kind}")
        drafts = [draft for table in found for draft in maker(data, table, random)]
        random.shuffle(drafts)
        distinct = {draft.prompt: draft for draft in drafts if _is_fair(draft, data)}
        for number, draft in enumerate(list(distinct.values())[:each], 1):
            made.append(_question(f"{name}/{kind}/{number}", kind, draft, data))
    return made


def _question(id: str, kind: str, draft: Draft, data: Any) -> Question:
    gold = draft.query.answer(data)
    type = type_of(gold)
    if draft.query.ask in _SETS or (type == "list" and is_object(at(data, draft.query.at))):
        type = "set"
    return Question(id, kind, draft.prompt, draft.query, gold, type)


def _is_fair(draft: Draft, data: Any) -> bool:
    """Whether an answer is there, if one was meant to be, and can be given in a line."""
    gold = draft.query.answer(data)
    if gold is UNKNOWN or gold is None:
        return draft.unknown
    if is_array(gold):
        return 0 < len(gold) <= _LONGEST and not any(map(_COMMAS.search, map(str, gold)))
    return not draft.unknown
