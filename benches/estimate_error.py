"""How far estimates of tokens are above the counts of the vocabularies that they are for.

    python benches/estimate_error.py [--json benches/results/estimate-error.json]

It needs the extra ``models``. The texts are the made-up documents of `samples`, as compact JSON
and as mckp writes them, and files of this repository: examples, guides and code. The estimates were
fitted to other texts. Notes on estimates quote the medians.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from fit_estimates import FAMILIES
from samples import samples
from solver_figures import store

import mckp
from mckp import tokenizers
from mckp.tokenizers.estimates import estimate_for
from mckp.tokenizers.vocabularies import SHIPPED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


SIZE = 6_000
"""Characters of each file."""
ROOT = Path(__file__).parents[1]


def all_texts() -> Iterator[str]:
    """Yield the texts, the same each time."""
    for seed in range(1, 5):
        for _, data in samples(seed):
            yield mckp.encode(data, formats=["json"]).text
            yield mckp.encode(data).text
    for pattern in ("examples/*.json", "examples/*.txt", "docs/guides/*.md", "mckp/*.py"):
        for path in sorted(ROOT.glob(pattern)):
            yield path.read_text("utf-8")[:SIZE]


def main(argv: Sequence[str] | None = None) -> None:
    """Print, and store, the ratio of estimate and count for each family and vocabulary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args(argv)
    texts = list(all_texts())
    counts = {
        name: np.maximum(1, tokenizers.get(name).count_batch(texts))
        for name in (*SHIPPED, "cl100k")
    }
    rows = list[dict[str, Any]]()
    for family, names in FAMILIES.items():
        estimated = np.array(estimate_for(family).count_batch(texts))
        for name in names.split():
            if name in counts:
                ratios = estimated / counts[name]
                low, middle, high = np.quantile(ratios, [0.01, 0.5, 0.99]).round(3).tolist()
                below = round(float((ratios < 1).mean()), 4)
                row = {"family": family, "vocabulary": name, "median": middle}
                rows.append(row | {"p1": low, "p99": high, "below": below})
                print(rows[-1])
    if arguments.json:
        store(arguments.json, {"texts": len(texts), "rows": rows})


if __name__ == "__main__":
    main()
