"""Whole catalogs in formats of fixed detail, by name: what `encode_tools` is compared with.

``json``, ``pruned`` and ``hoisted`` are JSON for hosts; ``tscg``, ``ttc``, ``wire`` and ``ts``
are formats of other projects, each imported when it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from mckp.errors import UnknownNameError
from mckp.jsontext import dump
from mckp.tools.rewrite import hoisted, pruned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mckp.tools.tool import Tool

    Rendering = Callable[[Sequence[Tool]], str]


def as_json(tools: Sequence[Tool]) -> str:
    """Return the definitions as compact JSON.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> as_json(parse_tools('[{"name": "now"}]'))
    '[{"name":"now"}]'
    """
    return dump([tool.definition() for tool in tools])


def _later(module: str, name: str) -> Rendering:
    return lambda tools: getattr(import_module(f"mckp.tools.{module}"), name)(tools)


RENDERINGS: Final[Mapping[str, Rendering]] = {
    "json": as_json,
    "pruned": lambda tools: as_json(pruned(tools)),
    "hoisted": lambda tools: as_json(hoisted(tools)),
    "tscg": _later("renderings.tscg", "tscg"),
    "ttc": _later("renderings.ttc", "ttc"),
    "wire": _later("calls.manual", "manual"),
    "ts": _later("renderings.typescript", "ts_lines"),
}
"""Every format by its name, from tools to text."""


def render(tools: Sequence[Tool], name: str) -> str:
    """Return the text of a catalog in one of `RENDERINGS`.

    Raises
    ------
    UnknownNameError
        With the names there are.
    """
    if name not in RENDERINGS:
        raise UnknownNameError("rendering", name, RENDERINGS)
    return RENDERINGS[name](tools)
