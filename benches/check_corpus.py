"""Hold the promises against real documents, and time them.

    python benches/check_corpus.py DIR [--formats native] [--json OUT]

reads every ``*.json``, ``*.md`` and ``*.txt`` below DIR as one document, and every line of
``*.jsonl`` as a JSON value, or as a record whose ``payload`` is one (or is a text, when its
``kind`` is ``markdown``). Each is encoded without a budget and at 75, 50, 20 and 5 % of its
tokens as compact JSON (or as source text). Broken promises are listed and set the exit
code; figures go to standard output.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import track
from solver_figures import store

import mckp
from mckp import tokenizers
from mckp.answers.reading import decode
from mckp.encoders.hints import read_overflow
from mckp.encoders.marks import is_gap
from mckp.jsontext import difference, dump, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.tokenizers import Tokenizer

SHARES: tuple[int, ...] = (75, 50, 20, 5)


def documents(folder: Path) -> Iterator[tuple[str, Any, bool]]:
    """Yield name, content and whether it is text, for every document below a folder."""
    for path in sorted(folder.rglob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            if not line.strip():
                continue
            record: Any = json.loads(line)
            name = f"{path.name}:{number}"
            if is_object(record) and "payload" in record:
                yield record.get("id", name), record["payload"], record.get("kind") == "markdown"
            else:
                yield name, record, False
    for path in sorted(folder.rglob("*.json")):
        try:
            yield path.name, mckp.parse(path.read_bytes(), "json").value, False
        except mckp.ParseError as error:
            print(f"{path}: left out: {error}", file=sys.stderr)
    for path in sorted([*folder.rglob("*.md"), *folder.rglob("*.txt")]):
        yield path.name, path.read_text(encoding="utf-8"), True


class Check:
    """Encodes one document after the other, keeping what went wrong and the figures."""

    def __init__(self, tokenizer: Tokenizer, formats: str) -> None:
        self.tokenizer = tokenizer
        self.formats = formats
        self.failures: list[str] = []
        self.used: dict[int, list[float]] = {share: [] for share in SHARES}
        self.kept: dict[int, list[float]] = {share: [] for share in SHARES}
        self.refused = dict.fromkeys(SHARES, 0)
        self.unproved = dict.fromkeys(SHARES, 0)
        self.tokens = self.reference = 0
        self.seconds: dict[str, list[float]] = {"pass": [], "encode": []}
        self.seconds |= {str(share): [] for share in SHARES}

    def run(self, name: str, content: Any, is_text: bool) -> None:
        """Check one document."""
        data = mckp.parse(content) if is_text else content
        source = content if is_text else dump(content)
        reference = self.timed("pass", lambda: self.tokenizer.count(source))
        result = self.timed("encode", lambda: self.encode(data, None))
        self.tokens, self.reference = self.tokens + result.tokens, self.reference + reference
        self.expect(name, "longer than its source", result.tokens <= reference)
        self.expect(name, "does not read back", same(decode(result.text), data))
        more = math.inf
        for share in SHARES:
            less = self.budgeted(name, data, share, reference * share // 100)
            self.expect(name, f"more worth at {share} % than above", less <= more * (1 + 1e-9))
            more = less

    def encode(self, data: Any, budget: int | None) -> mckp.Result:
        """Encode as the command line says."""
        return mckp.encode(
            data, budget=budget, tokenizer=self.tokenizer, formats=self.formats.split(",")
        )

    def budgeted(self, name: str, data: Any, share: int, budget: int) -> float:
        """Check one document under one budget, and return its worth, 0 of a refusal."""
        try:
            result = self.timed(str(share), lambda: self.encode(data, budget))
        except mckp.BudgetError as error:
            self.refused[share] += 1
            self.expect(name, f"refused at {budget}", error.floor > budget)
            return 0.0
        counted = self.tokenizer.count(result.text)
        self.expect(name, f"wrong count at {budget}", result.tokens == counted <= budget)
        lines = result.text.split("\n")
        hints = sum(is_gap(line) or read_overflow(line) is not None for line in lines)
        self.expect(name, f"cuts without a hint at {budget}", hints >= len(result.elided))
        whole = result.value == result.total
        self.expect(name, f"silent cut at {budget}", whole or bool(result.elided))
        self.unproved[share] += result.status != "optimal"
        self.used[share].append(result.tokens / max(1, budget))
        self.kept[share].append(result.value / max(1, result.total))
        return float(result.value)

    def timed(self, step: str, call: Any) -> Any:
        """Call, and note the seconds it took."""
        start = time.perf_counter()
        value = call()
        self.seconds[step].append(time.perf_counter() - start)
        return value

    def expect(self, name: str, message: str, holds: bool) -> None:
        """Note a broken promise."""
        if not holds:
            self.failures.append(f"{name}: {message}")

    def figures(self) -> dict[str, Any]:
        """Return everything measured."""
        return {
            "tokenizer": self.tokenizer.name,
            "formats": self.formats,
            "documents": len(self.seconds["pass"]),
            "tokens": {"reference": self.reference, "mckp": self.tokens},
            "milliseconds": {step: spread(times) for step, times in self.seconds.items()},
            "budgets": {
                f"{share} %": {
                    "used mean": mean(self.used[share]),
                    "used p10": quantile(self.used[share], 10),
                    "facts kept mean": mean(self.kept[share]),
                    "budget errors": self.refused[share],
                    "unproved": self.unproved[share],
                }
                for share in SHARES
            },
            "failures": self.failures,
        }


def same(actual: Any, wanted: Any) -> bool:
    """Whether what was read back is what was written, types included."""
    if isinstance(wanted, mckp.TreeNode):
        return bool(actual == wanted)
    return difference(actual, wanted) is None


def mean(values: list[float]) -> float | None:
    """Return the mean, or None of nothing."""
    return round(statistics.fmean(values), 3) if values else None


def quantile(values: list[float], percent: int) -> float | None:
    """Return a percentile, or None of nothing."""
    return round(sorted(values)[len(values) * percent // 100], 3) if values else None


def spread(times: list[float]) -> dict[str, float | None]:
    """Return median and 95th percentile in milliseconds."""
    milliseconds = [seconds * 1e3 for seconds in times]
    return {"median": quantile(milliseconds, 50), "p95": quantile(milliseconds, 95)}


def main() -> int:
    """Run the check over a folder."""
    parser = argparse.ArgumentParser(description="Hold the promises against real documents.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tokenizer", default="o200k")
    parser.add_argument("--formats", default="native", help="a level, or names with commas")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    options = parser.parse_args()
    check = Check(tokenizers.get(options.tokenizer), options.formats)
    check.encode({"warm": [{"up": 1}] * 9}, 20)
    if not options.folder.is_dir():
        parser.error(f"{options.folder} is no folder")
    texts = list(documents(options.folder))
    if not texts:
        parser.error(f"there is no .json, .jsonl, .md or .txt file below {options.folder}")
    for name, content, is_text in track(texts, console=Console(stderr=True)):
        check.run(name, content, is_text)
    print(json.dumps(check.figures(), indent=2))
    store(options.json, check.figures())
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
