"""Sums of telemetry events, in total and by tool, and an HTML page that shows them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Final

from mckp.agents.session.record import BASELINE, Savings, Tally
from mckp.agents.telemetry.costs import Cost
from mckp.agents.telemetry.event import word
from mckp.display.blocks import CUT, Bar, BarPart, bars, colour, legend, table
from mckp.display.page import sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mckp.agents.telemetry import Event
    from mckp.agents.telemetry.costs import ModelPrices


@dataclass(slots=True, kw_only=True)
class Figures(Tally):
    """What sessions saved, computed from their events."""

    characters: int = 0
    """Characters of the results as they came."""
    compactions: int = 0
    """How often an agent's context was emptied and got results again."""
    first_ms: int = 0
    """The time of the first result, in milliseconds since 1970."""
    last_ms: int = 0
    skipped: int = 0
    """The number of lines of telemetry that could not be read."""


def figures(
    events: Iterable[Event], *, since_ms: int = 0, skipped: int = 0, by: str = "tool"
) -> Figures:
    """Return the sums of events, in total and by one of `GROUPS`.

    Only events since `since_ms` count, in milliseconds since 1970. `skipped` is the number of lines
    of telemetry that could not be read.
    """
    recent = sorted(
        (event for event in events if event.ts_ms >= since_ms), key=lambda event: event.ts_ms
    )
    tokenizers = ", ".join(sorted({event.tokenizer for event in recent}))
    sums = Figures(total=Savings(tokenizers, exact=True), skipped=skipped)
    for event in recent:
        cut, hit = event.tokens_cut, event.is_dedup_hit
        kind = word(event.content) if event.content else ""
        sizes = event.tokens_baseline, event.tokens_final
        sums.note(GROUPS[by](event), *sizes, cut=cut, hit=hit, content=kind)
    if recent:
        sums.first_ms, sums.last_ms = recent[0].ts_ms, recent[-1].ts_ms
    compactions = dict[tuple[str, str], int]()
    for event in recent:
        context = event.session_hash, event.agent
        compactions[context] = max(event.partition, compactions.get(context, 0))
    sums.characters = sum(event.characters for event in recent)
    sums.compactions = sum(compactions.values())
    sums.sessions = len({event.session_hash for event in recent})
    sums.sort()
    return sums


GROUPS: Final[Mapping[str, Callable[[Event], str]]] = {
    "tool": lambda event: event.tool_name_anon,
    "session": lambda event: event.session_hash,
    "agent": lambda event: "main" if event.agent == "main" else "sub-agents",
    "way": lambda event: event.way or "not recorded",
}
"""By the name of a grouping, the function that returns an event's group.

``way`` is how a result was sent.
"""


def shown_name(name: str) -> str:
    """Return a recorded tool name as people read it: the name, then its server's hash, if any.

    Examples
    --------
    >>> shown_name("mcp__pc7e9e3__list_directory"), shown_name("Read")
    ('list_directory @c7e9e3', 'Read')
    """
    server, separator, tool = name.removeprefix("mcp__p").rpartition("__")
    return f"{tool} @{server}" if separator and name.startswith("mcp__p") else name


@dataclass(slots=True)
class Gain:
    """What was saved on one day, in one session or by one tool: results, tokens and dollars."""

    results: int = 0
    before: int = 0
    after: int = 0
    cut: int = 0
    """The number of tokens not sent that were cut for a budget."""
    cost: Cost = field(default_factory=Cost)


def gains(
    events: Iterable[Event], prices: ModelPrices, *, since_ms: int = 0, by: str = "day"
) -> dict[str, Gain]:
    """Return the gains by ``day`` or ``session``, in order of time, or by ``tool``, by name.

    Only events since `since_ms` count, in milliseconds since 1970. Telemetry has no requests, so
    each result of a session counts as one: it is written to the prompt cache once, and read by one
    request for each result that follows.
    """
    sessions: dict[str, list[Event]] = {}
    for event in sorted(events, key=lambda event: event.ts_ms):
        sessions.setdefault(event.session_hash, []).append(event)
    gain_of: dict[tuple[int, str], Gain] = {}
    for session, session_events in sessions.items():
        for index, event in enumerate(session_events):
            if event.ts_ms < since_ms:
                continue
            day = f"{datetime.fromtimestamp(event.ts_ms / 1000, UTC):%Y-%m-%d}"
            keys = {
                "day": (0, day),
                "session": (session_events[0].ts_ms, session),
                "tool": (0, shown_name(event.tool_name_anon)),
            }
            gain = gain_of.setdefault(keys[by], Gain())
            gain.results += 1
            gain.before += event.tokens_baseline
            gain.after += event.tokens_final
            gain.cut += event.tokens_cut
            sizes = event.tokens_baseline, event.tokens_final
            gain.cost.add(*(prices.cost(tokens, len(session_events) - index) for tokens in sizes))
    return {name: gain_of[time, name] for time, name in sorted(gain_of)}


GAIN_HEAD: Final = ("results", "before", "after", "cut", "not sent", "$ before", "$ saved")
"""The columns after the name in the table of gains."""


def gain_rows(by_name: Mapping[str, Gain]) -> list[list[str]]:
    """Return the rows of the table of gains: one for each day, session or tool, and one for all."""
    total = Gain()
    for gain in by_name.values():
        total.results += gain.results
        total.before += gain.before
        total.after += gain.after
        total.cut += gain.cut
        total.cost.add(gain.cost.before, gain.cost.after)
    return [_gain_row(name, gain) for name, gain in [*by_name.items(), ("all", total)]]


def _gain_row(name: str, gain: Gain) -> list[str]:
    """Return a row of the table of gains, for a day, session or tool of this name, or ``all``."""
    counts = gain.results, gain.before, gain.after, gain.cut, gain.before - gain.after
    money = gain.cost.before, gain.cost.saved
    return [name, *(f"{count:,}" for count in counts), *(f"{dollars:,.2f}" for dollars in money)]


HEAD: Final = ("calls", "repeats", "before", "after", "cut", "by refs", "encoding", "saved")
"""The columns after the name in the table of savings."""


def _savings_row(name: str, sums: Savings) -> list[str]:
    """Return a row of the table of savings, for a group of this name."""
    counts = (sums.responses, sums.hits, sums.baseline, sums.final, sums.cut)
    shares = (sums.dedup_savings_pct, sums.encoder_savings_pct, sums.combined_savings_pct)
    return [
        shown_name(name),
        *(f"{count:,}" for count in counts),
        *(f"{share:.1f}%" for share in shares),
    ]


def rows(tally: Tally) -> list[list[str]]:
    """Return the rows of the table of savings: one for each group, and one for all."""
    return [_savings_row(name, sums) for name, sums in [*tally.tools.items(), ("all", tally.total)]]


def kind_rows(tally: Tally) -> list[list[str]]:
    """Return the rows of the table by kind of result, or none if kinds were not recorded."""
    return [_savings_row(name, sums) for name, sums in tally.kinds.items()]


def page(
    title: str,
    caption: str,
    tally: Tally,
    by: str = "tool",
    days: tuple[Mapping[str, Gain], ModelPrices] | None = None,
) -> str:
    """Return an HTML page with bars and a table of savings and, if `days` is given, gains by day.

    The caption says what was counted, `by` is how the savings are grouped, and `days` has the gains
    with the prices that they were computed with.
    """
    total = tally.total
    saved = total.baseline - total.final - total.cut
    return sheet(
        title,
        f"<p class='note'>{escape(caption)}</p>",
        f"<p><span class='sum'>{total.combined_savings_pct:.1f} %</span> saved: "
        f"{saved:,} of {total.baseline:,} tokens</p>",
        _chart(tally),
        table("", [by, *HEAD], rows(tally)),
        *([table("", ["kind", *HEAD], kind_rows(tally))] if tally.kinds else []),
        *([] if days is None else _day_parts(*days)),
        f"<p class='note'>Savings are compared with {escape(BASELINE)}: those of references "
        "with all tokens, those of encoding with the tokens of results that are no repeats. "
        "Tokens that were cut do not count as saved.</p>",
    )


_FILLS: Final = {"sent": colour("rows"), "cut": CUT, "saved": "#8080802a"}


def _chart(tally: Tally) -> str:
    """Return a bar for each group: its tokens sent, cut and saved, if any were recorded."""
    rows: list[Bar] = []
    for name, sums in tally.tools.items():
        saved = max(0, sums.baseline - sums.final - sums.cut)
        amounts = {"sent": sums.final, "cut": sums.cut, "saved": saved}
        parts = [
            BarPart(f"{what}: {amount:,} tokens", amount, _FILLS[what])
            for what, amount in amounts.items()
            if amount
        ]
        rows.append(Bar(shown_name(name), parts, f"{sums.final:,} of {sums.baseline:,} tokens"))
    return bars("tokens sent, cut and saved", rows) + legend(_FILLS) if rows else ""


def _day_parts(by_day: Mapping[str, Gain], prices: ModelPrices) -> list[str]:
    """Return the parts of a page on gains by day: a table, and a note on the prices."""
    note = f"<p class='note'>{escape(str(prices))}. {escape(REQUESTS_NOTE)}</p>"
    return [table("", ["day", *GAIN_HEAD], gain_rows(by_day)), note]


REQUESTS_NOTE: Final = (
    "Each result counts as one request, which reads all results before it from the cache."
)
"""A sentence on how requests are counted if only results were recorded."""


def caption_of(counted: Figures) -> str:
    """Return a line on what was counted: the numbers of results and sessions, and the period."""
    if not counted.total.responses:
        return "no results were recorded"
    times = (datetime.fromtimestamp(ms / 1000, UTC) for ms in (counted.first_ms, counted.last_ms))
    first, last = (f"{time:%Y-%m-%d %H:%M}" for time in times)
    results = f"{counted.total.responses:,} result{'s' * (counted.total.responses != 1)}"
    sessions = f"{counted.sessions:,} session{'s' * (counted.sessions != 1)}"
    lines = f"{counted.skipped:,} line{'s' * (counted.skipped != 1)}"
    skipped = f"; {lines} could not be read" if counted.skipped else ""
    if counted.characters:
        results = f"{results}, {counted.characters:,} characters,"
    if counted.compactions:
        times_emptied = f"{counted.compactions:,} time{'s' * (counted.compactions != 1)}"
        sessions = f"{sessions} (contexts emptied {times_emptied})"
    span = f"from {first} to {last} UTC, counted by {counted.total.tokenizer}{skipped}"
    return f"{results} of {sessions}, {span}"
