"""Marks of many session files, over several processes; they do not depend on each other."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING

from mckp.errors import WorkerError
from mckp.replay.claude import read_claude
from mckp.replay.claude.counts import Counts
from mckp.replay.marking import marks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from mckp.config.tuner import Mark

    Marked = tuple[list[Mark], Counts]


def marks_of_file(file: Path) -> Marked:
    """Return the marks of one session file, and what could not be used of it."""
    counts = Counts()
    return list(marks(read_claude(file, counts))), counts


def marks_of_files(
    files: Sequence[Path],
    counts: Counts,
    *,
    processes: int | None = None,
    on_bytes: Callable[[int], object] | None = None,
) -> Iterator[Mark]:
    """Yield the marks of session files, in their order.

    Parameters
    ----------
    files : sequence of Path
        Session files.
    counts : Counts
        What was read, and what could not be used, is added to it.
    processes : int, optional
        The most to use, by default one for each CPU; with 1, all is done in this one.
    on_bytes : callable, optional
        Told the bytes of each file, for a progress bar.

    Yields
    ------
    Mark

    Raises
    ------
    WorkerError
        If a process ends early.
    """
    most = min(len(files), processes or os.cpu_count() or 1)
    if most <= 1:
        yield from _told(files, map(marks_of_file, files), counts, on_bytes)
        return
    try:
        with ProcessPoolExecutor(most) as pool:
            yield from _told(files, pool.map(marks_of_file, files), counts, on_bytes)
    except BrokenProcessPool:
        message = "a process ended early, perhaps for want of memory; use fewer processes"
        raise WorkerError(message) from None


def _told(
    files: Sequence[Path],
    found: Iterable[Marked],
    counts: Counts,
    on_bytes: Callable[[int], object] | None,
) -> Iterator[Mark]:
    for file, (made, own) in zip(files, found, strict=True):
        counts.add(own)
        yield from made
        if on_bytes is not None:
            on_bytes(file.stat().st_size)
