"""Work in a process of its own, as a plain install does it, and what comes of it.

A plain install has no `toktok`, and nothing that was compiled before: each process hides the one,
and has a new empty folder for what Numba keeps, unless a `Place` says otherwise. This file is the
process too: it reads a job from its input (``{"work": NAME, ...}``, see `WORKS`), and prints what
it found as JSON. It imports as little as it can, for what it loads, the library would not have to.
All is asked through the public API; only the vocabulary for the pass of tiktoken is the library's.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

Found = dict[str, Any]

LIMIT: Final = 1800
"""Seconds that a process may take."""
SMALL: Final = {"users": [{"id": n, "name": f"user {n}", "ok": n % 3 == 0} for n in range(40)]}
SMALL_TEXT: Final = (
    "# Users\n\n" + "All of them are well. Some are not here.\n\n- Ann\n- Bob\n\n" * 9
)
"""What a small call encodes: data, or a text."""
SMALL_BUDGET: Final = 100
PASSES: Final = 3
"""Passes of tiktoken before the first call of encode, of which the median counts."""


@dataclass(frozen=True)
class Place:
    """What a process finds.

    Attributes
    ----------
    fast
        Whether toktok may count, where it is installed.
    compiled
        The folder of what Numba keeps; None for a new empty one.
    """

    fast: bool = False
    compiled: Path | None = None

    def facts(self) -> Found:
        """Return what figures say of it."""
        return {
            "install": "plain and fast" if self.fast else "plain",
            "compiled before": "what is kept" if self.compiled else "nothing",
        }


PLAIN: Final = Place()


def add_place(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what processes find."""
    parser.add_argument("--fast", action="store_true", help="let toktok count, if it is installed")
    parser.add_argument("--compiled", type=Path, help="the folder that Numba keeps; else an empty")


def place_of(chosen: argparse.Namespace) -> Place:
    """Return what the options of `add_place` say."""
    return Place(fast=chosen.fast, compiled=chosen.compiled)


def ask(job: Found, place: Place = PLAIN, limit: int = LIMIT) -> Found:
    """Have a job done by a new process.

    Returns
    -------
    dict
        What it found; ``failed`` alone says how it ended otherwise.
    """
    with ExitStack() as stack:
        cache = place.compiled or stack.enter_context(tempfile.TemporaryDirectory())
        settings = {"NUMBA_CACHE_DIR": str(cache), "PYTHONHASHSEED": "0"}
        settings["PYTHONPATH"] = os.pathsep.join([_home(), os.environ.get("PYTHONPATH", "")])
        try:
            child = subprocess.run(
                [sys.executable, __file__],
                input=json.dumps(job | {"fast": place.fast}),
                env=os.environ | settings,
                capture_output=True,
                text=True,
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            return {"failed": f"not done after {limit} s"}
    if child.returncode:
        last = child.stderr.strip().split("\n")[-1]
        return {"failed": f"ended with {child.returncode}: {last[:200]}"}
    answer: Found = json.loads(child.stdout)
    return answer


def _home() -> str:
    """Return the folder that this process has the library from, so that others have it too."""
    spec = find_spec("mckp")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("mckp is not installed")
    return str(Path(spec.origin).parents[1])


def spent(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return what some work gives, and its milliseconds by the clock and by the processor."""
    cpu, clock = time.process_time(), time.perf_counter()
    result = work()
    took = time.perf_counter() - clock
    return result, 1000 * took, max(1000 * (time.process_time() - cpu), 1e-3)


def speed(
    path: str, formats: str, budget: int | None, kind: Any, loaded: bool, calls: int
) -> Found:
    """Time the first call of encode, and some later ones, beside passes over the same text.

    The vocabulary is loaded before. Nothing was encoded, or one small document if `loaded` says so:
    the modules that the library imports on use are there then.
    """
    text = Path(path).read_text(encoding="utf-8")
    import mckp
    from mckp.tokenizers import get
    from mckp.tokenizers.encodings import load

    get("o200k").count("loaded")
    count = load("o200k_base").encode_ordinary

    def encoded() -> mckp.Result:
        return mckp.encode(text, budget=budget, formats=[formats], kind=kind)

    if loaded:
        small_call(kind, budget is not None)
    passes = [spent(lambda: count(text)) for _ in range(PASSES)]
    once, cpu = (statistics.median(entry[n] for entry in passes) for n in (1, 2))
    try:
        result, first, first_cpu = spent(encoded)
    except mckp.BudgetError as error:
        return {"floor": error.floor}
    turns = [(spent(lambda: count(text))[1], spent(encoded)[1]) for _ in range(calls)]
    return {
        "bytes": len(text.encode()),
        "tokens": result.tokens,
        "status": result.status,
        "kept": result.value / result.total if result.total else 1.0,
        "pass": once,
        "ms": first,
        "ratio": first / once,
        "cpu ratio": first_cpu / cpu,
        "later": statistics.median(milliseconds / ratio for ratio, milliseconds in turns)
        if turns
        else None,
        "loaded": [name for name in ("numba", "toktok") if sys.modules.get(name)],
    }


def singles(path: str, formats: str, budgets: Sequence[int | None] | None, rounds: int) -> Found:
    """Time encode on one document after the other, as parsed values.

    Parameters
    ----------
    path
        Of a file with a list of JSON texts.
    formats
        The level.
    budgets
        One for each, or None for none at all.
    rounds
        How often all of them are encoded again.

    Returns
    -------
    dict
        ``first`` and ``later``: milliseconds of the first call and the median of later ones;
        ``cpu``: those of the first call by the processor; ``tokens``: None where the budget is
        too small, which is not timed.
    """
    texts: list[str] = json.loads(Path(path).read_text(encoding="utf-8"))
    import mckp
    from mckp.tokenizers import get

    get("o200k").count("loaded")
    limits = [None] * len(texts) if budgets is None else budgets
    times: list[list[tuple[float, float]]] = [[] for _ in texts]
    tokens: list[int | None] = [None] * len(texts)
    for _ in range(rounds + 1):
        for number, (text, budget) in enumerate(zip(texts, limits, strict=True)):
            work = partial(mckp.encode, json.loads(text), budget=budget, formats=[formats])
            try:
                result, clock, cpu = spent(work)
            except mckp.BudgetError:
                continue
            times[number].append((clock, cpu))
            tokens[number] = result.tokens
    timed = [document_times for document_times in times if document_times]
    return {
        "tokens": tokens,
        "first": [document_times[0][0] for document_times in timed],
        "cpu": [document_times[0][1] for document_times in timed],
        "later": [
            statistics.median(clock for clock, _ in document_times[1:] or document_times)
            for document_times in timed
        ],
    }


def small_call(kind: Any = None, within: bool = True) -> None:
    """Encode a small document, within a budget or without."""
    import mckp

    data = SMALL_TEXT if kind else SMALL
    mckp.encode(data, budget=SMALL_BUDGET if within else None, kind=kind)


def held() -> Found:
    """Return the bytes held after a small call within a budget, and what the vocabulary adds."""
    import machine

    from mckp.tokenizers.encodings import load

    small_call()
    gc.collect()
    sizes = {"held": machine.held(), "peak": machine.peak()}
    load("o200k_base")
    return sizes | {"vocabulary": machine.held() - sizes["held"]}


def memory(path: str, formats: str, budget: int | None, kind: Any = None, calls: int = 0) -> Found:
    """Return time and peak of the first call on a document, with the vocabulary loaded."""
    import machine

    import mckp
    from mckp.tokenizers.encodings import load

    small_call()
    load("o200k_base")
    gc.collect()
    before = machine.reset_peak()
    text = Path(path).read_text(encoding="utf-8")
    try:
        result, first, cpu = spent(
            lambda: mckp.encode(text, budget=budget, formats=[formats], kind=kind)
        )
    except mckp.BudgetError as error:
        return {"floor": error.floor}
    top, tokens, size = machine.peak(), result.tokens, len(text.encode())
    del result
    runs = [
        spent(lambda: mckp.encode(text, budget=budget, formats=[formats], kind=kind))[1:]
        for _ in range(calls)
    ] or [(first, cpu)]
    ms = statistics.median(clock for clock, _ in runs)
    return {
        "bytes": size,
        "tokens": tokens,
        "first": first,
        "ms": ms,
        "cpu": statistics.median(own for _, own in runs),
        "ms per MB": ms / (size / 1e6),
        "held": before,
        "peak": top - before,
        "peak per byte": (top - before) / size,
    }


WORKS: Final[dict[str, Callable[..., Found]]] = {
    "speed": speed,
    "singles": singles,
    "held": held,
    "memory": memory,
}


def main() -> int:
    """Do the job that the input describes."""
    job: Found = json.loads(sys.stdin.read())
    if not job.pop("fast"):
        sys.modules["toktok"] = None  # type: ignore[assignment]
    print(json.dumps(WORKS[job.pop("work")](**job)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
