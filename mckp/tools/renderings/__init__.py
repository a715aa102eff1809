"""Whole catalogs in formats of fixed detail, by name: what `encode_tools` is compared with.

``json``, ``pruned`` and ``hoisted`` are JSON for hosts; ``tscg``, ``ttc``, ``wire`` and ``ts``
are formats of other projects, each imported when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.errors import UnknownNameError
from mckp.jsontext import dump
from mckp.tools.rewrite import hoisted, pruned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mckp.tools.tool import Tool


def as_json(tools: Sequence[Tool]) -> str:
    """Return the definitions as compact JSON.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> as_json(parse_tools('[{"name": "now"}]'))
    '[{"name":"now"}]'
    """
    return dump([tool.definition() for tool in tools])


def _tscg(tools: Sequence[Tool]) -> str:
    from mckp.tools.renderings.tscg import tscg

    return tscg(tools)


def _ttc(tools: Sequence[Tool]) -> str:
    from mckp.tools.renderings.ttc import ttc

    return ttc(tools)


def _wire(tools: Sequence[Tool]) -> str:
    from mckp.tools.calls.manual import manual

    return manual(tools, "wire")


def _ts(tools: Sequence[Tool]) -> str:
    from mckp.tools.renderings.typescript import ts_lines

    return ts_lines(tools)


RENDERINGS: Final[Mapping[str, Callable[[Sequence[Tool]], str]]] = {
    "json": as_json,
    "pruned": lambda tools: as_json(pruned(tools)),
    "hoisted": lambda tools: as_json(hoisted(tools)),
    "tscg": _tscg,
    "ttc": _ttc,
    "wire": _wire,
    "ts": _ts,
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
