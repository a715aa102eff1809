"""Whole tools as text: the name with its parameters, what it does, a line for each parameter."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.jsontext import canonical, dump, is_object
from mckp.tools.schema import every, ordered, pruned
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
    item,
    label,
    name,
    prose,
    required_of,
)
from mckp.tools.tool import DEFINITION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mckp.tools.tool import Tool


def normal(tool: Tool) -> Tool:
    """Return a tool as its full text says it.

    The shape is MCP's, schemas are pruned, and required names are sorted, as
    they are a set.
    """
    extra = tool.extra
    if tool.shape == "openai":
        inner: dict[str, Any] = extra.get(DEFINITION, {})
        extra = {**inner, **{key: data for key, data in extra.items() if key != DEFINITION}}
    return replace(
        tool,
        shape="mcp",
        extra=extra,
        parameters=ordered(pruned(tool.parameters)),
        output=None if tool.output is None else ordered(pruned(tool.output)),
    )


class Part(NamedTuple):
    """A parameter of a tool.

    Attributes
    ----------
    key : str
        Its name.
    schema
        Its schema.
    identity : str
        A text that equal schemas have in common.
    mark : str
        ``?`` if it is optional.
    here : str
        How it stands within parentheses, or begins its line, where strings need no type.
    typed : str
        The same with its type in any case.
    description : str or None
        What is said of it.
    can_share : bool
        Whether several tools can share it.
    """

    key: str
    schema: Any
    identity: str
    mark: str
    here: str
    typed: str
    description: str | None
    can_share: bool


class Parts:
    """Knows the parameters of the tools it was asked for.

    Parameters
    ----------
    speller : Speller
        What writes schemas.
    """

    def __init__(self, speller: Speller) -> None:
        self.speller: Final = speller
        self._known: dict[int, tuple[Any, tuple[Part, ...] | None]] = {}

    def of(self, tool: Tool) -> tuple[Part, ...] | None:
        """Return the parameters of a tool, None if they are no plain object."""
        schema = tool.parameters
        known = self._known.get(id(schema))
        if known is None:  # with the schema, so that its number stays its own
            found = tuple(self._of(schema)) if is_plain_root(schema) else None
            known = self._known[id(schema)] = (schema, found)
        return known[1] if "parameters" not in tool.absent else None

    def _of(self, schema: Mapping[str, Any]) -> Iterator[Part]:
        required = frozenset(required_of(schema))
        for key, inner in schema["properties"].items():
            mark = "" if key in required else "?"
            name, described = label(key) + mark, description_of(inner)
            tails = [self.speller.tail(inner, typed=typed) for typed in (False, True)]
            can_share = is_bare(key) and is_object(inner) and not _refers(inner)
            here, typed = (name + tail for tail in tails)
            yield Part(key, inner, canonical(inner), mark, here, typed, described, can_share)


def _refers(schema: Any) -> bool:
    return any("$ref" in one for one in every(schema) if is_object(one))


def is_plain_root(schema: Mapping[str, Any]) -> bool:
    """Whether parameters are an object with properties, as nearly all are."""
    return (
        schema.get("type") == "object"
        and "properties" in schema
        and is_plain_object(schema)
        and ("required" not in schema or is_plain_required(schema))
    )


_ROOT: Final = frozenset({"type", "properties", "required", "additionalProperties"})


@dataclass(frozen=True, slots=True)
class Shared:
    """What is written once for several tools.

    Attributes
    ----------
    parameters : dict
        Schemas by label: the parameter's name, with ``~2`` and so on where that is taken.
    texts : tuple of str
        Runs of sentences; the first is ``§1``.
    """

    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    texts: tuple[str, ...] = ()

    def labels(self) -> dict[tuple[str, str], str]:
        """Return labels by name and schema of a parameter."""
        return {
            (label.partition("~")[0], canonical(schema)): label
            for label, schema in self.parameters.items()
        }


class Writer:
    """Writes tools with all there is to say of them.

    Parameters
    ----------
    rule : bool or None
        What objects say of additional properties unless they are marked.
    shared : Shared
        What is written once, above the tools.
    parts : Parts
        What spells parameters by this rule; it remembers those it has spelled.
    """

    def __init__(
        self,
        rule: bool | None = None,
        shared: Shared | None = None,
        parts: Parts | None = None,
    ) -> None:
        self.parts, self.shared = parts or Parts(Speller(rule)), shared or Shared()
        self.speller = self.parts.speller
        self._labels, self._prose = self.shared.labels(), dict[str, str]()
        self._codes = [
            (text, re.compile(rf"(?<!\S){re.escape(text)}(?!\S)"), f"{SIGN}{number}")
            for number, text in enumerate(self.shared.texts, start=1)
        ]

    def entries(self) -> list[str]:
        """Return the lines of what is shared; each is a fragment."""
        texts = enumerate(self.shared.texts, start=1)
        return [
            *(f" {SIGN}{number} {prose(text)}\n" for number, text in texts),
            *(self.line(label, schema) for label, schema in self.shared.parameters.items()),
        ]

    def tool(self, tool: Tool, cut: str = "") -> str:
        """Return the lines of a tool; all together are a fragment.

        Parameters
        ----------
        tool : Tool
            What is to be said.
        cut : str
            A mark within the parentheses that says that there is more.
        """
        root, lines = self._root(tool, cut)
        output = "" if tool.output is None else f" -> {self.speller.full(tool.output)}"
        described = "" if "description" in tool.absent else f": {self.prose(tool.description)}"
        head = f"{name(tool.name)}{root}{output}{described}\n"
        return "".join([head, *lines, *_more(tool)])

    def _root(self, tool: Tool, cut: str) -> tuple[str, list[str]]:
        if "parameters" in tool.absent:
            return f"=none{cut}", []
        if (parts := self.parts.of(tool)) is None:
            return f"={self.speller.full(tool.parameters)}{cut}", []
        here, lines = self._parameters(parts)
        rest = self.speller.rest(tool.parameters)
        items, definitions = self._rest(tool.parameters)
        members = " ".join([*here, *rest, *([cut] if cut else [])])
        return f"({members}){items}", [*definitions, *lines]

    def _parameters(self, parts: Iterable[Part]) -> tuple[list[str], list[str]]:
        """Return parameters without description, then lines of those that have one."""
        here: list[str] = []
        lines: list[str] = []
        for part in parts:
            if (known := self.known(part)) is not None:
                here.append(known + part.mark)
            elif part.description is None:
                here.append(part.typed if part.key in self.shared.parameters else part.here)
            else:
                lines.append(f" {part.here} {self.prose(part.description)}\n")
        return here, lines

    def here(self, key: str, schema: Any) -> str:
        """Return what a parameter costs where it is not shared: a line, or within parentheses."""
        if description_of(schema) is None:
            return f"a {label(key)}{self.speller.tail(schema)} b"
        return self.line(key, schema)

    def known(self, part: Part) -> str | None:
        """Return the label under which a parameter is shared, if it is."""
        return self._labels.get((part.key, part.identity))

    def line(self, shown: str, schema: Any) -> str:
        """Return the line of a parameter or definition, which is a fragment."""
        described = description_of(schema)
        tail = "" if described is None else f" {self.prose(described)}"
        return f" {shown}{self.speller.tail(schema)}{tail}\n"

    def uses(self, tools: Iterable[Tool]) -> Counter[str]:
        """Return how many of some tools use each shared parameter."""
        return Counter(
            known
            for tool in tools
            for part in self.parts.of(tool) or ()
            if (known := self.known(part)) is not None
        )

    def _rest(self, schema: Mapping[str, Any]) -> tuple[str, list[str]]:
        """Return further keywords of the parameters, and lines of their definitions."""
        rest = {key: data for key, data in schema.items() if key not in _ROOT}
        lines: list[str] = []
        if is_named(rest.get("$defs")):
            lines = [self.line(f"@{key}", one) for key, one in rest.pop("$defs").items()]
        items = [item(key, data) for key, data in rest.items()]
        return f"({','.join(items)})" if items else "", lines

    def prose(self, text: str) -> str:
        """Return prose as it is spelled, with codes for what is shared."""
        if (known := self._prose.get(text)) is None:
            known = self._prose[text] = self._coded(text)
        return known

    def _coded(self, text: str) -> str:
        spelled = prose(text)
        if takes_codes(text):
            for shared, pattern, code in self._codes:
                if shared in spelled:
                    spelled = pattern.sub(code, spelled)
        return spelled


def takes_codes(text: str) -> bool:
    """Whether prose is spelled as it is, so that parts of it can be codes."""
    return is_raw(text) or is_block(text)


def is_named(definitions: Any) -> bool:
    """Whether definitions can stand on lines of their own."""
    if not is_object(definitions) or not definitions or not all_schemas(definitions.values()):
        return False
    return all(map(is_definition_name, definitions))


def _more(tool: Tool) -> Iterable[str]:
    """Yield a line of annotations that are true or not, and JSON with all else."""
    flags = {key: data for key, data in tool.annotations.items() if _is_flag(key, data)}
    others = {key: data for key, data in tool.annotations.items() if key not in flags}
    words = [key if data else f"!{key}" for key, data in flags.items()]
    given = "annotations" not in tool.absent
    rest = {"annotations": others, **tool.extra} if given and (others or not flags) else tool.extra
    if words or rest:
        yield f" &{' '.join([*words, *([dump(rest)] if rest else [])])}\n"


def _is_flag(key: str, data: Any) -> bool:
    return isinstance(data, bool) and is_bare(key)
