"""What recorded sessions cost: by tool, with caches of prompts, in the files of two hosts."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from mckp.agents.replay import Compact, LeftOut, ModelRequest, Response, read_log
from mckp.agents.replay.discover import ToolFigures, discover, session_files, session_folders
from mckp.agents.session import SessionSettings
from mckp.agents.telemetry.costs import Ledger, ModelPrices
from tests.cli.conftest import Run
from tests.replay.lines import BOUNDARY, Record, as_bytes, call, result

ROWS = [
    {"id": f"job-{n * 7919}", "state": "done", "log": f"it took {n * 37 % 91} s"} for n in range(60)
]
TEXT = json.dumps(ROWS)


def answer(number: int) -> Record:
    """An assistant's message without a call."""
    return {
        "type": "assistant",
        "uuid": f"end{number}",
        "message": {"role": "assistant", "model": "claude-opus-4-5", "content": []},
    }


def item(kind: str, **more: Any) -> Record:
    """A line of Codex CLI."""
    return {"type": "response_item", "payload": {"type": kind, **more}}


CODEX: list[Record] = [
    {"type": "session_meta", "payload": {"id": "s", "cwd": "/w"}},
    {"type": "turn_context", "payload": {"model": "gpt-5.5"}},
    item("message", role="user", content=[{"type": "input_text", "text": "go"}]),
    item("reasoning", summary=[]),
    item("function_call", name="exec_command", arguments='{"cmd":"ls"}', call_id="c1"),
    item("function_call", name="jobs", namespace="mcp__ci", arguments="{}", call_id="c2"),
    item("function_call_output", call_id="c1", output="Chunk ID: f9\nOutput:\na b c"),
    item("function_call_output", call_id="c2", output=[{"type": "input_text", "text": TEXT}]),
    {"type": "event_msg", "payload": {"type": "token_count"}},
    item("custom_tool_call", name="apply_patch", input="*** Begin", call_id="c3"),
    item("custom_tool_call_output", call_id="c3", output={"content": "done", "success": True}),
    {"type": "compacted", "payload": {"message": "so far"}},
    item("function_call", name="exec_command", arguments="{}", call_id="c4"),
    item("function_call_output", call_id="c4", output="a\n…731 tokens truncated…\nb"),
    item("function_call_output", call_id="unknown", output="lost"),
    item("message", role="assistant", content=[{"type": "output_text", "text": "done"}]),
]


def test_a_session_of_codex_is_read(tmp_path: Path) -> None:
    """A session file of Codex is read as requests, results, compactions and results left out."""
    file = tmp_path / "rollout.jsonl"
    file.write_bytes(as_bytes(CODEX) + b"{torn")
    assert list(read_log(file))[:-1] == [
        ModelRequest(model="gpt-5.5"),
        Response("exec_command", '{"cmd":"ls"}', "Chunk ID: f9\nOutput:\na b c"),
        Response("mcp__ci__jobs", "{}", TEXT),
        ModelRequest(model="gpt-5.5"),
        Response("apply_patch", "*** Begin", "done"),
        Compact(),
        ModelRequest(model="gpt-5.5"),
        LeftOut("exec_command"),
        ModelRequest(model="gpt-5.5"),
    ]


def test_a_result_is_written_once_and_read_until_it_leaves_the_context() -> None:
    """A result costs a write for the next request, and a read for each later one in its context."""
    ledger = Ledger(ModelPrices({"*": 1.0, "big-*": 10.0}, write=2.0, read=0.5))
    ledger.ask("main", "small")
    ledger.note("main", "A", 1_000_000, 0)
    ledger.ask("main", "small")  # written
    ledger.ask("main", "small")  # read
    ledger.close("main")
    ledger.ask("main", "small")  # after a compaction: no longer there
    ledger.note("main", "B", 1_000_000, 500_000)
    ledger.ask("main", "big-1")
    ledger.note("main", "B", 1_000_000, 1_000_000)  # no request has it
    ledger.close()
    assert ledger.tools["A"].before == ledger.tools["A"].saved == 2.5
    assert (ledger.tools["B"].before, ledger.tools["B"].after) == (20.0, 10.0)
    assert ledger.total.before == 22.5

    # A log without requests: each result leads to one.
    ledger = Ledger(ModelPrices({"*": 1.0}, write=2.0, read=0.5))
    for number in range(3):
        ledger.note("main", f"C{number}", 1_000_000, 0)
    ledger.close()
    assert [ledger.tools[f"C{n}"].before for n in range(3)] == [3.0, 2.5, 2.0]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a user who has sessions of two hosts."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    claude, codex = (place / "sub" for place in session_folders().values())
    claude.mkdir(parents=True)
    codex.mkdir(parents=True)
    lines = [call("jobs", 1), result(1, TEXT)]
    lines += [call("open", 3, job="job-23757"), result(3, "it is open, and nobody has it")]
    lines += [call("jobs", 2), result(2, TEXT)]
    lines += [call("Read", 5, file_path="jobs.json"), result(5, TEXT[1:])]
    lines += [call("Bash", 4), result(4, "<persisted-output>\nOutput too large"), answer(1)]
    (claude / "a.jsonl").write_bytes(as_bytes([*lines, BOUNDARY, answer(2)]))
    (codex / "b.jsonl").write_bytes(as_bytes(CODEX))
    (codex / "old.jsonl").write_bytes(as_bytes(CODEX))
    os.utime(codex / "old.jsonl", (1, 1))
    return tmp_path


def test_no_more_session_files_than_asked_for_are_returned(home: Path) -> None:
    """`session_files` returns the newest files, at most as many as asked for, even if that is 0."""
    folders = session_folders().values()
    names = [[file.name for file in session_files(folders, most)] for most in (0, 2, 9)]
    assert names[0] == []
    assert len(names[1]) == 2
    assert names[2] == ["old.jsonl", *names[1]]


def test_what_tools_cost_is_discovered(home: Path) -> None:
    """The figures of each tool count its results, tokens, uses and costs."""
    files = session_files(session_folders().values(), 2)
    assert [file.name for file in session_files(session_folders().values(), 9, days=3)] == [
        "a.jsonl",
        "b.jsonl",
    ]
    (home / "bad.jsonl").write_text('{"do":"nothing"}')
    discovery = discover([*files, home / "bad.jsonl"], SessionSettings(budget=300))
    jobs = discovery.tools["jobs"]
    assert (jobs.results, jobs.repeats, discovery.sessions) == (2, 1, 2)
    assert jobs.before > jobs.shorter > jobs.after
    assert jobs.uses >= 1
    prices = ModelPrices()
    size = jobs.before // 2  # the second one is in the context of two requests less
    assert jobs.cost.before == pytest.approx(prices.cost(size, 5) + prices.cost(size, 3))
    assert (discovery.tools["Bash"].results, discovery.tools["Bash"].left_out) == (0, 1)
    assert discovery.tools["exec_command"].left_out == 1
    assert list(discovery.skipped) == [str(home / "bad.jsonl")]
    assert discovery.total.before == sum(figures.before for figures in discovery.tools.values())
    read = discovery.tools["Read"]
    assert read.before == read.after > 300  # edits rely on it
    assert not any(line.startswith("Read") for line in discovery.findings())
    assert any(line.startswith("jobs: 2 results") for line in discovery.findings())
    assert json.loads(json.dumps(discovery.to_dict()))["tools"]["jobs"]["cost"]["saved"] > 0


def test_findings_say_what_to_do(home: Path) -> None:
    """Findings say per tool what is lost, saved, repeated or cut, and which setting helps."""
    discovery = discover(session_files(session_folders().values(), 1), SessionSettings(budget=300))
    discovery.tools = {
        "lossy": ToolFigures(results=9, before=900, shorter=800, after=90, uses=20, kept=11),
        "plain": ToolFigures(results=9, before=900, shorter=899, after=899),
        "again": ToolFigures(results=9, repeats=8, before=900, shorter=90, after=90),
        "cut": ToolFigures(left_out=4),
    }
    discovery.total = ToolFigures(before=2700)
    findings = "\n".join(discovery.findings(9))
    assert "lossy: later calls used 20 of its values, and 9 of them" in findings
    assert 'set exact = true in [policies."lossy"]' in findings
    assert "plain: nothing to save" in findings
    assert "again: 8 of 9 results were already in the context" in findings
    assert "cut: 4 results were cut by the host" in findings


@pytest.mark.slow
@pytest.mark.usefixtures("home")
def test_the_command_prints_and_writes_nothing(run: Run, home: Path) -> None:
    """`mckp discover` prints findings and prices, also as JSON, and writes no file."""
    before = sorted(home.rglob("*"))
    code, out, _ = run("discover", "--budget", "300", "--price", "claude-*=6", "--price", "3")
    text = out.decode()
    assert code == 0
    assert "jobs" in text.splitlines()[1]
    assert "$3, claude-* $6 per million tokens; a token written to the prompt cache costs" in text
    assert "1. jobs: 2 results" in text
    assert sorted(home.rglob("*")) == before
    plain = json.loads(run("discover", "--json", "--price", "6", "--budget", "0")[1])
    assert plain["budget"] is None
    assert plain["total"]["shorter"] == plain["total"]["after"]


def test_where_there_are_no_sessions_it_says_where_it_looked(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without sessions, the error names the folders that were searched."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "nothing"))
    code, _, errors = run("discover")
    assert code == 1
    assert str(tmp_path / "none" / "projects") in errors
    assert "does not exist" in run("discover", str(tmp_path / "x"))[2]
