"""Configurations are read, in layers too, and what is wrong with one is said."""

import json
from pathlib import Path
from typing import Any

import pytest

from mckp.agents.config import (
    Config,
    SessionSettings,
    in_project,
    layered,
    load,
    loads,
    settings_for,
)
from mckp.agents.messages import ToolPolicy
from mckp.errors import ConfigError
from tests.cases import cases
from tests.config.documents import GONE, V1


def test_nothing_is_the_default(tmp_path: Path) -> None:
    """An empty or missing file is the default configuration."""
    assert loads("") == loads(b"") == load(tmp_path / "none.toml") == Config()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder whose configuration asks for figures, and a user without any."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MCKP_TELEMETRY_DIR", raising=False)
    (tmp_path / ".mckp").mkdir()
    says = (
        'schema_version = 2\n[telemetry]\nenabled = true\npath = "there"\n[dedup]\nlru_size = 9\n'
    )
    (tmp_path / ".mckp" / "pipeline_config.toml").write_text(says)
    return tmp_path


def test_a_project_alone_writes_no_figures(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A configuration of a project alone cannot switch telemetry on, and a warning says so."""
    config = in_project(project)
    assert config.telemetry == Config().telemetry
    assert config.settings.lru_size == 9
    (record,) = caplog.records
    assert "no telemetry is written" in record.getMessage()


@pytest.mark.parametrize("way", ["file", "environment", "option"])
def test_figures_are_written_for_who_allows_them(
    project: Path, way: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Telemetry that the user allows can be shaped or refused by a project."""
    if way == "file":
        (project / "home" / "mckp").mkdir(parents=True)
        user_config = "schema_version = 2\n[telemetry]\nenabled = true\n"
        (project / "home" / "mckp" / "pipeline_config.toml").write_text(user_config)
    elif way == "environment":
        monkeypatch.setenv("MCKP_TELEMETRY_DIR", str(project))
    telemetry = in_project(project, asked=way == "option").telemetry
    assert (telemetry.enabled, telemetry.path) == (True, "there")
    assert not caplog.records


def test_version_1_means_the_same_as_version_2() -> None:
    """The same settings in schema versions 1 and 2 are the same configuration."""
    config = loads(V1)
    assert config == loads(V1.replace("schema_version = 1", "schema_version = 2"))
    assert (config.settings.lru_size, config.settings.formats) == (9, ("csv", "kv", "json"))


@pytest.mark.parametrize("version", [3, 4, 10**9])
def test_newer_versions_are_refused(version: int) -> None:
    """A file of the future is not guessed at, even if it says nothing else that is new."""
    with pytest.raises(ConfigError, match="upgrade mckp") as caught:
        loads(f"schema_version = {version}\n", source="x.toml")
    assert f"version {version} is newer than 2" in str(caught.value)
    assert "x.toml" in str(caught.value)


@pytest.mark.parametrize(
    ("line", "key", "said"),
    cases(__file__, "test_errors_name_the_key_and_what_is_allowed"),
)
def test_errors_name_the_key_and_what_is_allowed(line: str, key: str, said: str) -> None:
    """An error names the file, the key and what is allowed."""
    with pytest.raises(ConfigError) as caught:
        loads(f"schema_version = 2\n{line}\n", source="mine.toml")
    assert key in caught.value.key
    assert said in str(caught.value)
    assert "mine.toml" in str(caught.value)


def test_the_version_must_be_there() -> None:
    """A file without a schema version is an error that says how to begin it."""
    with pytest.raises(ConfigError, match="begin the file with schema_version = 2"):
        loads("[dedup]\nlru_size = 9\n")


def test_files_in_layers(tmp_path: Path) -> None:
    """A later file wins key by key, also where it says what is the default."""
    user, project = tmp_path / "user.toml", tmp_path / "project.toml"
    user.write_text("schema_version = 1\n[dedup]\nlru_size = 9\nmin_body_chars = 50\n")
    project.write_text("schema_version = 2\n[dedup]\nlru_size = 5\n")
    settings_read = layered([user, project, tmp_path / "none.toml"]).settings
    assert (settings_read.lru_size, settings_read.min_body_chars) == (5, 50)
    project.write_text("schema_version = 2\n[dedup]\nlru_size = 0\n")
    with pytest.raises(ConfigError, match=r"project\.toml"):
        layered([user, project])


def test_keys_of_earlier_versions_are_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    """A file that was right once stays right; each key that means nothing now is named."""
    config = loads(f"schema_version = 2\n{GONE}")
    assert config == loads("schema_version = 2\n[endpoint_overrides.Read]\nmin_body_chars = 7\n")
    keys = [record.getMessage().split(" ")[0] for record in caplog.records]
    assert sorted(keys) == cases(__file__, "GONE")


KNOBS = cases(__file__, "KNOBS")


def settings(text: str) -> SessionSettings:
    return settings_for(loads(f"schema_version = 2\n{text}\n"))


@pytest.mark.parametrize("key", KNOBS)
def test_no_key_is_dead(key: str) -> None:
    """Each key of a file changes the settings of a session, and is stored with them."""
    changed = settings(f"{key} = {KNOBS[key]}")
    assert changed != settings("")
    assert SessionSettings.from_dict(json.loads(json.dumps(changed.to_dict()))) == changed


def test_the_override_of_a_tool_goes_before_a_section() -> None:
    """The override of a tool wins over the section of all tools."""
    text = "[dedup.enabled_per_endpoint]\nRead = false\nBash = false\n"
    overridden = settings(f"{text}[endpoint_overrides.Read]\ndedup_enabled = true\n")
    assert [overridden.of(tool).references for tool in ("Read", "Bash")] == [True, False]


def test_a_budget_that_is_asked_for_goes_before_that_of_the_file() -> None:
    """A budget of the caller wins over that of the file."""
    config = loads("schema_version = 2\n[mckp]\nbudget = 900\n")
    assert settings_for(config).budget == 900
    assert settings_for(config, budget=50).budget == 50


def test_what_was_learnt_goes_below_what_is_written_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of `mckp tune` is a configuration that cannot switch figures on."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MCKP_TELEMETRY_DIR", raising=False)
    (tmp_path / ".mckp").mkdir()
    learnt, by_hand = (
        tmp_path / ".mckp" / f"{name}.toml" for name in ("salience", "pipeline_config")
    )
    head = "schema_version = 2\n"
    learnt.write_text(f"{head}[salience.find]\na = 2\nb = 2\n[telemetry]\nenabled = true\n")
    by_hand.write_text(f"{head}[salience.find]\nb = 3\n")
    config = in_project(tmp_path)
    assert config.salience == {"find": {"a": 2.0, "b": 3.0}}
    assert not config.telemetry.enabled


@pytest.mark.parametrize("factors", [{"a[": 1.0}, {"a": -1.0}, {"a": "2"}])
def test_settings_check_factors(factors: Any) -> None:
    """Salience factors need valid patterns and numbers from 0 up."""
    with pytest.raises((TypeError, ValueError)):
        SessionSettings(policies={"find": ToolPolicy(priorities=factors)})


def test_settings_of_earlier_versions_are_read() -> None:
    """Settings that no longer exist are ignored when stored settings are read."""
    gone: dict[str, Any] = {
        "least_gain": 4.0,
        "model": None,
        "hint_verbosity": "terse",
        "active_templates": [],
    }
    kept = SessionSettings(lru_size=7).to_dict() | gone
    assert SessionSettings.from_dict(kept) == SessionSettings(lru_size=7)
