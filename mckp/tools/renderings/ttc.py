"""TTC: a line for each field of a tool, as its specification says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import ToolError
from mckp.jsontext import dump, is_array, is_object, path_text
from mckp.tools.renderings.schema import members, required, words
from mckp.tools.tool import Tool, parse_tools

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

WORDS: Final = {
    "string": "string",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "array",
    "object": "object",
}
_PRIMITIVES: Final = frozenset({"string", "int", "float", "bool"})


def type_of(schema: Any) -> str:
    """Return the word for a schema; the first type that is not null, if there are several.

    Examples
    --------
    >>> type_of({"type": ["null", "integer"]}), type_of({"anyOf": []})
    ('int', 'any')
    >>> type_of({"type": "array", "items": {"type": "string"}}), type_of({"type": "array"})
    ('array[string]', 'array[object]')
    """
    kind = schema.get("type") if is_object(schema) else None
    if is_array(kind):
        kind = next((each for each in kind if each != "null"), None)
    word = WORDS.get(kind, "any") if isinstance(kind, str) else "any"
    if word != "array":
        return word
    items = type_of(schema.get("items"))
    return f"array[{items if items in _PRIMITIVES else 'object'}]"


NAME: Final = re.compile(r"[^\s:;,?|()\[\]]+\Z")
_TRIGGER: Final = re.compile(r"user (?:wants|requests|asks|needs|intends) to \S+ \S.*\Z")


@dataclass(frozen=True)
class Field:
    """A parameter or a result: its name, its type, and whether it may be missing."""

    name: str
    type: str
    optional: bool = False

    def __str__(self) -> str:
        return f"{self.name}:{self.type}{'?' if self.optional else ''}"


@dataclass(frozen=True)
class Entry:
    """A tool of a TTC catalog.

    Attributes
    ----------
    name, purpose, when : str
        Its id, what it does, and what a user wants who needs it.
    inputs, outputs : tuple of Field
        No inputs are written ``none:any``.
    errors : tuple of str
        Codes of what may go wrong.
    tags, chain, alias, auth : tuple of str
        Optional; all but tags are planned for TTC and not part of 1.0: tools this one
        depends on, other triggers, scopes.
    example, cost : str
        Optional and planned: a call with its result, what a call takes.
    notes : dict
        What the grammar has no place for: schemas by name of parameter, and under ``*``
        members of the tool itself. They are comments to other readers.
    server : str
        The server it belongs to.
    """

    name: str
    purpose: str
    when: str
    inputs: tuple[Field, ...] = ()
    outputs: tuple[Field, ...] = (Field("result", "any"),)
    errors: tuple[str, ...] = ("error",)
    tags: tuple[str, ...] = ()
    example: str = ""
    cost: str = ""
    chain: tuple[str, ...] = ()
    alias: tuple[str, ...] = ()
    auth: tuple[str, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    server: str = "server"


def check(entry: Entry) -> None:
    """Refuse an entry that breaks a rule of TTC.

    Examples
    --------
    >>> check(Entry("now", "The time.", "The time."))
    Traceback (most recent call last):
        ...
    mckp.errors.ToolError: WHEN must read 'user wants to <verb> <object>' at $.now
    """
    for name in (entry.name, *(each.name for each in (*entry.inputs, *entry.outputs))):
        if not NAME.match(name):
            raise ToolError(f"{name!r} cannot be a name in TTC", path=path_text((entry.name,)))
    if not _TRIGGER.match(entry.when):
        _refuse(entry, "WHEN must read 'user wants to <verb> <object>'")
    if entry.when == entry.purpose:
        _refuse(entry, "WHEN must say something else than PURPOSE")
    if not (entry.outputs and entry.errors and entry.purpose):
        _refuse(entry, "PURPOSE, OUT and ERR must not be empty")
    lists = {",": (*entry.tags, *entry.chain, *entry.alias, *entry.auth), "|": entry.errors}
    for separator, items in lists.items():
        if found := next((each for each in items if separator in each), None):
            _refuse(entry, f"{found!r} has a separator of its list in it")
    for text in (entry.purpose, entry.when, entry.example, entry.cost, *lists[","], *lists["|"]):
        if "\n" in text or ";" in text or text != text.strip():
            _refuse(entry, f"{text!r} must be one line without ';', which starts a comment,")


def _refuse(entry: Entry, why: str) -> None:
    raise ToolError(why, path=path_text((entry.name,)))


_SENTENCE: Final = re.compile(r".+?(?:[.!?](?=\s+[A-Z])|\Z)", re.DOTALL)
ANY: Final = (Field("result", "any"),)


def entry_of(tool: Tool, server: str = "server") -> Entry:
    """Return the entry of a tool.

    PURPOSE is its first sentence, WHEN what its name says.

    Examples
    --------
    >>> tool = Tool("getRain", "How much it rains. In mm.", {}, None, {}, {}, "mcp")
    >>> entry = entry_of(tool)
    >>> entry.purpose, entry.when
    ('How much it rains.', 'user wants to get rain')
    """
    return Entry(
        name=tool.name,
        purpose=_purpose(tool),
        when=trigger(tool.name),
        inputs=fields_of(tool.parameters),
        outputs=fields_of(tool.output or {}) or ANY,
        server=server,
    )


def trigger(name: str) -> str:
    """Return the words of a name as what a user wants.

    Examples
    --------
    >>> trigger("list_pull_requests"), trigger("now")
    ('user wants to list pull requests', 'user wants to use now')
    """
    said = words(name)
    return f"user wants to {' '.join(said) if len(said) > 1 else f'use {name}'}"


def _purpose(tool: Tool) -> str:
    text = " ".join(tool.description.split()).replace(";", ",")
    found = _SENTENCE.match(text)
    return found[0] if found else tool.name


def fields_of(schema: Any) -> tuple[Field, ...]:
    """Return the parameters of a schema, or the members of a result."""
    needed = required(schema)
    return tuple(
        Field(name, type_of(each), name not in needed) for name, each in members(schema).items()
    )


def ttc(tools: Any, server: str = "server", *, total: int | None = None) -> str:
    """Write a catalog in TERSE Tool Catalog 1.0, by its rules.

    Enums, bounds, defaults, nesting and all prose but a sentence are lost.

    Parameters
    ----------
    tools
        What `mckp.tools.parse_tools` reads.
    server : str, default "server"
        The id of the server.
    total : int, optional
        Of how many tools these are some.

    Examples
    --------
    >>> units = {"type": "string", "enum": ["mm", "in"]}
    >>> schema = {"type": "object", "properties": {"u": units}}
    >>> rain = {"name": "getRain", "description": "Rain.", "inputSchema": schema}
    >>> print(ttc([rain], "sky", total=7))
    TOOLS v1.0 [1/7]
    MCP sky v1.0
    <BLANKLINE>
    TOOL getRain
      PURPOSE: Rain.
      IN: u:string?
      OUT: result:any
      ERR: error
      WHEN: user wants to get rain
    """
    found = parse_tools(tools)
    return write_ttc([entry_of(tool, server) for tool in found], total=total)


def write_ttc(entries: Sequence[Entry], *, total: int | None = None) -> str:
    """Write entries, those of each server together as they come.

    Raises
    ------
    ToolError
        If an entry breaks a rule of TTC.
    """
    for entry in entries:
        check(entry)
    blocks = [f"TOOLS v1.0 [{len(entries)}/{len(entries) if total is None else total}]"]
    for server, group in groupby(entries, lambda entry: entry.server):
        first, *rest = map(_block, group)
        blocks += [f"MCP {server} v1.0\n\n{first}", *rest]
    return "\n".join(blocks[:2]) + "".join(f"\n\n{block}" for block in blocks[2:])


def _block(entry: Entry) -> str:
    return "\n  ".join([f"TOOL {entry.name}", *_lines(entry)])


def _lines(entry: Entry) -> Iterator[str]:
    yield f"PURPOSE: {entry.purpose}"
    yield f"IN: {_listed(entry.inputs) or 'none:any'}"
    yield f"OUT: {_listed(entry.outputs)}"
    yield f"ERR: {' | '.join(entry.errors)}"
    yield f"WHEN: {entry.when}"
    for key in ("tags", "example", "cost", "chain", "alias", "auth"):
        value: str | tuple[str, ...] = getattr(entry, key)
        if value:
            yield f"{key.upper()}: {value if isinstance(value, str) else ', '.join(value)}"
    for name, note in entry.notes.items():
        yield f"; {name} {dump(note)}"


def _listed(fields: Iterable[object]) -> str:
    return ", ".join(map(str, fields))
