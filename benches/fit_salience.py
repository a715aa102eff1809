"""Fit the factors of salience to rated fields and recorded runs, and measure on other sources.

    python benches/fit_salience.py PATH ... [--rated FILE] [--way tasks|sources|all] [--every N]
                                     [--shares S ...] [--tools fitted|shipped] [--names]
                                     [--ablate [--json OUT]]
                                     [--write mckp/weights/salience.toml]

PATH is a file or folder of recorded runs or of records of uses, as of ``use_recall.py``; FILE has
lines of JSON with documents whose fields were rated from 0 to 5 (``source``, ``tool``, ``payload``,
``paths``, ``ratings``). The factors of traits (`mckp.weights.traits`) are fitted to both at once
(`fitting`), beginning with those of the package; names are rated by reading and not fitted.

*tasks* fits on one half of the tasks and measures on the other, and the other way round;
*sources* leaves each source out in turn, of both; *all* measures on what was fitted, and flatters.
``--ablate`` does so in all three ways, without each group of traits in turn.

Each of them, and ``--write``, first looks for names that one source carries: a rated name that no
other source has, and without which recall of that source changes by more than a fiftieth. They are
printed. ``--write`` fits nothing until such a name is gone or rated by a shorter end, and
``--names`` only looks.

``--tools`` learns what fields of tools are worth instead, as ``mckp tune`` does, on one half of the
tasks of a source, and measures these tools on the other half: with the prior alone, with all
factors, and with those *kept* that gain within what was seen. The prior is *fitted* to the other
sources, as for tools that it does not know, or the *shipped* table, which has seen all records.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, product
from math import log
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from fitting import Stand, fitted, judged, of_ratings, of_uses, read_rated
from recall_rivals import Rival, encoded
from solver_figures import store
from use_recall import SHARES, budget_of, measured, recall, records

from mckp.agents.replay.learning import Used, lessons, lessons_to_keep
from mckp.weights.salience import PreparedTable, Salience, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fitting import Example

    Record = dict[str, Any]

WAYS: Final = ("tasks", "sources", "all")
"""How records are parted."""
GROUPS: Final = {
    "none": ("-",),
    "names": ("name ", "item ", "words"),
    "kinds": ("kind ",),
    "columns": ("copies", "rows", "wide", "constant", "rare"),
    "above": ("depth", "content", "aside"),
    "ids": ("id ", "key"),
    "lengths": ("length", "run"),
    "places": ("late",),
}
"""What traits of a group begin with."""
CARRIED: Final = 0.02
"""A name that one source alone has may change its recall by so much."""
SOURCE: Final = 10
"""Documents of a source of which this can be said."""


def fit(every: Iterable[Example], group: str = "none") -> Salience:
    """Return salience with the factors that suit examples best, without a group of traits."""
    base = table()
    gone = GROUPS[group]
    factors = {name: 1.0 if name.startswith(gone) else f for name, f in base["factors"].items()}
    examples = [without(example, gone) for example in every]
    return Salience(base | {"factors": fitted(examples, factors)})


def without(example: Example, gone: tuple[str, ...]) -> Example:
    """Return an example without the traits whose names begin with some texts."""
    if gone == GROUPS["none"]:
        return example
    traits = [
        {name: n for name, n in own.items() if not name.startswith(gone)} for own in example.traits
    ]
    return replace(example, traits=traits)


def of_other_sources(
    every_record: Sequence[Record], rated: Sequence[Example] = ()
) -> dict[str, Salience]:
    """Return for each source the weights that were fitted to the records of all others."""
    every = [*known(every_record).values(), *rated]
    sources = sorted({str(record["source"]) for record in every_record})
    return {
        source: fit(example for example in every if example.source != source)
        for source in sources
        if len(sources) > 1
    }


def known(every_record: Sequence[Record]) -> dict[int, Example]:
    """Return the examples of records by their numbers."""
    parts = PreparedTable.of(table())
    return {
        n: example for n, record in enumerate(every_record) for example in of_uses([record], parts)
    }


def carried(examples: Sequence[Example]) -> dict[str, float]:
    """Return the names that one source carries, with what its recall would lose without each.

    A name is a term of the lexicon; without it, the next shorter end of the name counts.
    """
    factors = table()["factors"]
    sources: dict[str, set[str]] = {}
    for example in examples:
        for term in {term[0] for term in example.terms if term}:
            sources.setdefault(term, set()).add(example.source)
    losses: dict[str, float] = {}
    for source in sorted({example.source for example in examples}):
        of_source = [example for example in examples if example.source == source]
        if len(of_source) < SOURCE:
            continue
        stand = Stand(of_source)
        worths = stand.amounts @ np.array([log(factors.get(name, 1.0)) for name in stand.names])
        before = stand.scores(worths).mean()
        places: dict[tuple[str, str, str], list[int]] = {}
        for place, known_as in enumerate(
            chain.from_iterable(example.terms for example in of_source)
        ):
            if known_as and sources[known_as[0]] == {source}:
                places.setdefault(known_as, []).append(place)
        for (term, rating, shorter), leaves in places.items():
            changed = worths.copy()
            changed[leaves] += log(factors[f"name {shorter}"] / factors[f"name {rating}"])
            loss = float(before - stand.scores(changed).mean())
            if abs(loss) > CARRIED:
                losses[term] = loss
    return losses


@dataclass(frozen=True)
class Settings:
    """What is measured: the budgets as shares, one of so many results, by so many processes."""

    shares: Sequence[float]
    step: int
    processes: int


def folds(way: str, every_record: Sequence[Record]) -> Iterator[tuple[str, list[int], list[int]]]:
    """Yield what to fit on and what to measure, by the numbers of records."""
    numbers = range(len(every_record))
    if way == "all":
        yield "all", [*numbers], [*numbers]
        return
    if way == "sources":
        for source in sorted({record["source"] for record in every_record}):
            of_source = [n for n in numbers if every_record[n]["source"] == source]
            yield source, sorted({*numbers} - {*of_source}), of_source
        return
    tasks = sorted({str(record["task"]) for record in every_record})
    random.Random(0).shuffle(tasks)
    half = set(tasks[::2])
    first = [n for n in numbers if str(every_record[n]["task"]) in half]
    second = [n for n in numbers if str(every_record[n]["task"]) not in half]
    yield "first half", second, first
    yield "second half", first, second


def of_folds(
    way: str,
    every_record: Sequence[Record],
    every: dict[int, Example],
    rated: Sequence[Example],
    settings: Settings,
    group: str = "none",
) -> Iterator[tuple[str, list[list[float]]]]:
    """Yield the recall of each fold by share and result, its prior fitted to the others.

    Parameters
    ----------
    way : str
        How records are parted.
    every_record : sequence of dict
        All records of uses.
    every : dict
        Their examples, by their numbers.
    rated : sequence of Example
        Documents whose fields were rated; of a source that is left out they are, too.
    settings : Settings
        What is measured.
    group : str, default "none"
        One of `GROUPS`: the traits that the prior does without.
    """
    for name, learnt, measured_on in folds(way, every_record):
        taught = [every[n] for n in learnt if n in every]
        taught += [example for example in rated if way != "sources" or example.source != name]
        model = Rival("salience", partial(encoded, weights=fit(taught, group)), reads=True)
        measuring = [every_record[n] for n in measured_on][:: settings.step]
        outcomes = measured([model], settings.shares, measuring, settings.processes)
        shares = range(len(settings.shares))
        yield name, [[outcome[place][0].share for outcome in outcomes] for place in shares]


def of_rated_folds(
    records_rated: Sequence[Record], every: Sequence[Example], settings: Settings
) -> Iterator[tuple[str, list[list[float]]]]:
    """Yield the judged recall of each source of rated documents, fitted to all other sources."""
    for source in sorted({str(record["source"]) for record in records_rated}):
        prior = fit(example for example in every if example.source != source)
        of_source = [record for record in records_rated if record["source"] == source][
            :: settings.step
        ]
        yield (
            source,
            [
                [judged(record, share, weights=prior) for record in of_source]
                for share in settings.shares
            ],
        )


def show_folds(every_fold: Iterable[tuple[str, list[list[float]]]]) -> list[float]:
    """Print the means of each fold, of all folds, and of all results, which are returned."""
    folds = dict[str, list[list[float]]]()
    for name, shares in every_fold:
        folds[name] = shares
        means_of_fold = [fmean(values) for values in shares]
        print(
            f"{name:20s} {len(shares[0]):4d} ",
            *(f"{mean:.3f}" for mean in means_of_fold),
            flush=True,
        )
    means = np.mean([[fmean(values) for values in shares] for shares in folds.values()], axis=0)
    print(f"{'mean over folds':20s}      ", *(f"{mean:.3f}" for mean in means))
    results = [fmean(chain.from_iterable(values)) for values in zip(*folds.values(), strict=True)]
    print(f"{'mean over results':20s}      ", *(f"{mean:.3f}" for mean in results))
    return results


def of_tools(
    every_record: Sequence[Record],
    shares: Sequence[float],
    every: dict[int, Example],
    step: int = 1,
) -> dict[str, dict[str, list[tuple[float, ...]]]]:
    """Return the recall of tools seen before with the prior, all factors, and those kept.

    Factors are learnt on one half of the tasks of a source and tried on the other.

    Parameters
    ----------
    every_record : sequence of dict
        All records.
    shares : sequence of float
        Budgets.
    every : dict
        The examples of records, and their tools, by their numbers: the prior for the tools of a
        source is fitted to those of all others. If there are none, it is the one shipped, which
        was fitted to these tools as well.
    step : int, default 1
        One result in so many is measured; all are learnt from.

    Returns
    -------
    dict
        By share and tool, the three figures of each result.
    """
    rows: dict[str, dict[str, list[tuple[float, ...]]]] = {str(share): {} for share in shares}
    for source in sorted({str(record["source"]) for record in every_record}):
        of_others = [example for example in every.values() if example.source != source]
        prior = fit(of_others) if of_others else Salience()
        results = [
            record for record in every_record if record["source"] == source and record["tool"]
        ]
        tasks = {
            task: n for n, task in enumerate(sorted({str(record["task"]) for record in results}))
        }
        uses = [
            Used(_tool(record), record["payload"], record["used"], tasks[str(record["task"])])
            for record in results
        ]
        for _, seen, measured_on in folds("tasks", results):
            taught = list(lessons([uses[n] for n in seen], {}, weights=prior))
            learnt = {lesson.tool: lesson.factors for lesson in taught}
            good = {lesson.tool: lesson.factors for lesson in lessons_to_keep(taught)}
            for n in measured_on[::step]:
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
    for share, by_tool in rows.items():
        print(f"{float(share):.0%}: results, prior, all factors, those kept")
        every = {"all": list(chain.from_iterable(by_tool.values()))}
        for tool in by_tool:
            every.setdefault(tool.partition(".")[0], []).extend(by_tool[tool])
        for name, values in [
            *every.items(),
            *sorted(by_tool.items(), key=lambda pair: -len(pair[1])),
        ]:
            print(f"{name:55s} {len(values):4d} ", *(f"{m:.3f}" for m in np.mean(values, axis=0)))


def written(factors: Mapping[str, float], text: str) -> str:
    """Return a table as a file, with other factors in it."""
    before, rest = text.split("[factors]\n")
    after = rest[rest.index("[names]") :]
    lines = [f'"{name}" = {factor}' for name, factor in factors.items()]
    return f"{before}[factors]\n" + "\n".join(lines) + f"\n\n{after}"


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
    parser.add_argument("--rated", type=Path, help="documents whose fields were rated")
    parser.add_argument("--names", action="store_true", help="only look for names to refuse")
    args = parser.parse_args(arguments)
    every_record = records(args.paths)
    every = known(every_record)
    rated = of_ratings(args.rated, PreparedTable.of(table())) if args.rated else []
    if args.tools:
        show_tools(of_tools(every_record, args.shares, {} if args.tools == "shipped" else every))
        return 0
    if refused := carried([*every.values(), *rated]):
        for term, loss in refused.items():
            print(f"{term!r} is carried by one source, which loses {loss:.3f} without it")
        if args.names or args.write:
            return 1
    if args.names:
        return 0
    if args.write:
        factors = fit([*every.values(), *rated]).factors
        text = args.write.read_text(encoding="utf-8")
        args.write.write_text(written(factors, text), encoding="utf-8")
        return 0
    settings = Settings(args.shares, args.every, args.processes)
    if not args.ablate:
        show_folds(of_folds(args.way, every_record, every, rated, settings))
        if args.rated and args.way == "sources":
            print("judged recall of rated documents")
            show_folds(of_rated_folds(read_rated(args.rated), [*every.values(), *rated], settings))
        return 0
    rows: dict[str, dict[str, list[float]]] = {}
    for way, group in product(WAYS, GROUPS):
        print(f"{way}, without {group}")
        folded = of_folds(way, every_record, every, rated, settings, group)
        rows.setdefault(way, {})[group] = show_folds(folded)
    store(
        args.json,
        {"shares": args.shares, "results": len(every_record[:: args.every]), "recall": rows},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
