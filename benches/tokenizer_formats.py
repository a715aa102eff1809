"""Tokens of documents in every format, by the tokenizers of a dozen models.

    python benches/tokenizer_formats.py [PATH ...] [--every N] [--tokenizers NAMES] [--json OUT]

PATH is as in ``bench_formats.py``; without one, documents are made up. For each tokenizer it says

- the tokens of each format in those of compact JSON, over the documents that the format can hold;
- in how many documents another single format than o200k's is the shortest, and how many more
  tokens o200k's choice takes in these;
- what the mix of formats takes when it is chosen by the tokenizer's own counts, and when it is the
  text that was chosen by o200k's.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from bench_formats import documents
from solver_figures import store
from subjects import subjects

import mckp
from mckp import tokenizers
from mckp.answers.comparison import MIXES
from mckp.jsontext import dump

if TYPE_CHECKING:
    from collections.abc import Sequence

TOKENIZERS: Final = (
    "o200k cl100k llama2 llama3 qwen3 qwen3.5 deepseek_v3 glm4 kimi_k2 mistral_spm tekken gemma3 "
    "claude_estimate"
)


def main(argv: Sequence[str] | None = None) -> None:
    layout = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("paths", type=Path, nargs="*")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--tokenizers", default=TOKENIZERS)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args(argv)
    subjects_read = documents(arguments.paths) if arguments.paths else subjects()
    values = [document.value for document in subjects_read if len(dump(document.value)) < 60_000][
        :: arguments.every
    ]
    by_o200k = [_by_format(value, "o200k") for value in values]
    texts = [mckp.encode(value).text for value in values]
    rows: list[dict[str, Any]] = []
    for name in arguments.tokenizers.replace(",", " ").split():
        rows.append(_row(name, values, by_o200k, texts))
        print(json.dumps(rows[-1]), flush=True)
    if arguments.json:
        store(arguments.json, {"documents": len(values), "rows": rows})


def _by_format(value: Any, tokenizer: str) -> dict[str, int]:
    """Return the tokens of each format that keeps everything."""
    rows = mckp.compare(value, tokenizer=tokenizer).rows
    return {row.format: row.tokens for row in rows if row.loss == "none"}


def _row(
    name: str, values: list[Any], tokens_by_o200k: list[dict[str, int]], texts: list[str]
) -> dict[str, Any]:
    counter = tokenizers.get(name)
    every = [_by_format(value, name) for value in values]
    sums, bases = defaultdict[str, int](int), defaultdict[str, int](int)
    other_format, wasted = 0, list[float]()
    for by_form, by_o200k in zip(every, tokens_by_o200k, strict=True):
        for form, tokens in by_form.items():
            sums[form] += tokens
            bases[form] += by_form["json"]
        single = {form: tokens for form, tokens in by_form.items() if form not in MIXES}
        first = min(single, key=lambda form: (by_o200k[form], form))
        least = min(single.values())
        if single[first] > least:
            other_format += 1
            wasted.append(single[first] / least - 1)
    mixed = sum(by_form["mckp"] for by_form in every)
    return {
        "tokenizer": counter.name,
        "exact": counter.exact,
        "json": bases["json"],
        "formats": {form: round(sums[form] / bases[form], 3) for form in sorted(sums)},
        "other_format": other_format,
        "more_by_o200k": round(fmean(wasted), 3) if wasted else 0.0,
        "mix_by_o200k": round(sum(counter.count_batch(texts)) / mixed, 4),
    }


if __name__ == "__main__":
    main()
