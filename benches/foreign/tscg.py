"""TSCG as its paper describes it: operators in the order of a profile."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from foreign.tscg_frames import cfl, sad
from mckp import tokenizers
from mckp.errors import UnknownNameError
from mckp.tools.renderings.tscg import UNORDERED_TOOLS, cas, ccp, cfo
from mckp.tools.renderings.tscg_layout import COMPACT, PLAIN, tas, written
from mckp.tools.renderings.tscg_wording import dro, sdm
from mckp.tools.tool import parse_tools

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mckp.api import TokenizerLike
    from mckp.tools.tool import Tool

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

FEW_TOOLS: Final = 20
MOST_TOOLS: Final = 40
_SMALL_MODEL_BILLIONS: Final = 10.0
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
    if size and float(size[1]) < _SMALL_MODEL_BILLIONS:
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
    if size >= UNORDERED_TOOLS:
        found -= _REORDERED
    if model and not model.lower().rpartition("/")[2].startswith("claude"):
        found -= _FRAMES
    return found - known.never if known else found


def _named(profile: str) -> frozenset[str]:
    if profile not in PROFILES:
        raise UnknownNameError("profile of TSCG", profile, (*PROFILES, "auto"))
    return PROFILES[profile]


def _auto(size: int, known: Advice | None) -> frozenset[str]:
    if known and (size <= MOST_TOOLS or known.profile == "conservative"):
        return PROFILES[known.profile]
    middle = FEW_TOOLS < size <= MOST_TOOLS
    return PROFILES["balanced"] - _REORDERED if middle else PROFILES["conservative"]


def tscg(
    tools: Any,
    profile: str = "auto",
    *,
    model: str | None = None,
    tokenizer: TokenizerLike = "o200k",
    importance: Mapping[str, float] | None = None,
) -> str:
    """Write a catalog as the paper on TSCG defines it.

    Unlike the released package (`tscg_released`) this asks the tokenizer, loses no word that
    means something, and keeps nested parameters, item types, unions, bounds and defaults.

    Parameters
    ----------
    tools
        What `mckp.tools.parse_tools` reads.
    profile : str, default "auto"
        ``conservative``, ``balanced``, ``aggressive``, or ``auto``, which goes by the number
        of tools and by the model.
    model : str, optional
        Who reads it; see `operators_for`.
    tokenizer : str, Tokenizer or callable, default "o200k"
        Who counts.
    importance : dict, optional
        How much tools matter, from 0 to 1, by name.

    Examples
    --------
    >>> schema = {"properties": {"to": {"type": ["string", "null"]}}, "required": ["to"]}
    >>> tool = {"name": "go", "description": "Use this tool to move.", "inputSchema": schema}
    >>> print(tscg([tool], "conservative"))
    go: Move.
      - to (required) (string|null)
    """
    found = parse_tools(tools)
    operators = operators_for(profile, len(found), model)
    return applied(found, operators, tokenizer=tokenizer, importance=importance)


def applied(
    tools: list[Tool],
    operators: Collection[str],
    *,
    tokenizer: TokenizerLike = "o200k",
    importance: Mapping[str, float] | None = None,
) -> str:
    """Apply these operators in their order: CFO last of those that order, as it must hold."""
    counter = tokenizers.get(tokenizer)
    if "sdm" in operators:
        tools = sdm(tools, counter)
    layout = PLAIN
    if "dro" in operators:
        tools, layout = dro(tools, counter), COMPACT
    if "cas" in operators:
        tools = cas(tools, importance)
    if "cfo" in operators:
        tools = cfo(tools)
    if "tas" in operators:
        layout = tas(tools, counter, layout)
    text = written(tools, layout)
    if "cfl" in operators:
        text = cfl(text)
    if "sad" in operators:
        text = sad(text, tools, counter, importance=importance)
    return ccp(text, tools) if "ccp" in operators else text
