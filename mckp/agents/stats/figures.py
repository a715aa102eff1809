"""Events added up, in all, by tool, and by hour or day, and the page that shows them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.session.record import BASELINE, Savings
from mckp.display.blocks import Part, bars, legend, table
from mckp.display.page import sheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mckp.agents.telemetry import Event


_HOURS: Final = 48 * 60 * 60 * 1000
"""Milliseconds up to which times are told by hour."""


@dataclass(slots=True)
class Figures:
    """What sessions came to.

    Attributes
    ----------
    total : Savings
        Of all.
    tools : dict
        By tool, that with the most tokens first.
    times : dict
        By hour of the first two days, or else by day, in UTC and in order.
    sessions : int
        How many sessions there were.
    first_ms, last_ms : int
        When the first result came and the last, in milliseconds since 1970.
    skipped : int
        Lines of telemetry that could not be read.
    """

    total: Savings
    tools: dict[str, Savings] = field(default_factory=dict[str, Savings])
    times: dict[str, Savings] = field(default_factory=dict[str, Savings])
    sessions: int = 0
    first_ms: int = 0
    last_ms: int = 0
    skipped: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain data that JSON can hold."""
        return {
            **self.total.to_dict(),
            "sessions": self.sessions,
            "first_ms": self.first_ms,
            "last_ms": self.last_ms,
            "skipped": self.skipped,
            "tools": {name: sums.to_dict() for name, sums in self.tools.items()},
            "times": {name: sums.to_dict() for name, sums in self.times.items()},
        }


def figures(events: Iterable[Event], *, since_ms: int = 0, skipped: int = 0) -> Figures:
    """Add events up.

    Parameters
    ----------
    events : iterable of Event
        See `mckp.agents.telemetry.read_events`.
    since_ms : int
        Those before are left out.
    skipped : int
        Lines that were no events.

    Examples
    --------
    >>> figures([]).to_dict()["combined_savings_pct"]
    0.0
    """
    kept = sorted((e for e in events if e.ts_ms >= since_ms), key=lambda event: event.ts_ms)
    names = ", ".join(sorted({event.tokenizer for event in kept}))

    def savings() -> Savings:
        return Savings(names, exact=True)

    found = Figures(savings(), skipped=skipped)
    if not kept:
        return found
    found.first_ms, found.last_ms = kept[0].ts_ms, kept[-1].ts_ms
    spelled = "%Y-%m-%d %H:00" if found.last_ms - found.first_ms <= _HOURS else "%Y-%m-%d"
    for event in kept:
        when = datetime.fromtimestamp(event.ts_ms / 1000, UTC).strftime(spelled)
        tool, time = found.tools.setdefault, found.times.setdefault
        for sums in (found.total, tool(event.endpoint_class, savings()), time(when, savings())):
            cut, hit = event.tokens_cut, event.is_dedup_hit
            sums.note(event.tokens_baseline, event.tokens_final, cut=cut, hit=hit)
    found.sessions = len({event.session_hash for event in kept})
    order = sorted(found.tools.items(), key=lambda item: (-item[1].baseline, item[0]))
    found.tools = dict(order)
    return found


PARTS: Final = (
    ("delivered", "#56b4e9"),
    ("saved by encoding", "#2fb38a"),
    ("saved by references", "#f0e442"),
    ("cut for a budget", "#bbbbbb"),
)
"""What the tokens that came are made of, with colours."""

MAX_BARS: Final = 16
"""Tools, or times, that a picture shows."""


def shown_name(name: str) -> str:
    """Return a tool's name, and behind it what telemetry has for its server.

    Examples
    --------
    >>> shown_name("mcp__pc7e9e3__list_directory"), shown_name("Read")
    ('list_directory @c7e9e3', 'Read')
    """
    server, found, tool = name.removeprefix("mcp__p").rpartition("__")
    return f"{tool} @{server}" if found and name.startswith("mcp__p") else name


def parts(sums: Savings) -> tuple[float, ...]:
    """Return the tokens of each of `PARTS`; what cost more than it saved shows as delivered."""
    by_reference = sums.hit_baseline - sums.hit_final - sums.hit_cut
    by_encoding = sums.baseline - sums.final - sums.cut - by_reference
    return sums.final, max(0, by_encoding), max(0, by_reference), max(0, sums.cut)


def by_tool(tools: Mapping[str, Savings]) -> str:
    """Return a bar for each of the tools with the most tokens."""
    return _bars("tokens by tool", list(tools.items())[:MAX_BARS])


def in_time(times: Mapping[str, Savings]) -> str:
    """Return a bar for each of the latest hours or days."""
    return _bars("tokens in time", list(times.items())[-MAX_BARS:])


def _bars(title: str, shown: Sequence[tuple[str, Savings]]) -> str:
    rows: list[tuple[str, list[Part], str]] = []
    for name, sums in shown:
        each = zip(PARTS, parts(sums), strict=True)
        own = [Part(f"{name}: {n:,.0f} tokens {what}", n, fill) for (what, fill), n in each]
        rows.append((shown_name(name), own, f"{sums.baseline:,.0f}"))
    return legend(dict(PARTS)) + bars(title, rows)


HEAD: Final = ("calls", "repeats", "before", "after", "cut", "by refs", "encoding", "saved")
"""Columns of the table, behind the name."""


def row(name: str, sums: Savings) -> list[str]:
    """Return the cells of a line of the table."""
    counts = (sums.responses, sums.hits, sums.baseline, sums.final, sums.cut)
    shares = (sums.dedup_savings_pct, sums.encoder_savings_pct, sums.combined_savings_pct)
    return [
        shown_name(name),
        *(f"{each:,}" for each in counts),
        *(f"{each:.1f}%" for each in shares),
    ]


def rows(tools: Mapping[str, Savings], total: Savings) -> list[list[str]]:
    """Return the lines of the table: one for each tool, and one for all."""
    return [row(name, sums) for name, sums in [*tools.items(), ("all", total)]]


def page(title: str, scope: str, tools: Mapping[str, Savings], total: Savings, *more: str) -> str:
    """Return a page of savings by tool, with a bar for each, and more of it.

    Examples
    --------
    >>> page("Savings", "none", {}, Savings("o200k", exact=True)).startswith("<!doctype html>")
    True
    """
    saved = total.baseline - total.final - total.cut
    return sheet(
        title,
        f"<p class='note'>{escape(scope)}</p>",
        f"<p><span class='sum'>{total.combined_savings_pct:.1f} %</span> saved: "
        f"{saved:,} of {total.baseline:,} tokens</p>",
        f"<h2>By tool{f', the {MAX_BARS} largest' if len(tools) > MAX_BARS else ''}</h2>",
        by_tool(tools),
        *more,
        "<h2>Figures</h2>",
        table("", ["tool", *HEAD], rows(tools, total)),
        f"<p class='note'>Savings are against {escape(BASELINE)}; by references of all tokens, by "
        "encoding of those of results that are no repeats. What was cut is not saved.</p>",
    )


def page_of(found: Figures) -> str:
    """Return the page of what telemetry recorded."""
    in_hours = ("<h2>In time (UTC)</h2>", in_time(found.times))
    return page("Tokens of tool results", scope(found), found.tools, found.total, *in_hours)


def scope(found: Figures) -> str:
    """Return what the figures are of."""
    if not found.total.responses:
        return "no results were recorded"
    first, last = (
        datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
        for ms in (found.first_ms, found.last_ms)
    )
    sessions = f"{found.sessions:,} session{'s' * (found.sessions != 1)}"
    lines = f"{found.skipped:,} line{'s' * (found.skipped != 1)}"
    skipped = f"; {lines} could not be read" if found.skipped else ""
    return (
        f"{found.total.responses:,} results of {sessions}, from {first} to {last} UTC, counted by "
        f"{found.total.tokenizer}{skipped}"
    )
