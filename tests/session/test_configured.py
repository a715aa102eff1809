"""A session obeys its configuration, and telemetry hears of what it did."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mckp.config import SessionContext, SessionStats, loads, resolve, session_options
from mckp.session import HintRule, Session
from mckp.session.configured import settings_for, telling
from mckp.telemetry import MemorySink, Recorder, fingerprints, recorder_for
from mckp.telemetry.names import Anonymiser

if TYPE_CHECKING:
    from mckp.session import SessionSettings

LOG = "\n".join(f"step {n} of the build is done" for n in range(30))
ROWS = json.dumps([{"id": n, "name": f"job {n}", "ok": n % 2 == 0} for n in range(20)])
TOOLS = ["Read", "Bash", "mcp__acme__get_jobs"]
SALT = "salt of this installation"


def settings(text: str, model: str | None = None, **stats: Any) -> SessionSettings:
    """Return the settings for what a file says below its version."""
    config = loads(f"schema_version = 2\n{text}\n")
    context = SessionContext(model, SessionStats(**stats))
    return settings_for(resolve(config, context), tools=TOOLS, salt=SALT)


def layers(found: SessionSettings, *calls: tuple[str, str]) -> list[str]:
    """Return the layers that the results of some calls took."""
    session = Session(found)
    return [session.add(tool=tool, text=text).layer for tool, text in calls]


READ = ("Read", LOG)


def test_repeats_are_referred_to_unless_the_file_says_otherwise() -> None:
    """By tool, by its own name and by that of telemetry."""
    assert layers(settings(""), READ, READ)[1] == "L0"
    off = settings("[dedup.enabled_per_endpoint]\nRead = false\n")
    assert layers(off, READ, READ)[1] != "L0"
    name = Anonymiser(SALT).tool("mcp__acme__get_jobs")
    tuned = settings(f"[endpoint_overrides.{name}]\ndedup_enabled = false\n")
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


@pytest.mark.parametrize(("aggressiveness", "hits"), [(0.9, 1), (0.02, 0)])
def test_references_have_to_save_what_the_way_of_working_says(
    aggressiveness: float, hits: int
) -> None:
    """The less aggressive, the longer a text has to be for a reference."""
    variant = f"[profiles.agent.variants.default]\nhint_aggressiveness = {aggressiveness}\n"
    assert layers(settings(variant), READ, READ)[1:].count("L0") == hits


@pytest.mark.parametrize(("priority", "hit"), [("latency", False), ("accuracy", True)])
def test_near_repeats_are_looked_for_as_far_back_as_the_priority_says(
    priority: str, hit: bool
) -> None:
    """For latency in the newest text only, for accuracy in all."""
    variant = f"[profiles.agent.variants.default]\npriority = '{priority}'\nnear_ref = true\n"
    session = Session(settings(variant))
    changed = ROWS.replace('"job 7"', '"job seven"')
    calls = [("Bash", "a", ROWS), ("Bash", "b", LOG), ("Bash", "a", changed)]
    found = [session.add(tool=t, args={"command": c}, text=text).layer for t, c, text in calls]
    assert (found[2] == "L0") == hit


def test_nested_cells_are_written_as_the_model_reads_them() -> None:
    """Where JSON in cells costs extra, no format that writes it is used for long ones."""
    one = {"identifier": 7, "description": "a job", "status": "done", "numbers": [*range(40)]}
    rows = json.dumps([one] * 9)
    text = "[mckp]\nformats_enabled = ['csv', 'json']\n[templates]\nactive = []\n"
    found = [
        Session(settings(text, model)).add(tool="Bash", text=rows).text
        for model in ("claude-sonnet-4.6", "gpt-4o")
    ]
    assert "] csv" not in found[0]
    assert "] csv" in found[1]


def test_near_repeats_follow_the_way_of_working() -> None:
    """A marathon refers to them; what the file says goes before."""
    near = [("Bash", ROWS), ("Bash", ROWS.replace('"job 7"', '"job seven"'))]
    marathon: dict[str, Any] = {"event_count": 900, "compaction_count": 5}
    assert layers(settings(""), *near)[1] != "L0"
    assert layers(settings("", **marathon), *near)[1] == "L0"
    off = settings("[dedup]\nnear_ref_enabled = false\n", **marathon)
    assert layers(off, *near)[1] != "L0"


def test_limits_of_hints_hold() -> None:
    """After as many references as the file says there are no more."""
    found = settings("[hints.types.reference]\nmax_per_session = 2\n")
    assert layers(found, READ, READ, READ, READ, READ)[1:].count("L0") == 2


@pytest.mark.parametrize("model", ["gpt-oss:20b", "claude-sonnet-4-6-20260201"])
def test_hints_for_some_models_are_for_their_ids(model: str) -> None:
    """Ids as APIs have them, not only names as profiles have them."""
    text = "[hints.types.reference]\napplies_to_models = ['claude-sonnet-4.6']\n"
    assert (layers(settings(text, model), READ, READ)[1] == "L0") == ("claude" in model)
    rule = HintRule(applies_to_models=("claude-sonnet-4.6",))
    assert rule.allows(model, 0) == ("claude" in model)


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
    """The first by default, none if they are switched off."""
    table = "| a | b |\n| --- | --- |\n" + "| some words | more words |\n" * 20
    session = Session(settings("[templates.endpoint_overrides]\nRead = 'csv_from_md'\n"))
    assert session.settings.endpoint_overrides["Read"] == "csv_from_md"
    tried = [each.name for each in session.add(tool="Read", text=table).tried]
    assert "csv_from_md" in tried
    none = Session(settings("[templates]\nactive = []\n")).add(tool="Read", text=table)
    assert "csv_from_md" not in [each.name for each in none.tried]


def test_telemetry_hears_of_each_result() -> None:
    """Events, the summary and fingerprints agree with the session."""
    sink = MemorySink()
    recorder = Recorder(sink, Anonymiser(SALT).session("one"))
    session = Session(settings(""), on_event=telling(recorder, "o200k"), session_id="one")
    for tool, text in [READ, READ, ("Bash", ROWS)]:
        session.add(tool=tool, args={"command": "cat x"}, text=text)
    summary = recorder.close()
    assert [each.is_dedup_hit for each in sink.events] == [False, True, False]
    assert {each.session_hash for each in sink.events} == {summary.session_hash}
    assert summary.total_final_tokens == session.savings.final
    assert [each.endpoint_class for each in fingerprints(sink.events)] == ["Read", "cat"]
    assert fingerprints(sink.events)[0].dup_rate == 0.5
    assert "build" not in json.dumps([each.to_dict() for each in sink.events])


def test_savings_of_telemetry_are_those_of_the_session() -> None:
    """The same shares, of results that were cut as well."""
    recorder = Recorder(MemorySink(), Anonymiser(SALT).session("one"))
    session = Session(settings(""), on_event=telling(recorder, "o200k"))
    for number, (tool, text) in enumerate([READ, READ, ("Bash", ROWS), ("Bash", ROWS)]):
        session.add(tool=tool, text=text, budget=60 if number == 2 else None)
    found, savings = recorder.close(), session.savings
    assert savings.cut > 0
    assert 100 * found.dedup_savings_pct == pytest.approx(savings.dedup_savings_pct)
    assert 100 * found.encoder_savings_pct == pytest.approx(savings.encoder_savings_pct)
    assert 100 * found.savings_pct == pytest.approx(savings.combined_savings_pct)


def test_a_configuration_without_consent_writes_nothing() -> None:
    """A session may always tell; whether it is heard is in the file."""
    effective = resolve(loads(""), SessionContext())
    recorder = recorder_for(effective.telemetry, "0" * 16)
    session = Session(settings_for(effective), on_event=telling(recorder, "o200k"))
    session.add(tool="Read", text=LOG)
    assert recorder.close().total_events == 1
    assert session_options(effective).sample_rate == 1.0
