"""What ``mckp doctor`` checks: what a host shows, and whether it can start our commands."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from mckp.agents.host import BOTH, DATA, TEXT
from mckp.agents.hosts.hooks import commands_of_hooks
from mckp.agents.hosts.wrapping import commands_of_servers
from mckp.agents.places import read_whole
from mckp.errors import MckpError
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.agents.host import Host
    from mckp.agents.hosts.places import File

_PATIENCE: Final = 20
"""The most seconds that a program may take to print its version."""
_VERSION: Final = regex(r"\d+(?:\.\d+)+")
_SHOWS: Final = {
    DATA: "shows the structured content of a result, if any, instead of its texts, so the "
    "proxy sends only text",
    TEXT: "shows the texts of a result, but not its structured content",
    BOTH: "shows texts and structured content, so the proxy sends only one of them",
}


def version_of(program: str) -> str | None:
    """Return the version that a program prints, or None if it does not run or prints none.

    Examples
    --------
    >>> version_of("no-such-program") is None
    True
    """
    path = shutil.which(program)
    if path is None:
        return None
    try:
        finished = subprocess.run(
            [path, "--version"],
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(finished.stdout.decode("utf-8", "replace"))
    return match[0] if match and finished.returncode == 0 else None


def is_newer(version: str, than: str) -> bool:
    """Whether a version is newer than another; both are numbers with dots in between.

    Examples
    --------
    >>> is_newer("2.1.400", "2.1.332"), is_newer("2.1.332", "2.1.332"), is_newer("2.2", "2.1.9")
    (True, False, True)
    """
    return [int(part) for part in version.split(".")] > [int(part) for part in than.split(".")]


def notes(host: Host) -> list[str]:
    """Return notes on a host's limits: what it shows, and what a hook cannot do in it.

    The host's program is run to get its version.
    """
    lines: list[str] = []
    if not host.version:
        lines.append(
            "what this host shows of a result is not known; the proxy assumes that it shows all"
        )
    else:
        lines.append(f"{_SHOWS[host.shows]} (tested with {host.version}{_limits_in_words(host)})")
        installed = version_of(host.program) if host.program else None
        if installed is not None and is_newer(installed, host.version):
            lines.append(
                f"the installed version {installed} is newer than {host.version}, so it may "
                "show other parts of results or have other limits"
            )
    if host.hook_note:
        lines.append(host.hook_note)
    return lines


def _limits_in_words(host: Host) -> str:
    """Return the end of a note that names the limits of a host; empty if none is known."""
    sizes = {
        "characters": host.most_chars,
        "bytes": host.most_bytes,
        "lines": host.most_lines,
    }
    listed = [f"{size:,} {unit}" for unit, size in sizes.items() if size is not None]
    return f", results up to {' and '.join(listed)}" if listed else ""


def problems(file: File) -> list[str]:
    """Return what would fail if the host started the commands in a file that run mckp.

    Our program is run to get its version. The server programs that it would start are looked for,
    but not run. If the file cannot be read, the list is empty.
    """
    try:
        text = read_whole(file.path).decode()
        commands = list(_commands(file, text))
    except (OSError, ValueError, MckpError):
        return []  # `mckp doctor` reports this as the state of the file
    lines: list[str] = []
    does_run: dict[str, bool] = {}
    for place, words in commands:
        program, server_program = words[0], _server_program(words)
        if program not in does_run:
            does_run[program] = version_of(program) is not None
        if not does_run[program]:
            lines.append(f"{place}: {program} does not run; run mckp uninstall, then mckp install")
        if server_program is not None and shutil.which(server_program) is None:
            lines.append(f"{place}: {server_program} was not found on the PATH of this shell")
    return list(dict.fromkeys(lines))


def _commands(file: File, text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each of our commands in a file: its place, and its words."""
    if file.keys:
        for place, words in commands_of_servers(text, file.keys, toml=file.is_toml):
            if words and _is_ours(words[0]) and words[1:2] == ["mcp"]:
                yield place, words
        return
    for event, command in commands_of_hooks(text):
        yield f"hook {event}", shlex.split(command)


def _is_ours(program: str) -> bool:
    """Whether a program, given its name or path, is mckp."""
    return PurePath(program.replace("\\", "/")).name.removesuffix(".exe") == "mckp"


def _server_program(words: list[str]) -> str | None:
    """Return the server program that the proxy would start, or None if it starts none."""
    rest = words[words.index("--") + 1 :] if "--" in words else []
    return rest[0] if rest else None
