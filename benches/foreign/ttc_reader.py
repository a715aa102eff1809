"""The text of TTC to entries and tools."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NoReturn

from foreign.ttc_notes import NOTHING, TYPE, tool_of
from mckp.errors import ParseError
from mckp.jsontext import load
from mckp.tools.renderings.ttc import NAME, Entry, Field

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mckp.tools.tool import Tool

_HEAD: Final = re.compile(r"TOOLS v(\d+\.\d+)(?: \[(\d+)/(\d+)\])?\Z")
_SERVER: Final = re.compile(r"MCP (\S+) v(\S+)\Z")
_TOOL: Final = re.compile(r"TOOL (\S+)\Z")
_FIELD: Final = re.compile(r"([A-Z]+):(?: (.*))?\Z")
_NOTE: Final = re.compile(r"; (\S+) (.+)\Z")


@dataclass(frozen=True)
class _Line:
    number: int
    text: str

    def fail(self, why: str) -> NoReturn:
        raise ParseError(why, line=self.number, column=1)


def read_ttc(text: str) -> list[Tool]:
    """Read a catalog back as tools.

    Returns
    -------
    list of Tool
        As far as the text says; all of it, if it was written with notes.

    Raises
    ------
    ParseError
        With the line on which the grammar is broken.

    Examples
    --------
    >>> from foreign.ttc_notes import noted
    >>> tools = [{"name": "now", "description": "The time. In UTC.", "inputSchema": {}}]
    >>> read_ttc(noted(tools))[0].description
    'The time. In UTC.'
    >>> read_ttc("TOOLS v1.0" + chr(10) + "TOOL now")
    Traceback (most recent call last):
        ...
    mckp.errors.ParseError: MCP <server> v<version> is missing (line 2, column 1)
    """
    return [tool_of(entry) for entry in read_entries(text)]


def read_entries(text: str) -> list[Entry]:
    """Read a catalog as entries; see `read_ttc`."""
    numbered = enumerate(map(str.strip, text.split("\n")), 1)
    lines = [_Line(number, line) for number, line in numbered if line]
    if not lines:
        raise ParseError("an empty text is no catalog", line=1, column=1)
    head = _HEAD.match(lines[0].text)
    entries = _entries(lines[1:] if head else lines)
    if head and head[2] and int(head[2]) != len(entries):
        lines[0].fail(f"{head[2]} tools are announced, but there are {len(entries)}")
    return entries


def _entries(lines: list[_Line]) -> list[Entry]:
    entries: list[Entry] = []
    server, at = None, 0
    while at < len(lines):
        if found := _SERVER.match(lines[at].text):
            server, at = found[1], at + 1
        elif server is None:
            lines[at].fail("MCP <server> v<version> is missing")
        else:
            entry, at = _tool(lines, at)
            entries.append(replace(entry, server=server))
    return entries


def _tool(lines: list[_Line], at: int) -> tuple[Entry, int]:
    """Read one tool; return it and the number of the line behind it."""
    found = _TOOL.match(lines[at].text)
    if found is None:
        lines[at].fail("TOOL <id> is expected")
    start, at = at, at + 1
    fields: dict[str, Any] = {}
    notes: dict[str, Any] = {}
    while at < len(lines) and not lines[at].text.startswith(("TOOL ", "MCP ")):
        _take(lines[at], fields, notes)
        at += 1
    for name in _NEEDED:
        if name not in fields:
            lines[start].fail(f"{found[1]} has no {name}")
    named = {_ATTRIBUTES.get(name, name.lower()): value for name, value in fields.items()}
    return Entry(name=found[1], notes=notes, **named), at


def _take(line: _Line, fields: dict[str, Any], notes: dict[str, Any]) -> None:
    if line.text.startswith(";"):
        if note := _NOTE.match(line.text):
            _note(note[1], note[2], notes)
        return
    found = _FIELD.match(line.text)
    if found is None or found[1] not in _ORDER:
        line.fail(f"one of {', '.join(_ORDER)} is expected")
    if fields and _ORDER.index(found[1]) <= max(map(_ORDER.index, fields)):
        line.fail(f"{found[1]} stands twice or too late; the order is {', '.join(_ORDER)}")
    value = (found[2] or "").partition(";")[0].strip()
    if not value:
        line.fail(f"{found[1]} is empty")
    try:
        fields[found[1]] = _VALUES[found[1]](value)
    except ValueError as error:
        line.fail(str(error))


def _note(name: str, text: str, notes: dict[str, Any]) -> None:
    try:
        notes[name] = load(text)
    except ValueError:
        return  # a comment of somebody else


def _listed(value: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in value.split(","))


def _codes(value: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in value.split("|"))


def _inputs(value: str) -> tuple[Field, ...]:
    return () if value == f"{NOTHING}:any" else _outputs(value)


def _outputs(value: str) -> tuple[Field, ...]:
    return tuple(map(_field, _listed(value)))


def _field(text: str) -> Field:
    name, colon, kind = text.partition(":")
    if not colon or not NAME.match(name):
        raise ValueError(f"<name>:<type> is expected, not {text!r}")
    optional = kind.endswith("?")
    kind = kind.removesuffix("?").strip()
    if not TYPE.match(kind):
        raise ValueError(f"{kind!r} is no type of TTC")
    return Field(name, kind, optional)


_ATTRIBUTES: Final = {"IN": "inputs", "OUT": "outputs", "ERR": "errors"}
_VALUES: Final[Mapping[str, Callable[[str], Any]]] = {
    "PURPOSE": str,
    "IN": _inputs,
    "OUT": _outputs,
    "ERR": _codes,
    "WHEN": str,
    "TAGS": _listed,
    "EXAMPLE": str,
    "COST": str,
    "CHAIN": _listed,
    "ALIAS": _listed,
    "AUTH": _listed,
}
_ORDER: Final = tuple(_VALUES)
_NEEDED: Final = _ORDER[:5]
