"""Entries to the text of TTC."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from mckp.jsontext import dump
from mckp.tools.foreign.ttc.convert import entry_of
from mckp.tools.foreign.ttc.entry import Entry, check
from mckp.tools.parse import parse_tools

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def ttc(
    tools: Any, server: str = "server", *, total: int | None = None, notes: bool = False
) -> str:
    """Write a catalog in TERSE Tool Catalog 1.0, by its rules.

    Parameters
    ----------
    tools
        What `mckp.tools.parse_tools` reads.
    server : str, default "server"
        The id of the server.
    total : int, optional
        Of how many tools these are some.
    notes : bool, default False
        Whether comments hold what the grammar has no place for, so that `read_ttc` brings
        the same parameters and descriptions back; that is longer than JSON. Without them
        enums, bounds, defaults, nesting and all prose but a sentence are lost.

    Examples
    --------
    >>> units = {"type": "string", "enum": ["mm", "in"]}
    >>> schema = {"type": "object", "properties": {"u": units}}
    >>> rain = {"name": "getRain", "description": "Rain.", "inputSchema": schema}
    >>> print(ttc([rain], "sky", total=7, notes=True))
    TOOLS v1.0 [1/7]
    MCP sky v1.0
    <BLANKLINE>
    TOOL getRain
      PURPOSE: Rain.
      IN: u:string?
      OUT: result:any
      ERR: error
      WHEN: user wants to get rain
      ; u {"type":"string","enum":["mm","in"]}
    """
    found = parse_tools(tools)
    return write_ttc([entry_of(tool, server, notes=notes) for tool in found], total=total)


def write_ttc(entries: Sequence[Entry], *, total: int | None = None, version: str = "1.0") -> str:
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
        blocks += [f"MCP {server} v{version}\n\n{first}", *rest]
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
