"""TSCG: lines put around a catalog, by the operators CFL and SAD of its profile ``aggressive``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mckp.tools.renderings.schema import members, required
from mckp.tools.renderings.tscg import fragility, importances

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mckp.tokenizers.base import Tokenizer
    from mckp.tools.tool import Tool


@dataclass(frozen=True)
class Atom:
    """What can be said again: a tool, or a parameter that it requires."""

    text: str
    score: float
    tokens: int

    @property
    def density(self) -> float:
        """Fragility per token."""
        return self.score / max(self.tokens, 1)


def sad(
    text: str,
    tools: Sequence[Tool],
    tokenizer: Tokenizer,
    *,
    most: int = 4,
    budget: int = 32,
    importance: Mapping[str, float] | None = None,
    alpha: float = 0.5,
) -> str:
    r"""Append the atoms with the most fragility per token.

    Parameters
    ----------
    text : str
        The catalog.
    tools : sequence of Tool
        Its tools, in its order.
    tokenizer : Tokenizer
        What counts.
    most : int, default 4
        How many atoms at most.
    budget : int, default 32
        How many tokens may be added.
    importance : dict, optional
        How much tools matter, from 0 to 1, by name.
    alpha : float, default 0.5
        How much importance matters beside the place.

    Examples
    --------
    >>> from mckp import tokenizers
    >>> from mckp.tools import parse_tools
    >>> tools = parse_tools([{"name": "a"}, {"name": "b"}, {"name": "c"}])
    >>> sad("…", tools, tokenizers.get("o200k"), most=1)
    '…\n[ANCHOR:b]'
    """
    found = sorted(
        atoms(tools, tokenizer, importance, alpha), key=lambda atom: atom.density, reverse=True
    )
    chosen: list[str] = []
    least = tokenizer.count(text)
    for atom in found:
        if len(chosen) < most and atom.text not in chosen:
            longer = _anchored(text, [*chosen, atom.text])
            if tokenizer.count(longer) - least <= budget:
                chosen.append(atom.text)
    return _anchored(text, chosen) if chosen else text


def _anchored(text: str, chosen: list[str]) -> str:
    return f"{text}\n[ANCHOR:{','.join(chosen)}]"


def atoms(
    tools: Sequence[Tool],
    tokenizer: Tokenizer,
    importance: Mapping[str, float] | None = None,
    alpha: float = 0.5,
) -> Iterator[Atom]:
    """Yield tools and the parameters they require, with fragility and tokens."""
    weights = importances(tools, importance)
    for place, (tool, weight) in enumerate(zip(tools, weights, strict=True)):
        score = fragility(weight, place, len(tools), alpha)
        needed = required(tool.parameters)
        names = [f"{tool.name}.{name}*" for name in members(tool.parameters) if name in needed]
        for text in (tool.name, *names):
            yield Atom(text, score, tokenizer.count(f",{text}"))


def cfl(text: str, answer: str = "function_call") -> str:
    """Put the constraint on the answer before everything else.

    Examples
    --------
    >>> print(cfl("now: The time."))
    [ANSWER:function_call]
    now: The time.
    """
    return f"[ANSWER:{answer}]\n{text}"
