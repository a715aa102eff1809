"""Fit the factors of salience to fields that were rated and to what agents used later, at once.

What is maximised is what a stand-in for `mckp.encode` keeps: leaves by worth per token, as far as a
budget goes, as George Dantzig filled a knapsack (Discrete-variable extremum problems, Operations
Research 5, 1957). It takes milliseconds for hundreds of documents, so factors are found by
coordinate descent (S. Wright, Coordinate descent algorithms, Mathematical Programming 151, 2015),
with a penalty on how far they go from those that were given.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import mckp
from mckp import tokenizers
from mckp.jsontext import dump, is_array, is_object
from mckp.weights.columns import ITEM, Columns
from mckp.weights.leaves import data_leaves
from mckp.weights.models import LONG
from mckp.weights.traits import describe_columns, log_distances

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from mckp.weights.salience import PreparedTable

    Floats = NDArray[np.float64]
    Record = dict[str, Any]
    Term = tuple[str, str, str]

SHARES: Final = (0.5, 0.2, 0.1)
RATINGS: Final = {5: 1.0, 4: 0.5, 3: 0.2, 2: 0.08, 1: 0.02, 0: 0.0}
"""What a field of each rating weighs in judged recall."""
MOST: Final = 8
"""Records of one tool that are fitted to."""
STEPS: Final = (0.5, 0.25, 0.12)
"""Changes of the logarithms of factors that are tried, one round after another."""
ROUNDS: Final = 2
"""Rounds with each of them."""
STIFF: Final = 0.002
"""Penalty on the square of how far the logarithm of a factor goes."""


@dataclass(frozen=True)
class Example:
    """One document, and what of it matters.

    Attributes
    ----------
    source, tool : str
        Where it is from.
    traits : list of dict
        Those of each leaf.
    costs : array of float, shape (leaves,)
        About how many tokens each leaf takes.
    goals : list of tuple
        Gains, and the leaves of which any one brings it.
    terms : list of tuple
        For each leaf the term of the lexicon that rates its name, its rating, and that of the
        longest shorter end of the name; None if no term does.
    """

    source: str
    tool: str
    is_rated: bool
    traits: list[dict[str, float]]
    costs: Floats
    goals: list[tuple[float, list[int]]]
    terms: list[Term | None]


def described_leaves(
    value: Any, parts: PreparedTable
) -> tuple[list[dict[str, float]], Floats, list[Term | None]]:
    """Return the traits of each leaf of plain data, its cost in tokens, and what rates its name."""
    columns = Columns(value)
    traits: list[dict[str, float]] = [{}] * columns.size
    texts, names = [""] * columns.size, [""] * columns.size
    times = np.ones(columns.size)
    terms: list[Term | None] = [None] * columns.size
    for entry in describe_columns(columns, parts.lexicon):
        column = entry.column
        rated = parts.lexicon.term(column.path[-1], "names") if column.path[-1] != ITEM else None
        runs = log_distances(column)
        for at, (place, text, row) in enumerate(
            zip(column.places, entry.texts, column.rows, strict=True)
        ):
            traits[place] = entry.common | entry.own[text]
            traits[place]["late"] = log(1 + columns.index[row] / LONG)
            if runs is not None:
                traits[place]["run"] = runs[at]
            value_here = column.values[at]
            terms[place] = rated
            texts[place] = value_here if isinstance(value_here, str) else dump(value_here)
            names[place] = str(column.path[-1])
        times[column.places] = len(column.values)
    count = tokenizers.get("o200k").count_batch
    costs = np.array(count(texts)) + 1.0
    costs += np.array(count(names)) / times
    return traits, costs, terms


def read_rated(path: Path) -> list[Record]:
    """Return the documents of a file whose fields were rated from 0 to 5."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def weights_of_fields(record: Record) -> dict[str, float]:
    """Return what each field of a rated document counts for."""
    return {
        path[0].replace(".[*]", "[*]"): RATINGS[rating]
        for path, rating in zip(record["paths"], record["ratings"], strict=True)
    }


def judged(record: Record, share: float, **settings: Any) -> float:
    """Return judged recall: the share of the rated worth of a document that a text keeps.

    A field counts by the share of its values that are left; of a long text its first 40 characters
    are enough. The budget is a share of the tokens of compact JSON, and never below 40.
    """
    tokens = tokenizers.get("o200k").count(dump(record["payload"]))
    try:
        text = mckp.encode(record["payload"], budget=max(40, int(tokens * share)), **settings).text
    except mckp.BudgetError:
        return 0.0
    return judged_left(record, mckp.decode(text))


def judged_left(record: Record, left: Any) -> float:
    """Return the share of the rated worth of a document that some data has."""
    here, there = _values(record["payload"]), _values(left)
    got = total = 0.0
    for field, weight in weights_of_fields(record).items():
        own = here.get(field)
        if own and weight:
            total += weight
            got += weight * (own & there.get(field, Counter())).total() / own.total()
    return got / total if total else 0.0


def _values(value: Any) -> dict[str, Counter[str]]:
    """Return the values of each field, long texts by their beginning."""
    by_path: dict[str, Counter[str]] = defaultdict(Counter)
    for path, leaf in zip(field_paths(value), data_leaves(value), strict=True):
        content = leaf.value
        by_path[path][content[:40] if isinstance(content, str) else dump(content)] += 1
    return by_path


def of_ratings(path: Path, parts: PreparedTable) -> list[Example]:
    """Return the examples of a file of documents whose fields were rated from 0 to 5."""
    examples: list[Example] = []
    for record in read_rated(path):
        traits, costs, terms = described_leaves(record["payload"], parts)
        ratings = weights_of_fields(record)
        places: dict[str, list[int]] = defaultdict(list)
        for place, path_here in enumerate(field_paths(record["payload"])):
            places[path_here].append(place)
        goals = [
            (rating / len(places[field]), [place])
            for field, rating in ratings.items()
            if rating
            for place in places.get(field, ())
        ]
        if goals:
            tool = str(record["tool"])
            examples.append(Example(record["source"], tool, True, traits, costs, goals, terms))
    return examples


def field_paths(value: Any, path: str = "") -> Iterable[str]:
    """Yield the field of each leaf, as files of ratings write it."""
    if is_object(value) and value:
        for name, item in value.items():
            yield from field_paths(item, f"{path}.{name}" if path else name)
    elif is_array(value) and value:
        for item in value:
            yield from field_paths(item, f"{path}[*]")
    else:
        yield path


def of_uses(records: Iterable[Record], parts: PreparedTable) -> list[Example]:
    """Return the examples of records of uses."""
    examples: list[Example] = []
    for record in records:
        places = {leaf.path: n for n, leaf in enumerate(data_leaves(record["payload"]))}
        goals: list[tuple[float, list[int]]] = []
        for use in record["used"]:
            leaves = [places[key] for path in use["paths"] if (key := tuple(path)) in places]
            if leaves:
                goals.append((1 / len(record["used"]), leaves))
        if goals:
            traits, costs, terms = described_leaves(record["payload"], parts)
            tool = f"{record['source']}.{record['tool']}"
            examples.append(Example(record["source"], tool, False, traits, costs, goals, terms))
    return examples


class Stand:
    """A stand-in for encoding many documents within budgets.

    `names` are the traits that occur; `logs` is their factors as logarithms.
    """

    def __init__(self, examples: Sequence[Example]) -> None:
        self.names = sorted(
            {name for example in examples for leaf_traits in example.traits for name in leaf_traits}
        )
        at = {name: place for place, name in enumerate(self.names)}
        sizes = [len(example.traits) for example in examples]
        self.amounts = np.zeros((sum(sizes), len(self.names)))
        row = 0
        for example in examples:
            for leaf_traits in example.traits:
                for name, amount in leaf_traits.items():
                    self.amounts[row, at[name]] = amount
                row += 1
        self.costs = np.concatenate([example.costs for example in examples])
        self.starts = np.cumsum([0, *sizes])[:-1]
        self.owner = np.repeat(np.arange(len(examples)), sizes)
        self.totals = np.add.reduceat(self.costs, self.starts)
        goals = [
            (start, number, gain, leaves)
            for number, (start, example) in enumerate(zip(self.starts, examples, strict=True))
            for gain, leaves in example.goals
        ]
        self.leaves = np.concatenate([np.array(leaves) + start for start, _, _, leaves in goals])
        self.ends = np.cumsum([0, *(len(leaves) for *_, leaves in goals)])[:-1]
        self.gains = np.array([gain for _, _, gain, _ in goals])
        self.of = np.array([number for _, number, _, _ in goals])
        self.best = np.bincount(self.of, self.gains, len(examples))
        self.votes = votes(examples)

    def scores(self, worths: Floats) -> Floats:
        """Return what is kept of what matters, by share and document, for logarithms of worths."""
        order = np.lexsort((np.log(self.costs) - worths, self.owner))
        costs = self.costs[order]
        before = np.cumsum(costs) - costs
        before -= before[self.starts][self.owner]
        by_share = np.empty((len(SHARES), len(self.totals)))
        shares_kept = np.empty(len(order))
        for at, share in enumerate(SHARES):
            budget = (share * self.totals)[self.owner]
            shares_kept[order] = np.clip((budget - before) / costs, 0, 1)
            got = np.maximum.reduceat(shares_kept[self.leaves], self.ends) * self.gains
            by_share[at] = np.bincount(self.of, got, len(self.totals)) / self.best
        return by_share

    def value(self, worths: Floats) -> float:
        """Return the mean of all, each kind of example counting for a half."""
        return float(self.scores(worths).mean(0) @ self.votes)


def votes(examples: Sequence[Example]) -> Floats:
    """Return how much each example counts: rated and used ones a half, tools by their root."""
    tools = Counter((example.is_rated, example.source, example.tool) for example in examples)
    counts = np.array(
        [tools[example.is_rated, example.source, example.tool] ** -0.5 for example in examples]
    )
    rated = np.array([example.is_rated for example in examples])
    for kind in (rated, ~rated):
        if kind.any():
            counts[kind] /= counts[kind].sum()
    return np.asarray(counts / counts.sum())


def fitted(examples: Sequence[Example], given: dict[str, float]) -> dict[str, float]:
    """Return factors that keep most of what matters, beginning with those given.

    Factors of names rise with their ratings.
    """
    few = Counter[tuple[bool, str]]()
    taken: list[Example] = []
    for example in examples:
        few[example.is_rated, example.tool] += 1
        if few[example.is_rated, example.tool] <= MOST:
            taken.append(example)
    stand = Stand(taken)
    start = np.array([log(given.get(name, 1.0)) for name in stand.names])
    logs = start.copy()
    worths = stand.amounts @ logs
    best = stand.value(worths)
    for step in STEPS:
        for _ in range(ROUNDS):
            for at in range(len(logs)):
                for change in (step, -step):
                    tried = worths + change * stand.amounts[:, at]
                    away = (logs[at] + change - start[at]) ** 2 - (logs[at] - start[at]) ** 2
                    gain = stand.value(tried) - best
                    if gain > STIFF * away + 1e-6:
                        best += gain
                        worths, logs[at] = tried, logs[at] + change
                        break
    factors = dict(zip(stand.names, np.exp(logs).tolist(), strict=True))
    return given | {name: round(factor, 3) for name, factor in factors.items()}
