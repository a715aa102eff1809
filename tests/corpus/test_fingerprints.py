"""Telemetry of many users, added up in parts, is what it is added up at once."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from mckp import corpus
from mckp.telemetry import Event, fingerprints, read_fingerprints
from tests.corpus.conftest import contents
from tests.telemetry.events import event

if TYPE_CHECKING:
    from pathlib import Path


def events(number: int) -> list[Event]:
    """Return events of several sessions: one endpoint that all have, and one of few."""
    chance = random.Random(number)
    found: list[Event] = []
    for at in range(number):
        facts: dict[str, Any] = {
            "session_hash": f"{chance.randrange(9):016}",
            "ts_ms": chance.randrange(10**6),
            "response_chars": chance.randrange(5000),
            "shape": chance.choice(["prose", "flat_object"]),
            "inner_formats": tuple(chance.sample(["json", "diff", "log"], k=2)),
            "is_dedup_hit": chance.random() < 0.3,
            "cols": chance.choice([None, 3, 4]),
            "sample_rate_applied": chance.choice([1.0, 0.3]),
        }
        if at % 50 == 0:
            facts |= {"endpoint_class": "Rare", "session_hash": f"{at % 3:016}"}
        found.append(event(**facts))
    return found


@pytest.mark.usefixtures("many_parts")
def test_many_users(tmp_path: Path) -> None:
    """Fingerprints are those of all events, those of few sessions held back, with any parts."""
    given = events(300)
    for user in range(3):
        folder = tmp_path / "in" / f"user-{user}"
        (folder / "events").mkdir(parents=True)
        lines = [json.dumps(each.to_dict()) for each in given[user::3]]
        (folder / "events" / "a.jsonl").write_text("\n".join([*lines, '{"ts_ms": 1}', ""]))
        (folder / "sessions.jsonl").write_text('{"no": "event"}\n')
    found = corpus.fingerprints(str(tmp_path / "in"), str(tmp_path / "out"))
    assert (found.records, found.failed, found.held_back) == (303, 3, 1)
    (wanted,) = [each for each in fingerprints(given) if each.source_sessions >= 5]
    (got,) = read_fingerprints(tmp_path / "out" / "team_endpoints.parquet")
    assert found.shown == [got]
    for name, value in wanted.to_dict().items():
        assert got.to_dict()[name] == pytest.approx(value), name
    again = contents(tmp_path / "out")
    corpus.fingerprints(str(tmp_path / "in"), str(tmp_path / "other"))
    assert contents(tmp_path / "other") == again
