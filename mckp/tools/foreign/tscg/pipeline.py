"""TSCG as its paper means it: the operators one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp import tokenizers
from mckp.tools.foreign.tscg.cas import cas
from mckp.tools.foreign.tscg.ccp import ccp
from mckp.tools.foreign.tscg.cfl import cfl
from mckp.tools.foreign.tscg.cfo import cfo
from mckp.tools.foreign.tscg.dro import dro
from mckp.tools.foreign.tscg.layout import COMPACT, PLAIN, written
from mckp.tools.foreign.tscg.profiles import operators_for
from mckp.tools.foreign.tscg.sad import sad
from mckp.tools.foreign.tscg.sdm import sdm
from mckp.tools.foreign.tscg.tas import tas
from mckp.tools.parse import parse_tools

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mckp.api import TokenizerLike
    from mckp.tools.tool import Tool


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
