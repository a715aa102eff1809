"""Write a catalog as text, with each tool at the level of detail that the budget allows.

A catalog goes through the same steps as a document: offer, price, select, render and verify.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, cast

from mckp import tokenizers
from mckp.answers.verify import check_budget
from mckp.budgets import checked_budget
from mckp.encoders.base import DataLoss
from mckp.errors import BudgetError, MckpError, UnknownNameError, VerifyError
from mckp.jsontext import canonical
from mckp.menu.price import Prices, price
from mckp.menu.render import child_path, choices, cost, elisions, kept_content, whole_pick
from mckp.menu.select import Solving, best_selection, cheapest_selection, least_tokens
from mckp.result import Elided, Result
from mckp.tools.offer import FINENESS, LEVELS, Offer, count_keywords, count_losses
from mckp.tools.renderings import render
from mckp.tools.text.read import decode_tools
from mckp.tools.tool import importance, parse_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mckp.budgets import BudgetLike
    from mckp.menu.classes import Menu
    from mckp.menu.render import Pick
    from mckp.menu.select import Selection
    from mckp.solvers import SolverLike
    from mckp.tokenizers.base import Tokenizer
    from mckp.tools.tool import Tool


def _checked_pins(pins: Any, tools: Sequence[Tool]) -> frozenset[str]:
    """Return the names of pinned tools.

    Raises a `TypeError` if they are no list of names, and an `UnknownNameError` for a name that is
    not in the catalog.
    """
    if isinstance(pins, str) or not isinstance(cast("object", pins), Iterable | None):
        raise TypeError(f"pins must be a list of names of tools, not {pins!r:.40}")
    known = {tool.name for tool in tools}
    names: list[Any] = list(pins or ())
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"a pinned tool must be a name, not {name!r:.40}")
        if name not in known:
            raise UnknownNameError("pinned tool", name, sorted(known))
    return frozenset(names)


def _checked_usage(usage: Any) -> dict[str, float]:
    """Return the number of calls by tool name.

    Raises a `TypeError` or `ValueError` if it is no mapping to finite numbers of 0 or more.
    """
    if not isinstance(usage, Mapping | None):
        raise TypeError(f"usage must map names of tools to numbers of calls, not be {usage!r:.40}")
    calls: dict[str, float] = dict(cast("Mapping[str, float]", usage or {}))
    for key, number in calls.items():
        message = f"usage needs a number of calls, 0 or more, for {key!r}, not {number!r:.40}"
        if isinstance(number, bool) or not isinstance(cast("object", number), int | float):
            raise TypeError(message)
        if not 0 <= number < math.inf:
            raise ValueError(message)
    return calls


def identity(tool: Tool) -> str:
    """Return a string that only equal tools share; here 1 and 1.0 are different."""
    return canonical([tool.name, tool.shape, tool.definition(), sorted(tool.absent)])


def encode_tools(
    tools: Any,
    *,
    budget: BudgetLike | None = None,
    tokenizer: str | Tokenizer | Callable[[str], int] = "o200k",
    level: str | None = None,
    query: str | None = None,
    usage: Mapping[str, float] | None = None,
    pins: Iterable[str] | None = None,
    recall: str = "",
    solver: SolverLike = "auto",
    work_limit: int | None = None,
) -> Result:
    """Write a catalog of tools: all of it in the fewest tokens, or the most within a budget.

    Without a budget, everything is kept, and what several tools share is written only once. With a
    budget, mckp chooses a level of detail for each tool, so that the catalog as a whole keeps the
    most value. Tools keep their order.

    Parameters
    ----------
    tools
        A list of tools in any shape; see `mckp.tools.parse_tools`.
    budget : int or str, optional
        The most tokens the text may have; a share such as ``"50%"`` is of the tools as JSON.
    tokenizer : str, Tokenizer or callable, default "o200k"
        What counts tokens; see `mckp.encode`.
    level : str, optional
        One level for all tools: ``name``, ``args`` (names of parameters), ``summary`` (and the
        first sentence), ``typed`` (types, values, nesting), ``described`` (and the whole
        description), ``full`` (everything) or ``json``.
    query : str, optional
        A task. Tools that are relevant to it matter more; this needs the extra ``query``.
    usage : mapping, optional
        The number of calls for each name of a tool. Tools that are called more often matter more.
        Names of tools that are not in the catalog are ignored.
    pins : iterable of str, optional
        Names of tools that must be there in full.
    recall : str, default ""
        The call that returns what was left out, such as ``tool_help(name)``; the text names it.
    solver : str, default "auto"
        See `mckp.solvers`.
    work_limit : int, optional
        The most operations of the solver, the same on every machine; 10 million (about a second)
        if None. A catalog that needs more is ``feasible``, with a bound and a gap.

    Returns
    -------
    Result
        Its choices are the tools with their levels. The value of a tool is the number of its facts
        (see `mckp.tools.tool.facts`), times how much the tool matters. ``optimal`` means that no
        other levels keep more value within the budget, or the same value in fewer tokens. mckp
        tries these levels with several sets of shared lines: all lines that save tokens in the
        full catalog, or only those that occur often enough. `bound` is the most that could be kept.

    Raises
    ------
    BudgetError
        If the budget is below the hint that stands for all tools, below the pinned tools, or
        below a fixed level.
    ToolError, ParseError, DataError
        If the tools cannot be read.
    UnknownNameError
        For a level, a solver, a tokenizer or a pinned tool that does not exist.
    TypeError, ValueError
        If another parameter has a wrong type or value.

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
    counter = tokenizers.get(tokenizer)
    solving = Solving.checked(solver, work_limit)
    if level is not None and level not in LEVELS:
        raise UnknownNameError("level", str(level), LEVELS)
    parsed = parse_tools(tools)
    limit = checked_budget(budget, lambda: counter.count(render(parsed, "json")))
    pinned = _checked_pins(pins, parsed)
    for name, setting in (("recall", recall), ("query", query)):
        if not isinstance(cast("object", setting), str) and (name, setting) != ("query", None):
            raise TypeError(f"{name} must be a string, not {setting!r:.40}")
    if not recall.isprintable() or "]" in recall:
        raise ValueError("recall must be printable text on one line, without a closing bracket")
    weights = tuple(importance(parsed, query, _checked_usage(usage)))
    offer = Offer(tuple(parsed), Prices(counter), weights, recall, pinned)
    menu = offer.at_level(level or "full")
    selection = cheapest_selection(menu, price(menu, offer.prices), counter)
    fits = limit is None or selection.tokens <= limit
    if limit is not None and level is not None and not fits:
        raise BudgetError(limit, selection.tokens)
    if limit is not None and level is None and not (fits and selection.worth >= offer.total):
        menu = offer.within()
        selection = _best_selection(offer, menu, selection, counter, limit, solving)
    check_budget(selection.tokens, limit)
    return _result(offer, menu, selection, counter, limit)


def _best_selection(
    offer: Offer,
    menu: Menu,
    everything: Selection,
    tokenizer: Tokenizer,
    limit: int,
    solver: Solving,
) -> Selection:
    """Return the best selection within a budget, or `everything` if the menu has none that fits.

    Raises a `BudgetError` if that does not fit either.
    """
    from mckp.menu.cuts.cuts import menu_cuts  # needs numpy
    from mckp.menu.tabulate import tabulate

    prices = price(menu, offer.prices)
    tabulated = tabulate(menu, prices, menu_cuts(menu, prices))
    selection = best_selection(tabulated, tokenizer, limit, solver)
    if selection is not None:
        return selection
    if everything.tokens <= limit:  # by prices that only guide, it was too much
        return everything
    if offer.pinned:
        floor = max(limit + 1, least_tokens(tabulated, solver))
        raise BudgetError(limit, floor, sorted(offer.pinned))
    raise BudgetError(limit, min(tokenizer.count(menu.nothing_text), everything.tokens))


def _result(
    offer: Offer, menu: Menu, selection: Selection, tokenizer: Tokenizer, limit: int | None
) -> Result:
    """Return the result of a selection, after a check that its text reads back."""
    pick, prices = selection.pick, offer.prices
    shown = pick.kept
    if pick.option is not None and pick.option.format == "json":
        shown = [whole_pick(cls, prices, child_path((), cls)) for cls in offer.classes("json")]
    _check_reads_back(selection.text, list(map(kept_content, shown)))
    cut = (*elisions(pick, prices, menu), *_cut_keywords(offer, shown))
    return Result(
        text=selection.text,
        tokens=selection.tokens,
        budget=limit,
        tokenizer=tokenizer.name,
        exact=tokenizer.exact,
        value=_worth_in_facts(selection.worth),
        total=_worth_in_facts(offer.total),
        bound=None if selection.bound is None else _worth_in_facts(selection.bound),
        status="optimal" if selection.is_optimal else "feasible",
        choices=tuple(
            chain.from_iterable(choices(chosen, prices, _worth_in_facts) for chosen in shown)
        ),
        elided=cut,
        loss=DataLoss.TRUNCATED if cut else DataLoss.NONE,
    )


def _cut_keywords(offer: Offer, shown: Iterable[Pick]) -> Iterator[Elided]:
    """Yield, for each tool that is shown in part, what is left out of it."""
    classes = {cls.key: cls for cls in offer.classes("full")}
    for pick in shown:
        cls, is_json = classes[pick.cls.key], pick.option and pick.option.format == "json"
        if not is_json and (lost := count_losses(cls.content, kept_content(pick))):
            saved = max(0, offer.prices.whole_cost(cls) - cost(pick, offer.prices))
            yield Elided(
                pick.path,
                "keywords",
                sum(lost.values()),
                count_keywords(cls.content).total(),
                round(saved / offer.prices.scale),
                tuple(sorted(lost)),
            )


def _worth_in_facts(worth: float) -> int | float:
    """Return a worth as a number of facts, for a report; an int if it is a whole number."""
    return int(worth / FINENESS) if worth % FINENESS == 0 else worth / FINENESS


def _check_reads_back(text: str, wanted: list[Tool]) -> None:
    """Raise a `VerifyError` if a text does not read back as the chosen tools."""
    try:
        decoded = decode_tools(text)
    except MckpError as error:
        raise VerifyError(str(error)) from error
    for actual, expected in zip_longest(map(identity, decoded), map(identity, wanted)):
        if actual != expected:
            raise VerifyError(f"the tool {expected!s:.80} reads back as {actual!s:.80}")
