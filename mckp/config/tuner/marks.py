"""What tuning keeps of a session: sizes, shapes, tokens and what equals what; no text, no hash.

A log of marks says enough to replay what repeats and what an encoder saves, under any
configuration. Texts, calls and files are numbers, equal where they are equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

NO_BASES: Final[Mapping[int, int]] = {}

RAW: Final = ""
"""The way of a text that is sent as it came."""

KNAPSACK: Final = "knapsack"
"""The way of a text that the knapsack writes; all others are names of templates."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One result of a tool.

    Attributes
    ----------
    endpoint : str
        The tool, as the configuration calls it.
    agent : int
        Whose context it went to.
    content, call, source : int
        Which text it is, which tool with which arguments was called, and which tool with which
        file.
    chars : int
        Bytes of the text, as ``min_body_chars`` counts them.
    baseline : int
        Tokens of the data as compact JSON; of the text as it came if it is no JSON.
    ways : mapping of str to int
        Tokens by way of writing it, with the line above that says so, without a number.
    shape : str
        What kind of text it is.
    inner : frozenset of str
        Formats found inside.
    columns, depth : int
        Of a table, or of nested data; else 0.
    bases : mapping of int to int
        Near repeats: tokens of the reference with its delta, by the text it would refer to.
    """

    endpoint: str
    agent: int
    content: int
    call: int
    source: int
    chars: int
    baseline: int
    ways: Mapping[str, int]
    shape: str = "unknown"
    inner: frozenset[str] = frozenset()
    columns: int = 0
    depth: int = 0
    bases: Mapping[int, int] = field(default_factory=lambda: NO_BASES)


@dataclass(frozen=True, slots=True)
class Changed:
    """What some sources tell may be something else now."""

    sources: frozenset[int]


@dataclass(frozen=True, slots=True)
class Compacted:
    """An agent's context was summarised."""

    agent: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The session is over."""

    model: str | None = None


Mark: TypeAlias = Seen | Changed | Compacted | Ended
