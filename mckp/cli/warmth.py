"""``mckp warmup``: vocabularies loaded, and all that is compiled at first use kept on disk."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import mckp
from mckp import jit, tokenizers
from mckp.cli import streams
from mckp.jsontext import dump
from mckp.tokenizers.vocabularies import VOCABULARIES

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class Step:
    """What one step of warming up came to.

    Attributes
    ----------
    name : str
        What was warmed.
    seconds : float
        How long it took.
    compiled, found : int
        Kernels that were compiled now, and those that were found on disk.
    """

    name: str
    seconds: float
    compiled: int
    found: int


def vocabularies() -> None:
    """Load every vocabulary, and count with it."""
    for name in VOCABULARIES:
        tokenizers.get(name).count("warm")


def pieces() -> None:
    """Count with the kernels of the tokenizers."""
    from mckp.tokenizers.pieces import count_texts

    for name in VOCABULARIES:
        count_texts(name, ["warm up\n", "él"])


def solvers() -> None:
    """Solve a flat table, hard enough for every kernel, and a nested one, each in all ways."""
    import numpy as np

    from mckp.solvers import instances, solve
    from mckp.solvers.dues import Dues

    hard = instances.flat("strongly", seed=1, classes=100, options=7, largest=1000, part=0.5)
    nested = instances.document(seed=1, nodes=500, layouts=3)
    for instance in (hard, nested):
        for solver in ("core", "dp", "bands", "tree"):
            solve(instance.table, instance.budget, solver)
    Dues.spread(nested.table, np.ones(nested.table.options, dtype=np.int64), nested.budget)


def phrases() -> None:
    """Write a document at the dense level that is large enough for kernels."""
    from mckp.encoders.hands import SMALL

    rows = [
        {"id": n, "name": f"the quick brown job of number {n % 97}"} for n in range(SMALL // 32)
    ]
    mckp.encode(rows, formats="dense")


def columns() -> None:
    """Encode with the kernels for large documents."""
    import_module("mckp.columns.warm").warm_up()


STEPS: Final[dict[str, tuple[Callable[[], None], str]]] = {
    "vocabularies": (vocabularies, "mckp.tokenizers"),
    "tokenizers": (pieces, "mckp.tokenizers.pieces"),
    "solvers": (solvers, "mckp.solvers"),
    "phrases": (phrases, "mckp.encoders.hands"),
    "columns": (columns, "mckp.columns.warm"),
}
"""What is warmed, and the module that has to be there for it."""


def warm(arguments: Namespace) -> None:
    """Run tiny inputs through everything that is compiled or loaded at first use.

    Raises
    ------
    MckpError
        If nothing of it could be kept on disk.
    """
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        raise mckp.MckpError("nothing is compiled while NUMBA_DISABLE_JIT is set")
    done: list[Step] = []
    for name, (run, module) in STEPS.items():
        if find_spec(module) is not None:
            done.append(_timed(name, run))
            if not arguments.json:
                streams.write(_line(done[-1]) + "\n", streams.STANDARD)
    folders, lost = _folders(), sorted({str(error) for error in jit.LOST})
    if arguments.json:
        streams.write(dump(_facts(done, folders, lost)) + "\n", streams.STANDARD)
    else:
        streams.write("".join(f"kept in {folder}\n" for folder in folders), streams.STANDARD)
    if not folders:
        raise mckp.MckpError(
            "nothing compiled is kept on disk; let NUMBA_CACHE_DIR name a folder that can be "
            f"written ({_summary(lost) or 'nothing was compiled'})"
        )
    if lost and not arguments.json:
        message = streams.printable(_summary(lost))
        sys.stderr.write(f"mckp: warning: not all is kept on disk: {message}\n")


def _timed(name: str, run: Callable[[], None]) -> Step:
    before, start = _counts(), perf_counter()
    run()
    seconds, after = perf_counter() - start, _counts()
    return Step(name, seconds, after[0] - before[0], after[1] - before[1])


def _counts() -> tuple[int, int]:
    """Return how many kernels were compiled in this process, and how many were found."""
    stats = [kernel.stats for kernel in _kernels()]
    compiled = sum(sum(each.cache_misses.values()) for each in stats)
    return compiled, sum(sum(each.cache_hits.values()) for each in stats)


def _kernels() -> Iterator[Any]:
    """Yield what Numba compiles of the modules that are loaded."""
    for name, module in list(sys.modules.items()):
        if name.startswith("mckp."):
            for value in list(vars(module).values()):
                if hasattr(value, "py_func") and value.py_func.__module__ == name:
                    yield value


def _folders() -> list[str]:
    """Return the folders in which kernels that were used are kept."""
    return sorted({str(place.parent) for kernel in _kernels() for place in _files(kernel)})


def _files(kernel: Any) -> Iterator[Path]:
    """Yield the files that say what of a kernel is kept."""
    folder, code = kernel.stats.cache_path, kernel.py_func.__code__
    if folder and kernel.signatures:
        yield from Path(folder).glob(f"*.{code.co_name}-{code.co_firstlineno}.*.nbi")


def _summary(lost: list[str]) -> str:
    return f"{lost[0]}; and {len(lost) - 1} more" if len(lost) > 1 else "".join(lost)


def _line(step: Step) -> str:
    kernels = f"  {step.compiled:3} compiled, {step.found:3} found on disk"
    shown = kernels if step.compiled or step.found else ""
    return f"{step.name:14}{step.seconds:7.2f} s{shown}"


def _facts(done: list[Step], folders: list[str], lost: list[str]) -> dict[str, Any]:
    steps = [{name: getattr(step, name) for name in Step.__slots__} for step in done]
    return {"steps": steps, "folders": folders, "lost": lost}
