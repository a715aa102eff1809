"""Corpora: more records than one process or one machine should do, in parts that survive a kill.

The engine is Daft: embedded, or on a Ray cluster with the same code. Every part has files of its
own, whose bytes depend on the corpus and on what is asked for, not on who worked on it.
"""

from __future__ import annotations

import json
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any, Final, TypedDict

from mckp import api
from mckp import tokenizers as known_tokenizers
from mckp.batch import known_everywhere
from mckp.corpus.run import run
from mckp.corpus.tasks import Encode, Job, Measure, formats_named
from mckp.encoders import ALL, BASELINES, LEVELS
from mckp.errors import BudgetError, WeightError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from contextlib import AbstractContextManager
    from typing import Unpack

    from mckp.api import TokenizerLike
    from mckp.corpus.run import State
    from mckp.limits import BudgetLike
    from mckp.telemetry.fields import Figures

__all__ = ["EVERY", "How", "compare", "encode", "measure"]

EVERY: Final = (*LEVELS, *(each.name for each in (*ALL, *BASELINES) if each.name != "toon"))
"""The formats that are measured if none are named; ``toon`` needs an extra."""


class How(TypedDict, total=False):
    """How a corpus is gone through.

    Attributes
    ----------
    column : str or None
        The column or member that holds the document, if that is not the whole record.
    partitions : int or None
        How many parts are worked on at a time; by default as many as there are processors, here
        or in the cluster, but no more than are worth their start.
    runner : str
        ``native`` (the default), ``ray``, or the address of a cluster, as ``ray://host:10001``.
    progress : bool or callable
        True for a bar on standard error; a function is called with each `mckp.corpus.run.State`.
    """

    column: str | None
    partitions: int | None
    runner: str
    progress: bool | Callable[[State], object]


def encode(
    source: str,
    target: str,
    *,
    options: Mapping[str, Any] | None = None,
    budget: BudgetLike | None = None,
    tokenizer: TokenizerLike = "o200k",
    formats: str | Iterable[str] = "native",
    **how: Unpack[How],
) -> Figures:
    """Encode all records of a corpus, each as `mckp.encode` does.

    Below `target` there are ``records/*.jsonl`` with a row for each record (``file``, ``at``,
    ``text``, ``tokens``, ...), ``errors/*.jsonl`` with what was set aside, ``summary.json``, and
    what is needed to go on after a kill: call it again with the same arguments. The bytes are
    the same whatever the partitions and the runner are.

    Parameters
    ----------
    source : str
        A file or a folder, as a path or as a URI of an object store, such as
        ``s3://bucket/prefix``. Lines of ``.jsonl`` and ``.ndjson`` are records, and so are
        rows of ``.parquet``, ``.csv`` and ``.tsv``; any other file is one. Names with a step
        that begins with a dot or an underscore are left out.
    target : str
        A folder that is new or empty, or one that an earlier call began.
    budget, tokenizer, formats
        As for `mckp.encode`, the same for each record.
    options : mapping, optional
        Others of `mckp.encode`: ``weights``, ``priorities``, ``query``, ``more``, ``solver``.
    **how
        See `How`: ``column``, ``partitions``, ``runner``, ``progress``.

    Returns
    -------
    dict
        ``parts``, ``bytes``, ``records``, ``failed``, and of ``figures`` the ``tokens`` and how
        many records were ``cut``.

    Raises
    ------
    MckpError
        If `target` holds something else, or the output of another request.
    """
    formats = formats if isinstance(formats, str) else list(formats)
    settings = {"budget": budget, "formats": formats, **(options or {})}
    known: dict[str, Any] = {**settings, "tokenizer": known_everywhere(tokenizer)}
    with suppress(BudgetError, WeightError):
        api.encode("[]", **known)  # what no record could change is refused at once
    job = Job(source, target, Encode(known), how.get("column"))
    return _run(job, {"command": "encode", **settings, "tokenizer": _name(tokenizer)}, how)


def measure(
    source: str,
    target: str,
    *,
    formats: Iterable[str] = EVERY,
    tokenizer: TokenizerLike = "o200k",
    **how: Unpack[How],
) -> Figures:
    """Count the tokens of each record in several formats; each level is a mix of formats.

    A row says ``tokens`` by tokenizer and format; ``source`` is compact JSON, or the text of
    what is no JSON. A format that does not fit a record is missing.

    Parameters
    ----------
    source, target, **how
        As for `encode`.
    formats : iterable of str
        Levels and formats; baselines, which lose data, too.
    tokenizer : str, Tokenizer or callable, default "o200k"
        Who counts.

    Returns
    -------
    dict
        As of `encode`; ``figures`` has, by tokenizer and format, the ``tokens``, the
        ``records`` that the format fits, and the tokens of their ``source``.
    """
    return _measured("measure", (source, target), formats, [tokenizer], how)


def compare(
    source: str,
    target: str,
    *,
    formats: Iterable[str] = EVERY,
    tokenizers: Iterable[TokenizerLike] = ("o200k", "cl100k"),
    **how: Unpack[How],
) -> Figures:
    """Add up the tokens of all records in several formats; as `measure`, without its rows."""
    return _measured("compare", (source, target), formats, list(tokenizers), how)


def _measured(
    command: str,
    places: tuple[str, str],
    formats: Iterable[str],
    counters: list[TokenizerLike],
    how: How,
) -> Figures:
    names = formats_named(formats)
    task = Measure(names, tuple(known_everywhere(each) for each in counters))
    job = Job(*places, task, how.get("column"), keeps_rows=command == "measure")
    asked = {"command": command, "formats": names, "tokenizers": [*map(_name, counters)]}
    return _run(job, asked, how)


def _run(job: Job, asked: dict[str, Any], how: How) -> Figures:
    number, progress = how.get("partitions"), how.get("progress", False)
    if number is not None and number < 1:
        raise ValueError(f"partitions is a whole number, 1 or more, not {number!r}")
    request = json.loads(json.dumps({**asked, "column": job.column}, default=_called))
    with _reporter(asked["command"], progress) as report:
        runner = how.get("runner", "native")
        return run(job, request, partitions=number, runner=runner, report=report)


def _reporter(
    command: str, progress: bool | Callable[[State], object]
) -> AbstractContextManager[Callable[[State], object]]:
    if callable(progress):
        return nullcontext(progress)
    if not progress:
        return nullcontext(lambda state: None)
    from mckp.corpus.run import drawn

    return drawn(_TITLES[command])


_TITLES: Final = {
    "encode": "encoding",
    "measure": "measuring",
    "compare": "comparing",
}


def _called(given: object) -> str:
    """Return what a function or an object is called in a manifest."""
    kind = type(given)
    return str(getattr(given, "__qualname__", f"{kind.__module__}.{kind.__qualname__}"))


def _name(tokenizer: TokenizerLike) -> str:
    return known_tokenizers.get(tokenizer).name
