"""Profiles and hints: one pure resolution to settings that there are, and what says so."""

import logging
from pathlib import Path

import pytest

from mckp import tokenizers
from mckp.agents.config import Config, Habits, effective, layered, loads, settings_for
from mckp.agents.session import Session
from mckp.cli import main
from mckp.errors import ConfigError

OLD = Path(__file__).with_name("old.toml").read_text("utf-8")
LONG = Habits(results=600, compactions=4, read_share=0.4)


def held(text: str) -> Config:
    return loads(f"schema_version = 2\n{text}\n")


def test_without_profiles_the_settings_are_those_of_the_sections() -> None:
    """Without profiles, the sections alone decide, and `why` names the section."""
    config = held("[dedup]\nlru_size = 9")
    active = effective(config)
    assert active.settings == config.settings
    assert (active.tokenizer, active.model, active.agent) == ("o200k", None, None)
    assert active.settings.of("*").origin("lru_size") == "dedup.lru_size"


def test_a_file_of_the_second_schema_means_something(caplog: pytest.LogCaptureFixture) -> None:
    """An old full file warns about keys that are gone, and the others still take effect."""
    caplog.set_level(logging.WARNING)
    config = loads(OLD)
    gone = {record.getMessage().split(" ")[0] for record in caplog.records}
    assert "profiles.agent.auto_detect_window" in gone
    assert 'profiles.llm.variants."glm-5.1".max_inline_nested' in gone
    assert not any(name.endswith(("tokenizer", "near_ref", "pattern")) for name in gone)
    active = effective(config, model="glm-5.1", habits=LONG)
    assert active.agent == "marathon_refactor"
    assert tokenizers.get(active.tokenizer).name == "glm_estimate"
    assert (active.settings.budget, active.settings.near_ref_enabled) == (32_000, True)
    assert active.settings.near_refs_most == 50
    assert active.settings.of("mcp__gitlab__get_issues").formats == ("csv",)
    assert active.settings.of("mcp__gitlab__get_mr_diff").formats == ("native",)
    calm = effective(config).settings
    assert calm.of("mcp__gitlab__get_issues").may_differ
    assert not calm.of("Read").may_differ
    assert effective(config, model="gemma4:26b").settings.budget == 2048
    assert effective(config, model="house-model").tokenizer == "open_estimate"


MODELS = """\
[mckp]
budget = 900
[profiles.llm]
active = "{}"
[profiles.llm."glm-*"]
budget = 500
[profiles.llm."glm-5*"]
budget = 700
tokenizer = "cl100k"
"""


@pytest.mark.parametrize(
    ("active", "model", "budget", "tokenizer"),
    [
        ("auto", None, 900, "o200k"),
        ("auto", "glm-4", 500, "glm-4"),
        ("auto", "glm-5.1", 700, "cl100k"),
        ("auto", "gpt-4", 900, "gpt-4"),
        ("glm-5.1", None, 700, "cl100k"),
        ("glm-5.1", "glm-4", 500, "glm-4"),
        ("none", "glm-5.1", 900, "glm-5.1"),
    ],
)
def test_a_model_has_its_own(active: str, model: str | None, budget: int, tokenizer: str) -> None:
    """A model's name wins over a pattern, a longer pattern over a shorter, an option over all."""
    resolved = effective(held(MODELS.format(active)), model=model)
    assert (resolved.settings.budget, resolved.tokenizer) == (budget, tokenizer)


def test_an_option_goes_before_everything() -> None:
    """Options of a call win over profiles and sections."""
    config = held(MODELS.format("auto"))
    assert effective(config, tokenizer="o200k").tokenizer == "o200k"
    named = effective(config, tokenizer="glm-5.1")
    assert (named.tokenizer, named.settings.budget) == ("glm-5.1", 700)
    assert settings_for(config, model="glm-5.1", budget=50).budget == 50


@pytest.mark.parametrize(
    ("habits", "agent"),
    [
        (None, None),
        (Habits(300, 0, 0.6), None),
        (Habits(100, 0, 0.6), "file_search_heavy"),
        (LONG, "marathon_refactor"),
    ],
)
def test_the_history_decides_the_kind_of_agent(habits: Habits | None, agent: str | None) -> None:
    """The habits of earlier calls choose the built-in agent profile."""
    assert effective(Config(), habits=habits).agent == agent


def test_a_built_in_kind_changes_nothing_that_a_file_says() -> None:
    """A built-in agent profile fills only what the file leaves open."""
    config = held("[dedup]\nnear_ref_enabled = false")
    assert not effective(config, habits=LONG).settings.near_ref_enabled
    assert effective(config, habits=LONG).settings.lru_size == 10
    own = held("[dedup]\nlru_size = 4\n[profiles.agent]\nactive = 'mine'\nmine.lru_size = 7")
    assert effective(own).settings.lru_size == 7
    assert effective(own).settings.of("*").origin("lru_size") == "profiles.agent.mine"


TOOLS = """\
[policies."mcp__ci__jobs"]
budget = 300
[endpoint_overrides."mcp__ci__jobs"]
min_body_chars = 7
[profiles.data.ci]
pattern = ["mcp__ci__*", "mcp__ci__jobs"]
budget = 500
formats = "csv"
references = false
min_body_chars = 9
[profiles.data."Bash"]
near_ref_enabled = true
"""


def test_a_tool_has_its_own_settings() -> None:
    """A data profile gives the tools that it matches their own budget, formats and permissions."""
    tool_settings = effective(held(TOOLS)).settings
    assert [
        tool_settings.of(name).limit for name in ("mcp__ci__jobs", "mcp__ci__logs", "Bash")
    ] == [*(300, 500, None)]
    assert tool_settings.of("mcp__ci__jobs").formats == ("csv",)
    assert [
        tool_settings.of(name).min_body_chars for name in ("mcp__ci__jobs", "mcp__ci__logs")
    ] == [7, 9]
    assert not tool_settings.of("mcp__ci__logs").references
    assert tool_settings.of("Bash").may_differ
    assert not tool_settings.of("Read").may_differ
    alone = effective(held(f"{TOOLS}[profiles.data]\nactive = 'Bash'".replace("data.ci", "data.c")))
    assert alone.settings.of("Bash").may_differ
    assert alone.settings.of("mcp__ci__logs").references


@pytest.mark.parametrize(
    ("hint", "model", "refers", "differs", "labels"),
    [
        ("near_ref = {enabled = false}", None, True, False, True),
        ("near_ref = {models = ['glm-*']}", "glm-5.1", True, True, True),
        ("near_ref = {models = ['glm-*']}", "gpt-4", True, False, True),
        ("near_ref = {models = ['glm-*']}", None, True, False, True),
        ("ref = {enabled = false}", None, False, False, True),
        ("label = {enabled = false}", None, True, True, False),
    ],
)
def test_hints_are_for_models(
    hint: str, model: str | None, refers: bool, differs: bool, labels: bool
) -> None:
    """A hint can be switched off, or limited to the models that it names."""
    config = held(f"[dedup]\nnear_ref_enabled = true\n[hints.types]\n{hint}")
    chosen = settings_for(config, model=model)
    assert (chosen.of("x").references, chosen.of("x").may_differ, chosen.labels) == (
        refers,
        differs,
        labels,
    )


def test_no_more_near_references_than_are_wanted() -> None:
    """The limit of near references holds across a stored and restored session."""
    text = "[dedup]\nnear_ref_enabled = true\n[hints.types.near_ref]\nmax_per_session = 2"
    session = Session(settings_for(held(text)))
    lines = [f"step {n} of the build is done, and it took some time" for n in range(20)]
    names: list[str] = []
    for number in range(5):
        body = "\n".join([*lines, f"and {number} more"])
        names.append(session.add(tool="jobs", args={"a": 1}, text=body).name)
        session = Session.from_dict(session.to_dict())
    assert names == ["raw", "hint_near", "hint_near", "raw", "raw"]


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ("[profiles.lm]\nactive = 'auto'", "profiles.lm", "did you mean 'llm'"),
        ("[profiles.llm.'glm-*']\nbudgt = 9", 'profiles.llm."glm-*".budgt', "mean 'budget'"),
        ("[profiles.llm.variants.x]\nbudget = 0", "profiles.llm.variants.x.budget", "1 or more"),
        ("[profiles.data.x]\nbudget = 0", "profiles.data.x", "1 or more"),
        ("[profiles.data.x]\nformats = 'cvs'", "profiles.data.x.formats", "mean 'csv'"),
        ("[profiles.agent.x]\npriority = 'sped'", "profiles.agent.x.priority", "unknown name"),
        ("[hints.types.nearref]\nenabled = true", "hints.types.nearref", "mean 'near_ref'"),
        ("[hints.types.ref]\nenabled = 1", "hints.types.ref.enabled", "true or false"),
    ],
)
def test_what_is_wrong_is_named(text: str, key: str, said: str) -> None:
    """An error in profiles and hints names the key and suggests the right word."""
    with pytest.raises(ConfigError) as caught:
        held(text)
    assert caught.value.key.startswith(key)
    assert said in str(caught.value)


@pytest.mark.parametrize("axis", ["agent", "data"])
def test_a_variant_that_is_not_there_is_named(axis: str) -> None:
    """An active variant that does not exist is an error that names its key."""
    config = held(f"[profiles.{axis}]\nactive = 'marathn_refactor'\nmine.budget = 9")
    with pytest.raises(ConfigError, match=f"profiles.{axis}.active: there is no variant"):
        effective(config)


def test_why_names_the_file_of_a_setting(tmp_path: Path) -> None:
    """`why` names the key and the file that each setting comes from."""
    user, project = tmp_path / "user.toml", tmp_path / "project.toml"
    user.write_text("schema_version = 1\n[dedup]\nlru_size = 9\nmin_body_chars = 50\n")
    project.write_text("schema_version = 2\n[dedup]\nlru_size = 7\n")
    values = effective(layered([user, project])).settings.of("*")
    assert values.origin("lru_size") == f"dedup.lru_size in {project}"
    assert values.origin("min_body_chars") == f"dedup.min_body_chars in {user}"


def test_the_command_shows_what_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`mckp config explain` lists each setting in force with its source, also for one tool."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".mckp").mkdir()
    (tmp_path / ".mckp" / "pipeline_config.toml").write_text(
        f"schema_version = 2\n{TOOLS}", "utf-8"
    )
    assert main(["config", "explain", "--tokenizer", "gpt-4"]) == 0
    shown = capsys.readouterr().out
    assert [line.split() for line in shown.splitlines() if line.startswith("tokenizer")] == [
        ["tokenizer", "gpt-4", "option"]
    ]
    assert main(["tune", "show", "--tool", "mcp__ci__logs"]) == 0
    former = capsys.readouterr()
    assert "mckp config explain" in former.err
    assert main(["config", "explain", "mcp__ci__logs"]) == 0
    shown = capsys.readouterr().out
    assert shown == former.out
    (row,) = [line.split() for line in shown.splitlines() if line.startswith("budget")]
    assert row == ["budget", "500", "profiles.data.ci"]
