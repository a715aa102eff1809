"""The list of tools that the host sees, and the server of each tool.

Within a budget for the list, a multiple-choice knapsack chooses the level of detail of each
definition. All levels accept the same arguments, except for the last: it accepts any, and the
model asks for the schema before it calls the tool.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.mcp.messages import text_result
from mckp.agents.mcp.servers import session_name
from mckp.agents.mcp.wellformed import repair_item
from mckp.agents.session import tool as recall_tool
from mckp.jsontext import dump, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mckp.agents.config.settings import SessionSettings
    from mckp.agents.mcp.servers import ProxySettings
    from mckp.tokenizers.base import Tokenizer
    from mckp.tools import Tool


LEVELS: Final = ("full", "sentences", "types", "named")
"""All; first sentences of descriptions; no descriptions of parameters; name and one sentence."""


@dataclass(frozen=True, slots=True)
class Leveled:
    """A tool definition at one level of detail, with its tokens and its worth in facts."""

    definition: dict[str, Any]
    level: str
    tokens: int
    facts: int


def ladder(definition: dict[str, Any], counter: Tokenizer) -> list[Leveled]:
    """Return a definition at each level, the most detailed first.

    Examples
    --------
    >>> from mckp import tokenizers
    >>> zone = {"type": "string", "description": "A zone. Default: UTC."}
    >>> schema = {"type": "object", "properties": {"zone": zone}}
    >>> now = {"name": "now", "description": "The time. Exact.", "inputSchema": schema}
    >>> [leveled.tokens for leveled in ladder(now, tokenizers.get("o200k"))]
    [38, 32, 26, 17]
    """
    from mckp.tools.text.spell import first_sentence
    from mckp.tools.tool import facts

    full = shorten_losslessly(definition)
    brief = replace(full, description=first_sentence(full.description))
    absent = full.absent - {"parameters"}
    named = replace(brief, parameters={"type": "object"}, output=None, absent=absent)
    tools = [
        full,
        _with_descriptions(brief, first_sentence),
        _with_descriptions(brief, lambda text: ""),
        named,
    ]
    forms = [tool.definition() for tool in tools]
    counts = counter.count_batch(list(map(dump, forms)))
    return [
        Leveled(*leveled) for leveled in zip(forms, LEVELS, counts, map(facts, tools), strict=True)
    ]


def shorten_losslessly(definition: dict[str, Any]) -> Tool:
    """Return a tool with shorter schemas that accept the same values."""
    from mckp.tools import parse_tools, pruned

    (tool,) = pruned(parse_tools([definition]))
    return tool


def _with_descriptions(tool: Tool, rewrite: Callable[[str], str]) -> Tool:
    """Return a tool with the descriptions in its schemas rewritten by `rewrite`."""
    from mckp.tools.schema import with_changed_descriptions

    output = tool.output and with_changed_descriptions(tool.output, rewrite)
    return replace(
        tool, parameters=with_changed_descriptions(tool.parameters, rewrite), output=output
    )


def choose_levels(ladders: Sequence[Sequence[Leveled]], budget: int | None) -> list[Leveled]:
    """Return one level from each ladder: the most valuable choice within a budget.

    Without a budget, it is the first level of each; if no choice fits, the last of each.
    """
    from mckp.solvers import Table, solve

    fullest = [one_ladder[0] for one_ladder in ladders]
    shortest = [one_ladder[-1] for one_ladder in ladders]
    if budget is None or _count_tokens(fullest) <= budget:
        return fullest
    if _count_tokens(shortest) >= budget:
        return shortest
    # A comma between two definitions takes at most a token.
    costs = [[leveled.tokens + 1 for leveled in one_ladder] for one_ladder in ladders]
    values = [[leveled.facts for leveled in one_ladder] for one_ladder in ladders]
    solution = solve(Table.flat(costs, values), budget - 2)
    if solution.status == "infeasible":
        return shortest
    return [
        one_ladder[option]
        for one_ladder, option in zip(ladders, solution.choice.tolist(), strict=True)
    ]


def _count_tokens(levels: Sequence[Leveled]) -> int:
    """Return an upper bound of the tokens of definitions as one JSON array."""
    return sum(leveled.tokens + 1 for leveled in levels) + 2


_LOG: Final = logging.getLogger(__name__)

BETWEEN: Final = "__"
"""Separates the name of a server from that of its tool, if there are several servers."""

SCHEMA: Final[dict[str, Any]] = {
    "name": "tool_schema",
    "description": "Gives the whole definition of a tool; use it before a tool's first call.",
    "inputSchema": {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
    },
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
}
"""The tool that returns whole definitions."""

FIELDS: Final[dict[str, Any]] = {
    "type": "array",
    "items": {"type": "string"},
    "description": "Parts of the result to get, as items[*].title; all by default.",
}
"""The argument of a tool that selects parts of its result."""

_SIZE_KEY: Final = "anthropic/maxResultSizeChars"
"""The key in which a tool says to the host how many characters of a result to show."""


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool: its name at its server, and its definition as the host sees it."""

    server: str
    tool: str
    definition: dict[str, Any]
    fields: str = ""
    """The name of the argument that selects parts of results; empty if there is none."""


def most_chars(definition: Mapping[str, Any]) -> int | None:
    """Return how many characters of its results a tool asks the host to show, or None."""
    meta = definition.get("_meta")
    size = meta.get(_SIZE_KEY) if is_object(meta) else None
    return size if isinstance(size, int) and size > 0 else None


def _with_size_request(
    definition: dict[str, Any], limit: int | None, *, most: int = 500_000
) -> dict[str, Any]:
    """Return a definition that asks the host to show as many characters as the token limit allows.

    It is unchanged if the host's default is enough, or if the tool asks for a size itself. `most`
    is the most characters that any host shows.

    Claude Code shows 50,000 characters by default, and never more than 500,000. A token has about
    four characters, and up to eight in some texts.
    """
    if limit is None or 8 * limit <= 50_000 or most_chars(definition) is not None:
        return definition
    meta = definition.get("_meta")
    size_request = {_SIZE_KEY: min(8 * limit, most)}
    return {**definition, "_meta": {**meta, **size_request} if is_object(meta) else size_request}


@dataclass(slots=True)
class HostCatalog:
    """The tools that the host sees: their definitions, ours last, and lookup by name."""

    counter: Tokenizer
    listed: list[Any] = field(default_factory=list[Any])
    """The definitions as the servers have them."""
    tools: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    routes: dict[str, ListedTool] = field(default_factory=dict[str, ListedTool])
    own_tools: dict[str, str] = field(default_factory=dict[str, str])
    """Our own tools by name, each with its function: ``recall`` or ``tool_schema``."""

    @property
    def tokens_before(self) -> int:
        """Tokens of the servers' own list as compact JSON."""
        return self.counter.count(dump(self.listed))

    @property
    def tokens(self) -> int:
        """Tokens of this list as compact JSON."""
        return self.counter.count(dump(self.tools))


def catalog(
    by_server: Mapping[str, Sequence[Any]],
    settings: ProxySettings,
    counter: Tokenizer,
    *,
    several: bool,
    rules: SessionSettings | None = None,
) -> HostCatalog:
    """Return the list of tools that the given servers offer, within the settings' budget.

    If it cannot be shortened, or no form of it fits, that is logged. `several` says whether names
    begin with their server, and `rules` what applies to each tool; by default, only the options in
    `settings` do.
    """
    rules = settings.session_settings() if rules is None else rules
    routes = dict(_routes(by_server, settings, rules, several=several))
    before = [_with_name(listed_tool.definition, name) for name, listed_tool in routes.items()]
    listed = [tool for definitions in by_server.values() for tool in definitions]
    host_catalog = HostCatalog(counter, listed, before, routes)
    recall = (
        _recall_definitions(settings, rules, host_catalog, list(by_server))
        if settings.recall and routes
        else []
    )
    try:
        host_catalog.tools = [
            *_fit_budget(before, settings, counter, host_catalog, recall),
            *recall,
        ]
    except Exception:
        _LOG.exception("the list of tools could not be shortened, and is passed on unchanged")
        host_catalog.tools = [*before, *recall]
    budget = settings.tools_budget
    if budget is not None and (tokens := host_catalog.tokens) > budget:
        _LOG.warning(
            "the list of tools has %d tokens; no form of it fits within %d", tokens, budget
        )
    return host_catalog


def _recall_definitions(
    settings: ProxySettings, rules: SessionSettings, host_catalog: HostCatalog, servers: list[str]
) -> list[dict[str, Any]]:
    """Register the recall tool in `host_catalog`; return a list with its definition.

    If there is only one server, the description names it, since the host may run several proxies.
    """
    tool = recall_tool.definition("mcp", settings.recall_name)
    if len(servers) == 1:
        description = tool["description"].replace("cut result", f"cut result of {servers[0]}", 1)
        tool = {**tool, "description": description}
    return _register_own_tool(_with_size_request(tool, rules.answer_budget), "recall", host_catalog)


def _routes(
    by_server: Mapping[str, Sequence[Any]],
    settings: ProxySettings,
    rules: SessionSettings,
    *,
    several: bool,
) -> Iterable[tuple[str, ListedTool]]:
    """Yield each valid tool that servers offer, after the name that the host sees."""
    for server, definitions in by_server.items():
        for offered in definitions:
            repaired = repair_item(offered, "tools")
            if repaired is not offered:
                outcome = "left out" if repaired is None else "repaired"
                _LOG.warning(
                    "%s: an invalid tool definition was %s: %.80r", server, outcome, offered
                )
            if repaired is not None:
                name = repaired["name"]
                shown = f"{server}{BETWEEN}{name}" if several else name
                values = rules.of(session_name(server, name))
                is_whole = values.limit is None and settings.turn_budget is None
                keeps_schema = is_whole and values.structured == "keep"
                dropped_key = "" if keeps_schema else "outputSchema"
                shown_definition = {
                    key: value for key, value in repaired.items() if key != dropped_key
                }
                shown_definition = _with_size_request(shown_definition, values.limit)
                tool = ListedTool(server, name, shown_definition)
                yield shown, _with_fields_argument(tool) if settings.ask_fields else tool


def _with_fields_argument(listed: ListedTool) -> ListedTool:
    """Return a tool with an extra argument, by which a call selects fields of the result."""
    name, schema = "fields", listed.definition["inputSchema"]
    properties = schema.get("properties", {})
    while name in properties:
        name = f"mckp_{name}"
    extended_schema = {**schema, "properties": {**properties, name: FIELDS}}
    return replace(
        listed, definition={**listed.definition, "inputSchema": extended_schema}, fields=name
    )


def _with_name(definition: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a definition with another name."""
    return definition if definition["name"] == name else {**definition, "name": name}


def _register_own_tool(
    tool: dict[str, Any], function: str, host_catalog: HostCatalog
) -> list[dict[str, Any]]:
    """Register one of our own tools under an unused name; return a list with its definition."""
    name = tool["name"]
    while name in host_catalog.routes or name in host_catalog.own_tools:
        name = f"mckp_{name}"
    host_catalog.own_tools[name] = function
    return [_with_name(tool, name)]


def _fit_budget(
    before: list[dict[str, Any]],
    settings: ProxySettings,
    counter: Tokenizer,
    host_catalog: HostCatalog,
    recall: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return definitions within the budget for the list; if none fit, the shortest.

    If any of them is not full, the tool that returns full ones is registered in `host_catalog`, and
    its definition is the last. `before` has the definitions without a budget, and `recall` that of
    our recall tool, which counts toward the budget.
    """
    budget = settings.tools_budget
    own_tokens = 0 if budget is None else counter.count(dump(recall))
    room = None if budget is None else max(0, budget - own_tokens)
    room = 0 if settings.catalog == "on-demand" else room
    if settings.catalog == "same" and (room is None or counter.count(dump(before)) <= room):
        return before
    ladders = [_ladder_or_whole(tool, counter) for tool in before]
    schema_tool: list[dict[str, Any]] = []
    levels = choose_levels(ladders, room)
    if any(leveled.level != "full" for leveled in levels):
        schema_tool = _register_own_tool(SCHEMA, "tool_schema", host_catalog)
        room_left = 0 if room is None else max(0, room - counter.count(dump(schema_tool)))
        levels = choose_levels(ladders, room_left)
    return [*(leveled.definition for leveled in levels), *schema_tool]


def _ladder_or_whole(definition: dict[str, Any], counter: Tokenizer) -> list[Leveled]:
    """Return a definition at each level, or only unchanged if its schema cannot be read."""
    try:
        return ladder(definition, counter)
    except Exception:
        _LOG.exception(
            "the tool %s could not be shortened, and is listed unchanged", definition["name"]
        )
        return [Leveled(definition, "full", counter.count(dump(definition)), 1)]


def schema_result(host_catalog: HostCatalog, name: Any) -> dict[str, Any]:
    """Return the result of a call to ``tool_schema``: a tool's full definition, or an error."""
    if not isinstance(name, str) or name not in host_catalog.routes:
        known = ", ".join(host_catalog.routes)
        return text_result(f"there is no tool {name!r}; the tools are: {known}", is_error=True)
    definition = _with_name(host_catalog.routes[name].definition, name)
    try:
        definition = shorten_losslessly(definition).definition()
    except Exception:
        _LOG.exception(
            "the definition of %s could not be normalized, and is returned unchanged", name
        )
    return text_result(dump(definition))
