"""What tuning keeps of a session: hashes, sizes, shapes and tokens, no text and no name of a file.

A log of marks says enough to replay what repeats and what an encoder saves, under any
configuration, without what was said in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

NO_TOKENS: Final[Mapping[str, int]] = MappingProxyType({})
NO_BASES: Final[Mapping[bytes, int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Seen:
    """One result of a tool.

    Attributes
    ----------
    endpoint : str
        The tool, as the configuration calls it.
    agent : int
        Whose context it went to; 0 is the main one.
    content, file : bytes
        Salted hashes; no file is empty.
    chars : int
        Bytes of the text, as ``min_body_chars`` counts them.
    tokens : int
        Of the text as it came.
    baseline : int
        Of the data as compact JSON; of the text as it came if it is no JSON.
    encoded : int
        Of the text as the session writes it where nothing repeats.
    shape : str
        What kind of text it is.
    inner : frozenset of str
        Formats found inside.
    columns, depth : int
        Of a table, or of nested data; else 0.
    templates : mapping of str to int
        Tokens by template, where one applies.
    bases : mapping of bytes to int
        Near repeats: tokens of the reference with its delta, by the content it refers to.
    """

    endpoint: str
    agent: int
    content: bytes
    file: bytes
    chars: int
    tokens: int
    baseline: int
    encoded: int
    shape: str = "unknown"
    inner: frozenset[str] = frozenset()
    columns: int = 0
    depth: int = 0
    templates: Mapping[str, int] = field(default_factory=lambda: NO_TOKENS)
    bases: Mapping[bytes, int] = field(default_factory=lambda: NO_BASES)


@dataclass(frozen=True, slots=True)
class Changed:
    """A file was edited."""

    file: bytes


@dataclass(frozen=True, slots=True)
class Compacted:
    """An agent's context was summarised."""

    agent: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The session is over."""

    model: str | None = None


Mark: TypeAlias = Seen | Changed | Compacted | Ended
