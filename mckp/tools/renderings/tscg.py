"""TSCG as its paper describes it: eight operators, and four profiles that combine them.

SDM and DRO shorten descriptions, CFO and CAS order the tools, TAS chooses delimiters for the
tokenizer, CFL begins with how to answer, SAD-F repeats what is fragile, and CCP appends what each
tool requires.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

from mckp import tokenizers
from mckp.errors import UnknownNameError
from mckp.jsontext import dump, is_object
from mckp.regexes import regex
from mckp.tools.renderings.types import Types
from mckp.tools.schema import members, required, resolved, with_changed_descriptions
from mckp.tools.text.spell import TYPES
from mckp.tools.tool import WORD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mckp.plain import JsonValue
    from mckp.tokenizers.base import Tokenizer
    from mckp.tools.tool import Tool


OPERATORS: Final = ("sdm", "tas", "dro", "cfl", "cfo", "cas", "sad-f", "ccp")
"""The operators of the paper, in its order."""

PROFILES: Final[Mapping[str, tuple[str, ...]]] = {
    "conservative": ("sdm",),
    "balanced": ("sdm", "tas", "dro", "cfo", "cas", "ccp"),
    "aggressive": OPERATORS,
}
"""What each profile runs; ``auto`` is one of them by the number of tools."""

_FEW, _MANY, _OVERLONG = 20, 30, 40
"""Tools up to which ``auto`` is conservative, from which ``balanced`` leaves the order to CAS, and
above which ``auto`` is conservative again."""


def tscg(
    tools: Sequence[Tool], profile: str = "balanced", *, operators: Iterable[str] | None = None
) -> str:
    """Write a catalog in the short notation of TSCG.

    Parameters
    ----------
    tools : sequence of Tool
        What `mckp.tools.parse_tools` reads.
    profile : str, default "balanced"
        ``conservative`` runs SDM alone; the paper advises it for models of less than 10 billion
        parameters. ``balanced`` runs all but CFL and SAD-F, and no CFO from 30 tools on.
        ``aggressive`` runs all. ``auto`` is balanced without CFO for 21 to 40 tools, and else
        conservative.
    operators : iterable of str, optional
        Of `OPERATORS`, those to run, in place of a profile's.

    Returns
    -------
    str
        The catalog, which cannot be decoded.

    Raises
    ------
    UnknownNameError
        For a profile or an operator that does not exist.

    References
    ----------
    The paper's table 18 has the profiles. Its measure of accuracy is not made here; see
    `mckp.accuracy`.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> schema = {"properties": {"to": {"type": ["string", "null"]}}, "required": ["to"]}
    >>> tool = {"name": "go", "description": "Use this tool to move.", "inputSchema": schema}
    >>> print(tscg(parse_tools([tool])))
    go: Move.
     to(str|null)
    [CLOSURE:go(to)]
    >>> print(tscg(parse_tools([tool]), operators=["sdm", "cfl"]))
    [ANSWER:function_call]
    go: Move.
      - to (required) (string|null)
    """
    active = _active_operators(len(tools), profile, operators)
    counter = tokenizers.get("o200k")
    ordered = [_shorten_descriptions(tool, counter, active) for tool in tools]
    stages = sorted({_stage(tool) for tool in ordered}) if "cfo" in active else [None]
    parts = [[tool for tool in ordered if stage in (None, _stage(tool))] for stage in stages]
    ordered = [
        tool for part in parts for tool in (_fragile_at_ends(part) if "cas" in active else part)
    ]
    layout = Layout() if "dro" in active else _PLAIN
    text = _catalog_text(
        ordered, _best_layout(ordered, counter, layout) if "tas" in active else layout
    )
    if not ordered:
        return text
    lines = ["[ANSWER:function_call]"] if "cfl" in active else []
    lines.append(text)
    lines += [f"[ANCHOR:{','.join(_anchors(ordered, counter))}]"] if "sad-f" in active else []
    lines += [f"[CLOSURE:{','.join(map(_closure_text, ordered))}]"] if "ccp" in active else []
    return "\n".join(lines)


def _active_operators(count: int, profile: str, operators: Iterable[str] | None) -> frozenset[str]:
    """Return the operators to run: the given ones, else the profile's for `count` tools."""
    if operators is not None:
        names = [operators] if isinstance(operators, str) else list(operators)
        for name in names:
            if name not in OPERATORS:
                raise UnknownNameError("operator", name, OPERATORS)
        return frozenset(names)
    if profile not in PROFILES and profile != "auto":
        raise UnknownNameError("profile", profile, (*PROFILES, "auto"))
    if profile == "auto":
        is_middle = _FEW < count <= _OVERLONG
        active = frozenset(PROFILES["balanced" if is_middle else "conservative"])
        return active - {"cfl", "cfo"}
    active = frozenset(PROFILES[profile])
    return active - {"cfo"} if profile == "balanced" and count >= _MANY else active


_READS: Final = frozenset(
    """
    check count describe download fetch find get info inspect list lookup ls peek query read resolve
    search show stat status view watch
    """.split()  # noqa: SIM905
)
_WRITES: Final = frozenset(
    """
    add append apply archive assign cancel close commit create delete disable edit enable insert
    invite merge modify move patch post publish push put remove rename replace reply reset send set
    share start stop submit update upload write
    """.split()  # noqa: SIM905
)


def _stage(tool: Tool) -> int:
    """Return the stage at which a tool is used: 0 if it reads, 2 if it writes, else 1.

    What the server declares takes precedence over the name, of which the first word in `_READS` or
    `_WRITES` counts.
    """
    hint = tool.annotations.get("readOnlyHint")
    if isinstance(hint, bool):
        return 0 if hint else 2
    words = [word.lower() for word in WORD.findall(tool.name)]
    known = next((word for word in words if word in _READS or word in _WRITES), "")
    return 0 if known in _READS else 2 if known in _WRITES else 1


_ANCHOR_TOKENS: Final = 24
"""Most tokens of the names that SAD-F repeats."""


def _anchors(tools: Sequence[Tool], tokenizer: Tokenizer) -> list[str]:
    """Return the names that are most fragile per token, as many as fit, in the tools' order."""
    costs = tokenizer.count_batch([f",{tool.name}" for tool in tools])
    fragile = _fragility(tools)
    by_fragility = sorted(range(len(tools)), key=lambda n: (-fragile[n] / costs[n], n))
    kept: set[int] = set()
    room = _ANCHOR_TOKENS
    for number in by_fragility:
        if costs[number] <= room:
            kept.add(number)
            room -= costs[number]
    return [tools[number].name for number in sorted(kept)]


def _closure_text(tool: Tool) -> str:
    """Return a tool with its required parameters, as the operator CCP writes it."""
    needed = required(tool.arguments)
    return f"{tool.name}({','.join(name for name in members(tool.arguments) if name in needed)})"


_EQUAL: Final = {
    "in order to": "to",
    "so as to": "to",
    "when you need to": "to",
    "when you want to": "to",
    "whether or not": "whether",
    "prior to": "before",
    "in the event that": "if",
    "due to the fact that": "because",
    "for the purpose of": "for",
    "is able to": "can",
    "are able to": "can",
    "a large number of": "many",
    "corresponds to": "→",
    "correspond to": "→",
    "maps to": "→",
    "greater than or equal to": ">=",
    "less than or equal to": "<=",
    "for example": "e.g.",
}
"""Phrases that say the same: words are SDM's, signs are DRO's."""

_IT: Final = "(?:tool|function|method|endpoint|command)"
_OPENINGS: Final = (
    r"(?:please )?note that",
    rf"(?:you (?:can|may) )?use this {_IT} (?:when you (?:need|want) to|to|for)",
    rf"(?:this {_IT}|it) (?:can be used|may be used|is used|is designed|will be used) (?:to|for)",
    rf"this {_IT} (?:allows you to|lets you|enables you to|will|can)",
    rf"(?:this is )?(?:a|the) {_IT} (?:that can be used to|which can be used to|to|for)",
)
_OPENING: Final = regex(
    rf"(?P<before>\A|[.!?]\s+|\n)(?:{'|'.join(_OPENINGS)})\s+(?P<next>\w)", re.IGNORECASE
)
_TO_WORDS: Final = regex(
    rf"\b(?:{'|'.join(phrase for phrase, short in _EQUAL.items() if short.isalpha())})\b"
)
_TO_SIGNS: Final = regex(
    rf"\b(?:{'|'.join(phrase for phrase, sign in _EQUAL.items() if not sign.isalpha())})\b"
)
_BLANKS: Final = regex(r"(?<=\S)[ \t]+(?=\n|\Z)|(?<=\S[ \t])[ \t]+")
_CODE: Final = regex(r"```|\t|\n {2,}")


def _shorten_descriptions(tool: Tool, tokenizer: Tokenizer, active: frozenset[str]) -> Tool:
    """Return a tool with all its descriptions shortened by the active operators SDM and DRO."""

    def change(text: str) -> str:
        """Return a description, shortened where that saves tokens."""
        for name, shorten in (("sdm", sdm), ("dro", dro)):
            if name not in active:
                continue
            shorter = shorten(text)
            if shorter != text:
                after, before = tokenizer.count_batch([shorter, text])
                text = shorter if after < before else text
        return text

    parameters = with_changed_descriptions(tool.parameters, change)
    return replace(tool, description=change(tool.description), parameters=parameters)


def sdm(text: str) -> str:
    """Remove filler words, and shorten phrases to words: the operator SDM.

    Examples
    --------
    >>> sdm("This tool allows you to  search. Use this tool when you need to find files")
    'Search. Find files'
    >>> sdm("The name of the label, if needed")
    'The name of the label, if needed'
    """
    shorter = _OPENING.sub(lambda match: match["before"] + match["next"].upper(), text)
    shorter = _TO_WORDS.sub(lambda match: _EQUAL[match[0]], shorter)
    if not _CODE.search(text):
        shorter = _BLANKS.sub("", shorter).strip()
    return shorter


def dro(text: str) -> str:
    """Replace phrases with signs: the operator DRO.

    Examples
    --------
    >>> dro("Each id corresponds to a row, less than or equal to 9")
    'Each id → a row, <= 9'
    """
    return _TO_SIGNS.sub(lambda match: _EQUAL[match[0]], text)


def _fragile_at_ends(tools: Sequence[Tool]) -> list[Tool]:
    """Order tools so that the most fragile ones are alternately first and last."""
    fragile = _fragility(tools)
    ranked = sorted(range(len(tools)), key=lambda number: (-fragile[number], number))
    return [tools[number] for number in (*ranked[::2], *reversed(ranked[1::2]))]


def _fragility(tools: Sequence[Tool]) -> list[float]:
    """Return the fragility of each tool, from 0 to 1.

    It is half the number of parameters (required ones count twice) as a share of the largest such
    number, plus half the distance to the nearer end as a share of the largest distance.
    """
    sizes = [len(members(tool.arguments)) + len(required(tool.arguments)) for tool in tools]
    largest, last = max(sizes, default=0) or 1, max(1, len(tools) - 1)
    is_single = len(tools) == 1
    distances = [
        0.0 if is_single else 1 - abs(2 * number / last - 1) for number in range(len(tools))
    ]
    return [
        0.5 * size / largest + 0.5 * distance
        for size, distance in zip(sizes, distances, strict=True)
    ]


_BARE: Final = regex(r"[A-Za-z_][\w.-]*\Z")
_TAKEN: Final = frozenset({*TYPES, *TYPES.values(), "any", "never", "map", "true", "false"})
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
class Layout:
    """The delimiters between the parts of a catalog."""

    name: str = ": "
    """Between the name of a tool and what it does."""
    before: str = "\n  "
    """Before its first parameter."""
    between: str = " | "
    """Between two parameters."""
    open: str = " ("
    """Before the type of a parameter."""
    close: str = "): "
    """After that type; colons and blanks at its end are left out if no description follows."""
    values: str = "|"
    """Between the values of an enum."""
    required: str = "*"
    """After the name of a parameter that must be given."""
    optional: str = ""
    """After the name of any other parameter."""
    apart: str = "\n"
    """Between two tools."""
    types: str = "short"
    """Whether types have ``short`` names or JSON Schema's ``long`` ones."""


_PLAIN: Final = Layout(
    before="\n  - ",
    between="\n  - ",
    required=" (required)",
    optional=" (optional)",
    values="|",
    apart="\n\n",
    types="long",
)
"""The layout of a catalog without DRO; TAS may change it."""

_VARIANTS: Final[tuple[dict[str, str], ...]] = (
    *({"name": name} for name in (": ", " - ", "\t")),
    {"before": "\n  ", "between": " | "},
    *({"before": before, "between": before} for before in ("\n ", "\n\t")),
    {"open": " (", "close": "): "},
    {"open": "(", "close": "): "},
    {"open": ":", "close": " - "},
    {"open": " <", "close": "> "},
    *({"values": joint} for joint in ("|", "/", ", ")),
    {"required": "*", "optional": ""},
    {"required": "!", "optional": ""},
    {"required": "", "optional": "?"},
)
"""Ways to write the delimiters; of those for the same delimiter, the first is TSCG's own."""


def _best_layout(tools: Sequence[Tool], tokenizer: Tokenizer, best: Layout) -> Layout:
    """Return a layout with fewer tokens than `best`, or `best` itself.

    One delimiter at a time is changed, as long as that saves tokens.
    """
    least, before = tokenizer.count(_catalog_text(tools, best)), None
    while least != before:
        before = least
        for variant in _VARIANTS:
            layout = replace(best, **variant)
            if (tokens := tokenizer.count(_catalog_text(tools, layout))) < least:
                best, least = layout, tokens
    return best


@dataclass(frozen=True)
class _Types(Types):
    """Types as TSCG writes them.

    Examples
    --------
    >>> types = _Types({})
    >>> types.of({"type": ["string", "null"]}), types.of({}), types.of({"enum": ["a", "1", 1]})
    ('str|null', 'any', 'a|"1"|1')
    >>> types.of({"type": "array", "items": {"properties": {"x": {"type": "integer"}}}})
    'arr[{x:int}]'
    """

    names: ClassVar[Mapping[str, str]] = TYPES
    union, intersection = "|", "&"

    layout: Layout = field(default_factory=Layout)

    def value(self, value: Any) -> str:
        """Return a value as a bare word if possible, else as JSON."""
        plain = isinstance(value, str) and _BARE.match(value) and value not in _TAKEN
        return value if plain else dump(value)

    def enum(self, values: Iterable[JsonValue]) -> str:
        """Return the type of an enumeration of values."""
        return self.layout.values.join(map(self.value, values)) or "never"

    def array(self, items: str) -> str:
        """Return the type of an array, given that of its items."""
        return "arr" if items == "any" else f"arr[{items}]"

    def tuple(self, items: str) -> str:
        """Return the type of an array, given the types of its first items."""
        return self.array(items)

    def field(self, name: str, kind: str, *, required: bool) -> str:
        """Return a parameter with its type."""
        return f"{name}{self.layout.required if required else self.layout.optional}:{kind}"

    def object(self, fields: list[str], rest: Any) -> str:
        """Return the type of an object: its members, or ``map`` with the type of its values."""
        if fields:
            return f"{{{', '.join(fields)}}}"
        return f"map[{self.inner(rest)}]" if is_object(rest) and rest else "obj"

    def has_members_too(self, schema: Any) -> bool:
        """Whether a union has a type or members of its own, which are written as well."""
        return "type" in schema or super().has_members_too(schema)

    def unnamed(self, place: str) -> str:
        """Return what is written for a reference that is not followed: its last step."""
        return place.rpartition("/")[2]

    def inner(self, schema: Any) -> str:
        """Return the type of a schema within another one, with its facts and description."""
        text = self.description(schema)
        return " ".join([self.of(schema), *self.facts(schema), *([dump(text)] if text else [])])

    def facts(self, schema: JsonValue) -> list[str]:
        """Return bounds, patterns, formats and the default of a schema, each as ``name=value``."""
        keywords = self._keywords(schema)
        return [f"{_FACTS[key]}={dump(keywords[key])}" for key in _FACTS if key in keywords]

    def description(self, schema: Any) -> Any:
        """Return the description of a schema, or ""."""
        return self._keywords(schema).get("description", "")

    def _keywords(self, schema: Any) -> Mapping[str, Any]:
        """Return a schema with its reference resolved; an empty object if that is no object."""
        target = resolved(schema, self.root)
        return target if is_object(target) else {}


class _LongTypes(_Types):
    """Types under the names that JSON Schema gives them."""

    names: ClassVar[Mapping[str, str]] = {kind: kind for kind in TYPES}


def _catalog_text(tools: Iterable[Tool], layout: Layout) -> str:
    """Write a catalog in a layout.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> to = {"type": "object", "properties": {"zip": {"type": "string", "description": "Five."}}}
    >>> schema = {"properties": {"to": to, "n": {"type": "integer", "default": 1}}}
    >>> tools = parse_tools([{"name": "send", "description": "Send.", "inputSchema": schema}])
    >>> print(_catalog_text(tools, Layout()))
    send: Send.
      to ({zip:str "Five."}) | n (int default=1)
    """
    return layout.apart.join(_tool_text(tool, layout) for tool in tools)


def _tool_text(tool: Tool, layout: Layout) -> str:
    """Return a tool in a layout."""
    kind = _Types if layout.types == "short" else _LongTypes
    shown = list(_parameter_texts(tool.arguments, kind(tool.arguments, layout=layout)))
    head = f"{tool.name}{layout.name}{tool.description}" if tool.description else tool.name
    return f"{head}{layout.before}{layout.between.join(shown)}" if shown else head


def _parameter_texts(schema: Any, types: _Types) -> Iterator[str]:
    """Yield the parameters of a schema as the layout of `types` has them."""
    needed, layout = required(schema), types.layout
    for name, parameter in members(schema).items():
        typed, description = (
            " ".join([types.of(parameter), *types.facts(parameter)]),
            types.description(parameter),
        )
        mark = layout.required if name in needed else layout.optional
        close = layout.close if description else layout.close.rstrip(": ")
        yield f"{name}{mark}{layout.open}{typed}{close}{description}"
