"""Fit the table of salience to recorded runs, and say how well it does on runs it did not see.

    python benches/fit_salience.py PATH ... [--way tasks|sources|all] [--every N] [--shares S ...]
                                     [--tools fitted|shipped] [--ablate [--json OUT]]
                                     [--write mckp/weights/salience.toml]

PATH is a file or folder of recorded runs or of records of uses, as of ``use_recall.py``. The table
counts traits of leaves (`mckp.weights.traits`) in log-odds: a logistic regression with a ridge
penalty, fitted by Newton's method. Of each record, the used leaves weigh as much as the others; the
records of a tool that has many weigh less, as the root of their number. It is fitted in two stages:
first what can be seen of any leaf, then, on top of that, fields that are known by their own and
their parent's name, or by their own if one source alone has it. So what holds for any tool is not
explained by the fields of a few.

*tasks* fits on one half of the tasks and measures on the other, and the other way round;
*sources* leaves each source out in turn; *all* measures on what was fitted, and flatters.

``--ablate`` does so in all three ways, without each group of traits in turn.

``--tools`` learns what fields of tools are worth instead, as ``mckp tune`` does, on one half of the
tasks of a source, and measures these tools on the other half: with the prior alone, with all
factors, and with those *kept* that gain within what was seen. The prior is *fitted* to the other
sources, as for tools that it does not know, or the *shipped* table, which has seen all records:
what it knows of these tools already can't be learnt again.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from functools import partial
from itertools import chain, product
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from recall_rivals import Rival, encoded
from solver_figures import store
from use_recall import SHARES, budget_of, measured, recall, records

from mckp.agents.replay.learning import Used, lessons, taken
from mckp.tree import TreeNode
from mckp.weights.leaves import leaves as leaves_of
from mckp.weights.salience import Salience
from mckp.weights.traits import traits_of_leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Record = dict[str, Any]
    Examples = list[tuple[dict[str, float], bool, float]]
    Tool = tuple[str, str]
    Fitting = Callable[[Sequence[int]], dict[str, float]]

BY_HAND: Final = {"state": 2.0}
"""Points that are not fitted: a use of a common word or of a boolean cannot be seen in what agents
wrote later, so of what says how something stands hardly any use is ever found."""
OTHERS: Final = 60
"""Leaves that were not used and are looked at in each record."""
RECORDS: Final = 3
"""Records in which a trait must be seen."""
RIDGE: Final = 3.0
"""Penalty of traits."""
FIELD_RIDGE: Final = 1.0
"""Penalty of fields."""
STEPS: Final = 25
WAYS: Final = ("tasks", "sources", "all")
"""How records are parted."""
GROUPS: Final = {
    "none": ("-",),
    "names": ("field ", "words"),
    "kinds": (
        *("null", "boolean", "whole", "fraction", "character", "empty"),
        *("date", "text", "url", "code", "word"),
    ),
    "lengths": ("length", "digits ", "numeral", "lower"),
    "columns": ("information", "constant", "rows", "alone", "scarce", "wide", "item"),
    "places": ("early",),
    "keys": ("key",),
    "depth": ("depth",),
}
"""What traits of a group begin with."""
SMALLEST: Final = 0.25
"""Points by which fields are told apart in the table; those of less are left out."""


def examples(found: Iterable[Record], seed: int = 0) -> Iterator[Examples]:
    """Yield for each record its leaves as traits, whether they were used, and what they weigh."""
    for record in found:
        below = leaves_of(TreeNode.of(record["payload"]))
        used = {tuple(path) for use in record["used"] for path in use["paths"]}
        chance, own = random.Random(seed), list[tuple[dict[str, float], bool]]()
        hits = sum(leaf.path in used for leaf in below)
        share = OTHERS / max(OTHERS, len(below) - hits)
        for place, traits in traits_of_leaves(below):
            if (hit := below[place].path in used) or chance.random() < share:
                own.append((traits, hit))
        counts = Counter(hit for _, hit in own)
        if counts[True]:
            yield [(traits, hit, 10 / counts[hit]) for traits, hit in own]


def fit(every: Sequence[tuple[Tool, Examples]]) -> dict[str, float]:
    """Return what each trait counts, from the examples of records and the tool of each."""
    tools = Counter(tool for tool, _ in every)
    share = len(every) / sum(size**0.5 for size in tools.values())
    counts: Counter[str] = Counter()
    sources: dict[str, set[str]] = {}
    rows: Examples = []
    for tool, own in every:
        seen = {name for traits, _, _ in own for name in traits}
        counts.update(seen)
        for name in seen:
            sources.setdefault(name, set()).add(tool[0])
        factor = share / tools[tool] ** 0.5
        rows.extend((traits, hit, weight * factor) for traits, hit, weight in own)
    frequent = sorted(name for name in counts if counts[name] >= RECORDS)
    names = [name for name in frequent if not is_field(name) and name not in BY_HAND]
    given = _amounts(rows, [*BY_HAND]) @ np.array([*BY_HAND.values()])
    amounts = _amounts(rows, names)
    points = _fitted(amounts, rows, given)
    found = dict(zip(names, points.tolist(), strict=True))
    # A name without a parent's means something else in each source, unless one alone has it.
    fields = [
        name for name in frequent if is_field(name) and ("." in name or len(sources[name]) == 1)
    ]
    return found | BY_HAND | _of_fields(rows, given + amounts @ points, fields)


def of_other_sources(found: Sequence[Record]) -> dict[str, Salience]:
    """Return for each source the weights that were fitted to the records of all others."""
    every = list(known(found).values())
    sources = sorted({source for (source, _), _ in every})
    return {
        source: Salience(rounded(fit([each for each in every if each[0][0] != source])))
        for source in sources
        if len(sources) > 1
    }


def known(found: Sequence[Record]) -> dict[int, tuple[Tool, Examples]]:
    """Return the examples of records, and the tools that these are of, by their numbers."""
    return {
        number: ((str(record["source"]), str(record["tool"])), own)
        for number, record in enumerate(found)
        for own in examples([record])
    }


def _amounts(rows: Examples, names: Sequence[str]) -> Floats:
    places = {name: place for place, name in enumerate(names)}
    amounts = np.zeros((len(rows), len(names)))
    for row, (traits, _, _) in enumerate(rows):
        for name, amount in traits.items():
            if name in places:
                amounts[row, places[name]] = amount
    return amounts


def _fitted(amounts: Floats, rows: Examples, before: Floats) -> Floats:
    """Return what traits count beside the log-odds that are given.

    The regression is fitted by Newton's method: T. Hastie, R. Tibshirani and J. Friedman, The
    Elements of Statistical Learning, 2nd edition (2009), section 4.4.1, with a ridge penalty.
    """
    hits = np.array([hit for _, hit, _ in rows], dtype=float)
    weights = np.array([weight for _, _, weight in rows])
    points = np.zeros(amounts.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-(before + amounts @ points)))
        slope = amounts.T @ (weights * (hits - likely)) - RIDGE * points
        curve = (amounts * (weights * likely * (1 - likely))[:, None]).T @ amounts
        change = np.linalg.solve(curve + RIDGE * np.eye(points.size), slope)
        points += change
        if np.abs(change).max(initial=0) < 1e-6:
            break
    return points


def _of_fields(rows: Examples, before: Floats, fields: Sequence[str]) -> dict[str, float]:
    """Return what fields count beside the log-odds that are known before.

    A leaf has one field, so each has a regression of its own, fitted as above.
    """
    places: dict[str, list[int]] = {field: [] for field in fields}
    for row, (traits, _, _) in enumerate(rows):
        for name in traits:
            if name in places:
                places[name].append(row)
    found: dict[str, float] = {}
    for field, own in places.items():
        hits = np.array([rows[row][1] for row in own], dtype=float)
        weights = np.array([rows[row][2] for row in own])
        points = 0.0
        for _ in range(STEPS):
            likely = 1 / (1 + np.exp(-(before[own] + points)))
            slope = weights @ (hits - likely) - FIELD_RIDGE * points
            points += float(slope / (weights @ (likely * (1 - likely)) + FIELD_RIDGE))
        found[field] = points
    return found


def is_field(trait: str) -> bool:
    """Whether a trait is that of one field."""
    return trait.startswith("field ")


def rounded(points: dict[str, float]) -> dict[str, float]:
    """Return points as the table has them."""
    steps = {name: round(count / SMALLEST) * SMALLEST for name, count in points.items()}
    return {
        name: steps[name] if is_field(name) else round(count, 2)
        for name, count in points.items()
        if not is_field(name) or steps[name]
    }


def folds(way: str, found: Sequence[Record]) -> Iterator[tuple[str, list[int], list[int]]]:
    """Yield what to fit on and what to measure, by the numbers of records."""
    numbers = range(len(found))
    if way == "all":
        yield "all", [*numbers], [*numbers]
        return
    if way == "sources":
        for source in sorted({record["source"] for record in found}):
            own = [n for n in numbers if found[n]["source"] == source]
            yield source, sorted({*numbers} - {*own}), own
        return
    tasks = sorted({str(record["task"]) for record in found})
    random.Random(0).shuffle(tasks)
    half = set(tasks[::2])
    first = [n for n in numbers if str(found[n]["task"]) in half]
    second = [n for n in numbers if str(found[n]["task"]) not in half]
    yield "first half", second, first
    yield "second half", first, second


def of_folds(
    way: str,
    found: Sequence[Record],
    every: dict[int, tuple[Tool, Examples]],
    shares: Sequence[float],
    step: int,
    processes: int,
    group: str = "none",
) -> Iterator[tuple[str, list[list[float]]]]:
    """Yield the recall of each fold by share and result, its prior fitted to the others.

    Parameters
    ----------
    way : str
        How records are parted.
    found : sequence of dict
        All records.
    every : dict
        The examples of records, and their tools, by their numbers.
    shares : sequence of float
        Budgets.
    step : int
        One of so many records is measured.
    processes : int
        How many measure.
    group : str, default "none"
        One of `GROUPS`: the traits that the prior does without.
    """
    for name, learnt, kept in folds(way, found):
        own = [every[n] for n in learnt if n in every]
        points = rounded(fit([(tool, without(each, group)) for tool, each in own]))
        model = Rival("salience", partial(encoded, weights=Salience(points)), reads=True)
        outcomes = measured([model], shares, [found[n] for n in kept][::step], processes)
        yield name, [[each[place][0].share for each in outcomes] for place in range(len(shares))]


def without(own: Examples, group: str) -> Examples:
    """Return examples without the traits of a group."""
    gone = GROUPS[group]
    return [
        ({name: n for name, n in traits.items() if not name.startswith(gone)}, hit, weight)
        for traits, hit, weight in own
    ]


def show_folds(found: Iterable[tuple[str, list[list[float]]]]) -> list[float]:
    """Print the means of each fold, of all folds, and of all results, which are returned."""
    folds = dict[str, list[list[float]]]()
    for name, shares in found:
        folds[name] = shares
        own = [fmean(each) for each in shares]
        print(f"{name:20s} {len(shares[0]):4d} ", *(f"{mean:.3f}" for mean in own), flush=True)
    means = np.mean([[fmean(each) for each in shares] for shares in folds.values()], axis=0)
    print(f"{'mean over folds':20s}      ", *(f"{mean:.3f}" for mean in means))
    results = [fmean(chain.from_iterable(each)) for each in zip(*folds.values(), strict=True)]
    print(f"{'mean over results':20s}      ", *(f"{mean:.3f}" for mean in results))
    return results


def of_tools(
    found: Sequence[Record], shares: Sequence[float], every: dict[int, tuple[Tool, Examples]]
) -> dict[str, dict[str, list[tuple[float, ...]]]]:
    """Return the recall of tools seen before with the prior, all factors, and those kept.

    Factors are learnt on one half of the tasks of a source and tried on the other.

    Parameters
    ----------
    found : sequence of dict
        All records.
    shares : sequence of float
        Budgets.
    every : dict
        The examples of records, and their tools, by their numbers: the prior for the tools of a
        source is fitted to those of all others. If there are none, it is the one shipped, which
        was fitted to these tools as well.

    Returns
    -------
    dict
        By share and tool, the three figures of each result.
    """
    rows: dict[str, dict[str, list[tuple[float, ...]]]] = {str(share): {} for share in shares}
    for source in sorted({str(each["source"]) for each in found}):
        others = [each for each in every.values() if each[0][0] != source]
        prior = Salience(rounded(fit(others)) if others else None)
        results = [each for each in found if each["source"] == source and each["tool"]]
        tasks = {task: n for n, task in enumerate(sorted({str(each["task"]) for each in results}))}
        uses = [
            Used(_tool(each), each["payload"], each["used"], tasks[str(each["task"])])
            for each in results
        ]
        for _, seen, kept in folds("tasks", results):
            taught = list(lessons([uses[n] for n in seen], {}, weights=prior))
            learnt = {each.tool: each.factors for each in taught}
            good = {each.tool: each.factors for each in taken(taught)}
            for n in kept:
                tool = uses[n].tool
                if tool not in learnt:
                    continue
                for share in shares:
                    budget = budget_of(results[n], share)
                    outcomes = [
                        recall(results[n], budget, weights=prior, priorities=factors).share
                        for factors in ({}, learnt[tool], good.get(tool, {}))
                    ]
                    rows[str(share)].setdefault(tool, []).append(tuple(outcomes))
    return rows


def _tool(record: Record) -> str:
    return f"{record['source']}.{record['tool']}"


def show_tools(rows: dict[str, dict[str, list[tuple[float, ...]]]]) -> None:
    """Print the means of all, of each source, and of each tool."""
    for share, own in rows.items():
        print(f"{float(share):.0%}: results, prior, all factors, those kept")
        every = {"all": list(chain.from_iterable(own.values()))}
        for tool in own:
            every.setdefault(tool.partition(".")[0], []).extend(own[tool])
        for name, each in [*every.items(), *sorted(own.items(), key=lambda pair: -len(pair[1]))]:
            print(f"{name:55s} {len(each):4d} ", *(f"{m:.3f}" for m in np.mean(each, axis=0)))


def written(points: dict[str, float], count: int) -> str:
    """Return the table as a file."""
    lines = [
        "# What each trait of a leaf counts for the likelihood that its reader needs it later,",
        f"# in log-odds. Fitted by benches/fit_salience.py to {count} results of tools in recorded",
        "# runs of agents (tau-bench, MCPMark, Toolathlon, LiveMCPBench): what of each result the",
        "# agent used later. Edit it, or give other points to mckp.weights.Salience.",
        "",
        "[traits]",
    ]
    fitted = (name for name in points if not is_field(name) and name not in BY_HAND)
    plain = sorted(fitted, key=lambda name: -points[name])
    lines += [f"{_key(name)} = {points[name]}" for name in plain]
    lines += ["", "[by_hand]  # what such a fit cannot see: common words and booleans"]
    lines += [f"{_key(name)} = {points[name]}" for name in BY_HAND]
    groups: dict[float, list[str]] = {}
    for name, size in points.items():
        if is_field(name):
            groups.setdefault(size, []).append(name.partition(" ")[2])
    lines += ["", "[fields]  # the last two names in a path, as words without numbers"]
    for size in sorted(groups, reverse=True):
        lines += [f'"{size}" = "{", ".join(sorted(groups[size]))}"']
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if name.isalpha() else f'"{name}"'


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, and measure or write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--way", choices=WAYS, default="tasks")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--shares", type=float, nargs="+", default=SHARES)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--ablate", action="store_true", help="without each group of traits")
    parser.add_argument("--json", type=Path, help="also write the figures of that here")
    parser.add_argument("--tools", choices=("fitted", "shipped"), help="learn what tools are for")
    args = parser.parse_args(arguments)
    found = records(args.paths)
    every = known(found)
    if args.write:
        points = rounded(fit([*every.values()]))
        args.write.write_text(written(points, len(found)), encoding="utf-8")
        return 0
    if args.tools:
        show_tools(of_tools(found, args.shares, {} if args.tools == "shipped" else every))
        return 0
    settings = (found, every, args.shares, args.every, args.processes)
    if not args.ablate:
        show_folds(of_folds(args.way, *settings))
        return 0
    rows: dict[str, dict[str, list[float]]] = {}
    for way, group in product(WAYS, GROUPS):
        print(f"{way}, without {group}")
        rows.setdefault(way, {})[group] = show_folds(of_folds(way, *settings, group))
    store(args.json, {"shares": args.shares, "results": len(found[:: args.every]), "recall": rows})
    return 0


if __name__ == "__main__":
    sys.exit(main())
