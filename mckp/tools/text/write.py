"""Write whole tools: a line with the name and parameters, a description, lines below.

Text that several tools share is written once where that saves tokens.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.jsontext import canonical, dump, is_object, load
from mckp.tools.schema import pruned, schemas_within
from mckp.tools.text.conventions import Conventions
from mckp.tools.text.spell import (
    SIGN,
    Speller,
    all_schemas,
    description_of,
    is_bare,
    is_block,
    is_definition_name,
    is_plain_object,
    is_plain_required,
    is_raw,
    keyword_text,
    label,
    name,
    prose,
    required_of,
    sentences,
)
from mckp.tools.tool import DEFINITION

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from mckp.plain import JsonValue
    from mckp.tools.tool import Tool

    Count = Callable[[Sequence[str]], list[int]]


def in_normal_form(tool: Tool) -> Tool:
    """Return a tool in normal form, which its full text reads back as.

    The shape is MCP's, schemas are pruned, and required names, which are a set, are sorted.
    """
    extra = tool.extra
    if tool.shape == "openai":
        inner: dict[str, Any] = extra.get(DEFINITION, {})
        extra = {**inner, **{key: data for key, data in extra.items() if key != DEFINITION}}
    return replace(
        tool,
        shape="mcp",
        extra=extra,
        parameters=pruned(tool.parameters),
        output=None if tool.output is None else pruned(tool.output),
    )


class Parameter(NamedTuple):
    """A parameter of a tool."""

    key: str
    schema: Any
    identity: str
    """A text that only equal schemas share."""
    mark: str
    """``?`` if it is optional."""
    text: str
    """How it is written within parentheses, or begins its line; a string is without its type."""
    typed: str
    """The same, but always with its type."""
    description: str | None
    can_share: bool
    """Whether several tools can share it."""


class ParameterCache:
    """A cache of the parameters of tools."""

    def __init__(self) -> None:
        """Begin without tools."""
        self.speller: Final = Speller()
        self._known: dict[int, tuple[Any, tuple[Parameter, ...] | None]] = {}

    def of(self, tool: Tool) -> tuple[Parameter, ...] | None:
        """Return the parameters of a tool; None if absent, or if `is_plain_root` does not hold."""
        schema = tool.parameters
        known = self._known.get(id(schema))
        if known is None:  # with the schema, so that its number stays its own
            parts = tuple(self._parameters_of(schema)) if is_plain_root(schema) else None
            known = self._known[id(schema)] = (schema, parts)
        return known[1] if "parameters" not in tool.absent else None

    def _parameters_of(self, schema: Mapping[str, Any]) -> Iterator[Parameter]:
        """Yield the parameters of a schema for which `is_plain_root` holds."""
        required = frozenset(required_of(schema))
        for key, inner in schema["properties"].items():
            mark = "" if key in required else "?"
            name, described = label(key) + mark, description_of(inner)
            tails = [self.speller.tail(inner, typed=typed) for typed in (False, True)]
            refers = any("$ref" in part for part in schemas_within(inner) if is_object(part))
            can_share = is_bare(key) and is_object(inner) and not refers
            plain, typed = (name + tail for tail in tails)
            yield Parameter(key, inner, canonical(inner), mark, plain, typed, described, can_share)


def is_plain_root(schema: Mapping[str, JsonValue]) -> bool:
    """Whether a schema of parameters can be written in parentheses, as nearly all can."""
    return (
        schema.get("type") == "object"
        and "properties" in schema
        and is_plain_object(schema)
        and ("required" not in schema or is_plain_required(schema))
    )


_ROOT: Final = frozenset({"type", "properties", "required", "additionalProperties"})


@dataclass(frozen=True, slots=True)
class Shared:
    """What is written once for several tools."""

    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Schemas by label: the parameter's name, with ``~2`` and so on where that is taken."""
    texts: tuple[str, ...] = ()
    """Runs of sentences; the first is ``§1``."""

    def labels(self) -> dict[tuple[str, str], str]:
        """Return the labels of shared parameters, by name and identity of the schema."""
        return {
            (label.partition("~")[0], canonical(schema)): label
            for label, schema in self.parameters.items()
        }


class Writer:
    """Writes tools, with shared parts replaced by their labels and codes."""

    def __init__(
        self,
        shared: Shared | None = None,
        parts: ParameterCache | None = None,
        conventions: Conventions | None = None,
    ) -> None:
        self.parts, self.shared = parts or ParameterCache(), shared or Shared()
        self.conventions = conventions or Conventions()
        self.speller = self.parts.speller
        self._labels, self._prose = self.shared.labels(), dict[str, str]()
        self._codes = [
            (text, re.compile(rf"(?<!\S){re.escape(text)}(?!\S)"), f"{SIGN}{number}")
            for number, text in enumerate(self.shared.texts, start=1)
        ]

    def entries(self) -> list[str]:
        """Return the lines with conventions and shared parts; each is a fragment."""
        texts = enumerate(self.shared.texts, start=1)
        return [
            *self.conventions.entries(),
            *(f" {SIGN}{number} {prose(text)}\n" for number, text in texts),
            *(self.line(label, schema) for label, schema in self.shared.parameters.items()),
        ]

    def tool(self, tool: Tool, cut: str = "") -> str:
        """Return the lines of a tool as one fragment; `cut` is the mark of an incomplete one."""
        tool = tool if cut else self.conventions.shorter(tool)
        root, lines = self._root_text(tool, cut)
        output, below = "", list[str]()
        if tool.output is not None:
            schema, below = self._split_definitions(tool.output, "-> ")
            output = f" -> {self.speller.full(schema)}"
        described = "" if "description" in tool.absent else f": {self.prose(tool.description)}"
        head = f"{name(tool.name)}{root}{output}{described}\n"
        return "".join([head, *lines, *below, *_other_members(tool)])

    def _root_text(self, tool: Tool, cut: str) -> tuple[str, list[str]]:
        """Return the parameters of a tool for its first line, and the lines below.

        `cut` is the mark of an incomplete tool.
        """
        if "parameters" in tool.absent:
            return f"=none{cut}", []
        if (parts := self.parts.of(tool)) is None:
            schema, lines = self._split_definitions(tool.parameters)
            return f"={self.speller.full(schema)}{cut}", lines
        inline, lines = self._parameter_texts(parts)
        rest = self.speller.rest(tool.parameters)
        items, definitions = self._other_keywords(tool.parameters)
        members = " ".join([*inline, *rest, *([cut] if cut else [])])
        return f"({members}){items}", [*definitions, *lines]

    def _parameter_texts(self, parts: Iterable[Parameter]) -> tuple[list[str], list[str]]:
        """Return parameters as written on the first line, and lines for those with descriptions."""
        inline: list[str] = []
        lines: list[str] = []
        for part in parts:
            if (known := self._labels.get((part.key, part.identity))) is not None:
                inline.append(known + part.mark)
            elif part.description is None:
                inline.append(part.typed if part.key in self.shared.parameters else part.text)
            else:
                lines.append(f" {part.text} {self.prose(part.description)}\n")
        return inline, lines

    def unshared_text(self, key: str, schema: JsonValue) -> str:
        """Return the text of a parameter that is not shared, to count its tokens.

        It is a line, or, without a description, what parentheses have, between ``a`` and ``b``.
        """
        if description_of(schema) is None:
            return f"a {label(key)}{self.speller.tail(schema)} b"
        return self.line(key, schema)

    def line(self, written_name: str, schema: Any) -> str:
        """Return the line of a parameter or definition, as a fragment, given its written name."""
        described = description_of(schema)
        tail = "" if described is None else f" {self.prose(described)}"
        return f" {written_name}{self.speller.tail(schema)}{tail}\n"

    def _other_keywords(self, schema: Mapping[str, Any]) -> tuple[str, list[str]]:
        """Return keywords that are not in `_ROOT` as text, and lines for the definitions."""
        rest, lines = self._split_definitions(
            {key: data for key, data in schema.items() if key not in _ROOT}
        )
        items = [keyword_text(key, data) for key, data in rest.items()]
        return f"({','.join(items)})" if items else "", lines

    def _split_definitions(self, schema: Any, mark: str = "") -> tuple[Any, list[str]]:
        """Return a schema without its definitions, and their lines, each beginning with `mark`."""
        if not is_object(schema) or not fit_on_lines(schema.get("$defs")):
            return schema, []
        rest = {key: data for key, data in schema.items() if key != "$defs"}
        definitions = schema["$defs"].items()
        return rest, [self.line(f"{mark}@{key}", definition) for key, definition in definitions]

    def prose(self, text: str) -> str:
        """Return prose with codes in place of shared sentences."""
        if (known := self._prose.get(text)) is None:
            known = self._prose[text] = self._with_codes(text)
        return known

    def _with_codes(self, text: str) -> str:
        """Return prose as written, with codes in place of shared sentences."""
        spelled = prose(text)
        if takes_codes(text):
            for shared, pattern, code in self._codes:
                if shared in spelled:
                    spelled = pattern.sub(code, spelled)
        return spelled


def takes_codes(text: str) -> bool:
    """Whether prose is written without quotes, so that codes can replace sentences in it."""
    return is_raw(text) or is_block(text)


def fit_on_lines(definitions: JsonValue) -> bool:
    """Whether there are definitions, and each can be written on a line of its own."""
    if not is_object(definitions) or not definitions or not all_schemas(definitions.values()):
        return False
    return all(map(is_definition_name, definitions))


def _other_members(tool: Tool) -> Iterable[str]:
    """Yield a line with Boolean annotations and, as JSON, all other members, if there are any."""
    flags = {
        key: data
        for key, data in tool.annotations.items()
        if isinstance(data, bool) and is_bare(key)
    }
    others = {key: data for key, data in tool.annotations.items() if key not in flags}
    words = [key if data else f"!{key}" for key, data in flags.items()]
    is_declared = "annotations" not in tool.absent
    rest = (
        {"annotations": others, **tool.extra}
        if is_declared and (others or not flags)
        else tool.extra
    )
    if words or rest:
        yield f" &{' '.join([*words, *([dump(rest)] if rest else [])])}\n"


_STRING: Final = canonical({"type": "string"})

MAX_SHARED_SENTENCES: Final = 12
"""Most sentences that are shared in one piece."""

_Run = tuple[str, ...]
_Key = tuple[str, str]
"""The name of a parameter and the identity of its schema."""


def shared(tools: Sequence[Tool], parts: ParameterCache, count: Count, least: int = 2) -> Shared:
    """Return the parameters and sentences that are worth writing once for these tools.

    They occur at least `least` times. `count` returns the number of tokens of each text.
    """
    parameters = _shared_parameters(tools, Writer(parts=parts), count, least)
    catalog = Shared(parameters)
    return Shared(parameters, _shared_texts(prose_of(tools, parts, catalog.labels()), count, least))


def _shared_parameters(
    tools: Sequence[Tool], writer: Writer, count: Count, least: int
) -> dict[str, Any]:
    """Return the schemas of parameters worth sharing, by label, in order of appearance."""
    schemas: dict[_Key, Any] = {}
    uses: Counter[_Key] = Counter()
    parts = (part for tool in tools for part in writer.parts.of(tool) or () if part.can_share)
    for part in parts:
        key = part.key, part.identity
        schemas.setdefault(key, part.schema)
        uses[key] += 1
    frequent = [key for key in schemas if uses[key] >= least]
    frequent.sort(key=lambda key: -uses[key])
    texts = ["a b"]
    for key, label_text in _labels(frequent).items():
        schema = schemas[key]
        texts += [
            writer.line(label_text, schema),
            writer.unshared_text(key[0], schema),
            f"a {label_text} b",
        ]
    base, *tokens = count(texts)
    paying = [
        key
        for key, line, alone, labelled in zip(
            frequent, tokens[::3], tokens[1::3], tokens[2::3], strict=True
        )
        # A plain string of that name needs a type, as soon as its name means something else.
        if uses[key] * (alone - (labelled - base)) > line + uses[key[0], _STRING]
    ]
    labels = _labels(paying)
    return {labels[key]: schemas[key] for key in schemas if key in labels}


def _labels(keys: Iterable[_Key]) -> dict[_Key, str]:
    """Return a label for each key; of several with the same name, the first gets the bare name."""
    numbers, labels = Counter[str](), dict[_Key, str]()
    for key in keys:
        numbers[key[0]] += 1
        number = numbers[key[0]]
        labels[key] = key[0] if number == 1 else f"{key[0]}~{number}"
    return labels


def prose_of(
    tools: Sequence[Tool], parts: ParameterCache, labels: Collection[tuple[str, str]] = ()
) -> list[str]:
    """Return the prose of the tools that can have codes, that of shared parameters only once.

    `labels` has the name and schema of each shared parameter, as in `Shared.labels`.
    """
    texts = [tool.description for tool in tools]
    texts += filter(None, (description_of(load(text)) for _, text in labels))
    texts += (
        part.description
        for tool in tools
        for part in parts.of(tool) or ()
        if part.description is not None and (part.key, part.identity) not in labels
    )
    return [text for text in texts if text and takes_codes(text)]


def _savings_of_runs(runs: Sequence[_Run], count: Count) -> dict[_Run, tuple[int, int]]:
    """Return the tokens that a code saves at each place of a run, and those of its own line.

    Runs are left out if a code saves no more than one token at each place.
    """
    bodies = ["".join(run).rstrip() for run in runs]
    lines = count([f" {SIGN}1 {prose(body)}\n" for body in bodies])
    whole = count([f"A. {body} B.\n" for body in bodies])
    (code,) = count([f"A. {SIGN}1 B.\n"])
    return {
        run: (tokens - code, line)
        for run, tokens, line in zip(runs, whole, lines, strict=True)
        if tokens > code + 1
    }


def _shared_texts(texts: Sequence[str], count: Count, least: int) -> tuple[str, ...]:
    """Return the runs of sentences that are worth sharing, those that save most first."""
    places: defaultdict[_Run, list[tuple[int, int]]] = defaultdict(list)
    for number, text in enumerate(texts):
        for start, run in _sentence_runs(sentences(text)):
            places[run].append((number, start))
    saving = _savings_of_runs([run for run in places if len(places[run]) >= least], count)
    used: set[tuple[int, int]] = set()

    def free_sentences(run: _Run) -> list[tuple[int, int]]:
        """Return the sentences of each place where a run is still present, without overlaps."""
        free: list[tuple[int, int]] = []
        next_free = (-1, 0)
        for number, start in places[run]:
            span = [(number, start + step) for step in range(len(run))]
            if (number, start) >= next_free and used.isdisjoint(span):
                free += span
                next_free = number, start + len(run)
        return free

    def saving_of(run: _Run) -> int:
        """Return the tokens that sharing a run saves; 0 if it does not occur often enough."""
        per_use, line = saving[run]
        use_count = len(free_sentences(run)) // len(run)
        return use_count * per_use - line if use_count >= least else 0

    heap = [(-saving_of(run), order, run) for order, run in enumerate(saving)]
    heapq.heapify(heap)
    runs: list[str] = []
    while heap:
        old_saving, order, run = heapq.heappop(heap)
        saved = saving_of(run)
        if 0 < saved < -old_saving:  # others took some of its places since
            heapq.heappush(heap, (-saved, order, run))
        elif saved > 0:
            used.update(free_sentences(run))
            runs.append("".join(run).rstrip())
    return tuple(runs)


def _sentence_runs(pieces: Sequence[str]) -> Iterable[tuple[int, _Run]]:
    """Yield the start and the sentences of each run of up to `MAX_SHARED_SENTENCES`.

    The last sentence of a run is without its trailing blanks.
    """
    stripped = [piece.rstrip() for piece in pieces]
    for start in range(len(pieces)):
        if not stripped[start]:
            continue
        for end in range(start + 1, min(len(pieces), start + MAX_SHARED_SENTENCES) + 1):
            if stripped[end - 1]:
                yield start, (*pieces[start : end - 1], stripped[end - 1])
