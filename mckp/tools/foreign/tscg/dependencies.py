"""Which tool needs the results of which, as far as names and descriptions tell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mckp.jsontext import is_object
from mckp.tools.foreign.names import words
from mckp.tools.foreign.schema import members, required

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.tools.tool import Tool

_GIVES: Final = frozenset({"get", "list", "search", "find", "create", "open", "fetch", "query"})
_KEYS: Final = frozenset({"id", "ids", "number", "key", "name", "handle", "token", "uuid"})
_COMMON: Final = frozenset({"id", "name", "type", "status", "result", "content", "text", "message"})


def dependencies(tools: Sequence[Tool]) -> Iterator[tuple[int, int]]:
    """Yield pairs of places: the first tool should come before the second.

    It does if a description of a parameter of the second names it, if its output has a
    member that the second requires, or if it gets, lists, finds or creates the thing whose
    id, number, key or name the second requires and it does not.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> schema = {"properties": {"user_id": {}}, "required": ["user_id"]}
    >>> tools = parse_tools([{"name": "drop", "parameters": schema}, {"name": "find_users"}])
    >>> list(dependencies(tools))
    [(1, 0)]
    """
    facts = [_Facts(tool) for tool in tools]
    for second, needs in enumerate(facts):
        for first, gives in enumerate(facts):
            if first != second and needs.depends_on(gives):
                yield first, second


class _Facts:
    """What a tool gives and needs."""

    def __init__(self, tool: Tool) -> None:
        self.name = tool.name if len(words(tool.name)) > 1 else None  # "search" is just a word
        self.needed = required(tool.parameters)
        self.output = frozenset(members(tool.output or {})) - _COMMON
        self.said = frozenset(
            word
            for each in members(tool.parameters).values()
            if is_object(each)
            for word in re.findall(r"[\w.-]*\w", str(each.get("description", "")))
        )
        self.thing = _thing(tool.name)
        self.keys = {name: key for name in self.needed if (key := _keyed(name))}

    def depends_on(self, other: _Facts) -> bool:
        if other.name in self.said or other.output & self.needed:
            return True
        return any(
            thing == other.thing and name not in other.needed for name, thing in self.keys.items()
        )


def _thing(name: str) -> tuple[str, ...]:
    """Return the singular of what a tool gets, lists, finds or creates."""
    verb, *rest = _words(name) or [""]
    return _singular(rest) if verb in _GIVES else ()


def _keyed(name: str) -> tuple[str, ...]:
    """Return the thing of which a parameter is the id, the number, the key or the name."""
    *thing, last = _words(name) or [""]
    return _singular(thing) if last in _KEYS else ()


def _words(name: str) -> list[str]:
    return [word.lower() for word in words(name)]


def _singular(thing: list[str]) -> tuple[str, ...]:
    if not thing:
        return ()
    *first, last = thing
    if last.endswith("ies"):
        return (*first, f"{last[:-3]}y")
    return (*first, last[:-1] if last.endswith("s") and not last.endswith("ss") else last)
