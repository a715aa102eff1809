"""A session obeys its configuration, and telemetry hears of what it did."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mckp.agents.config import loads, settings_for
from mckp.agents.session import Session, SessionSettings
from mckp.agents.telemetry import Event, Recorder, read_events, recorder_for
from mckp.agents.telemetry.event import Anonymiser

if TYPE_CHECKING:
    from pathlib import Path

LOG = "\n".join(f"step {n} of the build is done" for n in range(30))
ROWS = json.dumps([{"id": n, "name": f"job {n}", "ok": n % 2 == 0} for n in range(20)])
SALT = "salt of this installation"


def settings(text: str) -> SessionSettings:
    """Return the settings for what a file says below its version."""
    return settings_for(loads(f"schema_version = 2\n{text}\n"), salt=SALT)


def layers(found: SessionSettings, *calls: tuple[str, str]) -> list[str]:
    """Return the layers that the results of some calls took."""
    session = Session(found)
    return [session.add(tool=tool, text=text).layer for tool, text in calls]


READ = ("Read", LOG)


def test_repeats_are_referred_to_unless_the_file_says_otherwise() -> None:
    """By tool, in a section or in an override."""
    assert layers(settings(""), READ, READ)[1] == "L0"
    off = settings("[dedup.enabled_per_endpoint]\nRead = false\n")
    assert layers(off, READ, READ)[1] != "L0"
    tuned = settings("[endpoint_overrides.mcp__acme__get_jobs]\ndedup_enabled = false\n")
    jobs = ("mcp__acme__get_jobs", ROWS)
    assert layers(tuned, jobs, jobs)[1] != "L0"
    assert layers(tuned, READ, READ)[1] == "L0"


def test_as_many_results_are_remembered_as_the_file_says() -> None:
    """The third result pushes the first out of two."""
    calls = [("Read", f"{LOG}\n{n}") for n in (1, 2, 3, 1)]
    assert layers(settings("[dedup]\nlru_size = 2\n"), *calls)[3] != "L0"
    assert layers(settings("[dedup]\nlru_size = 3\n"), *calls)[3] == "L0"


def test_short_results_stay_as_they_are() -> None:
    """The size is that of the file."""
    short = ("Read", "eight words make a text, more or less; " * 4)
    assert layers(settings(""), short, short) == ["L3", "L3"]
    assert layers(settings("[dedup]\nmin_body_chars = 100\n"), short, short)[1] == "L0"


def test_the_size_may_be_another_for_a_tool() -> None:
    """An override goes before the section."""
    found = settings("[endpoint_overrides.Read]\nmin_body_chars = 100000\n")
    bash = ("Bash", LOG)
    assert layers(found, READ, READ)[1] == "L3"
    assert layers(found, bash, bash)[1] == "L0"


def test_near_repeats_are_referred_to_where_the_file_says_so() -> None:
    """By default they are not."""
    near = [("Bash", ROWS), ("Bash", ROWS.replace('"job 7"', '"job seven"'))]
    assert layers(settings(""), *near)[1] != "L0"
    assert layers(settings("[dedup]\nnear_ref_enabled = true\n"), *near)[1] == "L0"


def test_a_budget_of_the_file_is_kept() -> None:
    """For each result."""
    session = Session(settings("[mckp]\nbudget = 60\n"))
    sent = session.add(tool="Bash", text=ROWS)
    assert sent.tokens <= 60
    assert sent.elided


def test_formats_are_those_of_the_file() -> None:
    """What is not enabled is not written."""
    texts = [
        Session(settings(f"[mckp]\nformats_enabled = {names}\n[templates]\nactive = []\n"))
        .add(tool="Bash", text=ROWS)
        .text
        for names in ("['json']", "['native']")
    ]
    assert '{"id":0' in texts[0]
    assert '{"id":0' not in texts[1]


def test_templates_are_those_of_the_file() -> None:
    """None if they are switched off; what a table of Markdown takes does not depend on them."""
    table = "| a | b |\n| --- | --- |\n" + "| some words | more words |\n" * 20
    session = Session(settings("[templates.endpoint_overrides]\nRead = 'csv_from_md'\n"))
    assert session.settings.endpoint_overrides["Read"] == "csv_from_md"
    none = Session(settings("[templates]\nactive = []\n"))
    found = [each.add(tool="Read", text=table) for each in (session, none)]
    assert [(each.name, each.text) for each in found] == [("compact", found[0].text)] * 2


def test_telemetry_hears_of_each_result(tmp_path: Path) -> None:
    """Events and the summary agree with the session, of results that were cut as well."""
    recorder = Recorder(tmp_path, Anonymiser(SALT).session("one"))
    session = Session(settings(""), on_event=recorder.record, session_id="one")
    for tool, text in [READ, READ, ("Bash", ROWS)]:
        budget = 60 if text == ROWS else None
        session.add(tool=tool, args={"command": "cat x"}, text=text, budget=budget)
    summary, events = recorder.close(), read_events(tmp_path).records
    assert [each.is_dedup_hit for each in events] == [False, True, False]
    assert {each.session_hash for each in events} == {summary.session_hash}
    assert [each.endpoint_class for each in events] == ["Read", "Read", "cat"]
    savings = session.savings
    assert savings.cut > 0
    assert (summary.total_events, summary.repeats) == (savings.responses, savings.hits)
    assert summary.total_baseline_tokens == savings.baseline
    assert (summary.total_final_tokens, summary.total_cut_tokens) == (savings.final, savings.cut)
    assert "build" not in json.dumps([each.to_dict() for each in events])


def test_a_configuration_without_consent_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session may always tell; whether it is heard is in the file."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("MCKP_TELEMETRY_DIR", str(tmp_path / "telemetry"))
    recorder = recorder_for(loads("").telemetry, "0" * 16)
    session = Session(settings(""), on_event=recorder.record)
    session.add(tool="Read", text=LOG)
    assert recorder.close().total_events == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["mckp_v2", "deep_mckp_with_inner_table"])
def test_templates_that_only_configurations_name_are_there(name: str) -> None:
    """The old names stand for mixes of formats."""
    found = settings(f"[templates.endpoint_overrides]\nBash = '{name}'\n[templates]\n")
    active = settings(f"[templates]\nactive = ['{name}']\nendpoint_overrides.Bash = '{name}'\n")
    text = json.dumps({"total": 20, "jobs": json.loads(ROWS)})
    tried = [Session(each).add(tool="Bash", text=text).tried for each in (found, active)]
    assert [name in {each.name for each in some} for some in tried] == [False, True]


def test_the_format_of_a_tool_is_taken() -> None:
    """For the tools whose names begin so; the longest beginning decides, in any order."""
    general, own = "mcp__acme__]\nformat = 'csv'\n", "mcp__acme__get]\nformat = 'table'\n"
    session = Session(settings(f"[endpoint_overrides.{general}[endpoint_overrides.{own}"))
    assert settings(f"[endpoint_overrides.{own}[endpoint_overrides.{general}") == session.settings
    assert "] table\n" in session.add(tool="mcp__acme__get_jobs", text=ROWS).text
    assert "] table\n" not in session.add(tool="Bash", text=ROWS).text


def test_events_have_the_figures_of_shapes() -> None:
    """Of repeats as well, which are not looked at again."""
    table = "| a | b |\n|---|---|\n" + "| some words | more words |\n" * 20
    nested = json.dumps({"a": {"b": [*range(99)]}})
    session, events = Session(), list[Event]()
    for _ in range(2):
        events = [session.add(tool="Bash", text=text).event for text in (table, nested, ROWS)]
        assert [(each.cols, each.rows) for each in events] == [(2, 20), (None, None), (None, None)]
        assert [each.depth for each in events] == [None, 3, None]
        assert [each.key_stability for each in events] == [None, None, 1.0]
        assert {each.tokenizer for each in events} == {"o200k_base"}
    assert [each.layer_used for each in events] == ["L0", "L0", "L0"]
