"""A run over a corpus: what was asked for is written down, and what is done is not done again."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from hashlib import sha256
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from mckp import __version__
from mckp.corpus.storage import Part, Store, parts_of
from mckp.corpus.tasks import done_name
from mckp.errors import MckpError
from mckp.jsontext import dump, load
from mckp.telemetry.fields import add

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

    from rich.console import Console
    from rich.progress import Progress

    from mckp.corpus.storage import File
    from mckp.corpus.tasks import Job
    from mckp.telemetry.fields import Figures

MANIFEST, SUMMARY = "manifest.json", "summary.json"


class State(NamedTuple):
    """How far a run is."""

    parts: int
    bytes: int
    done: Figures


def run(
    job: Job,
    request: dict[str, Any],
    *,
    partitions: int | None,
    runner: str,
    report: Callable[[State], object],
) -> Figures:
    """Do what is left to do of a job; return the figures of all of it.

    Parameters
    ----------
    job : Job
        What is done.
    request : dict
        The same as JSON, for the manifest.
    partitions, runner
        As for `mckp.corpus.engine.executed`.
    report : callable
        Is told how far things are, first with what was done before.

    Raises
    ------
    MckpError
        If the output is that of another request, or of another corpus.
    FileNotFoundError
        If there is no corpus.
    """
    source, target = Store(job.source), Store(job.target)
    if target in source:
        raise MckpError(f"the output {job.target} is inside of the input {job.source}")
    files = list(source.files())
    parts = parts_of(source, files)
    _claim(target, _manifest(request, files, parts))
    done = _done(target, parts)
    state = State(len(parts), sum(part.size for part in parts), _counts(done.values()))
    report(state)
    left = [part for part in parts if part.number not in done]
    if left:
        from mckp.corpus.engine import executed

        for figures in executed(job, left, partitions, runner):
            done[figures["part"]] = _plain(figures)
            state = state._replace(done=_counts([state.done, _plain(figures)]))
            report(state)
    total = _sum(done[part.number] for part in parts)
    target.put(SUMMARY, dump(total).encode())
    return total


def _manifest(
    request: dict[str, Any], files: Sequence[File], parts: Sequence[Part]
) -> dict[str, Any]:
    listed = dump([list(file) for file in files]).encode()
    return {
        "mckp": __version__,
        "request": request,
        "input": {
            "files": len(files),
            "bytes": sum(file.size for file in files),
            "sha256": sha256(listed).hexdigest(),
        },
        "parts": len(parts),
    }


def _claim(target: Store, manifest: dict[str, Any]) -> None:
    """Write down what is asked for, or see that it is the same as before.

    Raises
    ------
    MckpError
        If it is not.
    """
    drafts = [file.name for file in target.files_if_any() if target.is_draft(file.name)]
    others = len(target.files_if_any()) - len(drafts)
    found = target.read(MANIFEST)
    if found is None and others:
        raise MckpError(f"{target.place} holds other files; name a folder that is new or empty")
    if found is not None and (known := load(found.decode())) != manifest:
        raise MckpError(
            f"{target.place} holds the output of another run ({_difference(known, manifest)}); "
            "name another output, or remove that one"
        )
    for name in drafts:
        with suppress(FileNotFoundError):
            target.remove(name)
    if found is None:
        target.put(MANIFEST, dump(manifest).encode())


def _difference(known: dict[str, Any], wanted: dict[str, Any]) -> str:
    """Return the first thing in which two manifests differ."""
    if known.get("request") != wanted["request"]:
        known, wanted = known.get("request", {}), wanted["request"]
    name = next((name for name in wanted if known.get(name) != wanted[name]), "request")
    if name == "input":
        return "the input has changed"
    return f"{name} {dump(known.get(name))}, not {dump(wanted.get(name))}"


def _done(target: Store, parts: Sequence[Part]) -> dict[int, Figures]:
    """Return the figures of the parts that are done, all of whose files are there."""
    there = {file.name: file.size for file in target.files_if_any()}
    found: dict[int, Figures] = {}
    for part in parts:
        name = done_name(part.number)
        data = target.read(name) if name in there else None
        figures = load(data.decode()) if data else None
        if figures and all(there.get(n) == f["bytes"] for n, f in figures["files"].items()):
            found[part.number] = _plain(figures)
    return found


def _plain(figures: Figures) -> Figures:
    """Return what of a part's figures can be added up."""
    kept = {name: value for name, value in figures.items() if name not in ("part", "files")}
    return {"parts": 1, **kept}


def _counts(figures: Iterable[Figures]) -> Figures:
    """Return how much is done, without what came of it."""
    total: Figures = {"parts": 0, "bytes": 0, "records": 0, "failed": 0}
    for each in figures:
        add(total, {name: each[name] for name in total})
    return total


def _sum(figures: Iterable[Figures]) -> Figures:
    total: Figures = {"parts": 0, "bytes": 0, "records": 0, "failed": 0, "figures": {}}
    for each in figures:
        add(total, each)
    return total


@contextmanager
def drawn(title: str, console: Console | None = None) -> Generator[Callable[[State], None]]:
    """Yield what draws the states that it is told."""
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
        speed_estimate_period=600.0,
    )
