"""Servers from the registries, and a call, or several, of each of their tools."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Call = tuple[str, dict[str, Any]]

_DATES: Final = {
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}


@dataclass(frozen=True, slots=True)
class Subject:
    """A server, and what is asked of it.

    Attributes
    ----------
    name, source : str
        The server, and where it is from.
    command : tuple of str
        How it is started.
    calls : list of Call
        Names of tools with arguments, in order.
    prepare : callable
        Makes new copies of all that it works on.
    env : dict
        Variables for it.
    """

    name: str
    source: str
    command: tuple[str, ...]
    calls: list[Call]
    prepare: Callable[[], object] = lambda: None
    env: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def is_there(self) -> bool:
        """Whether it is installed."""
        return shutil.which(self.command[0]) is not None


def subjects(work: Path, page: str) -> list[Subject]:
    """Return all servers, which work in a folder; ``page`` is the address of a page to fetch."""
    files, repository = work / "files", work / "repository"
    database, graph = work / "notes.db", work / "graph.json"
    return [
        Subject(
            "filesystem",
            "npm @modelcontextprotocol/server-filesystem",
            ("mcp-server-filesystem", str(files)),
            _filesystem(files),
            lambda: _make_files(files),
        ),
        Subject(
            "everything",
            "npm @modelcontextprotocol/server-everything",
            ("mcp-server-everything", "stdio"),
            _EVERYTHING,
        ),
        Subject(
            "memory",
            "npm @modelcontextprotocol/server-memory",
            ("mcp-server-memory",),
            _MEMORY,
            lambda: graph.unlink(missing_ok=True),
            {"MEMORY_FILE_PATH": str(graph)},
        ),
        Subject(
            "git",
            "PyPI mcp-server-git",
            ("mcp-server-git", "--repository", str(repository)),
            _git(str(repository)),
            lambda: _make_repository(repository),
            _DATES,
        ),
        Subject(
            "fetch",
            "PyPI mcp-server-fetch",
            ("mcp-server-fetch", "--allow-private-ips"),
            _fetch(page),
        ),
        Subject(
            "sqlite",
            "PyPI mcp-server-sqlite",
            ("mcp-server-sqlite", "--db-path", str(database)),
            _SQLITE,
            lambda: database.unlink(missing_ok=True),
        ),
    ]


def _make_files(files: Path) -> None:
    shutil.rmtree(files, ignore_errors=True)
    (files / "src").mkdir(parents=True)
    for number in range(40):
        code = "".join(f"def step_{n}():\n    return {n} * {number}\n\n" for n in range(12))
        (files / "src" / f"module_{number}.py").write_text(code)
    lines = (
        f"2026-01-02 03:04:{n % 60:02} INFO request {n} took {n * 7 % 90} ms" for n in range(500)
    )
    (files / "server.log").write_text("\n".join(lines))
    (files / "notes.md").write_text("# Notes\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n" * 9)
    (files / "dot.png").write_bytes(bytes.fromhex("89504e470d0a1a0a"))
    for path in (*files.rglob("*"), files):
        os.utime(path, (1_760_000_000, 1_760_000_000))


def _filesystem(files: Path) -> list[Call]:
    log, notes, new = str(files / "server.log"), str(files / "notes.md"), str(files / "new.txt")
    modules = [str(files / "src" / f"module_{n}.py") for n in range(6)]
    return [
        ("list_allowed_directories", {}),
        ("list_directory", {"path": str(files)}),
        ("list_directory", {"path": str(files / "src")}),
        ("list_directory_with_sizes", {"path": str(files / "src"), "sortBy": "size"}),
        ("directory_tree", {"path": str(files)}),
        ("directory_tree", {"path": str(files)}),
        ("search_files", {"path": str(files), "pattern": "**/*.py"}),
        ("get_file_info", {"path": log}),
        ("read_file", {"path": log}),
        ("read_text_file", {"path": log}),
        ("read_text_file", {"path": log, "tail": 30}),
        ("read_text_file", {"path": notes}),
        ("read_media_file", {"path": str(files / "dot.png")}),
        ("read_multiple_files", {"paths": modules}),
        ("write_file", {"path": new, "content": "one\ntwo\nthree\n"}),
        ("edit_file", {"path": new, "edits": [{"oldText": "two", "newText": "2"}]}),
        ("create_directory", {"path": str(files / "made")}),
        ("move_file", {"source": new, "destination": str(files / "made" / "moved.txt")}),
        ("read_text_file", {"path": str(files / "nothing.txt")}),
    ]


_EVERYTHING: Final[list[Call]] = [
    ("echo", {"message": "hello " * 60}),
    ("echo", {"message": "> [ref #1]\n" * 30}),
    ("get-annotated-message", {"messageType": "error", "includeImage": True}),
    ("get-env", {}),
    ("get-resource-links", {"count": 5}),
    ("get-resource-reference", {"resourceType": "Text", "resourceId": 2}),
    ("get-structured-content", {"location": "Chicago"}),
    ("get-sum", {"a": 2, "b": 3}),
    ("get-tiny-image", {}),
    ("gzip-file-as-resource", {"data": "data:text/plain,hello", "outputType": "resource"}),
    ("toggle-simulated-logging", {}),
    ("toggle-simulated-logging", {}),
    ("toggle-subscriber-updates", {}),
    ("toggle-subscriber-updates", {}),
    ("trigger-long-running-operation", {"duration": 0.2, "steps": 2}),
    ("get-roots-list", {}),
    ("trigger-elicitation-request", {}),
    ("trigger-url-elicitation", {"url": "https://example.org", "elicitationId": "one"}),
    ("trigger-sampling-request", {"prompt": "why?", "maxTokens": 9}),
    ("simulate-research-query", {"topic": "tides"}),
]

_PEOPLE: Final = [f"person {n}" for n in range(30)]
_MEMORY: Final[list[Call]] = [
    (
        "create_entities",
        {
            "entities": [
                {"name": name, "entityType": "person", "observations": [f"likes {name[-1]}"]}
                for name in _PEOPLE
            ]
        },
    ),
    (
        "create_relations",
        {
            "relations": [
                {"from": person, "to": friend, "relationType": "knows"}
                for person, friend in pairwise(_PEOPLE)
            ]
        },
    ),
    (
        "add_observations",
        {"observations": [{"entityName": "person 1", "contents": ["is tall", "sings"]}]},
    ),
    ("read_graph", {}),
    ("read_graph", {}),
    ("search_nodes", {"query": "person 2"}),
    ("open_nodes", {"names": ["person 1", "person 2"]}),
    (
        "delete_observations",
        {"deletions": [{"entityName": "person 1", "observations": ["sings"]}]},
    ),
    (
        "delete_relations",
        {"relations": [{"from": "person 0", "to": "person 1", "relationType": "knows"}]},
    ),
    ("delete_entities", {"entityNames": ["person 9"]}),
    ("read_graph", {}),
]


def _make_repository(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)

    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=folder, env={**os.environ, **_DATES}, check=True)

    git("init", "--quiet", "--initial-branch=main")
    for number in range(12):
        (folder / f"file_{number % 4}.txt").write_text(f"line {number}\n" * (number + 3))
        git("add", ".")
        git("commit", "--quiet", "--message", f"Change {number}: file {number % 4} grows")
    (folder / "file_1.txt").write_text("all new\n" * 20)


def _git(folder: str) -> list[Call]:
    where = {"repo_path": folder}
    return [
        ("git_status", where),
        ("git_diff_unstaged", where),
        ("git_log", {**where, "max_count": 12}),
        ("git_log", {**where, "max_count": 12}),
        ("git_show", {**where, "revision": "HEAD"}),
        ("git_diff", {**where, "target": "HEAD~3"}),
        ("git_branch", {**where, "branch_type": "local"}),
        ("git_add", {**where, "files": ["file_1.txt"]}),
        ("git_diff_staged", where),
        ("git_reset", where),
        ("git_add", {**where, "files": ["file_1.txt"]}),
        ("git_commit", {**where, "message": "All new"}),
        ("git_create_branch", {**where, "branch_name": "side"}),
        ("git_checkout", {**where, "branch_name": "side"}),
        ("git_log", {**where, "max_count": 3}),
        ("git_show", {**where, "revision": "no-such"}),
    ]


def _fetch(page: str) -> list[Call]:
    return [
        ("fetch", {"url": page, "max_length": 20000}),
        ("fetch", {"url": page, "max_length": 20000, "raw": True}),
        ("fetch", {"url": page, "max_length": 20000}),
        ("fetch", {"url": page + "nothing"}),
    ]


_VALUES: Final = ", ".join(f"({n}, 'harbour {n % 5}', {n * 0.25})" for n in range(60))
_SQLITE: Final[list[Call]] = [
    ("create_table", {"query": "CREATE TABLE tides (id INTEGER, place TEXT, metres REAL)"}),
    ("write_query", {"query": f"INSERT INTO tides VALUES {_VALUES}"}),
    ("list_tables", {}),
    ("describe_table", {"table_name": "tides"}),
    ("read_query", {"query": "SELECT * FROM tides"}),
    ("read_query", {"query": "SELECT * FROM tides"}),
    ("read_query", {"query": "SELECT * FROM nothing"}),
    ("append_insight", {"insight": "The tide is out."}),
]

PROXY: Final = (sys.executable, "-m", "mckp", "mcp")
"""How the proxy is started."""
