"""The multiple-choice knapsack beside the binary one, on the same documents at equal budgets.

    python benches/binary_knapsack.py [USES ...] [--every N] [--json OUT]

USES are records of what agents used later of their tools' results (`uses`); without any, documents
are made up. Each is fitted into 50, 20 and 10 % of its tokens by

- ``mckp``: one option of many for each subtree, solved exactly;
- ``greedy``: the same options, one after the other by worth per token;
- ``binary``: each subtree in one format, taken whole or left out, solved exactly; the container of
  a subtree that is left out says so in a note;
- ``leaves``: each leaf taken or left out by the same worth, written as compact JSON without notes;
- ``cut``: compact JSON cut off at its end.

Worth is that of `mckp.encode` as a share of the whole document, so it is known of the first three
alone. Recall is the share of the later uses whose value is left in the text. Notes count as tokens
where there are any; `notes` is their share of the text.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from binary_json import cut_salient
from cutters import recount
from recall_rivals import Record, Rival, Written, cut, encoded, leaf_by_leaf
from solver_figures import add_common, show, store
from use_recall import budget_of, fitted, records

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHARES: Final = (0.5, 0.2, 0.1)
RIVALS: Final = (
    Rival("mckp", encoded, reads=True),
    Rival("greedy", partial(encoded, solver="greedy"), reads=True),
    Rival("binary", partial(encoded, solver="binary"), reads=True),
    Rival("leaves", partial(leaf_by_leaf, cut_salient)),
    Rival("cut", cut),
)


def noted(text: str) -> float:
    r"""Return the share of a text's tokens that are in notes on what is missing.

    Examples
    --------
    >>> 0.5 < noted("a: 1\n> [+3 facts b]\n") < 1
    True
    """
    notes = "".join(line for line in text.splitlines(keepends=True) if line.startswith("> ["))
    return recount(notes) / max(1, recount(text))


def noting(rival: Rival, notes: list[float], payload: Any, budget: int, record: Record) -> Written:
    """Write as a rival does, and keep what share of it is notes."""
    written = rival.write(payload, budget, record)
    if rival.reads:
        notes.append(noted(written.text))
    return written


def mean(numbers: Sequence[float]) -> float | None:
    """Return a mean of three places, None of nothing."""
    return round(statistics.fmean(numbers), 3) if numbers else None


def rows(measured: Sequence[Record]) -> Iterator[dict[str, Any]]:
    """Yield the figures of each rival at each share of the tokens: means over the documents."""
    for share in SHARES:
        for rival in RIVALS:
            notes = list[float]()
            seen = Rival(rival.name, partial(noting, rival, notes), rival.reads)
            outcomes = [fitted(seen, record, budget_of(record, share)) for record in measured]
            worths = [outcome.worth for outcome in outcomes if outcome.worth is not None]
            yield {
                "share": share,
                "rival": rival.name,
                "worth": mean(worths),
                "recall": mean([outcome.share for outcome in outcomes]),
                "used": mean([outcome.used for outcome in outcomes]),
                "notes": mean(notes),
                "refused": sum(outcome.refused for outcome in outcomes),
            }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and store it if that is wanted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("uses", nargs="*", type=Path)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth record alone")
    add_common(parser)
    options = parser.parse_args(arguments)
    every_record = records(options.uses)[:: options.every]
    subjects = every_record[:3] if options.quick else every_record
    made = list(rows(subjects))
    heads = ("share", "rival", "worth", "recall", "used", "notes", "refused")
    show(f"{len(subjects)} documents{'' if options.uses else ', made up'}", made, *heads)
    store(options.json, {"documents": len(subjects), "made_up": not options.uses, "rows": made})
    return 0


if __name__ == "__main__":
    sys.exit(main())
