"""Whole catalogs in formats of fixed detail, by name, for hosts that want no text of ours.

``json``, ``pruned`` and ``hoisted`` are JSON; ``wire`` is the manual of the form of calls of that
name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.errors import UnknownNameError
from mckp.jsontext import dump
from mckp.tools.calls.manual import manual
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


RENDERINGS: Final[Mapping[str, Callable[[Sequence[Tool]], str]]] = {
    "json": as_json,
    "pruned": lambda tools: as_json(pruned(tools)),
    "hoisted": lambda tools: as_json(hoisted(tools)),
    "wire": lambda tools: manual(tools, "wire"),
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
