"""Whole catalogs in formats of fixed detail, by name, to compare `encode_tools` with.

``json`` and ``pruned`` are JSON for hosts; ``tscg``, ``ttc``, ``wire`` and ``ts``
are formats of other projects.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mckp.errors import UnknownNameError
from mckp.jsontext import dump
from mckp.tools import schema as schemas
from mckp.tools.calls.prompts import manual
from mckp.tools.renderings.tscg import tscg
from mckp.tools.renderings.ttc import ttc
from mckp.tools.renderings.types import ts_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mckp.tools.tool import Tool

    Rendering = Callable[[Sequence[Tool]], str]


def as_json(tools: Sequence[Tool]) -> str:
    """Return the definitions as compact JSON."""
    return dump([tool.definition() for tool in tools])


def pruned(tools: Iterable[Tool]) -> list[Tool]:
    """Return tools without the redundant parts of their schemas.

    Each schema is valid for the same values as before; see `mckp.tools.schema.pruned`.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}
    >>> pruned(parse_tools([{"name": "now", "inputSchema": schema}]))[0].parameters
    {'type': 'object'}
    """
    return [
        replace(
            tool,
            parameters=schemas.pruned(tool.parameters),
            output=None if tool.output is None else schemas.pruned(tool.output),
        )
        for tool in tools
    ]


RENDERINGS: Final[Mapping[str, Rendering]] = {
    "json": as_json,
    "pruned": lambda tools: as_json(pruned(tools)),
    "tscg": tscg,
    "ttc": ttc,
    "wire": manual,
    "ts": ts_lines,
}
"""Every format by its name, from tools to text."""


def render(tools: Sequence[Tool], name: str) -> str:
    """Return the text of a catalog in one of `RENDERINGS`.

    Raises an `UnknownNameError` for any other name.
    """
    if name not in RENDERINGS:
        raise UnknownNameError("rendering", name, RENDERINGS)
    return RENDERINGS[name](tools)
