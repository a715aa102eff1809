"""Which operators a catalog gets: by profile, by its size, and by the model that reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mckp.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

OPERATORS: Final = ("sdm", "dro", "tas", "cas", "cfo", "cfl", "sad", "ccp")
"""All operators, in the order in which they are applied."""

_FRAMES: Final = frozenset({"cfl", "sad"})
_REORDERED: Final = frozenset({"cfl", "cfo"})

PROFILES: Final[Mapping[str, frozenset[str]]] = {
    "conservative": frozenset({"sdm"}),
    "balanced": frozenset(OPERATORS) - _FRAMES,
    "aggressive": frozenset(OPERATORS),
}
"""The operators of each profile; ``auto`` chooses among them by the number of tools."""

FEW: Final = 20
MANY: Final = 30
MOST: Final = 40
_SMALL: Final = 10.0
_BILLIONS: Final = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)b\b")


@dataclass(frozen=True)
class Advice:
    """What the paper found to be good for models whose names begin so."""

    model: str
    profile: str
    never: frozenset[str] = frozenset()


ADVICE: Final = (
    Advice("claude-opus-4-7", "aggressive"),
    Advice("claude", "balanced"),
    Advice("gpt-5.5", "conservative"),
    Advice("gpt-5", "balanced", frozenset({"cfo"})),
    Advice("gpt-4", "balanced"),
    Advice("qwen", "conservative"),
    Advice("phi", "conservative"),
    Advice("mistral", "conservative"),
    Advice("gemma", "conservative"),
    Advice("llama", "conservative"),
)
"""By model; the first that fits counts. Whoever has fewer than 10 billion parameters, by name,
is conservative whatever stands here."""


def advice(model: str) -> Advice | None:
    """Return what is advised for a model, None if nothing is known.

    Examples
    --------
    >>> advice("Qwen3-14B").profile, advice("gpt-5.2").never, advice("new-model")
    ('conservative', frozenset({'cfo'}), None)
    >>> advice("claude-tiny-3b").profile
    'conservative'
    """
    name = model.lower().rpartition("/")[2]
    size = _BILLIONS.search(name)
    if size and float(size[1]) < _SMALL:
        return Advice(model, "conservative")
    return next((each for each in ADVICE if name.startswith(each.model)), None)


def operators_for(profile: str, size: int, model: str | None = None) -> frozenset[str]:
    """Return the operators for a catalog of so many tools.

    Parameters
    ----------
    profile : str
        ``conservative``, ``balanced``, ``aggressive`` or ``auto``; the last is conservative
        up to 20 tools, balanced up to 40, and conservative beyond.
    size : int
        How many tools there are. From 30 on neither CFL nor CFO is applied.
    model : str, optional
        Who reads it. ``auto`` follows the advice for it up to 40 tools; CFL and SAD-F are for
        Claude only, and what the model is known not to bear is never applied.

    Examples
    --------
    >>> [sorted(operators_for("auto", size)) for size in (20, 41)]
    [['sdm'], ['sdm']]
    >>> sorted(operators_for("auto", 30))
    ['cas', 'ccp', 'dro', 'sdm', 'tas']
    >>> sorted(operators_for("aggressive", 5, "gpt-5.2"))
    ['cas', 'ccp', 'dro', 'sdm', 'tas']
    """
    known = advice(model) if model else None
    found = _auto(size, known) if profile == "auto" else _named(profile)
    if size >= MANY:
        found -= _REORDERED
    if model and not model.lower().rpartition("/")[2].startswith("claude"):
        found -= _FRAMES
    return found - known.never if known else found


def _named(profile: str) -> frozenset[str]:
    if profile not in PROFILES:
        raise UnknownNameError("profile of TSCG", profile, (*PROFILES, "auto"))
    return PROFILES[profile]


def _auto(size: int, known: Advice | None) -> frozenset[str]:
    if known and (size <= MOST or known.profile == "conservative"):
        return PROFILES[known.profile]
    middle = FEW < size <= MOST
    return PROFILES["balanced"] - _REORDERED if middle else PROFILES["conservative"]
