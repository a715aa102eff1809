"""The commands that play logs, and tune on them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mckp.agents.config import load
from mckp.agents.replay import Response
from mckp.agents.telemetry import Anonymiser, Recorder, Uses, installation_salt
from tests.cli.conftest import Run
from tests.replay.lines import as_bytes, call, result, write_log
from tests.replay.test_learning import log as machines_log

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "session.jsonl")


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a log in which something is used again, in a folder without a configuration."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    write_log(machines_log(), tmp_path / "log.jsonl")
    return str(tmp_path / "log.jsonl")


@pytest.mark.slow
def test_a_log_is_replayed(run: Run, tmp_path: Path) -> None:
    """A log is replayed as data, with another configuration, and as a table."""
    config = tmp_path / "c.toml"
    config.write_text("schema_version = 2\n[mckp]\nformats_enabled = ['json']\n")
    options: list[list[str]] = [["--json"], ["--json", "--config", str(config)], []]
    (code, out, _), configured, table = (run("replay", EXAMPLE, *argv) for argv in options)
    report = json.loads(out)
    assert code == 0
    assert json.loads(configured[1])["encoder_savings_pct"] < report["encoder_savings_pct"]
    assert b"encoding" in table[1]
    assert "30 of 30 responses could be decoded" in " ".join(table[1].decode().split())
    assert report["responses"] == report["restored"] == 30
    assert report["combined_savings_pct"] > 20
    assert report["uses"] == 0
    assert sum(figures["responses"] for figures in report["tools"].values()) == 30


def test_session_files_of_claude_code_are_replayed(run: Run, tmp_path: Path) -> None:
    """A folder of session files is replayed, half a line at the end notwithstanding."""
    text = "\n".join(f"line {n} of the file" for n in range(80))
    pairs = [(call("Read", n, file_path="a.py"), result(n, text)) for n in range(30)]
    folder = tmp_path / "projects" / "harbour"
    folder.mkdir(parents=True)
    (folder / "one.jsonl").write_bytes(as_bytes([line for pair in pairs for line in pair]) + b"{")
    code, out, _ = run("replay", str(tmp_path / "projects"), "--json")
    report = json.loads(out)
    assert code == 0
    assert (report["restored"], report["hits"]) == (30, 29)
    assert report["combined_savings_pct"] > 90


@pytest.mark.slow
def test_a_budget_is_replayed(run: Run, log: str, tmp_path: Path) -> None:
    """A replay with a budget says how many of the used values are still kept, also on its page."""
    code, out, _ = run("replay", log, "--budget", "340", "--json")
    report = json.loads(out)
    assert code == 0
    assert report["cut"] > 0
    assert 0 < report["uses_kept"] < report["uses"] == 32
    page = tmp_path / "page.html"
    assert run("replay", log, "--budget", "340", "--html", str(page))[:2] == (0, b"")
    assert f"{report['uses_kept']} of 32 values that later calls used are kept" in page.read_text()


def test_wrong_calls_say_what_to_do(run: Run, tmp_path: Path) -> None:
    """A wrong log, folder or configuration is an error that says what is wrong and where."""
    bad, empty = tmp_path / "bad.jsonl", tmp_path / "empty"
    bad.write_text('{"do":"compact"}\n{"do":"dance"}\n')
    empty.mkdir()
    for argv, words in (
        (["replay", str(bad)], 'bad.jsonl: "do" must be one of'),
        (["replay", str(bad)], "line 2"),
        (["replay", EXAMPLE, "--config", "none.toml"], "none.toml does not exist"),
        (["replay", str(empty)], "no sessions were found"),
        (["tune", str(empty)], "no sessions were found"),
        (["tune", EXAMPLE, "--uses", str(empty)], "no telemetry that counts uses"),
    ):
        code, _, error = run(*argv)
        assert code == 1
        assert words in error


@pytest.mark.slow
def test_what_was_learnt_is_written_and_held_by_sessions(run: Run, log: str) -> None:
    """Learnt factors are written to a file of their own, which keeps those of other tools."""
    code, out, _ = run("tune", log, "--dry-run")
    assert code == 0
    assert "1 of 1 tools gain; nothing was written" in out.decode()
    file = Path(".mckp") / "salience.toml"
    assert not file.exists()
    file.parent.mkdir()
    name = 'say "\x7f", é 😀'
    quoted = json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")
    file.write_text(f"schema_version = 2\n[salience.{quoted}]\na = 2\n", "utf-8")
    code, out, _ = run("tune", log)
    assert code == 0
    assert "1 of 1 tools gain; wrote" in out.decode()
    learnt = load(file).salience
    assert learnt[name] == {"a": 2.0}
    assert learnt["list"]["machines[*].fuse"] > 2
    code, out, _ = run("tune", log)
    assert "0 of 1 tools gain; nothing was written" in out.decode()
    assert load(file).salience == learnt


def test_what_nobody_uses_teaches_nothing(run: Run, tmp_path: Path) -> None:
    """A log without later uses yields no settings."""
    log = tmp_path / "log.jsonl"
    write_log([Response("Read", "", "a line\n" * 60)] * 3, log)
    code, out, error = run("tune", str(log))
    assert (code, error) == (0, "")
    assert "nothing to learn" in out.decode()
    assert run("tune", str(log), "--json")[:2] == (0, b"[]\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["[/x]", "[red]x", ":smile:"])
def test_names_are_no_markup(run: Run, log: str, tmp_path: Path, name: str) -> None:
    """Names of tools with markup characters are written as they are."""
    log_file = tmp_path / "other.jsonl"
    named = [
        replace(event, tool=name) if isinstance(event, Response) and event.tool == "list" else event
        for event in machines_log()
    ]
    write_log(named, log_file)
    for argv in (["replay", str(log_file)], ["tune", str(log_file), "--dry-run"]):
        code, out, _ = run(*argv)
        assert code == 0
        assert name in out.decode()


@pytest.mark.slow
def test_weights_are_learnt_from_a_log_and_from_telemetry(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts of telemetry have hashed names; a folder without any is named."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    names = Anonymiser(installation_salt(tmp_path / "home" / "mckp" / "salt"))
    log, tool = tmp_path / "log.jsonl", "mcp__hall__list"
    actions = [
        replace(event, tool=f"mcp__hall__{event.tool}") if isinstance(event, Response) else event
        for event in machines_log()
    ]
    write_log(actions, log)
    argv = ["tune", str(log), "--json", "--dry-run"]
    code, out, err = run(*argv)
    assert (code, err) == (0, "1 of 1 tools gain; nothing was written\n")
    (lesson,) = json.loads(out)
    assert (lesson["tool"], lesson["kept"]) == (tool, True)
    assert lesson["factors"]["machines[*].fuse"] > 2
    assert lesson["after"] > lesson["before"]
    code, _, err = run(*argv, "--uses", str(tmp_path))
    assert code == 1
    assert "no telemetry that counts uses" in err
    uses = Uses(names.tool)
    for action in actions:
        if isinstance(action, Response):
            uses.add_call(json.loads(action.args))
            uses.add_result(action.tool, None, action.text)
    folder = tmp_path / "telemetry"
    Recorder(folder, "0" * 16).record_uses(uses.counts())
    code, out, _ = run(*argv, "--uses", str(folder))
    assert code == 0
    assert json.loads(out)[0]["factors"]["machines[*].fuse"] > 2
