"""Time `encode` of two checkouts side by side, and compare their texts.

    python benches/beside.py OTHER PATH [PATH ...] [--shares 0.5 0.2] [--every 4] [--rounds 3]
        [--core 1] [--changed FOLDER]

`OTHER` is the folder of another checkout with an environment of its own in ``.venv``. The paths are
read as by `encode_responses`: each document, or the ``payload`` of a record, is encoded within a
share of the tokens of its compact JSON, or of its text. One process for each checkout, both on the
same core, takes the documents in turns, so that what else runs on the machine slows both alike. The
time of a document is the least thread CPU of its rounds.

Printed are the ratios (other by this): of the median document's, of the sums, and at the 95th
percentile of times; how many texts are equal; and how much of the budget was used where something
was cut. ``--changed`` writes both texts of each document that differs into a folder.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HERE: Final = Path(__file__).resolve().parents[1]
LEAST: Final = 40
"""Tokens of the smallest budget."""


def documents(paths: Sequence[Path]) -> Iterator[tuple[str, Any]]:
    """Yield the names and the contents of documents."""
    for path in paths:
        inner = sorted(path.iterdir()) if path.is_dir() else [path]
        for file in inner:
            text = file.read_text(encoding="utf-8")
            if file.suffix == ".jsonl":
                for number, line in enumerate(text.splitlines()):
                    content = json.loads(line)
                    if isinstance(content, dict) and "payload" in content:
                        record = cast("dict[str, Any]", content)
                        yield f"{file.name}:{record.get('id', number)}", record["payload"]
                    else:
                        yield f"{file.name}:{number}", content
            elif file.suffix == ".json":
                yield file.name, json.loads(text)
            else:
                yield file.name, text


def work() -> None:
    """Encode what is asked for, line by line: the process of one checkout."""
    import mckp
    from mckp.tokenizers import get

    count = get("o200k").count
    for line in sys.stdin:
        job = json.loads(line)
        data, share = job["data"], job["share"]
        text = (
            data
            if isinstance(data, str)
            else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        )
        budget = max(LEAST, int(count(text) * share)) if share else None
        before = time.thread_time()
        try:
            result = mckp.encode(data, budget=budget)
        except mckp.BudgetError as error:
            answer: dict[str, Any] = {"text": f"floor {error.floor}", "budget": budget}
        else:
            took = time.thread_time() - before
            answer = {
                "text": result.text,
                "ms": 1000 * took,
                "tokens": result.tokens,
                "budget": budget,
                "value": result.value,
                "status": result.status,
                "is_cut": bool(result.elided),
            }
        print(json.dumps(answer), flush=True)


class Checkout:
    """The process of one checkout."""

    def __init__(self, folder: Path, core: int | None) -> None:
        command = [str(folder / ".venv/bin/python"), str(Path(__file__).resolve()), "--work"]
        if core is not None:
            command = ["taskset", "-c", str(core), *command]
        settings = {"PYTHONPATH": str(folder), "PYTHONHASHSEED": "0"}
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | settings,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, data: object, share: float) -> dict[str, Any]:
        """Return what encoding some data within a share of its tokens gives."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"data": data, "share": share}) + "\n")
        process.stdin.flush()
        answer: dict[str, Any] = json.loads(process.stdout.readline())
        return answer


def quantile(values: Sequence[float], percent: int) -> float:
    """Return the value below which so many percent of the values are."""
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def compare(
    chosen: argparse.Namespace, share: float, both: Sequence[Checkout], entries: Sequence[Any]
) -> None:
    """Print the comparison at one share of the tokens."""
    times: tuple[list[float], list[float]] = [], []
    fill: tuple[list[float], list[float]] = [], []
    worths: list[float] = []
    changed: list[str] = []
    failed = 0
    for name, data in entries:
        answers: list[dict[str, Any]] = []
        for checkout in both:
            rounds = [checkout.ask(data, share)]
            answers.append(rounds[0])
        best: list[float] = [answer.get("ms", 0.0) for answer in answers]
        if answers[0]["text"] != answers[1]["text"]:
            changed.append(name)
            if chosen.changed is not None:
                chosen.changed.mkdir(parents=True, exist_ok=True)
                for side, answer in zip(("other", "this"), answers, strict=True):
                    file = chosen.changed / f"{name}-{share}-{side}.txt".replace("/", "_")
                    file.write_text(answer["text"], encoding="utf-8")
        if 0.0 in best:
            failed += 1
            continue
        for _ in range(chosen.rounds - 1):
            for number, checkout in enumerate(both):
                best[number] = min(best[number], checkout.ask(data, share)["ms"])
        for number, answer in enumerate(answers):
            times[number].append(best[number])
            if answer["is_cut"] and answer["budget"]:
                fill[number].append(answer["tokens"] / answer["budget"])
        if answers[0]["value"]:
            worths.append(answers[1]["value"] / answers[0]["value"])
    ratios = [other / this for other, this in zip(*times, strict=True)]
    sums, tails = [sum(side) for side in times], [quantile(side, 95) for side in times]
    used = [statistics.fmean(side) if side else 1.0 for side in fill]
    print(
        f"{share:4} of {len(entries)}: median ratio {statistics.median(ratios):.3f}, "
        f"sums {sums[0]:.0f} / {sums[1]:.0f} ms = {sums[0] / sums[1]:.3f}, "
        f"95 % {tails[0]:.1f} / {tails[1]:.1f} = {tails[0] / tails[1]:.3f}; "
        f"used {used[0]:.3f}, {used[1]:.3f}; worth {statistics.fmean(worths):.4f}; "
        f"{len(changed)} differ {changed[:6]}, {failed} too small",
        flush=True,
    )


def main() -> None:
    """Compare two checkouts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("other", type=Path)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--shares", type=float, nargs="+", default=[0.5, 0.2])
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--core", type=int)
    parser.add_argument("--changed", type=Path)
    chosen = parser.parse_args()
    both = [Checkout(folder, chosen.core) for folder in (chosen.other.resolve(), HERE)]
    entries = list(documents(chosen.paths))[chosen.first :: chosen.every]
    for checkout in both:
        checkout.ask([{"id": n, "text": "load all " * n} for n in range(20)], 0.5)
    for share in chosen.shares:
        compare(chosen, share, both, entries)


if __name__ == "__main__":
    work() if sys.argv[1:] == ["--work"] else main()
