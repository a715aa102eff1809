"""Events added up, in all, by tool, and by hour or day, and the page that shows them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any, Final

from mckp.display.blocks import table
from mckp.display.page import sheet
from mckp.display.svg import WIDTH_PX, box, fitted, picture, words
from mckp.telemetry.fingerprint import DAY_MS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mckp.telemetry import Event


AGAINST: Final = "compact JSON of data, and any other text as it came"
"""What savings are relative to."""

_HOURS: Final = 2 * DAY_MS


@dataclass(slots=True)
class Sums:
    """Results of tools, and their tokens; of a sample, estimates.

    What came is what was delivered, and what was saved, and what was cut for a budget. Cutting
    is no saving.

    Attributes
    ----------
    events, repeats : float
        Results, and those of them that became references.
    baseline, final, cut : float
        Tokens before and after, and those that a budget left out.
    repeats_baseline, by_reference : float
        Tokens before of what became references, and those that they saved.
    """

    events: float = 0
    repeats: float = 0
    baseline: float = 0
    final: float = 0
    cut: float = 0
    repeats_baseline: float = 0
    by_reference: float = 0

    def add(self, event: Event) -> None:
        """Add an event, as many times as its sample stands for."""
        weight = 1 / event.sample_rate_applied
        self.events += weight
        self.baseline += weight * event.tokens_baseline
        self.final += weight * event.tokens_final
        self.cut += weight * event.tokens_cut
        if event.is_dedup_hit:
            saved = event.tokens_baseline - event.tokens_final - event.tokens_cut
            self.repeats += weight
            self.repeats_baseline += weight * event.tokens_baseline
            self.by_reference += weight * saved

    @property
    def saved(self) -> float:
        """Tokens saved; below 0 where labels cost more than anything saved."""
        return self.baseline - self.final - self.cut

    @property
    def by_encoding(self) -> float:
        """Tokens that encoding saved."""
        return self.saved - self.by_reference

    def to_dict(self) -> dict[str, Any]:
        """Return the sums, and the shares that they make, in percent."""
        misses = self.baseline - self.repeats_baseline
        return {
            "events": round(self.events),
            "repeats": round(self.repeats),
            "tokens_baseline": round(self.baseline),
            "tokens_final": round(self.final),
            "tokens_cut": round(self.cut),
            "tokens_saved": round(self.saved),
            "dedup_savings_pct": _percent(self.by_reference, self.baseline),
            "encoder_savings_pct": _percent(self.by_encoding, misses),
            "combined_savings_pct": _percent(self.saved, self.baseline),
            "cut_pct": _percent(self.cut, self.baseline),
        }


@dataclass(slots=True)
class Figures:
    """What sessions came to.

    Attributes
    ----------
    total : Sums
        Of all.
    tools : dict
        By tool, that with the most tokens first.
    times : dict
        By hour of the first two days, or else by day, in UTC and in order.
    sessions : int
        How many sessions there were.
    tokenizers : tuple of str
        Who counted.
    first_ms, last_ms : int
        When the first result came and the last, in milliseconds since 1970.
    skipped : int
        Lines of telemetry that could not be read.
    """

    total: Sums
    tools: dict[str, Sums] = field(default_factory=dict[str, Sums])
    times: dict[str, Sums] = field(default_factory=dict[str, Sums])
    sessions: int = 0
    tokenizers: tuple[str, ...] = ()
    first_ms: int = 0
    last_ms: int = 0
    skipped: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain data that JSON can hold."""
        return {
            **self.total.to_dict(),
            "against": AGAINST,
            "tokenizers": list(self.tokenizers),
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
        See `mckp.telemetry.read_events`.
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
    found = Figures(Sums(), skipped=skipped)
    if not kept:
        return found
    found.first_ms, found.last_ms = kept[0].ts_ms, kept[-1].ts_ms
    spelled = "%Y-%m-%d %H:00" if found.last_ms - found.first_ms <= _HOURS else "%Y-%m-%d"
    for event in kept:
        when = datetime.fromtimestamp(event.ts_ms / 1000, UTC).strftime(spelled)
        tool, time = found.tools.setdefault, found.times.setdefault
        for sums in (found.total, tool(event.endpoint_class, Sums()), time(when, Sums())):
            sums.add(event)
    found.sessions = len({event.session_hash for event in kept})
    found.tokenizers = tuple(sorted({event.tokenizer for event in kept}))
    order = sorted(found.tools.items(), key=lambda item: (-item[1].baseline, item[0]))
    found.tools = dict(order)
    return found


def _percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


PARTS: Final = (
    ("delivered", "#56b4e9"),
    ("saved by encoding", "#2fb38a"),
    ("saved by references", "#f0e442"),
    ("cut for a budget", "#bbbbbb"),
)
"""What the tokens that came are made of, with colours."""

MAX_BARS: Final = 16
"""Tools, or times, that a picture shows."""

_ROW_PX: Final = 20
_NAMES_PX: Final = 250
_FIGURES_PX: Final = 70
_HEIGHT_PX: Final = 160
_LEFT_PX: Final = 60
_TOP_PX: Final = 26


def shown_name(name: str) -> str:
    """Return a tool's name, and behind it what telemetry has for its server.

    Examples
    --------
    >>> shown_name("mcp__pc7e9e3__list_directory"), shown_name("Read")
    ('list_directory @c7e9e3', 'Read')
    """
    server, found, tool = name.removeprefix("mcp__p").rpartition("__")
    return f"{tool} @{server}" if found and name.startswith("mcp__p") else name


def parts(sums: Sums) -> tuple[float, ...]:
    """Return the tokens of each of `PARTS`; what cost more than it saved shows as delivered."""
    return sums.final, max(0, sums.by_encoding), max(0, sums.by_reference), max(0, sums.cut)


def by_tool(tools: Mapping[str, Sums]) -> str:
    """Return a bar for each of the tools with the most tokens."""
    shown = list(tools.items())[:MAX_BARS]
    height = _TOP_PX + _ROW_PX * max(1, len(shown)) + 4
    return picture(height, "tokens by tool", _bars(shown))


def in_time(times: Mapping[str, Sums]) -> str:
    """Return a column for each of the latest hours or days."""
    shown = list(times.items())[-MAX_BARS:]
    return picture(_TOP_PX + _HEIGHT_PX + 22, "tokens in time", _columns(shown))


def _legend() -> Iterator[str]:
    x = 0.0
    for name, colour in PARTS:
        yield f"<rect x='{x:.1f}' y='2' width='10' height='10' fill='{colour}' stroke='#808080'/>"
        yield words(x + 14, 11, name)
        x += 40 + 6.2 * len(name)


def _bars(shown: Sequence[tuple[str, Sums]]) -> Iterator[str]:
    yield from _legend()
    most = max((sum(parts(sums)) for _, sums in shown), default=0) or 1
    scale = (WIDTH_PX - _NAMES_PX - _FIGURES_PX) / most
    for number, (name, sums) in enumerate(shown):
        x, y = float(_NAMES_PX), float(_TOP_PX + number * _ROW_PX)
        yield words(0, y + 13, fitted(shown_name(name), _NAMES_PX))
        for (what, colour), tokens in zip(PARTS, parts(sums), strict=True):
            tip = f"{name}: {tokens:,.0f} tokens {what}"
            yield box(x, y, tokens * scale, _ROW_PX - 4, colour, tip)
            x += tokens * scale
        yield words(x + 5, y + 13, f"{sums.baseline:,.0f}")


def _columns(shown: Sequence[tuple[str, Sums]]) -> Iterator[str]:
    yield from _legend()
    most = max((sum(parts(sums)) for _, sums in shown), default=0) or 1
    for share in (0, 0.5, 1):
        yield words(_LEFT_PX - 4, _y(share) + 4, f"{share * most:,.0f}", "end")
    width = (WIDTH_PX - _LEFT_PX) / max(1, len(shown))
    for number, (name, sums) in enumerate(shown):
        x, share = _LEFT_PX + number * width, 0.0
        for (what, colour), tokens in zip(PARTS, parts(sums), strict=True):
            high = _HEIGHT_PX * tokens / most
            share += tokens / most
            tip = f"{name}: {tokens:,.0f} tokens {what}"
            yield box(x + 2, _y(share), min(width - 4, 60), high, colour, tip)
        yield words(x + 2, _TOP_PX + _HEIGHT_PX + 14, fitted(_short(name), width + 6))
    yield f"<path d='M{_LEFT_PX},{_y(0)}H{WIDTH_PX}' stroke='currentColor' stroke-width='.6'/>"


def _short(time: str) -> str:
    """Return an hour, or a day without its year."""
    return time.partition(" ")[2] or time[5:]


def _y(share: float) -> float:
    return _TOP_PX + _HEIGHT_PX * (1 - share)


HEAD: Final = ("calls", "repeats", "before", "after", "cut", "by refs", "encoding", "saved")
"""Columns of the table, behind the name."""


def page(found: Figures) -> str:
    """Return the page.

    Examples
    --------
    >>> from mckp.stats.figures import figures
    >>> page(figures([])).startswith("<!doctype html>")
    True
    """
    shares = found.total.to_dict()
    rows = [row(name, sums) for name, sums in [*found.tools.items(), ("all", found.total)]]
    return sheet(
        "Tokens of tool results",
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
    )


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
