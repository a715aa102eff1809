"""The delimiters of a catalog, and the text they make of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_object
from mckp.tools.foreign.schema import members, required, resolved
from mckp.tools.foreign.tscg.types import Words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.tools.tool import Tool


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


_DEEPEST: Final = 12


def _below(schema: Any, root: Any, path: str, depth: int) -> Iterator[Parameter]:
    needed = required(schema)
    for name, each in members(schema).items():
        own, facts = f"{path}{name}", resolved(each, root)
        items = resolved(facts.get("items"), root) if is_object(facts) else None
        within, step = (facts, ".") if members(facts) else (items, "[].")
        opened = depth < _DEEPEST and _is_plain(within) and _is_said(within, root)
        yield Parameter(own, each, name in needed, opened)
        if opened:
            yield from _below(within, root, f"{own}{step}", depth + 1)


def _is_plain(schema: Any) -> bool:
    return bool(members(schema)) and not {"anyOf", "oneOf", "allOf"} & schema.keys()


def _is_said(schema: Any, root: Any, depth: int = 0) -> bool:
    """Whether a member of an object, at any depth, has a description."""
    for each in members(schema).values():
        facts = resolved(each, root)
        if not is_object(facts) or depth > _DEEPEST:
            continue
        if facts.get("description"):
            return True
        if any(_is_said(inner, root, depth + 1) for inner in (facts, facts.get("items"))):
            return True
    return False
