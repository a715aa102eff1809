"""The whole way: documents in, questions made, asked and judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.accuracy.asking import questions
from mckp.accuracy.oracle import OracleReader
from mckp.accuracy.paired import MARGIN
from mckp.accuracy.reader import Asked
from mckp.accuracy.report import Report, report
from mckp.accuracy.running import answers
from mckp.accuracy.writing import WAYS, writings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from mckp.accuracy.reader import Reader
    from mckp.accuracy.running import Told
    from mckp.api import TokenizerLike


def measure(
    documents: Mapping[str, Any],
    reader: Reader | None = None,
    *,
    ways: Iterable[str] = WAYS,
    budgets: Iterable[float | None] = (None,),
    each: int = 4,
    seed: int = 1,
    tokenizer: TokenizerLike = "o200k",
    margin: float = MARGIN,
    concurrency: int = 1,
    kept: str | Path | None = None,
    told: Told | None = None,
) -> Report:
    """Ask a reader about documents in several formats.

    Parameters
    ----------
    documents : mapping
        Plain data by name.
    reader : Reader, optional
        Who answers; the oracle by default.
    ways, budgets, tokenizer
        See `writings`.
    each, seed : int
        See `questions`.
    margin : float, default 0.03
        The loss that matters, as a share of the questions.
    concurrency, kept, told
        See `mckp.accuracy.running.answers`.

    Returns
    -------
    Report
        Shares of right answers with intervals, and what may be said of the differences.

    Raises
    ------
    ValueError
        For a margin or a budget that is none.
    UnusableReaderError
        If the reader will answer nothing.

    Examples
    --------
    >>> data = [{"id": n, "state": ["ok", "failed"][n % 3 == 0]} for n in range(9)]
    >>> found = measure({"jobs": data}, ways=["json", "native"])
    >>> [(line.way, line.questions, line.right) for line in found.lines]
    [('json', 12, 12), ('native', 12, 12)]
    >>> found.beside[0].verdict
    'undecided: a loss of up to 24.2 points is not excluded'
    """
    if not 0 < margin < 1:
        raise ValueError(f"a margin is a share above 0 and below 1, not {margin:g}")
    reader = OracleReader() if reader is None else reader
    ways, budgets = list(ways), list(budgets)
    asked = [
        one
        for name, data in documents.items()
        for one in all_asked(name, data, ways, budgets, each, seed, tokenizer)
    ]
    found = answers(asked, reader, concurrency=concurrency, kept=kept, told=told)
    return report(found, reader.name, margin)


def all_asked(
    name: str,
    data: Any,
    ways: Iterable[str],
    budgets: Iterable[float | None],
    each: int,
    seed: int,
    tokenizer: TokenizerLike,
) -> Iterator[Asked]:
    """Yield every question about every text of one document, text by text."""
    found = questions(data, each=each, seed=seed, name=name)
    for writing in writings(data, ways, budgets, tokenizer):
        yield from (Asked(question, writing) for question in found)
