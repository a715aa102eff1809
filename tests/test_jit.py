"""Compiled code is kept on disk where that is possible, and runs in any case."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mckp.solvers.jit import is_installed

KERNEL = """
from mckp.solvers.jit import njit

@njit
def twice(x):
    return 2 * x
"""
CALL = """
import sys
sys.path.insert(0, sys.argv[1])
import kernel
from mckp.solvers import jit
{between}
print(kernel.twice(21), kernel.twice.stats.cache_path, bool(jit.CACHE_ERRORS), sep="\\n")
print(sum(kernel.twice.stats.cache_hits.values()))
"""
ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0" or not is_installed(),
    reason="nothing is compiled",
)


def run(folder: Path, between: str = "", **env: str) -> list[str]:
    """Call a kernel that is in a folder, in a process of its own; return what it printed."""
    (folder / "kernel.py").write_text(KERNEL)
    variables: dict[str, Any] = {
        **os.environ,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(ROOT),
        **env,
    }
    done = subprocess.run(
        [sys.executable, "-c", CALL.format(between=between), str(folder)],
        capture_output=True,
        text=True,
        env=variables,
        check=True,
    )
    return done.stdout.splitlines()


def closed(folder: Path) -> None:
    """Let nothing be written beside a module, be it by root."""
    (folder / "__pycache__").write_text("no folder")


def test_kept_beside_the_module(tmp_path: Path) -> None:
    """Compiled code is kept beside its module, and found by the next process."""
    place = str(tmp_path / "__pycache__")
    assert run(tmp_path, NUMBA_CACHE_DIR="") == ["42", place, "False", "0"]
    assert run(tmp_path, NUMBA_CACHE_DIR="") == ["42", place, "False", "1"]


@pytest.mark.skipif(sys.platform != "linux", reason="where the cache of a user is differs")
def test_kept_in_the_home_if_the_package_cannot_be_written(tmp_path: Path) -> None:
    """If the package is read-only, compiled code is kept in the user's cache."""
    closed(tmp_path)
    home = tmp_path / "home"
    env = {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache"), "NUMBA_CACHE_DIR": ""}
    for hits in ("0", "1"):
        _, place, lost, hits_counted = run(tmp_path, **env)
        assert Path(place).is_relative_to(home)
        assert (lost, hits_counted) == ("False", hits)


@pytest.mark.skipif(sys.platform != "linux", reason="where the cache of a user is differs")
def test_not_kept_where_nothing_can_be_written(tmp_path: Path) -> None:
    """Where nothing can be written, compiled code runs and is not kept."""
    closed(tmp_path)
    env = {"HOME": os.devnull, "XDG_CACHE_HOME": os.devnull, "NUMBA_CACHE_DIR": ""}
    assert run(tmp_path, **env) == ["42", "None", "True", "0"]


@pytest.mark.parametrize(
    "between",
    [
        "import shutil; shutil.rmtree(place := sys.argv[1] + '/cache'); open(place, 'w').close()",
        "import errno, os\n"
        "def full(*args): raise OSError(errno.ENOSPC, 'No space left on device')\n"
        "os.replace = full",
    ],
    ids=["vanished", "full"],
)
def test_a_folder_that_fails_later(tmp_path: Path, between: str) -> None:
    """A folder that is none any more or a disk that is full stops nothing."""
    answer, _, lost, _ = run(tmp_path, between, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert (answer, lost) == ("42", "True")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the kernel once, and return its folder; the cache is below it, where it was said."""
    folder = tmp_path_factory.mktemp("compiled")
    answer, place, lost, _ = run(folder, NUMBA_CACHE_DIR=str(folder / "cache"))
    assert (answer, Path(place).parent, lost) == ("42", folder / "cache", "False")
    assert not (folder / "__pycache__").exists()
    return folder


def copied(compiled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(compiled / "cache", tmp_path / "cache"))


def test_kept_where_it_is_said(compiled: Path, tmp_path: Path) -> None:
    """NUMBA_CACHE_DIR comes first; what cannot be read there is compiled again."""
    cache = copied(compiled, tmp_path)
    for file in cache.rglob("*.nb?"):
        file.write_bytes(file.read_bytes()[:7])
    assert run(compiled, NUMBA_CACHE_DIR=str(cache))[0] == "42"


def test_flipped_bits_stop_nothing(compiled: Path, tmp_path: Path) -> None:
    """An index with wrong bits is emptied, and the process after finds what is compiled again."""
    cache = copied(compiled, tmp_path)
    for file in cache.rglob("*.nbi"):
        data = bytearray(file.read_bytes())
        for place in range(len(data) // 3, len(data), len(data) // 9):
            data[place] ^= 0xA5
        file.write_bytes(bytes(data))
    assert run(compiled, NUMBA_CACHE_DIR=str(cache))[0] == "42"
    assert run(compiled, NUMBA_CACHE_DIR=str(cache))[0] == "42"
