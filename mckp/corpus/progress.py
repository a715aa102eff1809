"""How far a run over a corpus is, drawn on standard error."""

from __future__ import annotations

from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from rich.console import Console
    from rich.progress import Progress

    from mckp.corpus.run import State

SPAN: Final = 600.0
"""Seconds that the time that is left is estimated from; a part may take many."""


@contextmanager
def drawn(title: str, console: Console | None = None) -> Generator[Callable[[State], None]]:
    """Yield what draws the states that it is told.

    Parameters
    ----------
    title : str
        What is being done.
    console : Console, optional
        Where to draw, by default on standard error.
    """
    bar = _bar(console)
    task = bar.add_task(title, total=None, records="", failed="")
    start, first = monotonic(), None

    def report(state: State) -> None:
        nonlocal first
        done = state.done
        is_first, first = first is None, done["records"] if first is None else first
        rate = (done["records"] - first) / max(monotonic() - start, 1e-9)
        speed = f", {rate:,.0f} a second" if done["records"] > first else ""
        failed = f"[red]{done['failed']:,} set aside" if done["failed"] else ""
        # What was done before says nothing of the speed.
        (bar.reset if is_first else bar.update)(
            task,
            total=state.bytes,
            completed=done["bytes"],
            records=f"{done['records']:,} records{speed}",
            failed=failed,
        )

    with bar:
        yield report


def _bar(console: Console | None) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeRemainingColumn

    return Progress(
        "{task.description}",
        BarColumn(),
        TaskProgressColumn(),
        "{task.fields[records]}",
        "{task.fields[failed]}",
        TimeRemainingColumn(),
        console=console or Console(stderr=True),
        redirect_stdout=False,
        redirect_stderr=False,
        speed_estimate_period=SPAN,
    )
