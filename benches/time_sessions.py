"""How long a session takes for a result; run ``pytest benches/time_sessions.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from samples import samples

from mckp import Reader, Session
from mckp.jsontext import dump
from mckp.replay import generate, replay
from mckp.session import SessionSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

NEAR = SessionSettings(near_ref_enabled=True)
PROFILES = ["file_search_heavy", "pipeline_monitor", "marathon_refactor"]


def pages(rows: int) -> list[str]:
    """Return pages of users that differ in a few values."""
    users = dict(samples(rows=rows))["table"]
    return [dump({"page": number, **users}) for number in range(6)]


def deliver(texts: Sequence[str], settings: SessionSettings) -> list[str]:
    """Return what a new session sends for some results."""
    session = Session(settings)
    return [session.add(tool="list_users", text=text).text for text in texts]


def test_repeats(benchmark: Any, rows: int) -> None:
    """The same page, again and again."""
    first, *others = benchmark(deliver, pages(rows)[:1] * 6, NEAR)
    assert all(len(text) < len(first) for text in others)


def test_near_repeats(benchmark: Any, rows: int) -> None:
    """Pages that differ in a value, with exact differences."""
    first, *others = benchmark(deliver, pages(rows), NEAR)
    assert all(len(text) < len(first) for text in others)


def test_read(benchmark: Any, rows: int) -> None:
    """What was sent, read back."""
    sent = deliver(pages(rows), NEAR)
    assert benchmark(lambda: list(map(Reader().read, sent)))[-1]["page"] == 5


@pytest.mark.parametrize("profile", PROFILES)
def test_replay(benchmark: Any, rows: int, profile: str) -> None:
    """A made-up session of a kind, delivered and read back."""
    actions = list(generate(profile, seed=1, events=rows))
    played = benchmark(replay, actions, SessionSettings())
    benchmark.extra_info.update(events=rows, combined=played.savings.combined)
    assert played.restored > 0
