"""Answers of several servers as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp import __version__
from mckp.jsontext import is_array, is_object
from mckp.mcp.catalog import BETWEEN

if TYPE_CHECKING:
    from collections.abc import Mapping

_LEFT_OUT: Final = ("tasks", "experimental", "extensions")
"""What needs to know which server something is of, in ways that the proxy does not follow."""

LISTS: Final[Mapping[str, str]] = {
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
"""Requests for lists, and what is listed; tools are a matter of their own."""

NEEDS: Final[Mapping[str, str]] = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resources",
    "logging/setLevel": "logging",
}
"""What a server has to be able to, to be asked."""


def greeting(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    r"""Return the answer to ``initialize`` of all servers.

    Examples
    --------
    >>> one = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "instructions": "A."}
    >>> two = {"protocolVersion": "2025-03-26", "capabilities": {"prompts": {}}}
    >>> said = greeting({"one": one, "two": two})
    >>> said["protocolVersion"], said["capabilities"], said["instructions"]
    ('2025-03-26', {'tools': {}, 'prompts': {}}, '# one\nA.')
    """
    answer: dict[str, Any] = {
        "protocolVersion": min(str(each.get("protocolVersion")) for each in found.values()),
        "capabilities": _capabilities(found),
        "serverInfo": {"name": "mckp", "version": __version__},
    }
    told = [
        f"# {name}\n{each['instructions']}"
        for name, each in found.items()
        if each.get("instructions")
    ]
    if told:
        answer["instructions"] = "\n\n".join(told)
    return answer


def _capabilities(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    joined: dict[str, Any] = {}
    for each in found.values():
        able = each.get("capabilities")
        for name, said in able.items() if is_object(able) else ():
            if name not in _LEFT_OUT:
                joined[name] = _either(joined.get(name), said)
    return joined


def _either(one: Any, other: Any) -> Any:
    if not is_object(one) or not is_object(other):
        return other if one is None else one
    return {**other, **{key: value or other.get(key) for key, value in one.items()}}


def listed(found: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return one list of what several servers list; prompts get the names of their servers."""
    joined: list[Any] = []
    for server, items in found.items():
        for item in items if is_array(items) else ():
            if what == "prompts" and is_object(item) and isinstance(item.get("name"), str):
                joined.append({**item, "name": f"{server}{BETWEEN}{item['name']}"})
            else:
                joined.append(item)
    return {what: joined}
