"""Judged recall: of the fields that a reader needs, how much is left within a budget?

    python benches/judged_recall.py [RATED] [--shares 0.5 0.2 0.1] [--every N] [--json OUT]

RATED is a file with a JSON record per line: `source`, `tool`, `payload`, and for each of its
`paths` a rating from 0 (noise) to 5 (without it the first view is useless). Without it one made-up
document is measured, which shows that the bench runs and nothing else. `fitting.judged_left` has
the measure.

The rows: mckp with the weights of the package, which were fitted to these ratings as well; *other
sources*, with factors that were fitted without the source of the document; *facts*, each leaf
worth the same; *leaves*, the binary knapsack over the leaves of compact JSON with the package's
weights (`binary_json`); *cut off*, compact JSON up to the budget; and the *oracle*, the menu of
mckp with the ratings as weights. *Below* counts documents of which mckp keeps less than the cut,
by more than two hundredths. The exit code is 1 if a text of mckp exceeds its budget.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from binary_json import cut_salient
from cutters import cut_head, recount
from fit_salience import fit
from fitting import judged_left, of_ratings, read_rated, weights_of_fields
from solver_figures import add_common, show, store
from use_recall import SHARES

import mckp
from mckp.errors import BudgetError
from mckp.jsontext import dump, is_array, is_object
from mckp.weights.salience import PreparedTable, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fitting import Record

    from mckp.weights import Leaf

FLOOR: Final = 40
"""Tokens that every budget has."""
MARGIN: Final = 0.02
"""Less than the cut keeps, by which a document counts as below it."""

MADE_UP: Final[list[Record]] = [
    {
        "source": "made up",
        "tool": "issue",
        "payload": {
            "id": 4711,
            "node_id": "I_kwDOBxMDAwMDAw",
            "url": "https://api.example.com/issues/4711",
            "title": "Login fails on Safari",
            "state": "open",
            "locked": False,
            "labels": [{"id": 1, "name": "bug", "color": "d73a4a", "default": True}],
        },
        "paths": [[path] for path in ("id", "node_id", "url", "title", "state", "labels[*].name")],
        "ratings": [2, 0, 0, 5, 4, 4],
    }
]


def cut_off(value: Any, budget: int) -> Any:
    """Return what can be read of compact JSON that ends where the budget does.

    Examples
    --------
    >>> cut_off({"id": 1, "tags": ["a", "b"], "done": True}, 9)
    {'id': 1, 'tags': ['a']}
    """
    text = dump(value)
    return _read_to(value, 0, len(cut_head(text, budget)))[0]


def _read_to(value: Any, start: int, end: int) -> tuple[Any, int]:
    """Return what of a value is complete at a place in its text, and where its text ends."""
    if is_object(value) and value:
        kept: dict[str, Any] = {}
        at = start + 1
        for name, member in value.items():
            at += len(dump(name)) + 1
            left, after = _read_to(member, at, end)
            if after <= end or (at < end and (is_object(member) or is_array(member))):
                kept[name] = left
            at = after + 1
        return kept, at
    if is_array(value) and value:
        items: list[Any] = []
        at = start + 1
        for item in value:
            left, after = _read_to(item, at, end)
            if after <= end or (at < end and (is_object(item) or is_array(item))):
                items.append(left)
            at = after + 1
        return items, at
    return value, start + len(dump(value))


def oracle(record: Record) -> Any:
    """Return weights that know the ratings: a field's is shared by its values.

    A string that holds data has one rating, which its leaves share.
    """
    ratings = weights_of_fields(record)

    def weigh(leaves: Sequence[Leaf]) -> list[float]:
        fields = [_field_of(leaf.path, ratings) for leaf in leaves]
        sizes = Counter(fields)
        return [0.0001 + 1000 * ratings.get(field, 0.0) / sizes[field] for field in fields]

    return weigh


def _field_of(steps: Sequence[str | int], ratings: Mapping[str, float]) -> str:
    """Return the field of the longest beginning of a path that is rated, as ratings write it."""
    field, longest = "", ""
    for step in steps:
        field += "[*]" if isinstance(step, int) else f".{step}" if field else step
        longest = field if field in ratings else longest
    return longest


def measured(record: Record, share: float, others: Any) -> dict[str, float]:
    """Return the judged recall of each way at one share of the tokens of compact JSON."""
    payload = record["payload"]
    budget = max(FLOOR, int(recount(dump(payload)) * share))
    figures = {
        "cut off": judged_left(record, cut_off(payload, budget)),
        "leaves": judged_left(record, json.loads(cut_salient(dump(payload), budget) or "null")),
    }
    ways: dict[str, Any] = {
        "mckp": None,
        "other sources": others,
        "facts": "facts",
        "oracle": oracle(record),
    }
    for name, weights in ways.items():
        settings = {} if weights is None else {"weights": weights}
        try:
            result = mckp.encode(payload, budget=budget, **settings)
        except BudgetError:
            figures[name] = 0.0
            continue
        figures[name] = judged_left(record, mckp.decode(result.text))
        figures["over"] = max(figures.get("over", 0.0), float(recount(result.text) > budget))
    return figures


def rows_of(
    records: Sequence[Record], rated: Path | None, shares: Sequence[float]
) -> Iterator[Any]:
    """Yield a row for each share: the mean of each way, and of how many documents."""
    examples = of_ratings(rated, PreparedTable.of(table())) if rated else []
    others = {
        source: fit(example for example in examples if example.source != source)
        for source in sorted({str(record["source"]) for record in records})
        if rated
    }
    for share in shares:
        outcomes = [measured(each, share, others.get(str(each["source"]))) for each in records]
        row: dict[str, Any] = {"share": share, "documents": len(outcomes)}
        for name in ("mckp", "other sources", "facts", "leaves", "cut off", "oracle"):
            row[name] = round(fmean(outcome[name] for outcome in outcomes), 4)
        row["below"] = sum(each["mckp"] < each["cut off"] - MARGIN for each in outcomes)
        row["over"] = int(sum(each.get("over", 0.0) for each in outcomes))
        yield row


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print a table, and store it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("rated", type=Path, nargs="?")
    parser.add_argument("--shares", type=float, nargs="+", default=SHARES)
    parser.add_argument("--every", type=int, default=1, help="one of so many documents")
    add_common(parser)
    chosen = parser.parse_args(arguments)
    records = read_rated(chosen.rated)[:: chosen.every] if chosen.rated else MADE_UP
    rows = list(rows_of(records, chosen.rated, chosen.shares))
    show("judged recall", rows, *rows[0])
    store(chosen.json, {"documents": len(records), "rows": rows})
    return int(any(row["over"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
