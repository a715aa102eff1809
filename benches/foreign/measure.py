"""What a format says of each keyword, found out by writing tools with it and without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from foreign.probes import PROBES, Probe, tool_with
from mckp.tools.renderings.schema import members

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mckp.tools.tool import Tool

Level = Literal["kept", "part", "lost", "wrong"]
"""All of it stands in the text, something does, nothing does, or something else does."""

LEVELS: Final[tuple[Level, ...]] = ("kept", "part", "lost", "wrong")


def measured(write: Callable[[Sequence[Tool]], str]) -> dict[str, Level]:
    """Return what a format says of each keyword of `PROBES`.

    Examples
    --------
    >>> from foreign.formats import FORMATS
    >>> found = measured(FORMATS["tscg released balanced"])
    >>> found["enum"], found["default"], found["anyOf"]
    ('kept', 'lost', 'wrong')
    """
    text, boolean = (write([tool_with({"type": kind})]) for kind in ("string", "boolean"))
    claim = text if text != boolean else None
    return {name: _level(write, probe, claim) for name, probe in PROBES.items()}


def _level(write: Callable[[Sequence[Tool]], str], probe: Probe, claim: str | None) -> Level:
    """Compare the texts of a probe; `claim` is the text that says: a string."""
    present, absent = write([probe.present]), write([probe.absent])
    if present == claim and not _is_string(probe.present):
        return "wrong"
    if present == absent:
        return "lost"
    return "kept" if all(mark in present for mark in probe.marks) else "part"


def _is_string(tool: Tool) -> bool:
    kind: object = members(tool.parameters).get("zeta", {}).get("type")
    return kind == "string"
