"""Files of servers: what is right is read, what is wrong is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from mckp.agents.mcp.servers import (
    ProxySettings,
    read_servers,
    server_of_command,
    server_of_url,
    session_name,
)
from mckp.errors import ConfigError, UnknownNameError
from tests.cases import cases


def write(folder: Path, data: Any) -> Path:
    path = folder / "servers.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    return path


def test_servers_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands, addresses, limits, shapes and fields are read from a file of servers."""
    monkeypatch.setenv("TOKEN", "secret")
    monkeypatch.delenv("NOWHERE", raising=False)
    entries = cases(__file__, "SERVERS")
    git, far = read_servers(write(tmp_path, {"mcpServers": entries}))
    assert (git.name, git.command, git.args[2], git.env) == ("my-git", "uvx", ".", {"A": "b"})
    assert (far.url, far.headers) == ("https://x.example/mcp", {"X": "Bearer secret"})
    settings = ProxySettings(
        {"": 2000, "far.x": 500}, {"": "encode"}, servers=(git, far)
    ).session_settings()
    names = (*(("my-git", "git_log"), ("my-git", "x"), ("far", "x"), ("far", "y")),)
    assert [settings.of(session_name(*name)).limit for name in names] == [300, 900, 500, 2000]
    calls = ("my-git", "git_log"), ("my-git", "git_show"), ("far", "x")
    values = [settings.of(session_name(*call)) for call in calls]
    assert [value.structured for value in values] == ["drop", "keep", "encode"]
    assert [value.fields for value in values] == [("items[2:].sha",), (), ()]
    assert values[0].origin("budget") == "mcpServers.my-git"
    assert ProxySettings().session_settings().of("mcp__a__b").structured == "auto"


@pytest.mark.parametrize(
    ("data", "message"),
    cases(__file__, "test_what_is_wrong_is_named"),
)
def test_what_is_wrong_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: Any, message: str
) -> None:
    """An error in a file of servers says what is wrong and names the file."""
    monkeypatch.delenv("NO_SUCH_THING", raising=False)
    with pytest.raises(ConfigError, match=message) as error:
        read_servers(write(tmp_path, data))
    assert "servers.json" in str(error.value)


@pytest.mark.parametrize(
    ("words", "name"),
    cases(__file__, "test_commands_have_names"),
)
def test_commands_have_names(words: list[str], name: str) -> None:
    """A server without a name is named after its command."""
    assert server_of_command(words).name == name


def test_addresses_have_names() -> None:
    """A server at an address is named after its host; other words are no address."""
    assert server_of_url("https://mcp.example.org:8000/mcp", {}).name == "mcp-example-org"
    with pytest.raises(ConfigError, match="not an address"):
        server_of_url("example.org", {})


def test_settings_are_checked() -> None:
    """A budget that is too small and unknown words are errors."""
    with pytest.raises(ConfigError, match="too few"):
        ProxySettings({"git": 9})
    with pytest.raises(UnknownNameError, match="on-demand"):
        ProxySettings(catalog="toon")
    with pytest.raises(UnknownNameError, match="encode"):
        ProxySettings(structured={"git": "gzip"})
