"""The public sets of the benches: brought from where they are published, at one revision each.

    python benches/public_data.py FOLDER [--only NAME ...] [--manifest FILE]

reads ``benches/data.toml`` and writes the files of each set below FOLDER, as far as they are not
there: `runs` for ``use_recall.py`` and ``binary_knapsack.py``, `questions` for ``relevance.py``. It
needs git and a network. A file that is not what the manifest says is refused. What the licence of a
set allows is the reader's to judge; nothing of it is shipped.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.table import Table as Grid

if TYPE_CHECKING:
    from collections.abc import Sequence

MANIFEST: Final = Path(__file__).with_name("data.toml")


def git(folder: str, *arguments: str) -> str:
    """Run git in a folder and return what it writes; raise with what it says if it fails."""
    done = subprocess.run(
        ["git", "-C", folder, *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"git {' '.join(arguments)} failed: {done.stderr.strip()}")
    return done.stdout.strip()


def brought(entry: dict[str, Any], folder: Path) -> str:
    """Bring the files of one set that are missing; return what was done.

    Raises
    ------
    ValueError
        If a file or folder is not what the manifest says.
    RuntimeError
        If git cannot reach the address or the revision.
    """
    missing = [file for file in entry["files"] if not (folder / file["to"]).exists()]
    if missing:
        with tempfile.TemporaryDirectory() as place:
            git(place, "init", "--quiet")
            git(place, "remote", "add", "origin", entry["address"])
            # Few files come one by one; a folder of thousands comes at once, with all the rest.
            few = () if any("tree" in file for file in missing) else ("--filter=blob:none",)
            git(place, "fetch", "--quiet", "--depth=1", *few, "origin", entry["revision"])
            paths = [file["from"] for file in missing]
            git(place, "checkout", "--quiet", "FETCH_HEAD", "--", *paths)
            for file in missing:
                if "tree" in file:
                    _hold(entry, file, git(place, "rev-parse", f"FETCH_HEAD:{file['from']}"))
                source, target = Path(place, file["from"]), folder / file["to"]
                if "sha256" in file:
                    _hold(entry, file, _digest(source))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(source, target)
    for file in entry["files"]:
        if "sha256" in file:
            _hold(entry, file, _digest(folder / file["to"]))
    return "brought" if missing else "was there"


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def _hold(entry: dict[str, Any], file: dict[str, str], seen: str) -> None:
    expected = file.get("sha256") or file["tree"]
    if seen != expected:
        raise ValueError(f"{entry['name']}: {file['to']} is {seen}, the manifest says {expected}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Bring all sets; 1 if one of them could not be had or is not what it should be."""
    parser = argparse.ArgumentParser(description="Bring the public sets that benches measure on.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these sets alone")
    parser.add_argument("--manifest", type=Path, default=MANIFEST)
    chosen = parser.parse_args(arguments)
    sets: list[dict[str, Any]] = tomllib.loads(chosen.manifest.read_text(encoding="utf-8"))["sets"]
    names = {entry["name"] for entry in sets}
    if unknown := sorted(set(chosen.only or ()) - names):
        parser.error(
            f"--only: no set is named {unknown[0]!r}; there are {', '.join(sorted(names))}"
        )
    grid, failed = Grid("set", "what", "licence", "fitted", "", title="public sets"), list[str]()
    for entry in sets:
        if chosen.only and entry["name"] not in chosen.only:
            continue
        try:
            state = brought(entry, chosen.folder)
        except (ValueError, RuntimeError) as error:
            state = "failed"
            failed.append(f"{entry['name']}: {error}")
        fitted = "yes" if entry["fitted"] else "no"
        grid.add_row(entry["name"], entry["what"], entry["licence"], fitted, state)
    Console(width=None if sys.stdout.isatty() else 160).print(grid)
    for line in failed:
        print(line, file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
