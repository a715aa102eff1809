"""Encodes many documents in several processes, in order; if one fails, the others continue."""

from __future__ import annotations

import multiprocessing
import operator
import os
from collections.abc import Iterable, Mapping, Sized
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, SupportsIndex, cast

from mckp import tokenizers
from mckp.api import encode
from mckp.batch.ahead import Spread
from mckp.batch.arrow import Encode
from mckp.batch.progress import watched
from mckp.batch.worker import Failure, attempt, outcome
from mckp.errors import BudgetError
from mckp.tokenizers.registry import is_built_in, plug_ins

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from mckp.api import TokenizerLike
    from mckp.batch.progress import Report
    from mckp.budgets import BudgetLike
    from mckp.encoders import FormatsLike
    from mckp.parsers import KindName
    from mckp.result import Result
    from mckp.solvers import SolverLike
    from mckp.weights.models import WeightsLike
    from mckp.weights.priority import PrioritiesLike

__all__ = ["Encode", "Failure", "KindedText", "encode_many"]


class KindedText(NamedTuple):
    """A record for `encode_many` that has its own `kind`; see `mckp.encode`."""

    text: bytes
    kind: str | None


def encode_many(
    records: Iterable[Any],
    *,
    processes: int | None = None,
    progress: bool | Report = False,
    budget: BudgetLike | None = None,
    tokenizer: TokenizerLike = "o200k",
    formats: FormatsLike | Literal["auto"] = "native",
    weights: WeightsLike = "salience",
    priorities: PrioritiesLike | None = None,
    query: str | None = None,
    solver: SolverLike = "auto",
    work_limit: int | None = None,
    kind: KindName | None = None,
) -> Generator[Result | Failure, None, None]:
    """Encode many documents, each as `mckp.encode` does, over several processes.

    Records are read slightly ahead of the results, never all at once. A record that cannot be
    encoded, or whose process ends (e.g. for lack of memory), yields a `Failure`; the others go on.
    Closing the iterator, as Ctrl-C does, ends the processes at once.

    Parameters
    ----------
    records : iterable
        The documents: anything that `mckp.encode` takes.
    processes : int, optional
        The most processes to use; by default, one for each CPU that this process may use. No more
        are started than there is work for. With 1, everything is done in this process.
    progress : bool or callable, default False
        True for a bar on standard error, which shows the total if `records` has a length. A
        function is called with the number of records done and their total, or None.
    budget, tokenizer, formats, weights, priorities, query, solver, work_limit, kind
        As for `mckp.encode`, and the same for each record; functions are sent to other processes.

    Yields
    ------
    Result or Failure
        One for each record, in order.

    Raises
    ------
    UnknownNameError, ValueError
        At once, for options that `mckp.encode` refuses for any document.
    TypeError
        At once, for a single document, and for an option that cannot be sent to another
        process, such as a lambda.
    WorkerError
        If not even one process can be started.

    Notes
    -----
    Where processes are spawned, as on Windows and macOS, and on Linux where other threads run or
    from Python 3.14 on, a script has to guard what it does by ``if __name__ == "__main__":``, as
    for all of `multiprocessing`.

    Examples
    --------
    >>> for result in encode_many(['{"a": 1}', {"a": {3}}, [1, 2]], processes=1):
    ...     print(result if isinstance(result, Failure) else result.text)
    {"a":1}
    record 1: a value of type set is not JSON data at $.a; convert it first
    [1,2]
    """
    if isinstance(records, str | bytes | bytearray | Mapping):
        raise TypeError(
            "records must be an iterable of documents; put a single document into a list"
        )
    options: dict[str, Any] = {
        "budget": budget,
        "tokenizer": _known_everywhere(tokenizer),
        "formats": _reusable(formats),
        "weights": _reusable(weights),
        "priorities": _reusable(priorities),
        "query": query,
        "solver": solver,
        "work_limit": work_limit,
        "kind": kind,
        "on_unmatched": "ignore",  # records have many shapes
    }
    # Wrong options raise an error here, and a vocabulary is loaded before any fork.
    with suppress(BudgetError):
        encode("[]", **options)
    total = len(records) if isinstance(records, Sized) else None
    count, call, documents = (
        _process_count(processes, total),
        partial(_encode_detached, **options),
        iter(records),
    )
    outcomes = (
        _one_by_one(documents, call) if count == 1 else Spread(documents, call, count).outcomes()
    )
    return watched(outcomes, progress, total)


def _reusable(values: object) -> Any:
    """Return an iterator as a list, so that it can be read twice; return other values unchanged."""
    is_iterable = isinstance(values, Iterable) and not isinstance(values, str | Mapping)
    return list(cast("Iterable[Any]", values)) if is_iterable else cast("Any", values)


def _encode_detached(record: object, **options: Any) -> Result:
    """Encode a record, and drop what the result keeps for further questions, which is large."""
    if isinstance(record, KindedText):
        record, options["kind"] = record
    return encode(record, **options).detached()


def _known_everywhere(tokenizer: TokenizerLike) -> TokenizerLike:
    """Return a tokenizer as it is, or its object if only this process knows its name."""
    if not isinstance(tokenizer, str) or is_built_in(tokenizer) or tokenizer in plug_ins():
        return tokenizer
    return tokenizers.get(tokenizer) if tokenizer in tokenizers.names() else tokenizer


def _process_count(processes: object, total: int | None) -> int:
    """Return the number of processes to use; 1 means that this process does all the work.

    It is at most `total`, if that is known. Anything but a whole number of 1 or more, or None for
    the default, raises a `ValueError`.
    """
    if processes is None:
        affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
        count = len(affinity(0)) if affinity else os.cpu_count() or 1
    elif isinstance(processes, SupportsIndex) and not isinstance(processes, bool):
        count = operator.index(processes)
    else:
        count = 0
    if count < 1:
        raise ValueError(f"processes must be a whole number, 1 or more, not {processes!r}")
    if multiprocessing.current_process().daemon:  # it may not have children
        return 1
    return count if total is None else max(1, min(count, total))


def _one_by_one(
    records: Iterable[Any], call: Callable[[Any], Result]
) -> Generator[Result | Failure, None, None]:
    """Yield the result or failure of each record, computed in this process."""
    for index, record in enumerate(records):
        yield outcome(index, attempt(call, record))
