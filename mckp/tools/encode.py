"""A catalog as text: each tool at the level of detail that a budget allows.

What a caller asks of a catalog is looked at before anything is written.

What a result says of each tool: its level, and what is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from mckp import tokenizers
from mckp.api import checked_budget
from mckp.encoders.base import DataLoss
from mckp.errors import BudgetError, MckpError, UnknownNameError, VerifyError
from mckp.jsontext import canonical
from mckp.menu.select import check_solver
from mckp.result import Choice, Elided, Result
from mckp.tools.levels import LEVELS, census, check_level, losses
from mckp.tools.search import Offer, best_within, rank, whole
from mckp.tools.text.read import decode_tools
from mckp.tools.text.write import Shared
from mckp.tools.tool import importance, parse_tools
from mckp.verify import check_budget

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mckp.tokenizers.base import Tokenizer
    from mckp.tools.search import Draft, Levels
    from mckp.tools.tool import Tool


def checked_pins(pins: Any, tools: Sequence[Tool]) -> frozenset[str]:
    """Return the names of pinned tools.

    Raises
    ------
    TypeError
        If they are no names, or one name that is not in a list.
    UnknownNameError
        If the catalog does not hold one; with the names there are.
    """
    if pins is None:
        return frozenset()
    if isinstance(pins, str) or not isinstance(cast("object", pins), Iterable):
        raise TypeError(f"pins are a list of names of tools, not {pins!r:.40}")
    known = {tool.name for tool in tools}
    names: list[Any] = list(pins)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"a pinned tool is a name, not {name!r:.40}")
        if name not in known:
            raise UnknownNameError("pinned tool", name, sorted(known))
    return frozenset(names)


def checked_usage(usage: Any) -> dict[str, float]:
    """Return how often tools were called.

    Raises
    ------
    TypeError, ValueError
        If that is no mapping from names to numbers, or a number is below 0 or without end.
    """
    return _numbers("usage", "calls by name of tool", usage, math.inf)


def checked_profile(profile: Any) -> dict[str, float]:
    """Return how much of each level reaches the reader.

    Raises
    ------
    TypeError, ValueError
        If that is no mapping from levels to numbers from 0 to 1.
    UnknownNameError
        For a level that does not exist.
    """
    found = _numbers("profile", "shares from 0 to 1 by name of level", profile, 1)
    for level in found:
        check_level(level)
    return found


def _numbers(name: str, holds: str, given: Any, most: float) -> dict[str, float]:
    if given is None:
        return {}
    if not isinstance(cast("object", given), Mapping):
        raise TypeError(f"{name} holds {holds}, it is not {given!r:.40}")
    found: dict[str, float] = dict(given)
    for key, number in found.items():
        if isinstance(number, bool) or not isinstance(cast("object", number), int | float):
            raise TypeError(f"{name} holds {holds}, which {number!r:.40} of {key!r} is not")
        if not 0 <= number <= most or number == math.inf:
            raise ValueError(f"{name} holds {holds}, which {number!r:.40} of {key!r} cannot be")
    return found


def check_text(name: str, text: Any) -> None:
    """Refuse what is no text.

    Raises
    ------
    TypeError
        With the name of the argument.
    """
    if not isinstance(text, str):
        raise TypeError(f"{name} is a text, not {text!r:.40}")


def check_recall(recall: Any) -> None:
    """Refuse what cannot stand in the header.

    Raises
    ------
    TypeError, ValueError
        If it is no text, or not one that can be read back.
    """
    check_text("recall", recall)
    if not recall.isprintable() or "]" in recall:
        raise ValueError("recall is printable text on one line without a closing bracket")


def choices(offer: Offer, draft: Draft) -> Iterable[Choice]:
    """Yield the level of each tool that is there, in the order of the catalog."""
    for number, tokens in _tokens(offer, draft.levels, draft.common):
        level = draft.levels[number]
        if level is not None:
            value = offer.values[number][LEVELS.index(level)]
            yield Choice((offer.tools[number].name,), level, tokens, value)


def elided(offer: Offer, draft: Draft) -> Iterable[Elided]:
    """Yield what is cut: the tools that are left out, then what is left out of others."""
    levels: Levels = ("full",) * len(offer.tools)
    whole = dict(_tokens(offer, levels, Shared()))
    here = dict(_tokens(offer, draft.levels, draft.common))
    gone = [number for number, level in enumerate(draft.levels) if level is None]
    if gone:
        tokens = sum(whole[number] for number in gone)
        names = tuple(offer.tools[number].name for number in gone)
        yield Elided((), "tools", len(gone), len(levels), tokens, names)
    for number, level in enumerate(draft.levels):
        if level not in (None, "full", "json"):
            lost = losses(offer.tools[number], level, offer.rule)
            if lost:
                yield Elided(
                    (offer.tools[number].name,),
                    "keywords",
                    sum(lost.values()),
                    census(offer.tools[number]).total(),
                    max(0, whole[number] - here[number]),
                    tuple(lost),
                )


def wanted(offer: Offer, draft: Draft) -> list[Tool]:
    """Return what the text must read back as."""
    return [
        offer.given[number] if level == "json" else offer.told[number][level]
        for number, level in enumerate(draft.levels)
        if level is not None
    ]


def same(one: Tool, other: Tool) -> bool:
    """Whether two tools are the same, types of values included."""
    facts = [
        canonical([tool.name, tool.shape, tool.definition(), sorted(tool.absent)])
        for tool in (one, other)
    ]
    return facts[0] == facts[1]


def _tokens(offer: Offer, levels: Levels, common: Shared) -> Iterable[tuple[int, int]]:
    kept = [number for number, level in enumerate(levels) if level is not None]
    counts = offer.tokenizer.count_batch(offer.selected(levels, common))
    return zip(kept, counts, strict=True)


def encode_tools(
    tools: Any,
    *,
    budget: int | None = None,
    tokenizer: str | Tokenizer | Callable[[str], int] = "o200k",
    level: str | None = None,
    query: str | None = None,
    usage: Mapping[str, float] | None = None,
    pins: Iterable[str] | None = None,
    profile: Mapping[str, float] | None = None,
    recall: str = "",
    solver: str = "auto",
) -> Result:
    """Write a catalog of tools in the fewest tokens, or the most of it within a budget.

    Without a budget all is kept, and what several tools share is written once. With one,
    every tool gets the level of detail at which all together say most; tools keep their
    order, and nothing depends on a query unless there is one.

    Parameters
    ----------
    tools
        A list of tools in any shape; see `mckp.tools.parse_tools`.
    budget : int, optional
        The most tokens the text may have.
    tokenizer : str, Tokenizer or callable, default "o200k"
        Who counts; see `mckp.encode`.
    level : str, optional
        One level for all tools: ``name``, ``args`` (names of parameters), ``summary`` (and the
        first sentence), ``typed`` (types, values, nesting), ``described`` (and the whole
        description), ``full`` (everything) or ``json``.
    query : str, optional
        A task, for which tools that fit it matter more; needs the extra ``query``.
    usage : mapping, optional
        Calls by name of tool; tools that are called more matter more. Names of tools that are
        not there are passed over.
    pins : iterable of str, optional
        Names of tools that must be there in full.
    profile : mapping, optional
        How much of each level reaches the model, from 0 to 1 by name of level; 1 where
        nothing is said.
    recall : str, default ""
        What to tell the reader about how to get the rest, such as ``tool_help(name)``.
    solver : str, default "auto"
        See `mckp.solvers`.

    Returns
    -------
    Result
        Its choices are tools with their levels. Values are facts (see
        `mckp.tools.tool.facts`) times how much a tool matters. ``optimal`` means that no
        other levels say more within the budget, whatever they share, and that none are
        shorter with the lines that are shared here; `bound` says how much more there could be.

    Raises
    ------
    BudgetError
        If the budget is below the header and the pinned tools, or below a fixed level.
    ToolError, ParseError, DataError
        If the tools cannot be read.
    UnknownNameError
        For a level, a solver, a tokenizer or a pinned tool that does not exist.

    Examples
    --------
    >>> from mckp.tools import encode_tools
    >>> schema = {"type": "object", "properties": {"zone": {"type": "string"}}}
    >>> now = {"name": "now", "description": "The time.", "inputSchema": schema}
    >>> print(encode_tools([now, {**now, "name": "today"}], level="typed").text)
    [2/2 tools, a? optional, untyped: str, … cut]
    now(zone? …)
    today(zone? …)
    <BLANKLINE>
    """
    limit, counter = checked_budget(budget), tokenizers.get(tokenizer)
    check_solver(solver)
    given = parse_tools(tools)
    pinned, fidelity = checked_pins(pins, given), checked_profile(profile)
    check_recall(recall)
    if query is not None:
        check_text("query", query)
    weights = tuple(importance(given, query, checked_usage(usage)))
    offer = Offer(tuple(given), counter, weights, fidelity, recall)
    draft = _chosen(offer, level, limit, pinned, solver)
    check_budget(draft.tokens, limit)
    _verify(offer, draft)
    return _result(offer, draft, limit)


def _chosen(
    offer: Offer, level: str | None, limit: int | None, pinned: frozenset[str], solver: str
) -> Draft:
    if level is not None:
        check_level(level)
        fixed = tuple("full" if tool.name in pinned else level for tool in offer.tools)
        draft = whole(offer, fixed)
        if limit is not None and draft.tokens > limit:
            raise BudgetError(limit, draft.tokens)
        return draft
    draft = whole(offer, ("full",) * len(offer.tools))
    if limit is None or (draft.tokens <= limit and draft.value >= offer.most):
        return draft
    found = best_within(offer, limit, pinned, solver)
    if draft.tokens <= limit:  # but a profile has it that other levels say more
        return _better(draft, found, offer.most)
    if isinstance(found, int):
        raise BudgetError(limit, min(found, draft.tokens))
    return found


def _better(draft: Draft, found: Draft | int, most: float) -> Draft:
    """Return everything, or what was found if that is worth more."""
    if isinstance(found, int):
        return replace(draft, bound=most, optimal=False)
    if rank(found) > rank(draft):
        return found
    bound = max(found.bound, draft.value)
    return replace(draft, bound=bound, optimal=bound == draft.value)


def _verify(offer: Offer, draft: Draft) -> None:
    """Check that a text reads back as what was chosen.

    Raises
    ------
    VerifyError
        If it does not.
    """
    kept = wanted(offer, draft)
    try:
        found = decode_tools(draft.text)
    except MckpError as error:
        raise VerifyError(str(error)) from error
    if len(found) != len(kept):
        raise VerifyError(f"{len(found)} tools are read back of {len(kept)}")
    for number, (one, other) in enumerate(zip(found, kept, strict=True)):
        if not same(one, other):
            raise VerifyError(f"tool {other.name!r} does not read back", path=f"$[{number}]")


def _result(offer: Offer, draft: Draft, limit: int | None) -> Result:
    cut = tuple(elided(offer, draft))
    return Result(
        text=draft.text,
        tokens=draft.tokens,
        budget=limit,
        tokenizer=offer.tokenizer.name,
        exact=offer.tokenizer.exact,
        value=draft.value,
        total=offer.total,
        bound=draft.bound,
        status="optimal" if draft.optimal else "feasible",
        choices=tuple(choices(offer, draft)),
        elided=cut,
        loss=DataLoss.TRUNCATED if cut else DataLoss.NONE,
    )
