"""TSCG: how a tool is laid out, from its types to the text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump, is_array, is_object
from mckp.tools.renderings.schema import members, required, resolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mckp.tokenizers.base import Tokenizer
    from mckp.tools.tool import Tool

LONG: Final[Mapping[str, str]] = {
    kind: kind for kind in ("string", "number", "integer", "boolean", "array", "object", "null")
}
SHORT: Final[Mapping[str, str]] = {
    **LONG,
    "string": "str",
    "number": "num",
    "integer": "int",
    "boolean": "bool",
    "array": "arr",
    "object": "obj",
}
_BARE: Final = re.compile(r"[A-Za-z_][\w.-]*\Z")
_TAKEN: Final = frozenset({*LONG.values(), *SHORT.values(), "any", "never", "map", "true", "false"})
_PARTS: Final = (("anyOf", "|"), ("oneOf", "|"), ("allOf", "&"))
_FACTS: Final = {
    "minimum": "min",
    "maximum": "max",
    "exclusiveMinimum": "above",
    "exclusiveMaximum": "below",
    "minLength": "minLength",
    "maxLength": "maxLength",
    "minItems": "minItems",
    "maxItems": "maxItems",
    "uniqueItems": "unique",
    "multipleOf": "step",
    "pattern": "pattern",
    "format": "format",
    "default": "default",
}


@dataclass(frozen=True)
class Words:
    """Writes the types of one schema.

    Examples
    --------
    >>> words = Words({})
    >>> words.of({"type": ["string", "null"]}), words.of({}), words.of({"enum": ["a", "1", 1]})
    ('str|null', 'any', 'a|"1"|1')
    >>> words.of({"type": "array", "items": {"properties": {"x": {"type": "integer"}}}})
    'arr[{x:int}]'
    """

    root: Any
    short: bool = True
    values: str = "|"
    required: str = "*"
    optional: str = ""
    inside: tuple[str, ...] = ()

    @property
    def names(self) -> Mapping[str, str]:
        """What the types of JSON Schema are called."""
        return SHORT if self.short else LONG

    def of(self, schema: Any) -> str:
        """Return the type of a schema."""
        if not is_object(schema):
            return "never" if schema is False else "any"
        if isinstance(place := schema.get("$ref"), str):
            target = resolved(schema, self.root)
            if place in self.inside or target is schema:
                return place.rpartition("/")[2]
            return replace(self, inside=(*self.inside, place)).of(target)
        if "const" in schema:
            return value_text(schema["const"])
        if is_array(values := schema.get("enum")):
            return self.values.join(map(value_text, values)) or "never"
        return self._combined(schema)

    def facts(self, schema: Any) -> list[str]:
        """Return bounds, patterns, formats and the default, each as ``name=value``."""
        schema = resolved(schema, self.root)
        if not is_object(schema):
            return []
        return [f"{_FACTS[key]}={dump(schema[key])}" for key in _FACTS if key in schema]

    def _combined(self, schema: dict[str, Any]) -> str:
        """Return a union or an intersection, unless its parts say nothing of types."""
        own = self._plain(schema) if "type" in schema or members(schema) else ""
        for key, joint in _PARTS:
            parts = schema.get(key)
            if is_array(parts) and parts and (kinds := self._kinds(parts, joint)):
                joined = joint.join(kinds)
                return f"{own}&({joined})" if own else joined
        return own or "any"

    def _kinds(self, parts: list[Any], joint: str) -> list[str]:
        """Return the types of parts; a union with anything in it is anything."""
        said = [part for part in parts if self.of(part) != "any"]
        if joint == "|" and len(said) < len(parts):
            return []
        return list(dict.fromkeys(map(self._inner, said)))

    def _plain(self, schema: dict[str, Any]) -> str:
        kind = schema.get("type")
        if is_array(kind):
            return "|".join(dict.fromkeys(self._plain({**schema, "type": each}) for each in kind))
        if kind == "array":
            return self._array(schema)
        if kind == "object" or members(schema):
            return self._object(schema)
        return self.names.get(kind, kind) if isinstance(kind, str) else "any"

    def _array(self, schema: dict[str, Any]) -> str:
        items = schema.get("prefixItems", schema.get("items"))
        inner = ", ".join(map(self._inner, items)) if is_array(items) else self._inner(items)
        return self.names["array"] if inner == "any" else f"{self.names['array']}[{inner}]"

    def _object(self, schema: dict[str, Any]) -> str:
        needed = required(schema)
        fields = [
            f"{name}{self.required if name in needed else self.optional}:{self._inner(each)}"
            for name, each in members(schema).items()
        ]
        if fields:
            return f"{{{', '.join(fields)}}}"
        rest = schema.get("additionalProperties")
        return f"map[{self._inner(rest)}]" if is_object(rest) and rest else self.names["object"]

    def said(self, schema: Any) -> list[str]:
        """Return facts and the description, which have no other place within a type."""
        facts = resolved(schema, self.root)
        text = facts.get("description") if is_object(facts) else None
        return [*self.facts(schema), dump(text)] if text else self.facts(schema)

    def _inner(self, schema: Any) -> str:
        return " ".join([self.of(schema), *self.said(schema)])


def value_text(value: Any) -> str:
    """Return a value as a bare word if nothing else could be meant, else as JSON.

    Examples
    --------
    >>> value_text("asc"), value_text("str"), value_text("a b"), value_text(None)
    ('asc', '"str"', '"a b"', 'null')
    """
    plain = isinstance(value, str) and _BARE.match(value) and value not in _TAKEN
    return value if plain else dump(value)


@dataclass(frozen=True)
class Layout:
    """What stands between the parts of a catalog.

    Attributes
    ----------
    name : str
        Between the name of a tool and what it does.
    before, between : str
        Before the first parameter and between two.
    open, close : str
        Around the type of a parameter; `close` is left out before nothing at all.
    values : str
        Between the values of an enum.
    required, optional : str
        Behind the name of a parameter, whichever it is.
    tools : str
        Between two tools.
    short : bool
        Whether types have short names.
    """

    name: str = ": "
    before: str = "\n  "
    between: str = " | "
    open: str = " ("
    close: str = "): "
    values: str = "|"
    required: str = "*"
    optional: str = ""
    tools: str = "\n"
    short: bool = True


PLAIN: Final = Layout(
    before="\n  - ",
    between="\n  - ",
    values=", ",
    required=" (required)",
    optional=" (optional)",
    tools="\n\n",
    short=False,
)
"""The layout before DRO: whole words, a line a parameter."""

COMPACT: Final = Layout()
"""The layout of DRO before TAS asks the tokenizer."""


@dataclass(frozen=True)
class Parameter:
    """A parameter with its path: ``to.city``, or ``to[].city`` in an array."""

    path: str
    schema: Any
    required: bool
    is_outer: bool = False


def written(tools: list[Tool], layout: Layout) -> str:
    """Write a catalog.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> to = {"type": "object", "properties": {"zip": {"type": "string", "description": "Five."}}}
    >>> schema = {"properties": {"to": to, "n": {"type": "integer", "default": 1}}}
    >>> tools = parse_tools([{"name": "send", "description": "Send.", "inputSchema": schema}])
    >>> print(written(tools, COMPACT))
    send: Send.
      to (obj) | to.zip (str): Five. | n (int default=1)
    """
    return layout.tools.join(_tool(tool, layout) for tool in tools)


def _tool(tool: Tool, layout: Layout) -> str:
    words = Words(
        tool.parameters,
        layout.short,
        layout.values,
        "*" if layout.required.startswith(" ") else layout.required,
        "" if layout.required.startswith(" ") else layout.optional,
    )
    shown = [_parameter(each, words, layout) for each in parameters(tool.parameters)]
    head = f"{tool.name}{layout.name}{tool.description}" if tool.description else tool.name
    return f"{head}{layout.before}{layout.between.join(shown)}" if shown else head


def _parameter(each: Parameter, words: Words, layout: Layout) -> str:
    schema = resolved(each.schema, words.root)
    kind = _outer(schema, words) if each.is_outer else words.of(each.schema)
    typed = " ".join([kind, *words.facts(each.schema)])
    said = schema.get("description", "") if is_object(schema) else ""
    mark = layout.required if each.required else layout.optional
    close = layout.close if said else layout.close.rstrip(": ")
    return f"{each.path}{mark}{layout.open}{typed}{close}{said}"


def _outer(schema: dict[str, Any], words: Words) -> str:
    names = words.names
    if "items" not in schema:
        return names["object"]
    return f"{names['array']}[{' '.join([names['object'], *words.said(schema['items'])])}]"


def parameters(schema: Any) -> Iterator[Parameter]:
    """Yield the parameters of a tool, and those within them of which something is said."""
    yield from _below(schema, schema, "", 0)


_MAX_DEPTH: Final = 12


def _below(schema: Any, root: Any, path: str, depth: int) -> Iterator[Parameter]:
    needed = required(schema)
    for name, each in members(schema).items():
        own, facts = f"{path}{name}", resolved(each, root)
        items = resolved(facts.get("items"), root) if is_object(facts) else None
        within, step = (facts, ".") if members(facts) else (items, "[].")
        opened = depth < _MAX_DEPTH and _is_plain(within) and _is_said(within, root)
        yield Parameter(own, each, name in needed, opened)
        if opened:
            yield from _below(within, root, f"{own}{step}", depth + 1)


def _is_plain(schema: Any) -> bool:
    return bool(members(schema)) and not {"anyOf", "oneOf", "allOf"} & schema.keys()


def _is_said(schema: Any, root: Any, depth: int = 0) -> bool:
    """Whether a member of an object, at any depth, has a description."""
    for each in members(schema).values():
        facts = resolved(each, root)
        if not is_object(facts) or depth > _MAX_DEPTH:
            continue
        if facts.get("description"):
            return True
        if any(_is_said(inner, root, depth + 1) for inner in (facts, facts.get("items"))):
            return True
    return False


_Change = dict[str, Any]

VARIANTS: Final[tuple[tuple[_Change, ...], ...]] = (
    ({"name": ": "}, {"name": " - "}, {"name": "\t"}),
    ({"before": "\n  ", "between": " | "}, *({"before": b, "between": b} for b in ("\n ", "\n\t"))),
    (
        {"open": " (", "close": "): "},
        {"open": "(", "close": "): "},
        {"open": ":", "close": " - "},
        {"open": " <", "close": "> "},
    ),
    ({"values": "|"}, {"values": "/"}, {"values": ", "}),
    (
        {"required": "*", "optional": ""},
        {"required": "!", "optional": ""},
        {"required": "", "optional": "?"},
    ),
)
"""For each delimiter the ways to write it; the first is TSCG's own."""


def tas(tools: list[Tool], tokenizer: Tokenizer, start: Layout = COMPACT) -> Layout:
    """Return the layout in which no single delimiter can be bettered.

    Each is tried in turn on the whole catalog, round after round while something is gained;
    equal counts keep what was there.

    Examples
    --------
    >>> from mckp import tokenizers
    >>> from mckp.tools import parse_tools
    >>> schema = {"properties": {"a": {"enum": ["x", "y"]}, "b": {}}, "required": ["a", "b"]}
    >>> tools = parse_tools([{"name": "now", "description": "The time.", "parameters": schema}])
    >>> counter = tokenizers.get("o200k")
    >>> layout = tas(tools, counter)
    >>> counts = [counter.count(written(tools, each)) for each in (COMPACT, layout)]
    >>> counts[1] < counts[0]
    True
    """
    best, least = start, tokenizer.count(written(tools, start))
    is_better = True
    while is_better:
        is_better = False
        for ways in VARIANTS:
            for way in ways:
                layout = _with(best, way)
                tokens = tokenizer.count(written(tools, layout))
                if tokens < least:
                    best, least, is_better = layout, tokens, True
    return best


def _with(layout: Layout, way: Mapping[str, Any]) -> Layout:
    return replace(layout, **way)
