"""The list of tools that the host sees, and the server of each tool.

Within a budget for the list, each definition is written at a level of detail, which a
multiple-choice knapsack chooses. All levels accept the same arguments, except for the last one:
it accepts any, and the model asks for the schema before it calls the tool.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.mcp.messages import told
from mckp.agents.mcp.wellformed import mended
from mckp.agents.session.tool import definition
from mckp.jsontext import dump, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mckp.agents.mcp.servers import ProxySettings
    from mckp.tokenizers.base import Tokenizer
    from mckp.tools import Tool


LEVELS: Final = ("full", "sentences", "types", "named")
"""All; descriptions cut to their first sentence; no descriptions of parameters; name, sentence."""


@dataclass(frozen=True, slots=True)
class Leveled:
    """A definition at a level, and what it is worth."""

    definition: dict[str, Any]
    level: str
    tokens: int
    facts: int


def ladder(definition: dict[str, Any], counter: Tokenizer) -> list[Leveled]:
    """Return a definition at all levels.

    Examples
    --------
    >>> from mckp import tokenizers
    >>> zone = {"type": "string", "description": "A zone. Default: UTC."}
    >>> schema = {"type": "object", "properties": {"zone": zone}}
    >>> now = {"name": "now", "description": "The time. Exact.", "inputSchema": schema}
    >>> [step.tokens for step in ladder(now, tokenizers.get("o200k"))]
    [38, 32, 26, 17]
    """
    from mckp.tools.text.spell import first_sentence
    from mckp.tools.tool import facts

    whole = lossless(definition)
    brief = replace(whole, description=first_sentence(whole.description))
    absent = whole.absent - {"parameters"}
    named = replace(brief, parameters={"type": "object"}, output=None, absent=absent)
    tools = [whole, _told(brief, first_sentence), _told(brief, lambda text: ""), named]
    forms = [tool.definition() for tool in tools]
    counts = counter.count_batch(list(map(dump, forms)))
    return [
        Leveled(*leveled) for leveled in zip(forms, LEVELS, counts, map(facts, tools), strict=True)
    ]


def lossless(definition: dict[str, Any]) -> Tool:
    """Return a tool with schemas that accept the same values in fewer tokens."""
    from mckp.tools import parse_tools, pruned

    (tool,) = pruned(parse_tools([definition]))
    return tool


def _told(tool: Tool, say: Callable[[str], str]) -> Tool:
    """Return a tool in whose schemas `say` has replaced the descriptions."""
    from mckp.tools.schema import described

    output = tool.output and described(tool.output, say)
    return replace(tool, parameters=described(tool.parameters, say), output=output)


def chosen(steps: Sequence[Sequence[Leveled]], budget: int | None) -> list[Leveled]:
    """Return one level of each ladder, of most worth within a budget; if none fits, the last."""
    from mckp.solvers import Table, solve

    wholes, least = [ladder_[0] for ladder_ in steps], [ladder_[-1] for ladder_ in steps]
    if budget is None or _tokens(wholes) <= budget:
        return wholes
    if _tokens(least) >= budget:
        return least
    # A comma between two definitions takes at most a token.
    costs = [[step.tokens + 1 for step in ladder_] for ladder_ in steps]
    values = [[step.facts for step in ladder_] for ladder_ in steps]
    solution = solve(Table.flat(costs, values), budget - 2)
    if solution.status == "infeasible":
        return least
    return [
        ladder_[option] for ladder_, option in zip(steps, solution.choice.tolist(), strict=True)
    ]


def _tokens(chosen: Sequence[Leveled]) -> int:
    return sum(step.tokens + 1 for step in chosen) + 2


_LOG: Final = logging.getLogger(__name__)

BETWEEN: Final = "__"
"""Stands between the name of a server and that of its tool, if there are several servers."""

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

_SHOWN: Final = "anthropic/maxResultSizeChars"
"""The key by which a tool tells the host how many characters of a result to show."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A tool: its name at its server, and its definition as the host sees it."""

    server: str
    tool: str
    definition: dict[str, Any]
    fields: str = ""
    """The name of the argument that selects parts of results; empty if there is none."""


def most_chars(definition: Mapping[str, Any]) -> int | None:
    """Return how many characters of a result the host shows, if the tool says so."""
    meta = definition.get("_meta")
    size = meta.get(_SHOWN) if is_object(meta) else None
    return size if isinstance(size, int) and size > 0 else None


def _shown(definition: dict[str, Any], limit: int | None, *, most: int = 500_000) -> dict[str, Any]:
    """Return a tool that asks the host to show as much as the token limit allows.

    Claude Code shows 50,000 characters by default, and never more than 500,000. A token has about
    four characters, in some texts eight.
    """
    if limit is None or 8 * limit <= 50_000 or most_chars(definition) is not None:
        return definition
    meta = definition.get("_meta")
    asked = {_SHOWN: min(8 * limit, most)}
    return {**definition, "_meta": {**meta, **asked} if is_object(meta) else asked}


@dataclass(slots=True)
class Catalog:
    """The list that the host sees: definitions, ours last, and the tools by name."""

    counter: Tokenizer
    listed: list[Any] = field(default_factory=list[Any])
    """The definitions as the servers have them."""
    tools: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    routes: dict[str, Listed] = field(default_factory=dict[str, Listed])
    own: dict[str, str] = field(default_factory=dict[str, str])
    """Our own tools by name, each with what it does: ``recall`` or ``tool_schema``."""

    @property
    def tokens_before(self) -> int:
        """Tokens of the list as the servers have it, as compact JSON."""
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
) -> Catalog:
    """Make the list of tools of some servers."""
    routes = dict(_routes(by_server, settings, several=several))
    before = [_renamed(listed_tool.definition, name) for name, listed_tool in routes.items()]
    listed = [tool for definitions in by_server.values() for tool in definitions]
    made = Catalog(counter, listed, before, routes)
    recall = _recall(settings, made, list(by_server)) if settings.recall and routes else []
    try:
        made.tools = [*_shaped(before, settings, counter, made, recall), *recall]
    except Exception:
        _LOG.exception("the list of tools could not be shortened, and is passed on unchanged")
        made.tools = [*before, *recall]
    budget = settings.tools_budget
    if budget is not None and (tokens := made.tokens) > budget:
        _LOG.warning(
            "the list of tools has %d tokens; no form of it fits within %d", tokens, budget
        )
    return made


def _recall(settings: ProxySettings, made: Catalog, servers: list[str]) -> list[dict[str, Any]]:
    """Return the recall tool; it names the server if there is one, as other proxies may exist."""
    tool = definition("mcp", settings.recall_name)
    if len(servers) == 1:
        description = tool["description"].replace("cut result", f"cut result of {servers[0]}", 1)
        tool = {**tool, "description": description}
    return _named(_shown(tool, settings.recall_limit), "recall", made)


def _routes(
    by_server: Mapping[str, Sequence[Any]], settings: ProxySettings, *, several: bool
) -> Iterable[tuple[str, Listed]]:
    for server, definitions in by_server.items():
        for sent in definitions:
            listed_tool = mended(sent, "tools")
            if listed_tool is not sent:
                way = "left out" if listed_tool is None else "repaired"
                _LOG.warning("%s: an invalid tool definition was %s: %.80r", server, way, sent)
            if listed_tool is not None:
                name = listed_tool["name"]
                shown = f"{server}{BETWEEN}{name}" if several else name
                gone = "" if settings.keeps_schema(server, name) else "outputSchema"
                seen = {key: value for key, value in listed_tool.items() if key != gone}
                seen = _shown(seen, settings.limit(server, name))
                tool = Listed(server, name, seen)
                yield shown, _asking(tool) if settings.ask_fields else tool


def _asking(listed: Listed) -> Listed:
    """Return a tool with an argument that selects parts of its results."""
    name, schema = "fields", listed.definition["inputSchema"]
    properties = schema.get("properties", {})
    while name in properties:
        name = f"mckp_{name}"
    asking = {**schema, "properties": {**properties, name: FIELDS}}
    return replace(listed, definition={**listed.definition, "inputSchema": asking}, fields=name)


def _renamed(definition: dict[str, Any], name: str) -> dict[str, Any]:
    return definition if definition["name"] == name else {**definition, "name": name}


def _named(tool: dict[str, Any], does: str, made: Catalog) -> list[dict[str, Any]]:
    """Return one of our tools under a name that is free, and note what it does."""
    name = tool["name"]
    while name in made.routes or name in made.own:
        name = f"mckp_{name}"
    made.own[name] = does
    return [_renamed(tool, name)]


def _shaped(
    before: list[dict[str, Any]],
    settings: ProxySettings,
    counter: Tokenizer,
    made: Catalog,
    recall: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    budget = settings.tools_budget
    ours = 0 if budget is None else counter.count(dump(recall))
    room = None if budget is None else max(0, budget - ours)
    room = 0 if settings.catalog == "on-demand" else room
    if settings.catalog == "same" and (room is None or counter.count(dump(before)) <= room):
        return before
    steps, ask = [_steps(tool, counter) for tool in before], list[dict[str, Any]]()
    levels = chosen(steps, room)
    if any(level.level != "full" for level in levels):
        ask = _named(SCHEMA, "tool_schema", made)
        room_left = 0 if room is None else max(0, room - counter.count(dump(ask)))
        levels = chosen(steps, room_left)
    return [*(level.definition for level in levels), *ask]


def _steps(definition: dict[str, Any], counter: Tokenizer) -> list[Leveled]:
    """Return a definition at all levels, or only as it came if its schema cannot be read."""
    try:
        return ladder(definition, counter)
    except Exception:
        _LOG.exception(
            "the tool %s could not be shortened, and is listed unchanged", definition["name"]
        )
        return [Leveled(definition, "full", counter.count(dump(definition)), 1)]


def definition_of(made: Catalog, name: Any) -> dict[str, Any]:
    """Return the result of a call of ``tool_schema``."""
    if not isinstance(name, str) or name not in made.routes:
        known = ", ".join(made.routes)
        return told(f"there is no tool {name!r}; the tools are: {known}", is_error=True)
    definition = _renamed(made.routes[name].definition, name)
    try:
        definition = lossless(definition).definition()
    except Exception:
        _LOG.exception(
            "the definition of %s could not be normalized, and is returned unchanged", name
        )
    return told(dump(definition))
