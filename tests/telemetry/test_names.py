"""Hashes of telemetry depend on a secret that only the installation knows."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.agents.telemetry import Anonymiser, installation_salt

OURS, THEIRS = Anonymiser("ours"), Anonymiser("theirs")


@given(st.text(max_size=40))
def test_every_hash_is_salted(text: str) -> None:
    """The same name has other hashes with another salt."""
    assert OURS.session(text) != THEIRS.session(text)
    assert len(OURS.session(text)) == 16
    assert OURS.tool(f"mcp__{text}__get") != THEIRS.tool(f"mcp__{text}__get")


@pytest.mark.parametrize("slug", ["gitlab", "acme__internal", "a b", "Ünïcode", "x" * 99])
def test_names_of_servers_are_hashed(slug: str) -> None:
    """The tool is distinguished from its server by the last two underscores."""
    anonymous = OURS.tool(f"mcp__{slug}__get_issues")
    assert anonymous == f"mcp__{OURS.server(slug)}__get_issues"
    assert slug not in anonymous
    assert len(OURS.server(slug)) == 7


@pytest.mark.parametrize("name", ["Read", "Bash", "web.fetch", "get-issues", "mcp__odd"])
def test_names_of_other_tools_stay(name: str) -> None:
    """Names of tools that belong to no server stay as they are."""
    assert OURS.tool(name) == name


@pytest.mark.parametrize("name", ["", "look up ada@example.org", "a\nb", "/home/ada/x", "x" * 65])
def test_names_that_look_like_text_are_hashed(name: str) -> None:
    """Whoever makes names of tools from what users say does not tell us."""
    assert OURS.tool(name).startswith("x")
    assert len(OURS.tool(name)) == 7
    assert OURS.tool(f"mcp__a__{name} ").startswith(f"mcp__{OURS.server('a')}__x")


def test_the_salt_stays_and_is_secret(tmp_path: Path) -> None:
    """The salt of an installation is random, kept, and readable by its owner alone."""
    file = tmp_path / "deep" / "salt"
    salt = installation_salt(file)
    assert len(salt) == 32
    assert installation_salt(file) == salt
    assert installation_salt(tmp_path / "other") != salt
    assert [path.name for path in file.parent.iterdir()] == ["salt"]
    if os.name != "nt":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_all_who_make_the_salt_at_once_get_the_same(tmp_path: Path) -> None:
    """Threads that make the salt at once get the same one."""
    with ThreadPoolExecutor(8) as pool:
        salts = set(pool.map(installation_salt, [tmp_path / "salt"] * 32))
    assert len(salts) == 1


def test_a_salt_that_is_none_is_refused(tmp_path: Path) -> None:
    """An empty file would make hashes that all can guess."""
    (tmp_path / "salt").write_text("")
    with pytest.raises(ValueError, match="a salt has at least"):
        installation_salt(tmp_path / "salt")
