"""The plugins of hosts: they have this version and our hook, and never lose a result."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import mckp
from mckp.agents.adapters.other_hooks import FORMS, respond_as
from mckp.agents.hosts.hooks import with_hook
from mckp.cli import COMMANDS
from mckp.cli.options import parse_arguments
from mckp.tokenizers import get

ROOT = Path(__file__).parents[2]
PLUGINS = ROOT / "plugins"
LOG = "".join(f"step {n} of the build is done, with {n * 7} files\n" for n in range(90))
COUNT = get("o200k").count
NODE = shutil.which("node")


def load(*names: str) -> Any:
    return json.loads(ROOT.joinpath(*names).read_text("utf-8"))


def test_each_plugin_has_the_version_of_the_package() -> None:
    """Manifests of all plugins have the version of the package and point to files that exist."""
    (listed,) = load(".claude-plugin", "marketplace.json")["plugins"]
    plugin = load("plugins", "claude-code", ".claude-plugin", "plugin.json")
    extension = load("plugins", "gemini", "gemini-extension.json")
    codex = load("plugins", "codex", ".codex-plugin", "plugin.json")
    bundle = load("plugins", "claude-desktop", "manifest.json")
    versions = {manifest["version"] for manifest in (listed, plugin, extension, codex, bundle)}
    assert versions == {mckp.__version__}
    (offered,) = load(".agents", "plugins", "marketplace.json")["plugins"]
    assert ROOT / offered["source"]["path"] == PLUGINS / "codex"
    assert offered["name"] == codex["name"] == bundle["name"] == "mckp"
    words = bundle["server"]["mcp_config"]["args"]
    given = [word.replace("${user_config.budget}", "4000") for word in words]
    assert parse_arguments(given).command == "mcp"
    assert (ROOT / listed["source"] / ".claude-plugin" / "plugin.json").is_file()
    assert listed["name"] == plugin["name"] == extension["name"] == "mckp"
    assert (PLUGINS / "gemini" / extension["contextFileName"]).is_file()


def test_the_plugin_has_the_hooks_that_install_writes() -> None:
    """The plugin of Claude Code has the hooks that `mckp install` writes."""
    written = json.loads(with_hook("{}", "mckp hook claude-code"))
    assert load("plugins", "claude-code", "hooks", "hooks.json")["hooks"] == written["hooks"]


@pytest.mark.parametrize("host", ["codex", "gemini"])
def test_each_hook_of_a_plugin_is_a_command_of_ours(host: str) -> None:
    """The hooks of Codex and Gemini run a command that `mckp` accepts."""
    hooks = load("plugins", host, "hooks", "hooks.json")["hooks"]
    commands = {
        h["command"] for groups in hooks.values() for group in groups for h in group["hooks"]
    }
    (command,) = commands
    program, *words = command.split()
    assert (program, parse_arguments(words).command) == ("mckp", "hook")
    assert words[1] in FORMS


@pytest.mark.parametrize("name", ["llms.txt", "plugins/claude-code/skills/mckp/SKILL.md"])
def test_what_models_read_is_there(name: str) -> None:
    """Links and commands in texts for models exist, and llms.txt names the guides."""
    text = (ROOT / name).read_text("utf-8")
    for place in re.findall(r"\]\(([^)]+)\)", text):
        assert (ROOT / place).is_file(), place
    commands = re.findall(r"^mckp (\w+)", text, re.MULTILINE)
    assert set(commands) <= set(COMMANDS)
    guides = {f"docs/guides/{path.name}" for path in (ROOT / "docs" / "guides").glob("*.md")}
    missing = guides - set(re.findall(r"docs/guides/[\w-]+\.md", text))
    assert name != "llms.txt" or missing == {"docs/guides/extras.md", "docs/guides/notebooks.md"}


@pytest.mark.parametrize("host", ["opencode", "pi"])
def test_the_event_of_a_module_is_answered_by_a_text(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module's event is answered with a text within the budget, or with nothing."""
    monkeypatch.setenv("MCKP_STATE_DIR", str(tmp_path))
    event = {"session": "s", "tool": "bash", "shell": True, "args": {"command": "make"}}
    said = json.loads(respond_as(host, json.dumps({**event, "text": LOG}).encode(), budget=400))
    assert list(said) == ["text"]
    assert COUNT(said["text"]) <= 400
    result = {"content": [{"type": "text", "text": "90 steps"}], "structuredContent": {"log": LOG}}
    of_server = {"session": "s", "tool": "ci_log", "args": {}, "result": result}
    said = json.loads(respond_as(host, json.dumps(of_server).encode(), budget=400))
    assert "90 steps" in said["text"] or "step 0" in said["text"]
    for left in ({**event, "text": "> [#3]\nours"}, {**event, "text": 7}, {"text": LOG}):
        assert respond_as(host, json.dumps(left).encode(), budget=400) == b"{}"


OPENCODE = """
import { Mckp } from "./mckp.mjs"
const hooks = await Mckp({ directory: "." })
const after = hooks["tool.execute.after"]
const shell = { title: "", output: LOG, metadata: {} }
await after({ tool: "bash", sessionID: "s", callID: "c", args: {} }, shell)
const read = { title: "", output: LOG, metadata: {} }
await after({ tool: "read", sessionID: "s", callID: "c", args: {} }, read)
const server = { content: [{ type: "text", text: "x" }], structuredContent: { log: LOG } }
await after({ tool: "ci_log", sessionID: "s", callID: "c", args: {} }, server)
const picture = { content: [{ type: "image", data: "" }, { type: "text", text: LOG }] }
await after({ tool: "ci_shot", sessionID: "s", callID: "c", args: {} }, picture)
console.log(JSON.stringify([shell.output, read.output, server, picture.content[1].text]))
"""
PI = """
import extension from "./mckp.mjs"
let on
extension({ on: (name, handler) => { if (name === "tool_result") on = handler } })
const text = (text) => [{ type: "text", text }]
const event = { toolCallId: "c", input: {}, isError: false }
console.log(JSON.stringify([
  await on({ ...event, toolName: "bash", content: text(LOG) }),
  await on({ ...event, toolName: "read", content: text(LOG) }),
  await on({ ...event, toolName: "bash", content: text(LOG), isError: true }),
  await on({ ...event, toolName: "shot", content: [{ type: "image" }] }),
].map((each) => each ?? null)))
"""


def ran(folder: Path, module: str, script: str, program: str, monkeypatch: Any) -> Any:
    """Return what a script prints in which a host's module is loaded."""
    shutil.copy(PLUGINS / module, folder / "mckp.mjs")
    (folder / "run.mjs").write_text(f"const LOG = {json.dumps(LOG)}\n{script}", "utf-8")
    monkeypatch.setenv("MCKP", program)
    command = [str(NODE), str(folder / "run.mjs")]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True, cwd=folder)
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(NODE is None or os.name != "posix", reason="there is no node, or no shell")
def test_modules_replace_results_and_lose_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The modules replace results by what mckp answers, and keep them if it fails."""
    ours = tmp_path / "mckp"
    ours.write_text('#!/bin/sh\ncat > event.json\necho \'{"text": "short"}\'\n')
    ours.chmod(0o755)
    program = f"{ours} --budget 400"
    shell, read, server, picture = ran(tmp_path, "opencode/mckp.js", OPENCODE, program, monkeypatch)
    assert (shell, read, picture) == ("short", LOG, LOG)
    assert server == {"content": [{"type": "text", "text": "short"}]}
    event = load(str(tmp_path / "event.json"))
    assert (event["session"], event["tool"]) == ("s", "ci_log")
    assert event["result"]["structuredContent"] == {"log": LOG}
    cut, *left = ran(tmp_path, "pi/mckp.ts", PI, program, monkeypatch)
    assert cut == {"content": [{"type": "text", "text": "short"}]}
    assert left == [None, None, None]
    event = load(str(tmp_path / "event.json"))
    assert (event["shell"], event["text"], event["args"]) == (True, LOG, {})
    shell, _, server, _ = ran(tmp_path, "opencode/mckp.js", OPENCODE, "no-such-mckp", monkeypatch)
    assert shell == LOG
    assert server["structuredContent"] == {"log": LOG}
    assert ran(tmp_path, "pi/mckp.ts", PI, "false", monkeypatch) == [None] * 4
