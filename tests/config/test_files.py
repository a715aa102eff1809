"""Configurations are read, upgraded, and written without losing a comment."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import pytest

from mckp.config import Config, dumps, in_project, layered, load, loads, save
from mckp.errors import ConfigError, SchemaVersionError
from tests.config.documents import V1, V2

if TYPE_CHECKING:
    from pathlib import Path

DEFAULTS: dict[str, Any] = {
    "dedup.lru_size": 5,
    "dedup.enabled_per_endpoint": {},
    "dedup.min_body_chars": 200,
    "templates.active": ("csv_from_md", "pipeline_deep_mckp", "mr_diff_fence"),
    "templates.endpoint_overrides": {},
    "mckp.formats_enabled": ("native",),
    "telemetry.sample_rate": 1.0,
    "telemetry.flush_every_n": 25,
}
"""Of the twelve knobs, those that no profile can change."""


@pytest.mark.parametrize("key", DEFAULTS)
def test_defaults(key: str) -> None:
    """Where nothing is said the documented default holds."""
    section, name = key.split(".")
    assert getattr(getattr(Config(), section), name) == DEFAULTS[key]


def test_nothing_is_the_default(tmp_path: Path) -> None:
    """A file that is empty or not there says nothing."""
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
    """A line says so, and all else that it says holds."""
    found = in_project(project)
    assert found.telemetry == Config().telemetry
    assert found.dedup.lru_size == 9
    (record,) = caplog.records
    assert "no figures are written" in record.getMessage()


@pytest.mark.parametrize("way", ["file", "environment", "option"])
def test_figures_are_written_for_who_allows_them(
    project: Path, way: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Then a project says how, or that it wants none."""
    if way == "file":
        (project / "home" / "mckp").mkdir(parents=True)
        own = "schema_version = 2\n[telemetry]\nenabled = true\n"
        (project / "home" / "mckp" / "pipeline_config.toml").write_text(own)
    elif way == "environment":
        monkeypatch.setenv("MCKP_TELEMETRY_DIR", str(project))
    found = in_project(project, asked=way == "option").telemetry
    assert (found.enabled, found.path) == (True, "there")
    assert not caplog.records


def test_version_1_is_read_with_the_defaults_of_version_2() -> None:
    """What version 1 says stays; profiles and hints are the default."""
    config = loads(V1)
    assert config == loads(V1.replace("schema_version = 1", "schema_version = 2"))
    assert (config.dedup.lru_size, config.mckp.formats_enabled) == (9, ("csv", "kv", "json"))
    assert (config.profiles, config.hints) == (Config().profiles, Config().hints)


def test_version_1_stays_until_it_is_saved(tmp_path: Path) -> None:
    """Reading does not write; saving brings version 2, and the same configuration."""
    file = tmp_path / "config.toml"
    file.write_text(V1)
    config = load(file)
    assert file.read_text() == V1
    save(config, file)
    assert file.read_text() == V1.replace("schema_version = 1", "schema_version = 2")
    assert load(file) == config


@pytest.mark.parametrize("version", [3, 4, 10**9])
def test_newer_versions_are_refused(version: int) -> None:
    """A file of the future is not guessed at, even if it says nothing else that is new."""
    with pytest.raises(SchemaVersionError, match="upgrade mckp") as caught:
        loads(f"schema_version = {version}\n", source="x.toml")
    assert (caught.value.version, caught.value.newest) == (version, 2)
    assert "x.toml" in str(caught.value)


def test_a_file_that_cannot_be_read_is_not_overwritten(tmp_path: Path) -> None:
    """Saving over what is no configuration would lose what someone wrote."""
    file = tmp_path / "config.toml"
    file.write_text("schema_version = 3\n")
    with pytest.raises(SchemaVersionError):
        save(Config(), file)
    assert file.read_text() == "schema_version = 3\n"


@pytest.mark.parametrize(
    ("line", "key", "said"),
    [
        ("[dedup]\nlru_size = 0", "dedup.lru_size", "a whole number from 1"),
        ("[dedup]\nlru_size = true", "dedup.lru_size", "True is not allowed"),
        ("[dedup]\nlru_size = 5.0", "dedup.lru_size", "a whole number"),
        ("[dedup]\nmin_body_chars = -1", "dedup.min_body_chars", "from 0"),
        ("[dedup]\nnear_ref_enabled = 'yes'", "dedup.near_ref_enabled", "true or false"),
        ("[dedup]\nhint_verbosity = 'loud'", "dedup.hint_verbosity", "terse, standard, verbose"),
        ("[dedup]\nenabled_per_endpoint.Read = 1", "dedup.enabled_per_endpoint.Read", "true or"),
        ("[templates]\nactive = ['csv']", "templates.active[0]", "csv_from_md"),
        ("[templates]\nendpoint_overrides.'a b' = 'x'", 'endpoint_overrides."a b"', "unknown"),
        ("[mckp]\nrecursion_depth = 65", "mckp.recursion_depth", "from 0 to 64"),
        ("[mckp]\nformats_enabled = []", "mckp.formats_enabled", "1 values or more"),
        ("[mckp]\nformats_enabled = ['cvs']", "mckp.formats_enabled[0]", "mean 'csv'"),
        ("[mckp.shape_thresholds]\nrows = 1", "mckp.shape_thresholds.rows", "unknown key"),
        ("[telemetry]\nsample_rate = 1.5", "telemetry.sample_rate", "from 0 to 1"),
        ("[telemetry]\nsample_rate = nan", "telemetry.sample_rate", "nan is not allowed"),
        ("[telemetry]\nflush_every_n = 0", "telemetry.flush_every_n", "from 1"),
        ("[telemetry]\nshare_endpoints_with_team = true", "telemetry", "team_salt"),
        ("[profiles.llm]\nactive = 'glm'", "profiles.llm.active", "known: auto, default"),
        ("[profiles.llm.variants.x]\ntokenizer = 'y'", "profiles.llm.variants.x.tokenizer", "y"),
        ("[profiles.data.variants.x]\nhints = 'delta'", "profiles.data.variants.x", "pattern"),
        ("[hints.types.near]\nenabled = true", "hints.types.near", "did you mean 'near_ref'"),
        ("[tools.x]\nvalue = 1", "tools", "unknown key"),
        ("dedup = 3", "dedup", "a table"),
    ],
)
def test_errors_name_the_key_and_what_is_allowed(line: str, key: str, said: str) -> None:
    """Whoever made the mistake can mend it from the message."""
    with pytest.raises(ConfigError) as caught:
        loads(f"schema_version = 2\n{line}\n", source="mine.toml")
    assert key in caught.value.key
    assert said in str(caught.value)
    assert "mine.toml" in str(caught.value)


def test_the_version_must_be_there() -> None:
    """A file that says something says for which version."""
    with pytest.raises(ConfigError, match="begin the file with schema_version = 2"):
        loads("[dedup]\nlru_size = 9\n")


def test_comments_and_order_stay() -> None:
    """Only what changed is written anew."""
    config = loads(V2)
    changed = replace(config, dedup=replace(config.dedup, lru_size=12))
    text = dumps(changed, V2)
    assert text == V2.replace("lru_size = 9  # many", "lru_size = 12  # many")


def test_a_section_that_became_the_default_keeps_its_comments() -> None:
    """What is no default any more goes, its section and comments stay."""
    text = dumps(Config(), "schema_version = 2\n# why\n[dedup]\n# how\nlru_size = 9\n")
    assert loads(text) == Config()
    assert "# why" in text
    assert "# how" in text
    assert "lru_size" not in text


def test_every_section_is_written_and_read(tmp_path: Path) -> None:
    """What was saved is what is loaded, on a new file and over an old one."""
    config = loads(V2)
    for there in ("", "schema_version = 1\n", V1, V2):
        file = tmp_path / "config.toml"
        file.write_text(there)
        save(config, file)
        assert load(file) == config
    said = {each.name for each in fields(Config)}
    assert said == {*config.to_table()}


def test_files_in_layers(tmp_path: Path) -> None:
    """A later file wins key by key, also where it says what is the default."""
    user, project = tmp_path / "user.toml", tmp_path / "project.toml"
    user.write_text("schema_version = 1\n[dedup]\nlru_size = 9\nmin_body_chars = 50\n")
    project.write_text("schema_version = 2\n[dedup]\nlru_size = 5\n")
    dedup = layered([user, project, tmp_path / "none.toml"]).dedup
    assert (dedup.lru_size, dedup.min_body_chars) == (5, 50)
    project.write_text("schema_version = 2\n[dedup]\nlru_size = 0\n")
    with pytest.raises(ConfigError, match=r"project\.toml"):
        layered([user, project])
