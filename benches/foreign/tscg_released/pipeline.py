"""Which operators a profile of TSCG 1.4.3 applies, and their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from foreign.tscg_released.cas import cas
from foreign.tscg_released.ccp import ccp
from foreign.tscg_released.cfl import cfl
from foreign.tscg_released.cfo import cfo
from foreign.tscg_released.dro import dro, without_dro
from foreign.tscg_released.flat import flat
from foreign.tscg_released.sad import sad
from foreign.tscg_released.sdm import sdm
from foreign.tscg_released.tas import tas
from mckp.errors import UnknownNameError
from mckp.tools.tool import parse_tools

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mckp.tools.tool import Tool

OPERATORS: Final = ("sdm", "cas", "cfo", "dro", "tas", "cfl", "sad", "ccp")
"""All operators, in the order in which they are applied."""

_CLAUDE_ONLY: Final = frozenset({"cfl", "sad"})
_BALANCED: Final = frozenset(OPERATORS) - _CLAUDE_ONLY
_MANY: Final = 30

PROFILES: Final[Mapping[str, frozenset[str]]] = {
    "conservative": frozenset({"sdm"}),
    "balanced": _BALANCED,
    "aggressive": frozenset(OPERATORS),
    "auto": _BALANCED,
}
"""The operators of each profile; ``auto`` does not adapt to anything."""


def tscg_released(tools: Any, profile: str = "balanced", model: str = "auto") -> str:
    """Write a catalog as TSCG 1.4.3 does, with its defects.

    Parameters
    ----------
    tools
        What `mckp.tools.parse_tools` reads. All shapes of definition are taken, where the
        package loses every parameter of an ``inputSchema``.
    profile : str, default "balanced"
        ``conservative``, ``balanced``, ``aggressive`` or ``auto``.
    model : str, default "auto"
        Whom the text is for; all that matters is whether its name begins with "claude".

    Returns
    -------
    str
        The text. No parser can read it: descriptions are raw, and enums and parameters
        have the same separator.

    Examples
    --------
    >>> print(tscg_released([{"name": "now", "description": "the time"}]))
    now: The time.
    [CLOSURE:now()]
    """
    found = parse_tools(tools)
    return applied(found, operators_of(profile, len(found), model))


def operators_of(profile: str, size: int, model: str = "auto") -> frozenset[str]:
    """Return the operators that are applied to a catalog of that size."""
    if profile not in PROFILES:
        raise UnknownNameError("profile of TSCG", profile, PROFILES)
    found = PROFILES[profile]
    if model != "auto" and not model.startswith("claude"):
        found -= _CLAUDE_ONLY
    return found - {"cfo"} if profile == "balanced" and size >= _MANY else found


def applied(tools: list[Tool], operators: Collection[str]) -> str:
    """Apply these operators, whatever their order here, in TSCG's order."""
    found = [flat(tool) for tool in tools]
    for name, change in (("sdm", sdm), ("cas", cas), ("cfo", cfo)):
        found = change(found) if name in operators else found
    blocks = [(dro if "dro" in operators else without_dro)(tool) for tool in found]
    text = "\n".join(map(tas, blocks)) if "tas" in operators else "\n\n".join(blocks)
    for name, add in (("cfl", cfl), ("sad", sad)):
        text = add(text) if name in operators else text
    return ccp(text, found) if "ccp" in operators else text
