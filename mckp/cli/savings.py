"""Tables of savings: the three columns that every figure has, and what they are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.cli import streams

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.table import Table

    from mckp.config.tuner import LayerSavings

COLUMNS: Final = ("calls", "tokens", "dedup", "encoder", "combined", "exact", "near")
CAPTION: Final = (
    "against {baseline}: dedup of all tokens, made of exact and near repeats; encoder of the rest; "
    "combined of all"
)


def row(savings: LayerSavings) -> list[str]:
    """Return the cells of one line."""
    total = savings.of()
    shares = [savings.dedup, savings.encoder, savings.combined, savings.exact, savings.near]
    return [f"{total.events:,}", f"{total.baseline:,}", *(f"{100 * each:.1f} %" for each in shares)]


def table(name: str, rows: Iterable[tuple[str, LayerSavings]]) -> Table:
    """Return a table with a line for each name."""
    from rich.table import Table

    from mckp.config.tuner.savings import BASELINE

    found = Table(caption=CAPTION.format(baseline=BASELINE))
    found.add_column(name, overflow="fold")
    for column in COLUMNS:
        found.add_column(column, justify="right")
    for label, savings in rows:
        found.add_row(streams.printable(label), *row(savings))
    return found


def by_endpoint(savings: LayerSavings) -> Table:
    """Return the table of all endpoints, the costliest first, and of all together."""
    names = sorted(savings.sums, key=lambda name: -savings.only(name).of().baseline)
    rows = [(name, savings.only(name)) for name in names]
    return table("endpoint", [*rows, ("all", savings)])
