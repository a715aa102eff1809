"""The steps of the guide on hosts, in a made-up home for each."""

import json
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from mckp.agents.config import load
from mckp.agents.hosts import HOSTS
from mckp.cli.options import parse_arguments
from tests.cases import cases
from tests.cli.conftest import Run
from tests.cli.test_hosting import content, put
from tests.cli.test_hosting import home as home

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/guides/hosts.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"(?ms)^## (.+?)\n(.*?)(?=^## |\Z)", PAGE))
PLACES = cases(str(ROOT / "tests/cli/test_hosting.py"), "PLACES")


def steps(text: str) -> list[list[str]]:
    """Return the commands of a section."""
    blocks = re.findall(r"(?ms)^```sh\n(.*?)^```", text)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


def do(words: list[str], run: Run, home: Path) -> bytes:
    """Do one step, and say yes to what it asks; return what it prints."""
    places = [home / word.removeprefix("~/") for word in words if word.startswith("~/")]
    if words[0] == "mkdir":
        places[0].mkdir(parents=True)
    elif words[0] == "cp":
        shutil.copy(ROOT / words[1], places[0])
    else:
        assert words[0] == "mckp"
        code, shown, errors = run(*words[1:], *(["--yes"] if words[1] != "doctor" else []))
        assert code == 0, errors or shown
        return shown
    return b""


def test_each_host_that_install_knows_has_a_section() -> None:
    """The guide has a command, a section and a row of its table for each host of `install`."""
    commands = re.findall(r"(?m)^mckp install (\S+)", PAGE)
    assert sorted(commands) == sorted(name for name, host in HOSTS.items() if host.file)
    rows = re.findall(r"(?m)^\| ([^|]+?) \|", PAGE)[1:]
    assert rows == list(SECTIONS)


@pytest.mark.slow
@pytest.mark.parametrize("title", SECTIONS)
def test_the_steps_of_a_host_work(
    home: Path, run: Run, title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step ends without an error, also where the programs of the servers are not installed."""
    programs = home.parent / f"programs of {home.name}"
    programs.mkdir()
    for program in ("uvx", "npx"):
        (programs / program).write_text("#!/bin/sh\n")
        (programs / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    commands = steps(SECTIONS[title])
    name = next((words[2] for words in commands if words[1] == "install"), None)
    if name is None:
        assert all(not do(words, run, home) for words in commands)
        assert [path.name for path in home.rglob("*") if path.is_file()] == ["mckp.ts"]
        return
    file = put(home / PLACES[name], content(name))
    (home / ".claude").mkdir(exist_ok=True)
    assert (commands[0][:3], commands[-1]) == (
        ["mckp", "install", name],
        ["mckp", "uninstall", name],
    )
    shown = ""
    for words in commands[:-1]:
        shown = do(words, run, home).decode()
        assert "mckp" in file.read_text("utf-8")
    assert "1 of 1 servers run through mckp" in shown
    do(commands[-1], run, home)
    assert file.read_text("utf-8") == content(name)


def test_the_budget_of_hooks_is_what_the_page_says(tmp_path: Path) -> None:
    """The configuration on the page sets the budget that the page names."""
    (text,) = re.findall(r"printf '(.*)' >", PAGE)
    file = tmp_path / "pipeline_config.toml"
    file.write_text(text.replace(r"\n", "\n"), "utf-8")
    assert load(file).settings.budget == 4000


def test_the_hook_of_copilot_is_a_command_of_ours() -> None:
    """The hook file for Copilot runs a command that `mckp` accepts, for at most a minute."""
    hooks = json.loads((ROOT / "plugins/copilot/mckp.json").read_text("utf-8"))["hooks"]
    ((hook,),) = hooks.values()
    program, *words = hook["bash"].split()
    assert (program, parse_arguments(words).what) == ("mckp", "copilot-cli")
    assert sys.platform == "win32" or hook["timeoutSec"] == 60
