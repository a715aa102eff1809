"""What a response costs a session; run ``pytest benches/bench_sessions.py`` by name.

Every round has a copy of the text of its own, whose hash nothing has kept. ``--benchmark-disable``
turns it into a smoke test; `session_speed.py` stores the figures.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from mckp.session import Session
from mckp.session.scopes import Entry, Scope
from mckp.telemetry import Anonymiser

SIZES: Final = (4, 32, 64)
ROUNDS: Final = 1000


def text_of(kib: int, letter: str = "l") -> str:
    """Return a text of so many KiB."""
    lines = (f"{letter}ine {n} of a file that an agent reads again\n" for n in range(40 * kib))
    return "".join(lines).encode()[: kib << 10].decode("utf-8", "ignore")


def timed(benchmark: Any, work: Any, text: str) -> Any:
    """Time some work on copies of a text."""
    benchmark.extra_info["bytes"] = len(text.encode())

    def copied() -> tuple[tuple[str], dict[str, object]]:
        return ((text + " ")[:-1],), {}

    return benchmark.pedantic(work, setup=copied, rounds=ROUNDS, warmup_rounds=20)


def scope_with(text: str) -> Scope:
    """Return a context in which a text stands, and four others."""
    scope = Scope()
    for number, each in enumerate((text, *"abcd")):
        scope.add(Entry(number, "main", "Read", "", None, each, None), 5)
    return scope


@pytest.mark.parametrize("kib", SIZES)
def test_hash(benchmark: Any, kib: int) -> None:
    """The hash that events have of a text that is new."""
    names = Anonymiser("salt of this installation")

    def hashed(text: str) -> str:
        return names.content(text.encode())

    assert len(timed(benchmark, hashed, text_of(kib))) == 32


@pytest.mark.parametrize("kib", SIZES)
def test_lookup_of_a_repeat(benchmark: Any, kib: int) -> None:
    """Whether a text stands in its context: it does."""
    text = text_of(kib)
    assert timed(benchmark, scope_with(text).find, text) is not None


@pytest.mark.parametrize("kib", SIZES)
def test_lookup_of_another(benchmark: Any, kib: int) -> None:
    """Whether a text stands in its context: it does not."""
    assert timed(benchmark, scope_with("e").find, text_of(kib)) is None


@pytest.mark.parametrize("letter", ["l", "ł"], ids=["ASCII", "other"])
@pytest.mark.parametrize("kib", SIZES)
def test_repeat(benchmark: Any, kib: int, letter: str) -> None:
    """All that a session does for a repeat, the tokens of its reference counted."""
    text, session = text_of(kib, letter), Session()
    session.add(tool="Read", text=text, file="src/a.py")

    def add(fresh: str) -> str:
        return session.add(tool="Read", text=fresh, file="src/a.py").layer

    assert timed(benchmark, add, text) == "L0"
