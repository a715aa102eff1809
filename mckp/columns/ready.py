"""Whether the kernels are compiled: in this process, or kept on disk by an earlier one."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any, Final

import numba
from numba.core import config, registry

from mckp.jit import LOST

_STATE: Final = {"used": False}


def is_compiled() -> bool:
    """Whether kernels are compiled at all; ``NUMBA_DISABLE_JIT=1`` runs them as plain Python."""
    return not getattr(config, "DISABLE_JIT", False)


def is_ready() -> bool:
    """Whether the first use of the kernels takes no more than loading them."""
    if not is_compiled():
        return False
    if not _STATE["used"]:
        mark = _mark()
        _STATE["used"] = mark is not None and mark.exists()
    return _STATE["used"]


def note_ready() -> None:
    """Note that all kernels have been compiled, for this process and for later ones."""
    _STATE["used"] = True
    # What could not be kept on disk has to be compiled again by the next process.
    if not LOST and (mark := _mark()) is not None:
        try:
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
        except OSError:
            return  # then each process finds out for itself


def _mark() -> Path | None:
    """Return the file whose being there says that compiled kernels are; None without a cache.

    Its name changes with all that they were compiled from and for.
    """
    from mckp.columns.menu import offer

    folder = getattr(getattr(offer, "_cache", None), "cache_path", None)
    if folder is None:
        return None
    here = Path(__file__).parent
    sources = sorted([*here.glob("*.py"), here.parent / "borrowed.py", here.parent / "jit.py"])
    stamps = [(path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in sources]
    target: Any = registry.cpu_target
    machine = target.target_context.codegen().magic_tuple()
    made_for = (numba.__version__, sys.version, machine, stamps)
    return Path(folder) / f"ready-{hashlib.sha256(repr(made_for).encode()).hexdigest()[:20]}"
