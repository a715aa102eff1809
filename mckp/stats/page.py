"""A page with the figures and their pictures: one file, without scripts and without a network."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Final

from mckp.display.tables import table
from mckp.stats.figures import AGAINST
from mckp.stats.plots import MAX_BARS, by_tool, in_time, shown_name

if TYPE_CHECKING:
    from mckp.stats.figures import Figures, Sums

HEAD: Final = ("calls", "repeats", "before", "after", "cut", "by refs", "encoding", "saved")
"""Columns of the table, behind the name."""

_STYLE: Final = """
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:760px;margin:2em auto;padding:0 1em}
h1{font-size:1.4em;margin:0}h2{font-size:1.05em;margin:1.8em 0 .5em}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.85em}
td,th{padding:.15em .6em;border-bottom:1px solid #8884;font-weight:400}
th{color:#808080}.sum{font-size:2.2em;font-weight:600}.note{color:#808080;font-size:.85em}
"""


def page(found: Figures) -> str:
    """Return the page.

    Examples
    --------
    >>> from mckp.stats.figures import figures
    >>> page(figures([])).startswith("<!doctype html>")
    True
    """
    return (
        "<!doctype html><html lang='en'><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'><title>mckp stats</title>"
        f"<style>{_STYLE}</style><body>{''.join(_body(found))}</body></html>\n"
    )


def _body(found: Figures) -> list[str]:
    shares = found.total.to_dict()
    rows = [row(name, sums) for name, sums in [*found.tools.items(), ("all", found.total)]]
    return [
        "<h1>Tokens of tool results</h1>",
        f"<p class='note'>{escape(scope(found))}</p>",
        f"<p><span class='sum'>{shares['combined_savings_pct']:.1f} %</span> saved: "
        f"{found.total.saved:,.0f} of {found.total.baseline:,.0f} tokens</p>",
        f"<h2>By tool{f', the {MAX_BARS} largest' if len(found.tools) > MAX_BARS else ''}</h2>",
        by_tool(found.tools),
        "<h2>In time (UTC)</h2>",
        in_time(found.times),
        "<h2>Figures</h2>",
        table("", ["tool", *HEAD], rows),
        f"<p class='note'>Savings are against {escape(AGAINST)}; by references of all tokens, by "
        "encoding of those of results that are no repeats. What was cut is not saved.</p>",
    ]


def scope(found: Figures) -> str:
    """Return what the figures are of."""
    if not found.total.events:
        return "no results were recorded"
    first, last = (
        datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
        for ms in (found.first_ms, found.last_ms)
    )
    sessions = f"{found.sessions:,} session{'s' * (found.sessions != 1)}"
    lines = f"{found.skipped:,} line{'s' * (found.skipped != 1)}"
    skipped = f"; {lines} could not be read" if found.skipped else ""
    return (
        f"{found.total.events:,.0f} results of {sessions}, from {first} to {last} UTC, counted by "
        f"{', '.join(found.tokenizers)}{skipped}"
    )


def row(name: str, sums: Sums) -> list[str]:
    """Return the cells of a line of the table."""
    shares = sums.to_dict()
    counts = ("events", "repeats", "tokens_baseline", "tokens_final", "tokens_cut")
    columns = ("dedup_savings_pct", "encoder_savings_pct", "combined_savings_pct")
    return [
        shown_name(name),
        *(f"{shares[each]:,}" for each in counts),
        *(f"{shares[each]:.1f}%" for each in columns),
    ]
