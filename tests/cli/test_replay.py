"""The commands that play logs, and tune on them."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mckp.jsontext import dump
from mckp.replay import Response, read_log, write_log
from mckp.telemetry import Anonymiser, FileSink, Recorder, Uses, installation_salt
from tests.replay.claude.lines import as_bytes, call, result
from tests.replay.sessions import generate
from tests.replay.test_recall import log as machines_log

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """A folder with a session in which a file is read over and over."""
    text = "\n".join(f"line {n} of the file" for n in range(80))
    pairs = [(call("Read", n, file_path="a.py"), result(n, text)) for n in range(30)]
    folder = tmp_path / "projects" / "harbour"
    folder.mkdir(parents=True)
    (folder / "one.jsonl").write_bytes(as_bytes([line for pair in pairs for line in pair]) + b"{")
    return tmp_path / "projects"


@pytest.fixture
def log(tmp_path: Path) -> str:
    """Return a log of searches in files."""
    path = tmp_path / "session.jsonl"
    write_log(generate("file_search_heavy", 1, 60), path)
    return str(path)


def test_a_log_is_replayed(run: Run, log: str) -> None:
    code, out, _ = run("replay", log, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["responses"] == found["restored"] == 60
    assert {"dedup_savings_pct", "encoder_savings_pct", "combined_savings_pct", "near_pct"} <= (
        found["savings"].keys()
    )
    assert sum(each["layers"]["plain"]["events"] for each in found["endpoints"].values()) > 0


def test_a_log_is_replayed_with_a_configuration(run: Run, tmp_path: Path) -> None:
    log, config = tmp_path / "log.jsonl", tmp_path / "c.toml"
    write_log(generate("file_search_heavy", 1, 60), log)
    config.write_text("schema_version = 2\n[dedup.enabled_per_endpoint]\nRead = false\n")
    code, out, _ = run("replay", str(log), "--config", str(config), "--json")
    assert code == 0
    assert json.loads(out)["endpoints"]["Read"]["dedup_savings_pct"] == 0


def test_a_table_for_people(run: Run, log: str) -> None:
    code, out, _ = run("replay", log)
    assert code == 0
    assert "combined" in out.decode()
    assert "60 of 60 responses read back" in out.decode()


def test_wrong_calls_say_what_to_do(run: Run, tmp_path: Path, log: str) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"do":"compact"}\n{"do":"dance"}\n')
    for argv, words in (
        (["replay", str(bad)], 'bad.jsonl: "do" has to be one of'),
        (["replay", str(bad)], "line 2"),
        (["replay", log, "--config", "none.toml"], "none.toml is not there"),
        (["tune", "analyze", str(tmp_path)], "no events of telemetry"),
        (["tune", "analyze"], "name the LOG"),
        (["tune", "from-claude-logs", str(tmp_path / "nowhere")], "no sessions"),
    ):
        code, _, error = run(*argv)
        assert code == 1
        assert words in error


def test_tuning_on_session_files_without_writing(run: Run, sessions: Path, tmp_path: Path) -> None:
    config = tmp_path / "none.toml"
    code, out, error = run(
        "tune", "from-claude-logs", str(sessions), "--dry-run", "--json", "--config", str(config)
    )
    found = json.loads(out)
    assert code == 0
    assert "1 broken" in error
    assert not config.exists()
    assert found["after"]["combined_savings_pct"] > 90
    assert b"line 7" not in out


def test_texts_are_kept_where_that_is_asked_for(run: Run, sessions: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    argv = ["tune", "from-claude-logs", str(sessions), "--dry-run", "--keep-texts", str(kept)]
    assert run(*argv, "--config", str(tmp_path / "none.toml"))[0] == 0
    responses = [each for each in read_log(kept) if isinstance(each, Response)]
    assert len(responses) == 30
    assert responses[0].text.startswith("line 0")


def test_projects_are_not_mixed(run: Run, sessions: Path, tmp_path: Path) -> None:
    argv = ["tune", "from-claude-logs", str(sessions), "--dry-run", "--json", "--project", "moon"]
    code, _, error = run(*argv, "--config", str(tmp_path / "none.toml"))
    assert code == 1
    assert "no sessions" in error


def test_what_was_switched_off_comes_back_and_is_written(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("tomlkit")
    log, config = tmp_path / "log.jsonl", tmp_path / "deep" / "c.toml"
    write_log(generate("file_search_heavy", 1, 120), log)
    config.parent.mkdir()
    config.write_text("schema_version = 2\n# mine\n[dedup.enabled_per_endpoint]\nRead = false\n")
    code, out, _ = run("tune", "analyze", str(log), "--config", str(config))
    assert code == 0
    assert "taken; wrote" in out.decode()
    assert "before" in out.decode()
    text = config.read_text()
    assert "# mine" in text
    assert tomllib.loads(text)["dedup"]["enabled_per_endpoint"]["Read"] is True
    code, out, _ = run("tune", "show", "--config", str(config))
    assert out.decode() == text


def test_what_is_worse_is_not_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, config = tmp_path / "log.jsonl", tmp_path / "c.toml"
    write_log(generate("file_search_heavy", 1, 60), log)
    from mckp.config.tuner import Tuning

    monkeypatch.setattr(Tuning, "is_worse", property(lambda _: True))
    code, _, error = run("tune", "analyze", str(log), "--config", str(config))
    assert code == 1
    assert "costs more tokens" in error
    assert not config.exists()


def test_show_without_a_file_says_so(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("tune", "show", "--config", str(tmp_path / "none.toml"))
    assert code == 0
    assert b"all defaults hold" in out
    assert dump({}) in run("tune", "show", "--json", "--config", "none.toml")[1].decode()


def test_show_takes_no_log(run: Run) -> None:
    code, _, error = run("tune", "show", "mine.toml")
    assert code == 1
    assert "--config" in str(error)


@pytest.mark.parametrize("name", ["[/x]", "[red]x", ":smile:"])
def test_names_are_no_markup(run: Run, tmp_path: Path, name: str) -> None:
    log = tmp_path / "log.jsonl"
    write_log([Response(name, "", "a line\n" * 60)] * 30, log)
    for argv in (["replay", str(log)], ["tune", "analyze", str(log), "--dry-run"]):
        code, out, _ = run(*argv)
        assert code == 0
        assert argv[0] == "tune" or name in out.decode()


def test_weights_are_learnt_from_a_log_and_from_telemetry(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts of telemetry have hashed names; a folder without any is told."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    names = Anonymiser(installation_salt(tmp_path / "home" / "mckp" / "salt"))
    log, config, tool = tmp_path / "log.jsonl", tmp_path / "config.toml", "mcp__hall__list"
    actions = [
        replace(each, tool=f"mcp__hall__{each.tool}") if isinstance(each, Response) else each
        for each in machines_log()
    ]
    write_log(actions, log)
    argv = ["tune", "analyze", str(log), "--config", str(config), "--json", "--dry-run"]
    code, out, _ = run(*argv)
    assert code == 0
    assert json.loads(out)["config"]["salience"][tool]["machines[*].fuse"] > 2
    code, _, err = run(*argv, "--uses", str(tmp_path))
    assert code == 1
    assert "no counts of uses" in err
    uses = Uses(names.tool)
    for action in actions:
        if isinstance(action, Response):
            uses.call(json.loads(action.args))
            uses.result(action.tool, None, action.text)
    folder = tmp_path / "telemetry"
    with Recorder(FileSink(folder, "0" * 16), "0" * 16) as recorder:
        recorder.used(uses.counts())
    code, out, _ = run(*argv, "--uses", str(folder))
    assert code == 0
    assert json.loads(out)["config"]["salience"][tool]["machines[*].fuse"] > 2
