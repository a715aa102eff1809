"""BM25: how well texts fit words that are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.errors import extra

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OTHER: Final = ""
"""Stands for all words that are not asked for, which only make a text longer."""


def bm25(texts: Sequence[Sequence[str]], asked: Iterable[str]) -> list[float]:
    """Return how well each text fits what is asked for, both given as words.

    A word that is asked for twice counts twice; without a text that holds one, all are 0.

    Parameters
    ----------
    texts : sequence of sequence of str
        The words of each text; which of those that are not asked for they are is the same.
    asked : iterable of str
        The words that are asked for.

    Raises
    ------
    MissingExtraError
        If the package ``bm25s`` is not installed.
    """
    model = library().BM25(method="lucene", backend="numpy")
    known = {word for text in texts for word in text}
    wanted = [word for word in asked if word in known]
    if not wanted:
        return [0.0] * len(texts)
    numbers = {word: number for number, word in enumerate(dict.fromkeys([OTHER, *wanted]))}
    ids = [[numbers.get(word, numbers[OTHER]) for word in text] for text in texts]
    model.index((ids, numbers), show_progress=False)
    return [float(score) for score in model.get_scores(wanted)]


def library(name: str = "bm25s") -> Any:
    """Return the package ``bm25s``, or a part of it.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    return extra(name, "bm25s", "query")
