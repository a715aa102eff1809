"""The menu of a catalog: a class for each tool, with an option for each level of detail.

The root class is the catalog. Its options differ in what is written once above the tools: nothing,
or whatever occurs at least 2, 3, 9, 27 or 81 times. They depend only on the tools, not on the
budget.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.hints import Overflow
from mckp.jsontext import dump, is_object
from mckp.menu.classes import AnyOption, CutPart, Menu, MenuClass, Option
from mckp.tools.schema import changed, members, schemas_within
from mckp.tools.text.conventions import Conventions, conventions
from mckp.tools.text.header import SHARED, UNIT, CatalogHeader
from mckp.tools.text.spell import CUT, first_sentence, is_tuple, label, name, prose
from mckp.tools.text.write import ParameterCache, Shared, Writer, in_normal_form, shared
from mckp.tools.tool import Tool, facts, size_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mckp.menu.price import Prices

_NOTHING: Final = frozenset({"description", "parameters", "annotations"})
_TYPED: Final = frozenset({"$ref", "const", "enum", "required", "type"}).union(
    {"$defs", "additionalProperties", "patternProperties", "properties"},
    {"items", "prefixItems"},
    {"allOf", "anyOf", "oneOf"},
)

LEVELS: Final = ("name", "args", "summary", "typed", "described", "full", "json")
"""Names of all levels: each says more than the one before, except that ``typed`` has no description
while ``summary`` has the first sentence."""

_SHORT: Final = ("name", "args", "summary")
"""Levels that say nothing of types."""

FINENESS: Final = 1000
"""Units of worth in a fact. Worths are whole numbers of them, so that their sums are exact."""

LEAST: Final = (2, 3, 9, 27, 81)
"""Fewest uses of what is written once, to choose from; ``benches/tools.py`` measures the effect."""

_NO_CONVENTIONS: Final = Conventions()
_SHARING: Final = ("full", "described")
_ALL: Final = ("full", "json")
_EVERYTHING: Final = ("full", *(level for level in LEVELS if level != "full"))


def shown_part(tool: Tool, level: str) -> Tool:
    """Return the tool as a level shows it; `tool` is in normal form.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> (tool,) = parse_tools('{"name": "now", "description": "The time. In UTC."}')
    >>> shown_part(tool, "summary").description
    'The time.'
    """
    if level in ("full", "json"):
        return tool
    description, parameters, absent = "", dict[str, Any](), _NOTHING
    if level in ("args", "summary"):
        names: dict[str, Any] = {key: {} for key in members(tool.arguments)}
        parameters, absent = {"type": "object", "properties": names}, absent - {"parameters"}
    elif level in ("typed", "described"):
        parameters = types_only(tool.parameters)
        absent -= {"parameters"} - tool.absent
    if level in ("summary", "described"):
        whole = tool.description
        description = first_sentence(whole) if level == "summary" else whole
        absent -= {"description"} - tool.absent
    return Tool(tool.name, description, parameters, None, {}, {}, tool.shape, absent)


def types_only(schema: Any) -> Any:
    """Return a schema with its types, names, allowed values, required properties and references."""
    if not is_object(schema):
        return schema
    keys = _TYPED | {"minItems", "maxItems"} if is_tuple(schema) else _TYPED
    kept = {key: data for key, data in schema.items() if key in keys}
    if kept.get("additionalProperties") is False:
        del kept["additionalProperties"]
    return changed(kept, types_only)


def written_fragment(cut: Tool, tool: Tool, level: str, writer: Writer) -> str:
    """Return `cut`, the part of `tool` that a level shows, written as one fragment.

    `tool` is there for comparison: a mark follows what `cut` says less.
    """
    if level == "json":
        return dump(cut.definition()) + "\n"
    if level not in _SHORT:
        return writer.tool(cut, "" if cut == tool else CUT)
    line = name(cut.name)
    if level != "name":
        line += f"[{' '.join(map(label, cut.parameters['properties']))}]"
    if "description" not in cut.absent:
        more = f" {CUT}" if cut.description != tool.description else ""
        line += f": {prose(cut.description)}{more}"
    return line + "\n"


def count_losses(tool: Tool, version: Tool) -> Counter[str]:
    """Count, by JSON Schema keyword, what a shorter version of a tool leaves out.

    Property names, required names and enumerated values count one each. Keys that begin with
    ``tool`` are members of the definition itself. A description that is cut to one sentence counts
    as lost.
    """
    lost = count_keywords(tool) - count_keywords(version)
    if version.description != tool.description:
        lost["tool description"] = 1
    return lost


def count_keywords(tool: Tool) -> Counter[str]:
    """Count the keywords in a tool, as `count_losses` does."""
    counts = Counter({"tool description": int("description" not in tool.absent)})
    counts["tool annotations"] = len(tool.annotations)
    counts["tool extra"] = len(tool.extra)
    for schema in (tool.parameters, tool.output or {}):
        for part in schemas_within(schema):
            if is_object(part):
                counts.update({key: size_of(key, data) for key, data in part.items()})
    return counts


@dataclass(frozen=True)
class Offer:
    """Every way to write a catalog, and what each is worth."""

    given: tuple[Tool, ...]
    """The tools as they were parsed."""
    prices: Prices
    weights: tuple[float, ...]
    """How much each tool matters; its facts are multiplied by this."""
    recall: str = ""
    """The call that returns what was left out."""
    pinned: frozenset[str] = frozenset()
    """Names of tools that are written in full."""

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """The tools in normal form."""
        return tuple(map(in_normal_form, self.given))

    @cached_property
    def shown_parts(self) -> tuple[dict[str, Tool], ...]:
        """For each tool, its version at each level."""
        return tuple(
            {level: shown_part(tool, level) for level in LEVELS} | {"json": original}
            for tool, original in zip(self.tools, self.given, strict=True)
        )

    @cached_property
    def worths(self) -> tuple[dict[str, int], ...]:
        """For each tool, its worth at each level."""
        return tuple(map(self._worths_of, self.shown_parts, map(facts, self.tools), self.weights))

    def _worths_of(
        self, versions: Mapping[str, Tool], fact_count: int, weight: float
    ) -> dict[str, int]:
        """Return what a tool is worth at each level, given its version there and its weight.

        `fact_count` is the number of facts of the whole tool; no level counts more of them.
        """
        counts = {
            level: min(facts(versions[level]), fact_count) for level in LEVELS if level not in _ALL
        }
        counts |= dict.fromkeys(_ALL, fact_count)
        return {level: round(FINENESS * count * weight) for level, count in counts.items()}

    @cached_property
    def total(self) -> int:
        """The worth of the whole catalog."""
        return sum(by_level["full"] for by_level in self.worths)

    def at_level(self, level: str) -> Menu:
        """Return the menu with all tools at one level, except pinned ones."""
        levels = ["full" if tool.name in self.pinned else level for tool in self.tools]
        options: list[Option] = []
        if level != "json":
            versions = [
                by_level[rung] for by_level, rung in zip(self.shown_parts, levels, strict=True)
            ]
            has_names_only = not {"args", "summary"}.isdisjoint(levels)
            is_cut = tuple(versions) != self.tools
            choices = [
                (common, agreed)
                for agreed in self._convention_choices
                for common in _without_duplicates([Shared(), self.shared(levels, agreed=agreed)])
            ]
            ladders = [(rung,) for rung in levels]
            options += (
                self._shared_option(*choice, ladders, has_names_only=has_names_only, is_cut=is_cut)
                for choice in choices
            )
        if set(levels).issubset(_ALL):
            text = dump([tool.definition() for tool in self.given])
            options.append(Option("json", (text,)))
        worths = (by_level[rung] for by_level, rung in zip(self.worths, levels, strict=True))
        return self._menu(options, sum(worths))

    def within(self) -> Menu:
        """Return the menu in which the solver chooses a level for each tool."""
        full = self.at_level("full").root
        ladders = [_ALL if tool.name in self.pinned else _EVERYTHING for tool in self.tools]
        options = (
            self._shared_option(*choice, ladders, has_names_only=True, is_cut=True)
            for choice in self._sharing_choices()
        )
        return self._menu([*full.options, *options], full.worth)

    def _menu(self, options: Iterable[AnyOption], worth: float) -> Menu:
        """Return the menu of the catalog with the given options and its whole worth."""
        root = MenuClass(None, list(self.tools), worth, tuple(options), bool(self.pinned))
        return Menu(root, Overflow(len(self.tools), None, UNIT, self.recall or None))

    def shared(
        self, levels: Sequence[str], least: int = 2, agreed: Conventions = _NO_CONVENTIONS
    ) -> Shared:
        """Return the parts worth writing once when the tools are at the given levels.

        A part must occur at least `least` times. Parts that the conventions `agreed` imply are left
        out.
        """
        shown_tools = [
            agreed.shorter(by_level[rung]) if by_level[rung] == tool else by_level[rung]
            for by_level, rung, tool in zip(self.shown_parts, levels, self.tools, strict=True)
            if rung in _SHARING
        ]
        return shared(shown_tools, self._parts, self.prices.of, least)

    @cached_property
    def _convention_choices(self) -> tuple[Conventions, ...]:
        """The conventions to choose from: none, or the conventions of the tools' libraries."""
        agreed = conventions(self.tools)
        return (_NO_CONVENTIONS, agreed) if agreed else (_NO_CONVENTIONS,)

    def _sharing_choices(self) -> list[tuple[Shared, Conventions]]:
        """Return what may be written once above the tools: nothing, or what is used often.

        There is a choice for each number of uses in `LEAST`, with each of the conventions.
        """
        choices: list[tuple[Shared, Conventions]] = []
        for agreed in self._convention_choices:
            candidates = [Shared()]
            for level, least in product(_SHARING, LEAST):
                common = self.shared((level,) * len(self.tools), least, agreed)
                candidates += (common, Shared(common.parameters))
            choices += ((candidate, agreed) for candidate in _without_duplicates(candidates))
        return choices

    @cached_property
    def _parts(self) -> ParameterCache:
        """A cache of the parameters of the tools."""
        return ParameterCache()

    def _shared_option(
        self,
        common: Shared,
        agreed: Conventions,
        ladders: Sequence[Sequence[str]],
        *,
        has_names_only: bool,
        is_cut: bool,
    ) -> Option:
        """Return an option of the catalog: what is written once, and a class for each tool.

        `common` and `agreed` are written once; `ladders` has the levels that each tool may have.
        For the flags see `CatalogHeader`.
        """
        writer = Writer(common, self._parts, agreed)
        entries = writer.entries()
        total, recall = len(ladders), self.recall if is_cut else ""
        return Option(
            "catalog",
            (SHARED, *entries) if entries else (),
            children=tuple(
                self._class_of(number, rungs, writer) for number, rungs in enumerate(ladders)
            ),
            unit=UNIT,
            head=CatalogHeader(total, total, has_names_only, is_cut, recall),
        )

    def classes(self, level: str) -> list[MenuClass]:
        """Return the class of each tool at one level, with nothing shared."""
        writer = Writer(parts=self._parts)
        return [self._class_of(number, (level,), writer) for number in range(len(self.tools))]

    def _class_of(self, number: int, ladder: Sequence[str], writer: Writer) -> MenuClass:
        """Return the class of the tool with an index, with an option for each level of a ladder.

        The first level counts as the whole tool. If the ladder has only one, or if the tool is
        pinned, it must be written.
        """
        top, tool = ladder[0], self.tools[number]
        options = [self._option_at(number, top, writer)]
        options += (self._option_at(number, level, writer, is_part=True) for level in ladder[1:])
        version, worth = self.shown_parts[number][top], self.worths[number][top]
        pinned = len(ladder) == 1 or tool.name in self.pinned
        return MenuClass(tool.name, version, worth, tuple(options), pinned)

    def _option_at(
        self, number: int, level: str, writer: Writer, *, is_part: bool = False
    ) -> Option:
        """Return the option that writes the tool with an index at a level.

        If it `is_part`, the option leaves something out.
        """
        version = self.shown_parts[number][level]
        return Option(
            level,
            (written_fragment(version, self.tools[number], level, writer),),
            self.worths[number][level],
            below=True,
            part=CutPart(()) if is_part else None,
            left=version if is_part else None,
        )


def _without_duplicates(candidates: Iterable[Shared]) -> list[Shared]:
    """Return candidates in their order, equal ones only once."""
    distinct: list[Shared] = []
    for candidate in candidates:
        if candidate not in distinct:
            distinct.append(candidate)
    return distinct
