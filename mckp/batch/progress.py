"""Shows the progress of encoding many records."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, contextmanager, nullcontext
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Generator

Report: TypeAlias = Callable[[int, int | None], object]
"""A function that is called with the number of records done, and their total, if known."""

T = TypeVar("T")

REDRAW_SECONDS: Final = 0.1
"""The least seconds between two drawings of a bar."""


def watched(
    outcomes: Generator[T, None, None], progress: bool | Report, total: int | None
) -> Generator[T, None, None]:
    """Yield the same outcomes, and report the progress after each, as `encode_many` does.

    `total` is the number of outcomes, if known. A wrong `progress` raises a `TypeError`.
    """
    if progress is False:
        return outcomes
    if progress is not True and not callable(progress):
        raise TypeError(f"progress must be True, False or a function, not {progress!r}")
    return _with_reports(outcomes, progress, total)


def _with_reports(
    outcomes: Generator[T, None, None], progress: bool | Report, total: int | None
) -> Generator[T, None, None]:
    """Yield the same outcomes, and report the progress to a function or draw it as a bar."""
    with (
        closing(outcomes),
        nullcontext(progress) if callable(progress) else bar("encoding") as report,
    ):
        report(0, total)
        for done, outcome in enumerate(outcomes, 1):
            report(done, total)
            yield outcome


@contextmanager
def bar(label: str, *, transient: bool = False) -> Generator[Report]:
    """Yield a function that draws a progress bar on standard error.

    A transient bar shows percentages, and disappears at the end.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TimeRemainingColumn,
    )

    # No thread of its own: processes may still be forked while the bar is shown.
    progress = Progress(
        "{task.description}",
        BarColumn(),
        TaskProgressColumn() if transient else MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        auto_refresh=False,
        transient=transient,
        redirect_stdout=transient,
        redirect_stderr=transient,
    )
    task = progress.add_task(label, total=None)
    drawn_at = 0.0

    def report(done: int, total: int | None) -> None:
        """Draw the bar, unless it was drawn just now; the last state is always drawn."""
        nonlocal drawn_at
        progress.update(task, completed=done, total=total)
        if (now := monotonic()) - drawn_at >= REDRAW_SECONDS or done == total:
            drawn_at = now
            progress.refresh()

    with progress:
        yield report
