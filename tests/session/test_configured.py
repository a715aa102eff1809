"""A session obeys its configuration, and telemetry hears of what it did."""

import json
from pathlib import Path

import pytest

from mckp.agents.config import loads, settings_for
from mckp.agents.session import Session, SessionSettings, sender
from mckp.agents.telemetry import Recorder, read_telemetry
from mckp.agents.telemetry.event import Anonymiser
from mckp.parsers.detect import DocumentKind, detect

LOG = "\n".join(f"step {n} of the build is done" for n in range(30))
ROWS = json.dumps([{"id": n, "name": f"job {n}", "ok": n % 2 == 0} for n in range(20)])
SALT = "salt of this installation"


def settings(text: str) -> SessionSettings:
    return settings_for(loads(f"schema_version = 2\n{text}\n"), salt=SALT)


def layers(settings: SessionSettings, *calls: tuple[str, str]) -> list[str]:
    session = Session(settings)
    return [session.add(tool=tool, text=text).layer for tool, text in calls]


READ = ("Read", LOG)


def test_short_results_stay_as_they_are() -> None:
    """A result shorter than the least size is repeated in full."""
    short = ("Read", "eight words make a text, more or less; " * 4)
    assert layers(settings(""), short, short) == ["L3", "L3"]
    assert layers(settings("[dedup]\nmin_body_chars = 100\n"), short, short)[1] == "L0"


def test_the_size_may_be_another_for_a_tool() -> None:
    """The least size of one tool holds for it alone."""
    by_tool = settings("[endpoint_overrides.Read]\nmin_body_chars = 100000\n")
    bash = ("Bash", LOG)
    assert layers(by_tool, READ, READ)[1] == "L3"
    assert layers(by_tool, bash, bash)[1] == "L0"


def test_the_least_size_is_in_characters_whoever_writes_the_text() -> None:
    """Other scripts have two or three bytes for a character."""
    by_tool = settings(
        "[dedup]\nmin_body_chars = 100\n[endpoint_overrides.Read]\nmin_body_chars = 150\n"
    )
    rows = "[" + ",".join('{"名":"東京の天気"}' for _ in range(9)) + "]"
    assert 100 < len(rows) < 150 < len(rows.encode())
    assert layers(by_tool, ("Read", rows), ("Bash", rows)) == ["L3", "L2"]
    session = Session(by_tool)
    assert session.written(rows).text != rows
    assert session.written(rows[:90]).text == rows[:90]
    for_all = Session(settings("[endpoint_overrides]\n'*' = {min_body_chars = 150}\n"))
    assert for_all.written(rows).text == rows


def test_the_kind_of_a_result_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kind of a result that is cut is detected once."""
    calls: list[str] = []

    def counted(text: str) -> DocumentKind:
        calls.append(text)
        return detect(text)

    monkeypatch.setattr(sender, "detect", counted)
    table = "".join(f"| {n} | job {n} |\n" for n in range(9))
    words = "\n\n".join(
        f"## Part {n}\n\nSome words on job {n} and its {n} parts." for n in range(30)
    )
    page = f"# Jobs\n\n{words}\n\n| id | name |\n|---|---|\n{table}"
    delivery = Session().add(tool="Bash", text=page, budget=100)
    assert delivery.elided
    assert len(calls) == 1


def test_telemetry_hears_of_each_result(tmp_path: Path) -> None:
    """Telemetry has one event for each result, whose sums are the savings, and no text."""
    recorder = Recorder(tmp_path, Anonymiser(SALT).session("one"))
    session = Session(settings(""), on_event=recorder.record, session_id="one")
    for tool, text in [READ, READ, ("Bash", ROWS)]:
        budget = 60 if text == ROWS else None
        session.add(tool=tool, args={"command": "cat x"}, text=text, budget=budget)
    events, savings = read_telemetry(tmp_path).events, session.savings
    assert [event.is_dedup_hit for event in events] == [False, True, False]
    assert {event.session_hash for event in events} == {Anonymiser(SALT).session("one")}
    assert [event.tool_name_anon for event in events] == ["Read", "Read", "Bash"]
    assert savings.cut > 0
    assert len(events) == savings.responses
    assert sum(event.tokens_baseline for event in events) == savings.baseline
    assert sum(event.tokens_final for event in events) == savings.final
    assert sum(event.tokens_cut for event in events) == savings.cut
    assert "build" not in json.dumps([event.to_dict() for event in events])


def test_the_format_of_a_tool_is_taken() -> None:
    """For the tools whose names begin so; the longest beginning decides, in any order."""
    general, own = "mcp__acme__]\nformat = 'csv'\n", "mcp__acme__get]\nformat = 'table'\n"
    session = Session(settings(f"[endpoint_overrides.{general}[endpoint_overrides.{own}"))
    other = settings(f"[endpoint_overrides.{own}[endpoint_overrides.{general}")
    assert other.of("mcp__acme__get_jobs") == session.settings.of("mcp__acme__get_jobs")
    assert "] table\n" in session.add(tool="mcp__acme__get_jobs", text=ROWS).text
    assert "] table\n" not in session.add(tool="Bash", text=ROWS).text
