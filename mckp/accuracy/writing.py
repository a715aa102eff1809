"""Data in the ways that are compared: format by format, whole and within budgets."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Final

from mckp import tokenizers
from mckp.api import encode
from mckp.errors import BudgetError
from mckp.jsontext import dump
from mckp.parsers import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mckp.api import TokenizerLike
    from mckp.result import Elided, Result

PRETTY: Final = "json-pretty"
"""JSON with indents, which no format of ours is."""
REFERENCE: Final = "json"
"""What all others are compared with."""
WAYS: Final = (
    PRETTY,
    REFERENCE,
    "kv",
    "kv+csv",
    "kv+table",
    "mckp_v2",
    "rows",
    "flow",
    "standard",
    "native",
    "dense",
)
"""Formats, levels and mixes of formats that are compared unless others are asked for."""


@dataclass(frozen=True, slots=True)
class Writing:
    """Data written in one way.

    Attributes
    ----------
    way : str
        Formats and budget: ``native``, ``kv+csv@0.5``, ``json@400``.
    text : str
        What is to be read.
    tokens : int
        Its tokens.
    elided : tuple of Elided
        What is not in it.
    data
        What was written.
    """

    way: str
    text: str
    tokens: int
    elided: tuple[Elided, ...]
    data: Any


def writings(
    data: Any,
    ways: Iterable[str] = WAYS,
    budgets: Iterable[float | None] = (None,),
    tokenizer: TokenizerLike = "o200k",
) -> Iterator[Writing]:
    """Write data in several ways; where a budget is too small, or has no effect, one is left out.

    Parameters
    ----------
    data
        Plain data.
    ways : iterable of str
        Formats or levels, or several joined by ``+``; ``json-pretty`` is JSON with indents.
    budgets : iterable of float or None
        Shares of the tokens of compact JSON up to 1, numbers of tokens above, None for all.
    tokenizer : str, Tokenizer or callable
        Who counts.

    Examples
    --------
    >>> data = [{"id": n, "ok": True} for n in range(9)]
    >>> [(each.way, each.tokens) for each in writings(data, ["json", "native"], [None, 0.4])]
    [('json', 74), ('native', 25), ('json@0.4', 5)]
    """
    counter = tokenizers.get(tokenizer)
    whole = counter.count(dump(data))
    given = parse(dump(data), "json") if isinstance(data, str) else data  # else it is a document
    chosen = {
        way: None if way == PRETTY else encode(given, tokenizer=counter, formats=way.split("+"))
        for way in ways
    }
    for budget in budgets:
        tokens = None if budget is None else _tokens(budget, whole)
        for way, result in chosen.items():
            if result is None and tokens is None:
                text = json.dumps(data, indent=2, ensure_ascii=False)
                yield Writing(way, text, counter.count(text), (), data)
            elif result is not None and tokens is None:
                yield Writing(way, result.text, result.tokens, (), data)
            elif result is not None and tokens is not None:
                found = _within(result, tokens)
                if found is not None and found.elided:
                    name = f"{way}@{budget:g}"
                    yield Writing(name, found.text, found.tokens, found.elided, data)


def _within(result: Result, tokens: int) -> Result | None:
    try:
        return result.at(tokens)
    except BudgetError:
        return None


def _tokens(budget: float, whole: int) -> int:
    if not 0 < budget < inf or (budget > 1 and budget != int(budget)):
        raise ValueError(f"a budget is a share up to 1 or a number of tokens, not {budget:g}")
    return int(budget * whole if budget <= 1 else budget)
