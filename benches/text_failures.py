"""Logs and outputs with one failure in them: is the line that says why still there?

    python benches/text_failures.py [--outputs FOLDER] [--logs FOLDER] [--number N] [--seed S]
                                    [--json OUT]

*Injected*: one of `BLOCKS`, such as a traceback or a line of a linker, is put at a random place of
an output of a tool (`outputs`, each ``NAME.txt`` of the folder with 30 lines or more) or of a log
(`logs`, the first 400 lines of each ``NAME.log``), and the text is cut to 10, 25 and 50 % of its
o200k tokens. It survives if the line with the cause is in the text as it was. *Alerts*: of
``BGL_2k.log`` of LogHub, if the folder has it, the first word of a line says whether it is an alert
and of which kind. It is taken away; of each kind in each window of 400 lines, one line must be left
in a fifth of the tokens, in the text with and without its labels.

Without folders, logs are made up. The exit code is 1 if a text exceeds its budget.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from cutters import recount
from solver_figures import add_common, store

import mckp
from mckp.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Texts = dict[str, list[str]]

SHARES: Final = (0.1, 0.25, 0.5)
LINES: Final = 400
"""Lines of a log, and of a window."""

BLOCKS: Final[tuple[tuple[int, str], ...]] = (
    (
        4,
        "Traceback (most recent call last):\n"
        '  File "/app/harbour/berths.py", line 88, in assign\n'
        "    slot = free[deck]\n           ~~~~^^^^^^\n"
        "KeyError: 'deck-{n}'",
    ),
    (0, "{at} ERROR harbour.store disk full: cannot write part {n}"),
    (
        0,
        "panic: runtime error: index out of range [{n}] with length 3\n\ngoroutine 17 [running]:\n"
        "main.lift(0x1, 0x2)\n\t/app/crane/lift.go:41 +0x1d",
    ),
    (
        3,
        "java.lang.IllegalStateException: berth {n} is already taken\n"
        "\tat harbour.Berths.take(Berths.java:57)\n\tat harbour.Main.main(Main.java:12)\n"
        "Caused by: java.sql.SQLException: deadlock detected on row {n}",
    ),
    (0, "src/crane.c:{n}:14: error: 'struct crane' has no member named 'lift'"),
    (
        1,
        "/usr/bin/ld: crane.o: in function `main':\n"
        "crane.c:(.text+0x1d): undefined reference to `crane_lift_{n}'\n"
        "collect2: error: ld returned 1 exit status",
    ),
    (2, "not ok {n} - lifts the last container\n  ---\n  expected: 16\n  actual: 13\n  ..."),
    (
        1,
        "npm ERR! code E404\n"
        "npm ERR! 404 Not Found - GET https://registry.example/crane-{n} - Not found",
    ),
    (0, "cp: cannot create regular file '/srv/part_{n}': Permission denied"),
    (1, "thread 'tide' panicked at src/tide.rs:{n}:9:\ndepth 4 is below 5"),
    (0, "{at} WARN pool exhausted: waiting for connection {n} (timeout 30s)"),
    (0, "HTTP/1.1 503 Service Unavailable from ledger-{n}"),
    (0, "Killed process {n} (crane) total-vm:8123456kB: Out of memory"),
    (0, "Segmentation fault (core dumped) in worker {n}"),
)
"""What is put in: the number of the line with the cause, counted from 0, and the lines."""


def read_texts(folder: Path | None, suffix: str) -> Texts:
    """Return the lines of each text of a folder; logs that are made up if there is none."""
    if folder is None:
        return {"made up": [f"10:{n // 60:02}:{n % 60:02} INFO job {n}: ok" for n in range(LINES)]}
    paths = sorted(folder.glob(f"*{suffix}"))
    texts = {path.stem: path.read_bytes().decode("utf-8", "replace").split("\n") for path in paths}
    return {name: rows[: LINES if suffix == ".log" else None] for name, rows in texts.items()}


def injected(texts: Texts, number: int, random: Random) -> Iterator[tuple[int, str, str, str]]:
    """Yield so many texts with a block: its number, the text's name, the text, and the cause."""
    names = sorted(name for name, rows in texts.items() if len(rows) >= 30)
    for count in range(number):
        kind = count % len(BLOCKS)
        name = random.choice(names)
        rows, place = texts[name], random.randint(2, len(texts[name]) - 3)
        at = f"2026-03-01 10:{place // 60 % 60:02}:{place % 60:02},{place * 37 % 1000:03}"
        cause, block = BLOCKS[kind]
        more = block.replace("{n}", str(random.randint(3, 900))).replace("{at}", at).split("\n")
        yield kind, name, "\n".join([*rows[:place], *more, *rows[place:]]), more[cause].strip()


def cut(text: str, share: float) -> str:
    """Return a text within a share of its tokens, or nothing if the budget is refused."""
    budget = int(recount(text) * share)
    try:
        made = mckp.encode(text, kind="text", budget=budget).text
    except BudgetError:
        return ""
    if recount(made) > budget:
        raise SystemExit(f"{recount(made)} tokens exceed the budget of {budget}")
    return made


def survivors(texts: Texts, number: int, random: Random) -> dict[str, Any]:
    """Return which share of the injected causes survives at each share, and which do not."""
    kept: dict[str, list[bool]] = defaultdict(list)
    missed: dict[str, Counter[str]] = defaultdict(Counter)
    for kind, name, text, cause in injected(texts, number, random):
        for share in SHARES:
            kept[str(share)].append(cause in cut(text, share))
            if not kept[str(share)][-1]:
                missed[str(share)][f"{name}: {BLOCKS[kind][1].splitlines()[BLOCKS[kind][0]]}"] += 1
    return {
        "texts": number,
        "kept": {share: sum(flags) / len(flags) for share, flags in kept.items()},
        "missed": {share: counts.most_common() for share, counts in missed.items()},
    }


def windows(path: Path) -> Iterator[list[str]]:
    """Yield five windows of the labelled log."""
    rows = iter(path.read_text("utf-8", "replace").split("\n"))
    for _ in range(5):
        yield [*islice(rows, LINES)]


def alerts(path: Path, *, labelled: bool) -> tuple[int, int, list[str]]:
    """Return how many pairs of window and kind of alert have a line left, of how many, and those
    that have none.
    """
    pairs = 0
    missed: list[str] = []
    for number, rows in enumerate(windows(path)):
        bodies = rows if labelled else [row.partition(" ")[2] for row in rows]
        left = {row.strip() for row in cut("\n".join(bodies), 0.2).split("\n")}
        kinds: dict[str, list[str]] = defaultdict(list)
        for row, body in zip(rows, bodies, strict=True):
            if (kind := row.partition(" ")[0]) not in ("-", ""):
                kinds[kind].append(body.strip())
        pairs += len(kinds)
        missed += [
            f"window {number}, {kind}: {own[0]}"
            for kind, own in kinds.items()
            if left.isdisjoint(own)
        ]
    return pairs - len(missed), pairs, missed


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and store."""
    parser = argparse.ArgumentParser(description="Measure whether a failure survives a cut.")
    add_common(parser)
    parser.add_argument("--outputs", type=Path, metavar="FOLDER")
    parser.add_argument("--logs", type=Path, metavar="FOLDER")
    parser.add_argument("--number", type=int, default=200, help="of texts with a failure")
    parser.add_argument("--seed", type=int, default=11)
    chosen = parser.parse_args(arguments)
    number = len(BLOCKS) if chosen.quick else chosen.number
    sets = {"outputs": (chosen.outputs, ".txt"), "logs": (chosen.logs, ".log")}
    if not chosen.outputs:
        del sets["outputs"]
    figures: dict[str, Any] = {}
    for name, (folder, suffix) in sets.items():
        texts, random = read_texts(folder, suffix), Random(f"{chosen.seed} {name}")
        figures[name] = survivors(texts, number // len(sets), random)
        shown = " / ".join(f"{share:.3f}" for share in figures[name]["kept"].values())
        print(f"{name}: {figures[name]['texts']} failures, left at 10 / 25 / 50 %: {shown}")
        for share, missed in figures[name]["missed"].items():
            print(f"  missed at {share}: {missed[:12]}")
    path = chosen.logs and chosen.logs / "BGL_2k.log"
    for labelled in (False, True) if path and path.exists() else ():
        held, pairs, missed = alerts(path, labelled=labelled)
        figures["alerts, labelled" if labelled else "alerts"] = [held, pairs]
        print(f"alerts of BGL, {'with' if labelled else 'without'} labels: {held} of {pairs}")
        for row in missed:
            print(f"  missed: {row[:150]}")
    if chosen.json:
        store(chosen.json, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
