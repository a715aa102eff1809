"""How many questions a text within a budget answers: mckp beside the binary knapsack.

The binary knapsack (`binary_json`) chooses exactly which values stay, each written as compact JSON
or not at all. Both texts are read perfectly, and the same questions are asked about both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from binary_json import most_leaves
from rich.table import Table as Grid
from solver_figures import fill

import mckp
from mckp import tokenizers
from mckp.accuracy import Pairs, Question, is_right, questions
from mckp.accuracy.paired import grouped, holm
from mckp.accuracy.query import UNKNOWN
from mckp.accuracy.replies import spelled
from mckp.encoders.scalars import ABSENT
from mckp.jsontext import dump, load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench_formats import Document
    from rich.console import Console

SHARES: Final = (0.5, 0.2, 0.1)
LEVELS: Final = ("native", "dense")
BINARY: Final = "binary, JSON"


def beside_binary(found: Sequence[Document], each: int) -> dict[str, Any]:
    """Return by budget how many questions each of them answers, and the difference."""
    result: dict[str, Any] = {}
    for share in SHARES:
        rights: dict[str, list[bool]] = {BINARY: [], **{level: [] for level in LEVELS}}
        names: list[str] = []
        for document in found:
            asked = questions(document.value, each=each, name=document.name)
            for name, data in _left(document.value, share).items():
                rights[name] += [_answers(question, data) for question in asked]
            names += [document.name] * len(asked)
        result[f"{share:g}"] = _compared(rights, names)
    return result


def _left(value: Any, share: float) -> dict[str, Any]:
    """Return the data that is left within a budget, by each rule."""
    budget = int(share * tokenizers.get("o200k").count(dump(value)))
    text = most_leaves(value, budget)[0]
    found = {BINARY: load(text) if text else ABSENT}
    for level in LEVELS:
        try:
            found[level] = mckp.decode(mckp.encode(value, budget=budget, formats=level).text)
        except mckp.BudgetError:
            found[level] = ABSENT
    return found


def _answers(question: Question, data: Any) -> bool:
    answer = UNKNOWN if data is ABSENT else question.query.answer(data)
    return is_right(spelled(answer), question.gold, question.type)


def _compared(rights: dict[str, list[bool]], names: Sequence[str]) -> dict[str, Any]:
    pairs = {level: Pairs.of(rights[level], rights[BINARY]) for level in LEVELS}
    corrected = holm([each.chance for each in pairs.values()])
    beside = {
        level: {
            "difference": round(own.difference, 4),
            "interval": _widest(own, rights[level], rights[BINARY], names),
            "won": own.won,
            "lost": own.lost,
            "corrected chance": chance,
        }
        for (level, own), chance in zip(pairs.items(), corrected, strict=True)
    }
    shares = {name: round(sum(own) / len(own), 4) for name, own in rights.items()}
    return {"questions": len(rights[BINARY]), "right": shares, "beside": beside}


def _widest(
    pairs: Pairs, first: Sequence[bool], second: Sequence[bool], names: Sequence[str]
) -> list[float]:
    """Return an interval that also draws whole documents."""
    gains = [own - other for own, other in zip(first, second, strict=True)]
    (low, high), (down, up) = pairs.interval(), grouped(gains, names)
    return [round(min(low, down), 4), round(max(high, up), 4)]


def show_binary(console: Console, found: dict[str, Any]) -> None:
    """Print the shares."""
    grid = Grid("budget", "questions", BINARY, *LEVELS, title="questions answered")
    rows = ([share, own["questions"], *own["right"].values()] for share, own in found.items())
    console.print(fill(grid, rows))
