"""What plain BM25 keeps of a document for a question: whole rows, or lines, the best first."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from mckp.jsontext import dump, is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Steps = tuple[str | int, ...]


def cut(
    document: Any, question: str, budgets: Sequence[int], count: Callable[[str], int]
) -> list[Any]:
    """Return what is left of a document within each budget: data as compact JSON, or lines.

    Of data the rows of the largest array are chosen; of data without one there is nothing left
    unless they fit.
    """
    is_text = isinstance(document, str)
    place = () if is_text else _largest(document)
    rows = document.split("\n") if is_text else None if place is None else _at(document, place)
    if rows is None:
        return [document if count(dump(document)) <= limit else None for limit in budgets]
    texts = rows if is_text else list(map(dump, rows))
    order: list[int] = np.argsort(-scores(texts, question), kind="stable").tolist()
    costs: list[int] = [count(f"{text}\n") for text in texts]
    around: int = 0 if is_text else count(dump(_with(document, place or (), [])))
    cuts: list[Any] = []
    for budget in budgets:
        room = budget - around
        numbers: list[int] = []
        for n in order:
            if costs[n] <= room:
                room -= costs[n]
                numbers.append(n)
        rows_left = [rows[n] for n in sorted(numbers)]
        cuts.append("\n".join(rows_left) if is_text else _with(document, place or (), rows_left))
    return cuts


def scores(texts: Sequence[str], question: str) -> Any:
    """Return the score of Okapi BM25 (k1 1.2, b .75) of each text, words as they are."""
    library: Any = import_module("bm25s")  # it is not typed
    ranker = library.BM25(k1=1.2, b=0.75, method="robertson")
    words = list(map(_words, texts))
    # A word that no text has fails in some versions of the library.
    wanted = sorted(set(_words(question)).intersection(set[str]().union(*words)))
    if not wanted:
        return np.zeros(len(texts))
    ranker.index(words, show_progress=False)
    return ranker.get_scores(wanted)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9][a-z0-9\-.']*", text.lower()) or [""]


def _largest(document: Any) -> Steps | None:
    """Return the place of the array that is most of the document, if there is one."""
    largest = max(
        _arrays(document, ()), key=lambda size_and_place: size_and_place[0], default=(0, ())
    )
    return largest[1] if largest[0] * 2 > len(dump(document)) else None


def _arrays(value: Any, steps: Steps) -> Iterator[tuple[int, Steps]]:
    if is_array(value) and len(value) > 1:
        yield len(dump(value)), steps
    elif is_object(value):
        for name, member in value.items():
            yield from _arrays(member, (*steps, name))


def _at(value: Any, steps: Steps) -> Any:
    for step in steps:
        value = value[step]
    return value


def _with(value: Any, steps: Steps, new: Any) -> Any:
    """Return data with another value at a place."""
    if not steps:
        return new
    return {**value, steps[0]: _with(value[steps[0]], steps[1:], new)}
