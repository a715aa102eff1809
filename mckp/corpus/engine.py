"""The parts of a corpus as rows of a Daft data frame, worked on by its runner: here or on Ray."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from mckp.batch import available
from mckp.corpus.storage import Part, Slice
from mckp.corpus.tasks import Bench
from mckp.errors import MckpError, MissingExtraError, UnknownNameError
from mckp.jsontext import dump, load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.corpus.tasks import Job

for _name, _value in (
    ("DAFT_ANALYTICS_ENABLED", "0"),  # nothing goes out that nobody asked for
    ("RAY_USAGE_STATS_ENABLED", "0"),
    ("DAFT_PROGRESS_BAR", "0"),  # ours counts records
):
    os.environ.setdefault(_name, _value)

try:
    import daft
    from daft.exceptions import DaftCoreException
    from daft.runners import get_or_infer_runner_type
except ImportError as _error:
    raise MissingExtraError("daft", "corpus") from _error

RUNNERS: Final = ("native", "ray")

PROCESS_START_BYTES: Final = 1 << 21
"""Bytes that take about as long as it takes a process to begin."""


class _Actor:
    """A process of the engine that has a bench."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.bench: Bench | None = None

    @daft.method.batch(return_dtype=daft.DataType.string(), batch_size=1)
    def work(self, parts: daft.Series) -> list[str]:
        """Work on parts; both they and their figures go as JSON."""
        self.bench = self.bench or Bench(self.job)
        return [dump(self.bench.done(_part(load(each)))) for each in parts.to_pylist()]


def executed(
    job: Job, parts: Sequence[Part], partitions: int | None, runner: str
) -> Iterator[dict[str, Any]]:
    """Work on parts, some at a time; yield the figures of each once it is done.

    Parameters
    ----------
    job : Job
        What is asked for.
    parts : sequence of Part
        Those that are not done yet.
    partitions : int or None
        How many are worked on at a time; None for as many as there are processors, but no
        more than are worth their start.
    runner : str
        ``native``, ``ray``, or ``ray://`` with the address of a cluster.
    """
    with_runner(runner)
    most = _useful(parts, runner) if partitions is None else partitions
    most = min(most, len(parts))
    frame = daft.from_pylist([{"part": _line(part)} for part in parts])
    if runner != "native":  # which has no partitions, and hands out one row after the other
        frame = frame.into_partitions(most)
    actor = daft.cls(max_concurrency=most)(_Actor)(job)
    frame = frame.select(actor.work(frame["part"]).alias("figures"))
    left = len(parts)
    for row in frame.iter_rows(results_buffer_size=None):
        yield load(row["figures"])
        left -= 1
    if left:  # the engine takes Ctrl-C for itself, and just ends
        raise KeyboardInterrupt


def with_runner(runner: str) -> None:
    """Set the engine's runner.

    Raises
    ------
    MckpError
        If it has another one: there can be only one in a process.
    """
    if runner not in RUNNERS and not runner.startswith("ray://"):
        raise UnknownNameError("runner", runner, RUNNERS)
    kind = "native" if runner == "native" else "ray"
    if not _KINDS:
        _KINDS.append(_set(runner, kind))
    if [kind] != _KINDS:
        message = f"Daft runs on {_KINDS[0]!r} in this process; start another one for {runner!r}"
        raise MckpError(message)


_KINDS: Final[list[str]] = []
"""The kind of the runner, once there is one."""


def _set(runner: str, kind: str) -> str:
    """Set a runner; return the kind of the one that is set, which may be somebody else's."""
    try:
        if kind == "native":
            daft.set_runner_native()
        else:
            daft.set_runner_ray(None if runner == "ray" else runner, noop_if_initialized=True)
    except ImportError as error:
        raise MissingExtraError("ray", "ray") from error
    except DaftCoreException:
        return get_or_infer_runner_type()
    return kind


def _useful(parts: Sequence[Part], runner: str) -> int:
    """Return how many processors there are, or fewer if there is little to do for them."""
    most = available() if runner == "native" else _processors_of_cluster()
    return min(most, 1 + sum(part.size for part in parts) // PROCESS_START_BYTES)


def _processors_of_cluster() -> int:
    ray: Any = import_module("ray")
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _line(part: Part) -> str:
    return dump([part.number, part.size, [list(each) for each in part.slices]])


def _part(given: list[Any]) -> Part:
    number, size, slices = given
    return Part(number, size, tuple(Slice(*each) for each in slices))
