"""What ``mckp doctor`` says of hosts: what they show, and which commands would fail."""

import json
import os
from pathlib import Path

import pytest

from mckp.agents.hosts import HOSTS, File
from mckp.agents.hosts.health import is_newer, notes, problems, version_of
from tests.cli.conftest import Run

RESULTS = Path(__file__).parents[2] / "benches" / "results"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="programs are scripts of a shell")


def program(folder: Path, name: str, says: str, code: int = 0) -> str:
    """Make a program that says something and ends."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{says}'\nexit {code}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the only folder of programs."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin")
    return tmp_path / "bin"


def test_the_records_are_those_of_the_hosts_that_were_run() -> None:
    """Each stored run of a host has a record with the version that was run."""
    stored = json.loads((RESULTS / "hosts.json").read_text())
    run = {name: version for name, version in stored["versions"].items() if name in HOSTS}
    assert len(run) >= 5
    assert {name: HOSTS[name].version for name in run} == run
    for host in HOSTS.values():
        assert bool(host.client) == bool(host.version) == bool(host.program)
        assert host.file or host.has_hook
    assert [name for name, host in HOSTS.items() if not host.client] == [
        "claude-desktop",
        "cursor",
        "vscode",
        "pi",
    ]


def test_a_version_is_what_a_program_says(folder: Path) -> None:
    """A version is read from the program's output, and versions compare by number."""
    assert version_of("claude") is None
    program(folder, "claude", "2.1.400 (Claude Code)")
    assert version_of("claude") == "2.1.400"
    assert version_of(program(folder, "broken", "9.9", code=1)) is None
    assert version_of(program(folder, "silent", "hello")) is None
    assert is_newer("0.171.1", "0.171.0")
    assert not is_newer("0.61.0", "0.61.0")


@pytest.mark.parametrize(("version", "warned"), [("2.1.332", False), ("2.2.0", True)])
def test_a_newer_host_is_a_warning(folder: Path, version: str, warned: bool) -> None:
    """A host newer than the tested version gets a note that says so."""
    program(folder, "claude", f"{version} (Claude Code)")
    lines = "\n".join(notes(HOSTS["claude-code"]))
    assert "tested with 2.1.332, results up to 49,000 characters" in lines
    assert (f"the installed version {version} is newer" in lines) == warned
    assert "cannot shorten failed results" in lines


def test_what_no_hook_can_do_is_said() -> None:
    """Notes say what hooks cannot do in a host, or that it is unknown."""
    assert "hooks cannot replace results in this host" in "\n".join(notes(HOSTS["qwen-code"]))
    assert "is not known" in notes(HOSTS["cursor"])[0]


def test_commands_that_would_fail_are_found(folder: Path, tmp_path: Path) -> None:
    """Missing proxies, servers and hook commands are found; other entries are passed over."""
    ours = program(folder, "mckp", "mckp 0.3.0")
    program(folder, "uvx", "uvx 1.0")
    proxied = {
        "fine": {"command": ours, "args": ["mcp", "--", "uvx", "git"]},
        "gone": {"command": str(tmp_path / "old" / "mckp"), "args": ["mcp", "--", "uvx", "x"]},
        "lost": {"command": ours, "args": ["mcp", "--budget", "9", "--", "nowhere"]},
        "other": {"command": "nothing", "args": ["at", "all"]},
        "far": {"url": "https://mcp.example.org"},
    }
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": proxied}))
    gone, lost = problems(File(file, (("mcpServers",),)))
    assert gone.startswith("$.mcpServers.gone: ")
    assert "does not run" in gone
    assert lost == "$.mcpServers.lost: nowhere was not found on the PATH of this shell"
    array = {"mcp": {"git": {"type": "local", "command": [ours, "mcp", "--", "gone"]}}}
    file.write_text(json.dumps(array))
    assert problems(File(file, (("mcp",),)))[0].startswith("$.mcp.git: gone was not found")
    hook = {"type": "command", "command": f"'{tmp_path}/no/mckp' hook claude-code"}
    file.write_text(json.dumps({"hooks": {"PostToolUse": [{"hooks": [hook]}]}}))
    assert problems(File(file))[0].startswith("hook PostToolUse: ")
    file.write_text("{")
    assert problems(File(file)) == []
    assert problems(File(tmp_path / "none.json")) == []


def test_the_command_fails_where_a_command_would(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`mckp doctor` exits with 1 and names the server whose command does not run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / ".cursor").mkdir()
    entry = {"command": "/nowhere/mckp", "args": ["mcp", "--", "sh"]}
    (tmp_path / ".cursor" / "mcp.json").write_text(json.dumps({"mcpServers": {"a": entry}}))
    code, out, _ = run("doctor")
    assert code == 1
    assert "cursor: error: $.mcpServers.a: /nowhere/mckp does not run" in out.decode()
    assert "cursor: what this host shows of a result is not known" in out.decode()
    (row,) = json.loads(run("doctor", "--json")[1])[:1]
    assert (row["host"], row["state"]) == ("cursor", "1 of 1 servers run through mckp")
    assert "does not run" in row["error"]
    assert len(row["notes"]) == 1
