"""What a library writes into every tool, so that a catalog can state it once.

Pydantic gives each parameter a title derived from its name, FastMCP gives each tool the same
``_meta``, and zod writes a long pattern next to each ``format``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import canonical, dump, is_array, is_object
from mckp.tools.schema import changed, members

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mckp.plain import JsonValue
    from mckp.tools.tool import Tool

    Change = Callable[[dict[str, Any], str, str], dict[str, Any]]
    """From a schema, what kind of thing has it, and the title that follows from its name."""

KINDS: Final = ("members", "inputs", "outputs", "tools")
"""What can have a title that follows from a name."""

LEAST: Final = 3
"""How many more titles or patterns must follow a convention than lack them."""

_ROOTS: Final = {"inputs": "Arguments", "outputs": "Output"}
_NAMED: Final = ("properties", "$defs", "definitions")


def title_of(name: str) -> str:
    """Return the title that pydantic gives a field, and FastMCP a tool.

    Examples
    --------
    >>> title_of("per_page"), title_of("issueId")
    ('Per Page', 'Issueid')
    """
    return name.title().replace("_", " ").strip()


@dataclass(frozen=True)
class Conventions:
    """What can be left out of each tool because it is stated once above the tools.

    If a tool deviates because it lacks a member, its shorter form has null there.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> schema = {"properties": {"owner": {"title": "Owner"}, "n": {"title": "Count"}, "x": {}}}
    >>> [tool] = parse_tools([{"name": "f", "inputSchema": schema}])
    >>> shorter = Conventions(("members",)).shorter(tool)
    >>> shorter.parameters
    {'properties': {'owner': {}, 'n': {'title': 'Count'}, 'x': {'title': None}}}
    >>> Conventions(("members",)).whole(shorter) == tool
    True
    """

    titles: tuple[str, ...] = ()
    """Of `KINDS`, those whose titles follow from names."""
    common: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Members that the definition of each tool has."""
    patterns: Mapping[str, str] = field(default_factory=dict[str, str])
    """By format, the pattern that is beside it."""
    results: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Members of each schema of outputs that holds a value as its only member, ``result``."""

    def __bool__(self) -> bool:
        """Whether there is any convention."""
        return bool(self.titles or self.common or self.patterns or self.results)

    def entries(self) -> list[str]:
        """Return the lines that state the conventions; each is a fragment."""
        titles = f" &titles follow names: {' '.join(self.titles)}\n" if self.titles else ""
        common = f" &{dump(dict(self.common))}\n" if self.common else ""
        patterns = f" &patterns {dump(dict(self.patterns))}\n" if self.patterns else ""
        results = f" &results {dump(dict(self.results))}\n" if self.results else ""
        return list(filter(None, (titles, common, patterns, results)))

    @cached_property
    def _known(self) -> dict[int, tuple[Tool, Tool]]:
        """Tools with their shorter forms, by the id of the tool."""
        return {}

    def shorter(self, tool: Tool) -> Tool:
        """Return a tool without what the conventions imply; cached by object."""
        if not self:
            return tool
        if id(tool) not in self._known:  # with the tool, so that its number stays its own
            self._known[id(tool)] = tool, self.changed(tool, self._without_conventions)
        return self._known[id(tool)][1]

    def whole(self, shorter: Tool) -> Tool:
        """Return the full tool, given its shorter form; the inverse of `shorter`."""
        return self.changed(shorter, self._with_conventions) if self else shorter

    def changed(self, tool: Tool, change: Change) -> Tool:
        """Return a tool with `change` applied to its schemas and to its own members.

        Members in `common` are added if `change` is `_with_conventions`, and otherwise removed.
        """
        extra = dict(tool.extra)
        for key, value in self.common.items():
            if change == self._with_conventions:
                extra[key] = value
            else:
                del extra[key]
        extra = change(extra, "tools", title_of(tool.name))
        rewritten = replace(tool, extra=extra)
        if "parameters" not in tool.absent:
            expected = f"{tool.name}{_ROOTS['inputs']}"
            rewritten = replace(
                rewritten,
                parameters=_with_changed_schemas(tool.parameters, "inputs", expected, change),
            )
        if tool.output is not None:
            expected = f"{tool.name}{_ROOTS['outputs']}"
            rewritten = replace(
                rewritten, output=_with_changed_schemas(tool.output, "outputs", expected, change)
            )
        return rewritten

    def _expected_keywords(
        self, schema: dict[str, JsonValue], kind: str, title: str
    ) -> Iterator[tuple[str, Any]]:
        """Yield the keywords that a schema has by convention, with their values.

        `kind` is of `KINDS`, or empty for other schemas; `title` is what follows from the name.
        """
        if kind in self.titles and has_title(schema):
            yield "title", title
        if kind == "outputs" and list(members(schema)) == ["result"]:
            yield from self.results.items()
        form = schema.get("format")
        if kind != "tools" and isinstance(form, str) and form in self.patterns:
            yield "pattern", self.patterns[form]

    def _without_conventions(
        self, schema: dict[str, JsonValue], kind: str, title: str
    ) -> dict[str, JsonValue]:
        """Return a schema without the keywords that conventions imply; a missing one becomes None.

        For `kind` and `title` see `_expected_keywords`.
        """
        kept = dict(schema)
        for key, value in self._expected_keywords(schema, kind, title):
            if key not in kept:
                kept[key] = None
            elif kept[key] == value:
                del kept[key]
        return kept

    def _with_conventions(
        self, schema: dict[str, JsonValue], kind: str, title: str
    ) -> dict[str, JsonValue]:
        """Return the schema from which `_without_conventions` made this one.

        For `kind` and `title` see `_expected_keywords`.
        """
        kept = dict(schema)
        for key, value in self._expected_keywords(schema, kind, title):
            if key not in kept:
                kept[key] = value
            elif kept[key] is None:
                del kept[key]
        return kept


def has_title(schema: Mapping[str, JsonValue]) -> bool:
    """Whether pydantic gives a title to such a schema: to all but references and unions with them.

    Examples
    --------
    >>> has_title({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}), has_title({})
    (False, True)
    """
    parts = [schema.get(key) for key in ("anyOf", "oneOf", "allOf")]
    inner = [part for branch in parts if is_array(branch) for part in branch]
    return not any(is_object(branch) and "$ref" in branch for branch in (schema, *inner))


def _with_changed_schemas(schema: Any, kind: str, title: str, change: Change) -> Any:
    """Return a schema with `change` applied to each schema in it, inner ones first.

    `kind` and `title` are those of the schema itself; see `Conventions._expected_keywords`.
    """
    if not is_object(schema):
        return schema
    outer = changed(
        {key: value for key, value in schema.items() if key not in _NAMED},
        lambda part: _with_changed_schemas(part, "", "", change),
    )
    rewritten: dict[str, Any] = {}
    for key, value in schema.items():
        if key in outer:
            rewritten[key] = outer[key]
        elif is_object(value):
            of_name = title_of if key == "properties" else str
            rewritten[key] = {
                name: _with_changed_schemas(part, "members", of_name(name), change)
                for name, part in value.items()
            }
        else:
            rewritten[key] = value
    return change(rewritten, kind, title)


def conventions(tools: Sequence[Tool]) -> Conventions:
    """Return the conventions that save tokens for these tools.

    The result has none if a tool would not read back with them.
    """
    titles, patterns_by_format = Counter[str](), defaultdict[str, Counter[Any]](Counter)
    result_wrappers = list[dict[str, Any]]()

    def count_schema(schema: dict[str, JsonValue], kind: str, title: str) -> dict[str, JsonValue]:
        """Count what a schema has in common with conventions, and return it unchanged."""
        if kind and has_title(schema) and schema.get("title", title) == title:
            titles[kind] += 1 if "title" in schema else -1
        if kind == "outputs" and list(members(schema)) == ["result"]:
            result_wrappers.append({key: schema[key] for key in schema if key.startswith("x-")})
        if isinstance(form := schema.get("format"), str):
            pattern = schema.get("pattern")
            patterns_by_format[form][pattern if isinstance(pattern, str) else None] += 1
        return schema

    none = Conventions()
    for tool in tools:
        none.changed(tool, count_schema)
    patterns: dict[str, str] = {}
    for form, counts in patterns_by_format.items():
        pattern = max(counts, key=lambda text: (text is not None, counts[text], text or ""))
        if pattern is not None and counts[pattern] - counts[None] >= LEAST - 1:
            patterns[form] = pattern
    kinds = tuple(kind for kind in KINDS if titles[kind] >= LEAST)
    agreed = Conventions(
        kinds,
        _common_members([tool.extra for tool in tools]),
        patterns,
        _common_members(result_wrappers),
    )
    is_safe = all(_is_same_tool(tool, agreed.whole(agreed.shorter(tool))) for tool in tools)
    return agreed if is_safe else none


def _common_members(objects: Sequence[Mapping[str, JsonValue]]) -> dict[str, JsonValue]:
    """Return the members, except titles, that all objects have with equal values.

    There are none if there are fewer than `LEAST` objects.
    """
    first = objects[0] if len(objects) >= LEAST else dict[str, Any]()
    alike = {key: canonical(value) for key, value in first.items() if key != "title"}
    for plain in objects:
        its_members = {key: canonical(plain[key]) for key in alike if key in plain}
        alike = {key: text for key, text in alike.items() if its_members.get(key) == text}
    return {key: first[key] for key in alike}


def _is_same_tool(tool: Tool, other: Tool) -> bool:
    """Whether two tools have equal schemas and further members."""
    parts = [[version.parameters, version.output, version.extra] for version in (tool, other)]
    return canonical(parts[0]) == canonical(parts[1])
