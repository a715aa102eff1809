"""The tables of `benches/README.md` about sessions: what tuning saves, what a response costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solver_figures import stored
from table_text import markdown

if TYPE_CHECKING:
    from collections.abc import Callable

_SHARES: Final = ("exact", "near", "dedup", "encoder", "combined")


def profiles() -> str:
    """Return what is saved of made-up sessions, before and after tuning."""
    rows = [
        [row["profile"], row["case"], f"{row['tokens']:,}", *(str(row[name]) for name in _SHARES)]
        for row in stored("tune-profiles.json")["rows"]
    ]
    return markdown(["sessions", "case", "tokens", *_SHARES], rows)


def speed() -> str:
    """Return the microseconds that a response costs."""
    found = stored("session-speed.json")["rows"]
    sizes = list(dict.fromkeys(row["KiB"] for row in found))
    names = list(dict.fromkeys(row["what"] for row in found))
    medians = {(row["what"], row["KiB"]): f"{row['median_us']:.1f}" for row in found}
    rows = [[name, *(medians[name, size] for size in sizes)] for name in names]
    return markdown(["", *(f"{size} KiB" for size in sizes)], rows)


TABLES: Final[dict[str, Callable[[], str]]] = {
    "tuned_profiles": profiles,
    "session_speed": speed,
}
