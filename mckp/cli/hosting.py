"""``mckp install``, ``uninstall`` and ``doctor``: the proxy in the configurations of hosts."""

from __future__ import annotations

import os
import shutil
import sys
from argparse import ArgumentParser
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.hosts import HOSTS, changes, files_of
from mckp.agents.hosts.health import notes, problems
from mckp.cli import streams
from mckp.cli.other_options import add_proxy_options
from mckp.cli.proxying import settings_of
from mckp.display.blocks import aligned_lines
from mckp.errors import ConfigError, MckpError, MissingExtraError
from mckp.jsontext import dump, is_array

if TYPE_CHECKING:
    from argparse import Namespace

    from mckp.agents.hosts import File, Host
    from mckp.agents.hosts.changes import FileChange


def install(arguments: Namespace) -> None:
    """Show what installing changes, and write it if the user confirms."""
    host, files = _host_and_files(arguments)
    proxy_settings = settings_of(arguments, [])  # raises what the proxy would refuse
    hook_options = (
        ["--budget", str(proxy_settings.limits[""])] if "" in proxy_settings.limits else []
    )
    hook_options += [] if arguments.tokenizer is None else ["--tokenizer", proxy_settings.tokenizer]
    leave, proxy_options = arguments.leave, _proxy_options(arguments)
    install_options: dict[str, Any] = {
        "program": _program_path(),
        "leave": leave,
        "every": arguments.all,
    }
    planned = [
        changes.install(
            file,
            options=proxy_options if file.keys else hook_options,
            **install_options,
        )
        for file in files
    ]
    if find_spec("mcp") is None and any(step.servers and step.new != step.old for step in planned):
        raise MissingExtraError("mcp", "mcp")
    left = [place for change in planned if change.servers for place in change.servers.left]
    for name in leave:
        if not any(name in place for place in left):
            raise MckpError(f"--leave {name}: {host.name} has no server of this name")
    _confirm_and_write(planned, arguments)


def _proxy_options(arguments: Namespace) -> list[str]:
    """Return the given options of the proxy as words of its command."""
    words: list[str] = []
    for option in add_proxy_options(ArgumentParser()):
        value: Any = getattr(arguments, option.dest)
        if value == option.default:
            continue
        if option.dest in ("spill", "telemetry") and value:
            value = str(
                Path(value).expanduser().resolve()
            )  # hosts start the proxy in another folder
        for item in value if is_array(value) else [value]:
            text = str(item)
            if option.dest in ("budget", "structured"):
                name, rule = item
                text = f"{name}={rule}" if name else str(rule)
            words += [option.option_strings[-1], *([] if item is True or item == "" else [text])]
    return words


def uninstall(arguments: Namespace) -> None:
    """Show what uninstalling changes, and write it if the user confirms."""
    _, files = _host_and_files(arguments)
    _confirm_and_write([changes.uninstall(file) for file in files], arguments)


def _host_and_files(arguments: Namespace) -> tuple[Host, list[File]]:
    """Return the named host, and its files that exist or may be created."""
    host = HOSTS[arguments.host]
    config = None if arguments.config is None else Path(arguments.config)
    files = files_of(host, Path.cwd() if arguments.project else None, config)
    # If Claude Code is here, the hook may create its settings.
    is_here = any(f.path.exists() or (not f.keys and f.path.parent.is_dir()) for f in files)
    present_files = [f for f in files if f.path.exists() or (not f.keys and is_here)]
    if not present_files:
        places = " or ".join(str(file.path) for file in files)
        if not places:
            raise ConfigError(f"{host.name} has no configuration in projects; leave out --project")
        raise ConfigError(f"{host.name} has no configuration at {places}; name one with --config")
    return host, present_files


def _program_path() -> str:
    """Return our program's path, since a host may not find it by name; raise if there is none."""
    installed = Path(sys.executable).with_name("mckp.exe" if os.name == "nt" else "mckp")
    path = str(installed) if installed.exists() else shutil.which("mckp")
    if path is None:
        raise MckpError("mckp was not found; install it with pip, pipx or uv first")
    return path


def _confirm_and_write(planned: list[FileChange], arguments: Namespace) -> None:
    """Show the changes, ask the user, and write them."""
    lines: list[str] = []
    for change in planned:
        if change.new != change.old:
            lines += change.diff().splitlines()
        if change.servers is not None:
            lines += [
                f"{name}: left unchanged, because {why}"
                for name, why in change.servers.left.items()
            ]
            lines += [f"{name}: already runs through the proxy" for name in change.servers.already]
    changed_files = [change for change in planned if change.new != change.old]
    lines += [] if changed_files else ["nothing needs to be changed"]
    streams.write("".join(f"{streams.printable(line)}\n" for line in lines), streams.STANDARD)
    if not changed_files or not (arguments.yes or _confirm()):
        return
    for change in changed_files:
        try:
            change.write()
        except MckpError as error:
            raise ConfigError(str(error), source=str(change.path)) from None
        backup_note = f"; backup: {change.backup}" if change.backup.exists() else ""
        sys.stderr.write(
            f"mckp: {change.path} is {'written' if change.new else 'deleted'}{backup_note}\n"
        )


def _confirm() -> bool:
    """Ask whether to write, and return the answer; raise `MckpError` without a terminal."""
    if not streams.is_terminal(sys.stdin):
        raise MckpError(
            "nothing was written, because no terminal can confirm it; pass --yes to write"
        )
    sys.stderr.write("mckp: write these changes? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    sys.stderr.write("mckp: nothing was written\n")
    return False


def examine(arguments: Namespace) -> int:
    """Print each host's files, whether they use mckp, and problems; return 1 if there are any."""
    files = {
        (host.name, file.path): file
        for host in HOSTS.values()
        if host.file
        for file in [*files_of(host, Path.cwd()), *files_of(host)]
    }
    states = [(name, file, *_state_of(file)) for (name, _), file in files.items()]
    relevant = [(name, file, state, error) for name, file, state, error in states if state or error]
    rows = [
        (name, str(file.path), state, "; ".join([*([error] if error else []), *problems(file)]))
        for name, file, state, error in relevant
    ]
    notes_by_host = {name: notes(HOSTS[name]) for name in dict.fromkeys(row[0] for row in rows)}
    if arguments.json:
        plain = [dict(zip(_HEAD, row, strict=True)) for row in rows]
        text = dump([{**row, "notes": notes_by_host[row["host"]]} for row in plain])
    else:
        lines = (
            aligned_lines(_HEAD[:3], [row[:3] for row in rows])
            if rows
            else ["no MCP host was found on this machine"]
        )
        lines += [f"{name}: error: {error}" for name, _, _, error in rows if error]
        lines += [
            f"{name}: {note}" for name, host_notes in notes_by_host.items() for note in host_notes
        ]
        if find_spec("mcp") is None:
            lines.append(str(MissingExtraError("mcp", "mcp")))
        text = "\n".join(map(streams.printable, lines))
    streams.write(f"{text}\n", streams.STANDARD)
    return 1 if any(row[3] for row in rows) else 0


_HEAD: Final = ("host", "file", "state", "error")


def _state_of(file: File) -> tuple[str, str]:
    """Return the state of a file, and why it cannot be used; both are empty if it is missing."""
    try:
        change = changes.install(file, program="mckp", options=(), leave=(), every=True)
    except OSError as error:
        return "broken", error.strerror or str(error)
    except MckpError as error:
        return "broken", str(error)
    if change.old is None:
        return "", ""
    if (servers := change.servers) is None:
        return "without the hook" if change.new != change.old else "with the hook", ""
    server_count = len(servers.changed) + len(servers.already) + len(servers.left)
    return f"{len(servers.already)} of {server_count} servers run through mckp", ""
