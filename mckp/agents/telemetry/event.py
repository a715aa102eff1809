"""The event of one tool result: numbers and names, never its text.

Hashes replace the names of sessions and servers; each installation has its own salt.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config.checks import check_types
from mckp.agents.places import VERSIONS, write_atomically
from mckp.errors import ParseError
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

SALT_BYTES: Final = 32


def installation_salt(path: str | PathLike[str]) -> str:
    """Return the salt in a file, which is created if it is missing.

    Only the user may read the file. Two processes that create it at the same time get the same
    salt. A file that is too short to be a salt raises `ValueError`.
    """
    file = Path(path)
    if not file.exists():
        from secrets import token_hex  # only a first start needs it

        new_salt = token_hex(SALT_BYTES // 2).encode()
        write_atomically(file, new_salt, mode=0o600, overwrite=False)
    salt = file.read_text("ascii", "replace").strip()
    if len(salt) < SALT_BYTES:
        raise ValueError(
            f"{file} has only {len(salt)} characters, but a salt has at least {SALT_BYTES}; "
            "delete the file to get a new one"
        )
    return salt


_WORD: Final = regex(r"[A-Za-z0-9_.:+,-]{0,80}")
_NAME: Final = regex(r"[A-Za-z][A-Za-z0-9_.:-]{0,63}")


def hashed(text: str | bytes, salt: str, size: int = 8) -> str:
    """Return a hash of `size` hexadecimal digits, which reveals nothing without the salt.

    Examples
    --------
    >>> hashed("gitlab", "ours", 6) == hashed("gitlab", "theirs", 6)
    False
    """
    key = blake2b(salt.encode(), digest_size=32).digest() if salt else b""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return blake2b(raw, digest_size=(size + 1) // 2, key=key).hexdigest()[:size]


def word(text: str) -> str:
    """Return a name or a hash unchanged, or ``other`` if it may be text.

    Examples
    --------
    >>> word("mcp__p1ad56b__get_issues"), word("cat /home/ada/diary")
    ('mcp__p1ad56b__get_issues', 'other')
    """
    return text if _WORD.fullmatch(text) else "other"


@dataclass(frozen=True, slots=True)
class Anonymiser:
    """Makes the names that telemetry uses for sessions, tools and servers.

    Parameters
    ----------
    salt : str
        The secret of the installation; see `installation_salt`.

    Examples
    --------
    >>> ours = Anonymiser("ours")
    >>> ours.tool("Read"), ours.tool("mcp__acme_internal__get_issues")
    ('Read', 'mcp__p1ad56b__get_issues')
    """

    salt: str

    def session(self, name: str) -> str:
        """Return 16 hexadecimal digits for the id of a session."""
        return hashed(name, self.salt, 16)

    def tool(self, name: str) -> str:
        """Return the name of a tool without the name of its server.

        In ``mcp__<server>__<tool>`` the server is hashed, even if it has ``__`` itself. Other names
        stay, unless they look like text.
        """
        server, separator, verb = name.removeprefix("mcp__").rpartition("__")
        if name.startswith("mcp__") and separator:
            return f"mcp__{self.server(server)}__{self._plain(verb)}"
        return self._plain(name)

    def server(self, name: str) -> str:
        """Return ``p`` with a hash, which replaces a server's name in the names of its tools."""
        return "p" + hashed(name, self.salt, 6)

    def _plain(self, name: str) -> str:
        """Return a name unchanged, or hashed if it looks like text."""
        return name if _NAME.fullmatch(name) else "x" + hashed(name, self.salt, 6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One result of a tool."""

    session_hash: str
    """16 digits; see `Anonymiser.session`."""
    tool_name_anon: str
    """See `Anonymiser.tool`."""
    ts_ms: int
    """Milliseconds since 1970."""
    is_dedup_hit: bool = False
    """Whether it was sent as a reference."""
    tokens_baseline: int = 0
    """Tokens of the result, as compact JSON if it is JSON."""
    tokens_final: int = 0
    """Tokens of what was sent, with all hints."""
    tokens_cut: int = 0
    """Tokens that were cut for a budget, which are not savings."""
    tokenizer: str = "o200k"
    content: str = ""
    """The kind of the result: ``json``, ``markdown``, or a kind of text, such as ``log``."""
    agent: str = "main"
    """``main``, or 16 digits for a sub-agent."""
    partition: int = 0
    """How often the agent's context had been emptied before, such as by a compaction."""
    characters: int = 0
    """Characters of the result as it came."""
    layer: str = ""
    """What was sent: ``L0`` a reference, ``L2`` an encoded text, ``L3`` the result as it came."""
    way: str = ""
    """How it was sent: ``hint_exact``, ``hint_near``, ``compact`` or ``raw``."""
    version: int = VERSIONS["events"]
    """The version of the format; a new field does not raise it."""

    def to_dict(self) -> dict[str, Any]:
        """Return the event as plain data that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Event:
        """Return the event that `to_dict` returned as `data`; unknown fields are ignored.

        A `ParseError` is raised for a newer version, and for data that are not an event.
        """
        version = data.get("version", VERSIONS["events"])
        if not isinstance(version, int) or version > VERSIONS["events"]:
            newest = VERSIONS["events"]
            raise ParseError(
                f"version {version!r} is newer than {newest}, the newest this mckp can read"
            )
        known = {field.name: data[field.name] for field in fields(cls) if field.name in data}
        try:
            event = cls(**known)
            check_types(event)
        except TypeError as error:
            raise ParseError(f"this is not an event: {error}") from None
        return event
