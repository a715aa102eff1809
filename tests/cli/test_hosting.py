"""``mckp install``, ``uninstall`` and ``doctor`` on the files of a made-up home."""

import json
import os
import stat
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from mckp.agents.config import load
from mckp.agents.hosts import HOSTS
from mckp.agents.hosts.changes import install
from mckp.agents.hosts.places import File
from tests.cases import cases
from tests.cli.conftest import Run

SERVERS = '{\n  "mcpServers": {"git": {"command": "uvx", "args": ["mcp-git"]}}\n}\n'
PLACES = cases(__file__, "PLACES")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a user without any host, in which the process is."""
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(sys, "platform", "linux")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def content(host: str) -> str:
    if host == "codex":
        return '[mcp_servers.git] # one\ncommand = "uvx"\nargs = ["mcp-git"]\n'
    if host == "opencode":
        return (
            '{\n  // mine\n  "mcp": {"git": {"type": "local", "enabled": true,\n'
            '    "command": ["uvx", "mcp-git"]}}\n}\n'
        )
    return SERVERS.replace("mcpServers", HOSTS[host].key)


def files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.slow
@pytest.mark.parametrize("host", PLACES)
def test_each_host_is_installed_once_and_given_back(home: Path, run: Run, host: str) -> None:
    """The diff is shown, a second time changes nothing, and uninstalling leaves no trace."""
    path = put(home / PLACES[host], content(host))
    (home / ".claude").mkdir(exist_ok=True)
    before = files(home)
    code, shown, errors = run("install", host, "--budget", "900", "--yes")
    assert (code, "is written" in errors) == (0, True)
    assert b"\n-" in shown
    assert b'"mcp", "--budget", "900", "--", "uvx", "mcp-git"' in shown
    installed = files(home)
    assert installed[PLACES[host]] != before[PLACES[host]]
    assert installed[f"{PLACES[host]}.mckp-backup"] == before[PLACES[host]]
    assert (".claude/settings.json" in installed) == (host == "claude-code")
    code, shown, _ = run("install", host, "--yes")
    assert (code, files(home)) == (0, installed)
    assert b"already runs through the proxy\nnothing needs to be changed\n" in shown
    assert run("doctor")[1].decode().count("1 of 1 servers run through mckp") == 1
    assert run("uninstall", host, "-y")[0] == 0
    assert files(home) == before
    assert path.read_text() == content(host)


def test_options_of_the_proxy_are_written_into_its_command(home: Path, run: Run) -> None:
    """All given options are written into the command, with absolute folders."""
    path = put(home / ".cursor" / "mcp.json", SERVERS)
    given = ["--budget", "4k", "--budget", "mcp-git.git_log=1500", "--turn-budget", "12k"]
    given += ["--spill", "here", "--structured", "git=keep", "--fields", "--tools", "json"]
    given += ["--no-references", "--recall-name", "again", "--telemetry", "--timeout", "1"]
    assert run("install", "cursor", "--yes", *given)[0] == 0
    words = json.loads(path.read_text())["mcpServers"]["git"]["args"]
    wanted = ["--budget", "4000", "--budget", "mcp-git.git_log=1500", "--turn-budget", "12000"]
    wanted += ["--spill", str(home / "work" / "here"), "--tools", "json", "--no-references"]
    wanted += ["--recall-name", "again", "--structured", "git=keep", "--fields"]
    wanted += ["--timeout", "1", "--telemetry"]
    assert words == ["mcp", *wanted, "--", "uvx", "mcp-git"]
    assert run("uninstall", "cursor", "--yes")[0] == 0
    assert path.read_text() == SERVERS


@pytest.mark.parametrize(
    "given", [["--spill", "x"], ["--budget", "9"], ["--structured", "some"], ["--turn-budget", "x"]]
)
def test_what_the_proxy_would_refuse_is_not_written(home: Path, run: Run, given: list[str]) -> None:
    """Options that the proxy refuses are errors before anything is written."""
    path = put(home / ".cursor" / "mcp.json", SERVERS)
    assert run("install", "cursor", "--yes", *given)[0] != 0
    assert path.read_text() == SERVERS


def test_files_of_a_project_are_taken_if_asked_for(home: Path, run: Run) -> None:
    """With `--project`, the file of the project changes and that of the home does not."""
    own = put(home / ".cursor" / "mcp.json", SERVERS)
    put(home / "work" / ".cursor" / "mcp.json", SERVERS)
    assert run("install", "cursor", "--project", "--yes")[0] == 0
    assert own.read_text() == SERVERS
    assert "mckp" in (home / "work" / ".cursor" / "mcp.json").read_text()


def test_another_file_may_be_named(home: Path, run: Run) -> None:
    """A named file is changed behind its link, and keeps its permissions."""
    real = put(home / "dotfiles" / "servers.json", SERVERS)
    real.chmod(0o600)
    link = home / "linked.json"
    link.symlink_to(real)
    assert run("install", "claude-code", "--config", str(link), "--yes")[0] == 0
    assert link.is_symlink()
    assert '"mckp"' in real.read_text() or "/mckp" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert stat.S_IMODE((home / "linked.json.mckp-backup").stat().st_mode) == 0o600
    assert [path.name for path in real.parent.iterdir()] == ["servers.json"]


def test_nothing_is_written_if_nobody_can_be_asked(home: Path, run: Run) -> None:
    """Without a terminal and `--yes`, the diff is shown and nothing is written."""
    put(home / ".cursor" / "mcp.json", SERVERS)
    before = files(home)
    code, shown, errors = run("install", "cursor")
    assert (code, files(home)) == (1, before)
    assert (
        errors
        == "mckp: error: nothing was written, because no terminal can confirm it; pass --yes "
        "to write\n"
    )
    assert shown.startswith(b"--- ")


@pytest.mark.parametrize(
    ("answer", "written"), [("y", True), ("YES", True), ("n", False), ("", False)]
)
def test_who_sits_at_a_terminal_is_asked(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch, answer: str, written: bool
) -> None:
    """On a terminal, a change is written only after a yes."""
    path = put(home / ".cursor" / "mcp.json", SERVERS)
    monkeypatch.setattr("mckp.cli.streams.is_terminal", bool)
    code, _, errors = run("install", "cursor", stdin=f"{answer}\n")
    assert (code, path.read_text() != SERVERS) == (0, written)
    assert "write these changes? [y/N]" in errors


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{\n  "mcpServers": {,}\n}', "expected a name in quotes (line 2, column 18)"),
        ('{"mcpServers": []}', "$.mcpServers must be an object that maps names to servers"),
        ("\udcff", "not UTF-8 at byte 1"),
    ],
)
def test_broken_files_are_refused(home: Path, run: Run, text: str, words: str) -> None:
    """A broken configuration is one error line with its path, and nothing is written."""
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_bytes(text.encode(errors="surrogateescape"))
    before = files(home)
    for command in ("install", "uninstall"):
        code, shown, errors = run(command, "cursor", "--yes")
        assert (code, shown, errors.count("\n")) == (1, b"", 1)
        assert words in errors
        assert str(path) in errors
    assert files(home) == before
    code, shown, _ = run("doctor")
    assert code == 1
    assert words in shown.decode()


@pytest.mark.skipif(os.name != "posix", reason="pipes are those of POSIX")
def test_what_is_no_file_to_write_is_refused(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only file, a pipe and a folder as configuration are errors of one line, at once."""
    put(home / "mcp.json", SERVERS)
    monkeypatch.setattr(os, "access", Mock(return_value=False))  # root may write all the same
    os.mkfifo(home / "pipe")
    words = {
        "mcp.json": "this file is read-only",
        "pipe": "a pipe or a device",
        "work": "a directory",
    }
    for name, why in words.items():
        code, _, errors = run("install", "cursor", "--yes", "--config", str(home / name))
        assert (code, errors.count("\n"), why in errors) == (1, 1, True)
    with pytest.raises(OSError, match="a pipe or a device"):
        load(home / "pipe")


def test_a_missing_host_is_an_error(home: Path, run: Run) -> None:
    """A host without a configuration is an error that names the expected file."""
    code, _, errors = run("install", "codex", "--yes")
    assert code == 1
    place = f"{home}/.codex/config.toml"
    assert f"codex has no configuration at {place}; name one with --config" in errors
    assert run("doctor")[1] == b"no MCP host was found on this machine\n"


def test_the_hook_needs_only_the_folder_of_claude_code(home: Path, run: Run) -> None:
    """The hook is installed where only the folder of Claude Code exists, with its budget.

    With other settings in them they stay when the hook goes.
    """
    (home / ".claude").mkdir()
    options = ["--budget", "900", "--budget", "git=100", "--turn-budget", "5k"]
    assert run("install", "claude-code", "--yes", *options)[0] == 0
    path = home / ".claude" / "settings.json"
    hooks = json.loads(path.read_text())["hooks"]
    command = hooks["PostToolUse"][0]["hooks"][0]["command"]
    assert command.endswith("hook claude-code --budget 900")
    assert "with the hook" in run("doctor")[1].decode()
    path.write_text(path.read_text().replace('{"hooks"', '{"model": "m", "hooks"'))
    assert run("uninstall", "claude-code", "--yes")[0] == 0
    assert json.loads(path.read_text()) == {"model": "m"}


def test_a_host_that_rewrites_its_file_still_gets_the_old_one(home: Path, run: Run) -> None:
    """What is left after uninstalling is the same data, so the bytes of the backup come back."""
    path = put(home / ".claude.json", SERVERS)
    assert run("install", "claude-code", "--yes")[0] == 0
    path.write_text(json.dumps(json.loads(path.read_text()), indent=4))
    assert run("uninstall", "claude-code", "--yes")[0] == 0
    assert path.read_text() == SERVERS


def test_a_backup_that_is_no_text_is_named_once(home: Path, run: Run) -> None:
    """A broken backup is an error that names the backup once."""
    path = put(home / ".claude.json", SERVERS)
    assert run("install", "claude-code", "--yes")[0] == 0
    backup = path.with_name(".claude.json.mckp-backup")
    backup.write_bytes(b"\xff")
    code, _, errors = run("uninstall", "claude-code", "--yes")
    assert (code, errors) == (1, f"mckp: error: not UTF-8 at byte 1 (in {backup})\n")


def test_a_file_that_changes_meanwhile_is_not_written(home: Path) -> None:
    """A file that another program changed after it was read stays as it is, without leftovers."""
    path = put(home / "servers.json", SERVERS)
    change = install(
        File(path, (("mcpServers",),)), program="mckp", options=[], leave=[], every=False
    )
    path.write_text("{}")
    with pytest.raises(Exception, match="another program has just changed this file"):
        change.write()
    assert path.read_text() == "{}"
    assert [entry.name for entry in home.iterdir() if entry.is_file()] == ["servers.json"]


def test_a_backup_that_is_a_link_is_not_written_through(home: Path, run: Run) -> None:
    """A backup that is a link is an error, and its target stays."""
    path = put(home / "work" / ".cursor" / "mcp.json", SERVERS)
    (path.parent / "mcp.json.mckp-backup").symlink_to(home / "elsewhere")
    code, _, errors = run("install", "cursor", "--project", "--yes")
    assert (code, "is a symlink, so nothing was written" in errors) == (1, True)
    assert path.read_text() == SERVERS
    assert not (home / "elsewhere").exists()


def test_a_missing_extra_is_said_before_anything_is_changed(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the extra, installing a proxy is an error and changes nothing; a hook needs none."""
    put(home / ".cursor" / "mcp.json", SERVERS)
    put(home / ".claude" / "settings.json", "{}")
    monkeypatch.setattr("mckp.cli.hosting.find_spec", dict[str, object]().get)
    assert run("install", "claude-code", "--yes")[0] == 0
    code, _, errors = run("install", "cursor", "--yes")
    assert (code, "pip install mcp (or" in errors) == (1, True)
    assert os.listdir(home / ".cursor") == ["mcp.json"]


def test_the_hook_comes_without_settings_and_the_program_by_its_place(home: Path, run: Run) -> None:
    """The hook is written without prior settings, with the full path of the program."""
    put(home / ".claude.json", SERVERS)
    before = files(home)
    assert run("install", "claude-code", "--budget", "900", "--yes")[0] == 0
    hook = json.loads((home / ".claude" / "settings.json").read_text("utf-8"))["hooks"]
    command = hook["PostToolUse"][0]["hooks"][0]["command"]
    server = json.loads((home / ".claude.json").read_text("utf-8"))["mcpServers"]["git"]
    for program in (command.split(" hook ")[0], server["command"]):
        assert Path(program.strip("'")).is_absolute()
    assert run("uninstall", "claude-code", "--yes")[0] == 0
    assert files(home) == before


def test_a_command_of_opencode_that_is_no_list_of_strings_is_left(home: Path, run: Run) -> None:
    """Entries of OpenCode whose command is no list of strings stay unchanged."""
    path = put(home / PLACES["opencode"], '{"mcp": {"a": {"command": [7]}, "b": {"command": []}}}')
    code, shown, _ = run("install", "opencode", "--yes")
    assert code == 0
    assert shown.count(b"left unchanged") == 2
    assert b"7" in path.read_bytes()
