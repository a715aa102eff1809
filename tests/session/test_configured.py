"""A session obeys its configuration, and telemetry hears of what it did."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mckp.config import SessionContext, SessionStats, loads, resolve
from mckp.session import HintRule, Session, SessionSettings
from mckp.session.record import settings_for
from mckp.telemetry import Event, MemorySink, Recorder, fingerprints, recorder_for
from mckp.telemetry.event import Anonymiser

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
    rules = {"reference": HintRule(applies_to_models=("claude-sonnet-4.6",))}
    told = layers(SessionSettings(hints=rules, model=model), READ, READ)
    assert (told[1] == "L0") == ("claude" in model)


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


def test_telemetry_hears_of_each_result() -> None:
    """Events, the summary and fingerprints agree with the session."""
    sink = MemorySink()
    recorder = Recorder(sink, Anonymiser(SALT).session("one"))
    session = Session(settings(""), on_event=recorder.record, session_id="one")
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
    session = Session(settings(""), on_event=recorder.record)
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
    session = Session(settings_for(effective), on_event=recorder.record)
    session.add(tool="Read", text=LOG)
    assert recorder.close().total_events == 1
    assert settings_for(effective).sample_rate == 1.0


FLAT = json.dumps({f"rule {n}": rf'x \. "\w" \. "\d" or "{n}" y' for n in range(30)})
CSV = "[mckp]\nformats_enabled = ['csv', 'kv', 'json']\n[templates]\nactive = []\n"


@pytest.mark.parametrize(
    ("threshold", "text", "written"),
    [
        ("array_of_objects_min_items = 20", ROWS, "[20] csv\n"),
        ("array_of_objects_min_items = 21", ROWS, '[{"id":0'),
        ("array_of_objects_min_key_stability = 1.0", ROWS, "[20] csv\n"),
        ("flat_object_min_fields = 30", FLAT, "{30}\n"),
        ("flat_object_min_fields = 31", FLAT, '{"rule 0"'),
    ],
)
def test_shapes_have_to_be_as_large_as_the_file_says(
    threshold: str, text: str, written: str
) -> None:
    """Else the format that is theirs is not tried."""
    found = settings(f"{CSV}[mckp.shape_thresholds]\n{threshold}\n")
    told = Session(found).add(tool="Bash", text=json.dumps(json.loads(text), indent=3))
    assert told.text.partition("\n")[2].startswith(written)


@pytest.mark.parametrize("name", ["mckp_v2", "deep_mckp_with_inner_table"])
def test_templates_that_only_configurations_name_are_there(name: str) -> None:
    """The old names stand for mixes of formats."""
    found = settings(f"[templates.endpoint_overrides]\nBash = '{name}'\n[templates]\n")
    active = settings(f"[templates]\nactive = ['{name}']\nendpoint_overrides.Bash = '{name}'\n")
    text = json.dumps({"total": 20, "jobs": json.loads(ROWS)})
    tried = [Session(each).add(tool="Bash", text=text).tried for each in (found, active)]
    assert [name in {each.name for each in some} for some in tried] == [False, True]


def test_the_format_that_a_profile_prefers_is_taken() -> None:
    """For the tools whose names begin so, also where the file knows them by another name."""
    variant = "[profiles.data.variants.jobs]\npreferred_format = 'table'\npattern = "
    hashed = Anonymiser(SALT).tool("mcp__acme__get_jobs")
    for pattern in ("mcp__acme__", hashed):
        session = Session(settings(f"{variant}'{pattern}'\n"))
        assert "] table\n" in session.add(tool="mcp__acme__get_jobs", text=ROWS).text
        assert "] table\n" not in session.add(tool="Bash", text=ROWS).text


def test_no_result_is_longer_than_a_known_model_can_read() -> None:
    """For others there is no limit unless one is asked for."""
    text = "\n".join(f"line {n} says something or other" for n in range(3000))
    sent = [
        Session(settings("", model)).add(tool="Bash", text=text) for model in ("gemma4:26b", "x")
    ]
    assert sent[0].tokens <= 8192
    assert sent[0].elided
    assert not sent[1].elided
    assert sent[1].tokens > 8192


def test_a_team_has_the_same_names_for_servers() -> None:
    """And for nothing else."""
    shared = "[telemetry]\nshare_endpoints_with_team = true\nteam_salt = 'salt of the whole team'\n"
    found = [
        settings_for(resolve(loads(f"schema_version = 2\n{shared}"), SessionContext()), salt=salt)
        for salt in ("mine" * 8, "yours" * 8)
    ]
    events = [Session(each).add(tool="mcp__a__b", text=LOG, file="x").event for each in found]
    assert events[0].tool_name_anon == events[1].tool_name_anon
    assert events[0].tool_name_anon == Anonymiser("", "salt of the whole team").tool("mcp__a__b")
    assert events[0].file_path_hash != events[1].file_path_hash
    assert events[0].content_sha_prefix != events[1].content_sha_prefix


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
