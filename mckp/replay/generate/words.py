"""The words made-up sessions are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from random import Random

NOUNS: Final = (
    "anchor",
    "beacon",
    "buoy",
    "cargo",
    "chart",
    "crane",
    "current",
    "depth",
    "dock",
    "ferry",
    "gauge",
    "harbour",
    "hull",
    "jetty",
    "keel",
    "ledger",
    "lock",
    "manifest",
    "mooring",
    "pilot",
    "quay",
    "rudder",
    "sail",
    "signal",
    "tide",
    "tug",
    "vessel",
    "wharf",
)
VERBS: Final = (
    "add",
    "bind",
    "check",
    "close",
    "drop",
    "fetch",
    "find",
    "fold",
    "guard",
    "hold",
    "join",
    "keep",
    "load",
    "merge",
    "open",
    "parse",
    "plan",
    "read",
    "send",
    "sort",
    "split",
    "store",
    "trim",
    "wait",
    "write",
)
PEOPLE: Final = ("amara", "björn", "chen", "dmitri", "elif", "farah", "goran", "hana")


def name(rng: Random) -> str:
    """Return a name of a function."""
    return f"{rng.choice(VERBS)}_{rng.choice(NOUNS)}"


def sentence(rng: Random, words: int) -> str:
    """Return a sentence of so many words."""
    found = [rng.choice(NOUNS if place % 2 else VERBS) for place in range(words)]
    return " ".join(found).capitalize() + "."


def digest(rng: Random, digits: int = 40) -> str:
    """Return something that looks like the hash of a commit."""
    return f"{rng.getrandbits(4 * digits):0{digits}x}"


def moment(seconds: int) -> str:
    """Return a time of the day as a timestamp, so many seconds into a made-up week.

    Examples
    --------
    >>> moment(93_784)
    '2026-03-03T02:03:04Z'
    """
    day, rest = divmod(seconds, 86_400)
    hour, rest = divmod(rest, 3_600)
    return f"2026-03-{2 + day % 28:02d}T{hour:02d}:{rest // 60:02d}:{rest % 60:02d}Z"
