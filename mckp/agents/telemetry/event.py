"""What is written down of one result of a tool: numbers, names and hashes, never its text.

What telemetry calls sessions, contents, files and tools: hashes, salted by installation.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import tempfile
from dataclasses import MISSING, dataclass, field, fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config.settings import check_fields
from mckp.errors import RecordError
from mckp.jsontext import is_array

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Self

SALT_BYTES: Final = 32


def installation_salt(path: str | PathLike[str]) -> str:
    """Return the salt in a file, which is made where there is none.

    Only its owner may read the file. Two processes that make it at the same time get the
    same salt.

    Parameters
    ----------
    path : path-like
        The file; folders that are missing are made.

    Raises
    ------
    ValueError
        If the file is there and too short to be a salt.
    """
    file = Path(path)
    if not file.exists():
        _make(file)
    salt = file.read_text("ascii", "replace").strip()
    if len(salt) < SALT_BYTES:
        raise ValueError(
            f"{file} has {len(salt)} characters and is no salt; delete it for a new one"
        )
    return salt


def _make(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    # mkstemp lets only the owner read; a link either finds no file or leaves the other's.
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(handle, "w") as made:
            made.write(secrets.token_hex(SALT_BYTES // 2))
            made.flush()
            os.fsync(made.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(name, file)
    finally:
        Path(name).unlink()


_WORD: Final = re.compile(r"[A-Za-z0-9_.:+,-]{0,80}")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]{0,63}")


def hashed(text: str | bytes, salt: str, size: int = 8) -> str:
    """Return hexadecimal digits that say nothing to who does not know the salt.

    Examples
    --------
    >>> hashed("gitlab", "ours", 6) == hashed("gitlab", "theirs", 6)
    False
    """
    key = blake2b(salt.encode(), digest_size=32).digest() if salt else b""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return blake2b(raw, digest_size=(size + 1) // 2, key=key).hexdigest()[:size]


def word(text: str) -> str:
    """Return a name or a hash as it is, and ``other`` for what looks like text.

    Examples
    --------
    >>> word("mcp__p1ad56b__get_issues"), word("cat /home/ada/diary")
    ('mcp__p1ad56b__get_issues', 'other')
    """
    return text if _WORD.fullmatch(text) else "other"


@dataclass(frozen=True, slots=True)
class Anonymiser:
    """Gives the names that telemetry has for things.

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
        """Return 16 digits for the id of a session."""
        return hashed(name, self.salt, 16)

    def call(self, name: str) -> str:
        """Return 8 digits for the id of a call."""
        return hashed(name, self.salt)

    def content(self, body: bytes) -> str:
        """Return 32 digits for the content of a result."""
        return hashed(body, self.salt, 32)

    def path(self, path: str) -> str:
        """Return 8 digits for the path of a file."""
        return hashed(path, self.salt)

    def tool(self, name: str) -> str:
        """Return the name of a tool without that of its server.

        Of ``mcp__<server>__<tool>`` the server is hashed, all of it where it has ``__``
        itself. Other names stay, unless they look like text rather than a name.
        """
        server, found, verb = name.removeprefix("mcp__").rpartition("__")
        if name.startswith("mcp__") and found:
            return f"mcp__{self.server(server)}__{self._plain(verb)}"
        return self._plain(name)

    def server(self, slug: str) -> str:
        """Return what stands for a server in the names of its tools."""
        return "p" + hashed(slug, self.salt, 6)

    def _plain(self, name: str) -> str:
        return name if _NAME.fullmatch(name) else "x" + hashed(name, self.salt, 6)


class Record:
    """What a line of JSON holds: fields that are known, and those that newer versions add."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON has it, without what is unknown."""
        own: Any = self
        said = {each.name: getattr(own, each.name) for each in fields(own) if each.name != "extra"}
        return {**own.extra, **{k: _plain(v) for k, v in said.items() if v is not None}}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read a record.

        Raises
        ------
        RecordError
            If a field is missing or of the wrong type, or the version is newer.

        Examples
        --------
        >>> known = dict.fromkeys(["session_hash", "tool_call_id_hash"], "0")
        >>> known |= dict.fromkeys(["tool_name_anon", "endpoint_class"], "Read")
        >>> Event.from_dict({**known, "ts_ms": 1, "mood": "calm"}).to_dict()["mood"]
        'calm'
        """
        kind: Any = cls  # a dataclass
        known = {each.name: each for each in fields(kind) if each.name != "extra"}
        version, newest = data.get("version", 1), kind.__dataclass_fields__["version"].default
        if not isinstance(version, int) or version > newest:
            say = f"{version!r} is newer than {newest}, the newest known here"
            raise RecordError("version", say)
        given = {name: _as_kept(data[name]) for name in known if data.get(name) is not None}
        for name, each in known.items():
            is_needed = each.default is MISSING and each.default_factory is MISSING
            if is_needed and name not in given:
                raise RecordError(name, "is missing")
        extra = {name: value for name, value in data.items() if name not in known}
        found: Self = kind(**given, extra=extra)
        try:
            check_fields(found)
        except TypeError as error:
            raise RecordError(kind.__name__, str(error)) from None
        return found


def _as_kept(value: Any) -> Any:
    """Return a tuple for an array of JSON, and any other value as it is."""
    return tuple(value) if is_array(value) else value


def _plain(value: Any) -> Any:
    return [*value] if isinstance(value, tuple) else value


VERSION: Final = 1
"""Goes up only where a field changes its meaning; new fields do not need it."""

SHAPES: Final = (
    *("prose", "numbered_list", "bullet_list", "code_block", "markdown_table", "nested_object"),
    *("flat_object", "array_of_objects", "array_of_primitives", "empty", "unknown"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Record):
    """One result of a tool.

    Only the first five have no default. Fields that this version does not know are kept in
    `extra` and written again, so that an older reader loses nothing of a newer writer.

    Attributes
    ----------
    session_hash, tool_call_id_hash : str
        16 and 8 digits.
    tool_name_anon, endpoint_class : str
        See `Anonymiser.tool`; the kind of call, which for a command is its name.
    ts_ms : int
        Milliseconds since 1970.
    response_chars : int
        Bytes of the result as it came.
    shape : str
        One of `SHAPES`; of newer writers, also others.
    inner_formats : tuple of str
        What its strings hold, in alphabetical order.
    content_sha_prefix : str
        32 digits.
    file_path_hash : str or None
        8 digits, for tools that read or change files.
    is_dedup_hit : bool
        Whether it was sent as a reference.
    layer_used : str
        ``L0`` for a repeat, ``L1`` a template, ``L2`` the knapsack, ``L3`` as it came.
    template_id, format_id : str or None
        Which template was sent, or else which kind of reference or which form.
    tokens_baseline, tokens_final : int
        Before, and after with all hints.
    tokens_cut : int
        Of those before, what was left out: it is no saving.
    baseline, tokenizer : str
        What the tokens before are of, and who counted. Compact JSON stands for the text as it
        came where that is no JSON.
    context_partition : int
        How often the context was compacted before.
    is_sidechain : bool
        Whether a sub-agent called.
    cols, rows : int or None
        Of a table.
    key_stability : float or None
        How alike the keys of an array's objects are.
    depth : int or None
        How deep it nests.
    version : int
        See `VERSION`.
    extra : mapping
        Fields of newer versions.
    """

    session_hash: str
    tool_call_id_hash: str
    tool_name_anon: str
    endpoint_class: str
    ts_ms: int
    response_chars: int = 0
    shape: str = "unknown"
    inner_formats: tuple[str, ...] = ()
    content_sha_prefix: str = ""
    file_path_hash: str | None = None
    is_dedup_hit: bool = False
    layer_used: str = "L3"
    template_id: str | None = None
    format_id: str | None = None
    tokens_baseline: int = 0
    tokens_final: int = 0
    tokens_cut: int = 0
    baseline: str = "json_compact"
    tokenizer: str = "o200k"
    context_partition: int = 0
    is_sidechain: bool = False
    cols: int | None = None
    rows: int | None = None
    key_stability: float | None = None
    depth: int | None = None
    version: int = VERSION
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])


def words_only(event: Event) -> Event:
    """Return an event without what may be text: long strings, spaces, fields of other versions.

    Whoever writes events knows all of their fields, so `extra` is not needed there.
    """
    said: dict[str, Any] = {each.name: getattr(event, each.name) for each in fields(event)}
    words: dict[str, Any] = {
        name: word(value) for name, value in said.items() if isinstance(value, str)
    }
    inner = tuple(word(kind) for kind in event.inner_formats)
    return replace(event, **words, inner_formats=inner, extra={})


@dataclass(slots=True, kw_only=True)
class SessionSummary(Record):
    """A session in numbers.

    Attributes
    ----------
    session_hash : str
        The session.
    total_events, repeats : int
        Results of tools, and those of them that became references.
    total_baseline_tokens, total_final_tokens, total_cut_tokens : int
        Before, after, and what was left out for a budget.
    ended_at_ms : int
        When the last result came.
    uses : dict
        By tool and field how often it was used later; see `mckp.agents.telemetry.Uses`.
    version, extra
        As of an event.
    """

    session_hash: str
    total_events: int = 0
    repeats: int = 0
    total_baseline_tokens: int = 0
    total_final_tokens: int = 0
    total_cut_tokens: int = 0
    ended_at_ms: int = 0
    uses: dict[str, Any] = field(default_factory=dict[str, Any])
    version: int = VERSION
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def add(self, event: Event) -> None:
        """Add an event."""
        self.total_events += 1
        self.repeats += event.is_dedup_hit
        self.total_baseline_tokens += event.tokens_baseline
        self.total_final_tokens += event.tokens_final
        self.total_cut_tokens += event.tokens_cut
        self.ended_at_ms = max(self.ended_at_ms, event.ts_ms)
