"""A bar on standard error, where somebody looks at it."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from mckp.batch.progress import REDRAW_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    Report = Callable[[int, int | None], object]


@contextmanager
def bar(what: str, *, always: bool = False) -> Generator[Report]:
    """Show how far something has come; only on a terminal, unless always.

    Parameters
    ----------
    what : str
        What is being done.
    always : bool, default False
        Whether to draw even where nobody looks.

    Yields
    ------
    callable
        To be told how much is done, and of how much if that is known.
    """
    if not (always or (sys.stderr is not None and sys.stderr.isatty())):  # pyright: ignore[reportUnnecessaryComparison]
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeRemainingColumn

    console = Console(stderr=True)
    shown = 0.0
    columns = ("{task.description}", BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, auto_refresh=False, transient=True) as progress:
        task = progress.add_task(what, total=None)

        def report(done: int, total: int | None) -> None:
            nonlocal shown
            if (now := monotonic()) - shown >= REDRAW_SECONDS or done == total:
                shown = now
                progress.update(task, completed=done, total=total, refresh=True)

        yield report
