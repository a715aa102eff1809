"""How time and memory of a pack grow with the number of documents.

    python benches/pack_growth.py [--largest N] [--beside COMMAND] [--quick] [--json OUT]

*Files*: a folder with as many files, ten kilobytes each on the average, of which four of five are
modules of Python's library, the others logs, tables and Markdown that are made up; `mckp pack`
packs it into 8,000 tokens. *Chunks*: as many made-up paragraphs of 70 words; `mckp.pack` packs
them into 4,000. Each with a question and without, in a process of its own, which starts, reads,
packs and prints: all of it counts, processor time and time by the clock, and the peak of memory.

``--beside`` names a command that packs folders as well, such as ``"node repomix.cjs"``; it is run
on the same folders, with the folder as its last argument, and its output is thrown away.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

import machine
from large import write
from samples import WORDS
from solver_figures import add_common, rounded, show, store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FILES: Final = (25, 50, 100, 200, 400, 800)
CHUNKS: Final = (125, 250, 500, 1000, 2000, 4000)
SIZE: Final = 10_000
"""Bytes of a file on the average; a module of the library has between a third and three times."""
MADE_UP: Final = ("log", "table", "markdown")
QUESTION: Final = "where is a timeout of the connection turned into an error"
OF_CHUNKS: Final = "which of amber or cedar has the number 4711"
CHUNK: Final = """
import json, sys, mckp
with open(sys.argv[1]) as file:
    print(mckp.pack(json.load(file), 4000, query=sys.argv[2] or None).text)
"""


def fill(folder: Path, count: int) -> int:
    """Write so many files into a folder; return their bytes."""
    library = Path(os.__file__).parent
    modules = [
        path
        for path in sorted(library.rglob("*.py"))
        if "site-packages" not in path.parts and SIZE / 3 < path.stat().st_size < SIZE * 3
    ]
    chosen = iter(Random(1).sample(modules, min(len(modules), count)))
    for number in range(count):
        path = next(chosen, None) if number % 5 else None
        if path is None:
            kind = MADE_UP[number // 5 % len(MADE_UP)]
            write(folder / f"{number:04} {kind}.{SUFFIXES[kind]}", kind, SIZE)
        else:
            (folder / f"{number:04} {path.name}").write_bytes(path.read_bytes())
    return sum(path.stat().st_size for path in folder.iterdir())


SUFFIXES: Final = {"log": "log", "table": "json", "markdown": "md"}


def chunks(count: int) -> dict[str, str]:
    """Return made-up paragraphs by name."""
    random = Random(1)
    vocabulary = [f"{word}{n}" if n else word for word in WORDS for n in range(60)]
    return {
        f"chunk {number}": " ".join(random.choices(vocabulary, k=70)) + "."
        for number in range(count)
    }


def spent(command: Sequence[str], output: Path) -> dict[str, Any]:
    """Return what a process takes, and the tokens of what it prints into a file."""
    begin = time.perf_counter()
    with output.open("wb") as file, subprocess.Popen(command, stdout=file, stderr=file) as process:
        _, code, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(code)
    seconds = time.perf_counter() - begin
    if process.returncode:
        return {"failed": output.read_text("utf-8", "replace")[-300:]}
    return {
        "cpu": rounded(usage.ru_utime + usage.ru_stime),
        "seconds": rounded(seconds),
        "MB": usage.ru_maxrss // 1024,
    }


def of_files(counts: Sequence[int], beside: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each number of files and each way to pack them."""
    for count in counts:
        with tempfile.TemporaryDirectory() as name:
            folder, output = Path(name, "files"), Path(name, "output")
            folder.mkdir()
            row = {"documents": "files", "count": count, "bytes": fill(folder, count)}
            own = [sys.executable, "-m", "mckp", "pack", str(folder), "--budget", "8k"]
            yield row | {"way": "question"} | spent([*own, "--query", QUESTION], output)
            yield row | {"way": "no question"} | spent(own, output)
            if beside:
                yield row | {"way": "beside"} | spent([*beside, str(folder)], output)


def of_chunks(counts: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield a row for each number of chunks, with a question and without."""
    for count in counts:
        with tempfile.TemporaryDirectory() as name:
            given, output = Path(name, "chunks.json"), Path(name, "output")
            given.write_text(json.dumps(chunks(count)), "utf-8")
            row = {"documents": "chunks", "count": count, "bytes": given.stat().st_size}
            for way, query in (("question", OF_CHUNKS), ("no question", "")):
                command = [sys.executable, "-c", CHUNK, str(given), query]
                yield row | {"way": way} | spent(command, output)


def main(arguments: Sequence[str] | None = None) -> int:
    """Pack documents of all numbers; 1 if one failed."""
    parser = argparse.ArgumentParser(description="Measure how time and memory of a pack grow.")
    add_common(parser)
    parser.add_argument("--largest", type=int, default=max(FILES + CHUNKS), help="documents")
    parser.add_argument("--beside", type=shlex.split, default=[], help="another packer's command")
    chosen = parser.parse_args(arguments)
    load_before = machine.load()
    files, paragraphs = ((3,), (9,)) if chosen.quick else (FILES, CHUNKS)
    rows = [
        *of_files([n for n in files if n <= chosen.largest], chosen.beside),
        *of_chunks([n for n in paragraphs if n <= chosen.largest]),
    ]
    show("growth of packs", rows, "documents", "way", "count", "bytes", "cpu", "seconds", "MB")
    loads = {"load before": load_before, "load after": machine.load(), "beside": chosen.beside}
    store(chosen.json, loads | {"rows": rows})
    return int(any("failed" in row for row in rows))


if __name__ == "__main__":
    sys.exit(main())
