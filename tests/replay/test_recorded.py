"""Events of telemetry tell what repeated, though they hold no texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest

from mckp.config import Config
from mckp.config.tuner import Layer, of_marks, tune
from mckp.replay import Compact, Edit, Response, settings_for
from mckp.replay.marking import marks_of_events, read_events
from mckp.replay.run import arguments
from mckp.session import Session
from mckp.telemetry import Event
from tests.replay.sessions import generate

if TYPE_CHECKING:
    from pathlib import Path


def _events(table: dict[str, Any], profile: str, number: int = 150) -> list[dict[str, Any]]:
    """What sessions tell telemetry under a configuration."""
    actions = list(generate(profile, 2, number))
    tools = {each.tool for each in actions if isinstance(each, Response)}
    found: list[dict[str, Any]] = []
    settings = settings_for(Config.of_table(table), tools)
    session = Session(settings, on_event=lambda event: found.append(event.to_dict()))
    for each in actions:
        if isinstance(each, Response):
            given = {"tool": each.tool, "file": each.file, "agent": each.agent, "text": each.text}
            session.add(args=arguments(each.args), **given)  # type: ignore[arg-type]
        elif isinstance(each, Edit):
            session.changed(each.file)
        elif isinstance(each, Compact):
            session.compact(each.agent)
    return found


def test_a_replay_of_events_is_close_to_what_happened() -> None:
    events = _events({}, "pipeline_monitor")
    made = of_marks(list(marks_of_events(map(Event.from_dict, events))))({})
    assert made.of().events == len(events)
    assert made.of(Layer.REFERENCE).events == sum(each["layer_used"] == "L0" for each in events)
    final = sum(each["tokens_final"] for each in events)
    assert made.tokens == pytest.approx(final, rel=0.02)


def test_what_an_earlier_run_switched_off_comes_back_by_events_alone() -> None:
    off = {"dedup": {"enabled_per_endpoint": {"Read": False}}}
    events = _events(off, "file_search_heavy")
    assert not any(each["is_dedup_hit"] for each in events if each["tool_name_anon"] == "Read")
    tuning = tune(list(marks_of_events(map(Event.from_dict, events))), off)
    assert tuning.table["dedup"]["enabled_per_endpoint"]["Read"] is True
    assert tuning.after.tokens < tuning.before.tokens


def test_files_are_read_and_odd_lines_passed_over(tmp_path: Path) -> None:
    events = _events({}, "file_search_heavy", 5)
    (tmp_path / "events").mkdir()
    lines = [b"{", b'{"do":"end"}', *map(orjson.dumps, events)]
    (tmp_path / "events" / "s.jsonl").write_bytes(b"\n".join(lines))
    assert list(read_events(tmp_path)) == [Event.from_dict(each) for each in events]


ODD: list[dict[str, Any]] = [
    *[{name: value} for name in ("session_hash", "content_sha_prefix") for value in (None, [1], 5)],
    *[{"tokens_baseline": value} for value in (None, "9", 1.5)],
    *[{name: "x"} for name in ("tokens_final", "response_chars", "context_partition", "cols")],
    *[{"inner_formats": value} for value in ("log", 5, [[1]])],
    *[
        {name: dict[str, Any]()}
        for name in ("tool_name_anon", "shape", "layer_used", "file_path_hash")
    ],
]


@pytest.mark.parametrize("odd", ODD)
def test_events_with_wrong_types_are_passed_over(tmp_path: Path, odd: dict[str, Any]) -> None:
    events = _events({}, "file_search_heavy", 3)
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"\n".join(orjson.dumps(each) for each in [*events, {**events[0], **odd}]))
    assert len(list(read_events(file))) == len(events)


@pytest.mark.parametrize("name", ["tokens_final", "inner_formats", "cols", "layer_used"])
def test_null_is_as_good_as_nothing(tmp_path: Path, name: str) -> None:
    events = _events({}, "file_search_heavy", 3)
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"\n".join(orjson.dumps({**each, name: None}) for each in events))
    found = list(read_events(file))
    assert len(found) == len(events)
    assert of_marks(list(marks_of_events(found)))({}).of().events == len(events)
