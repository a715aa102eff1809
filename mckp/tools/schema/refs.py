"""References within a schema: what they lead to, and which definitions are ever reached."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final
from urllib.parse import unquote

from mckp.jsontext import is_array, is_object
from mckp.tools.schema.keywords import DEFINITIONS, below, changed, definitions, every

_ELSEWHERE: Final = ("$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef")
_MISSING: Final = object()


def target(root: Any, ref: str) -> Any:
    """Return what a local reference such as ``#/$defs/node`` leads to.

    Raises
    ------
    KeyError
        If it leads nowhere in this schema, or is not a pointer from its root.

    Examples
    --------
    >>> target({"$defs": {"a/b": {"type": "null"}}}, "#/$defs/a~1b")
    {'type': 'null'}
    """
    found = root
    for step in steps(ref):
        if is_array(found) and step.isdigit() and int(step) < len(found):
            found = found[int(step)]
        else:
            found = found.get(step, _MISSING) if is_object(found) else _MISSING
        if found is _MISSING:
            raise KeyError(f"{ref} leads nowhere in this schema")
    return found


def steps(ref: str) -> list[str]:
    """Return the steps of a local pointer.

    Raises
    ------
    KeyError
        If it is none.
    """
    if ref == "#":
        return []
    if not ref.startswith("#/"):
        raise KeyError(f"{ref} is no pointer within this schema")
    return [unquote(step).replace("~1", "/").replace("~0", "~") for step in ref[2:].split("/")]


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with each local reference replaced by what it leads to.

    References that lead back into themselves, nowhere or elsewhere stay, and so do the
    definitions.

    Examples
    --------
    >>> node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
    >>> resolved({"properties": {"a": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}})[
    ...     "properties"
    ... ]
    {'a': {'type': 'object', 'properties': {'next': {'$ref': '#/$defs/node'}}}}
    """
    kept = {key: schema[key] for key in DEFINITIONS if key in schema}
    rest = {key: value for key, value in schema.items() if key not in kept}
    return {**_Resolver(schema).resolved(rest, ()), **kept}


class _Resolver:
    """Replaces references, at most so many: definitions may multiply each other."""

    def __init__(self, root: Any) -> None:
        self.root, self.left = root, _MOST

    def resolved(self, schema: Any, within: tuple[str, ...]) -> Any:
        if not is_object(schema):
            return schema
        ref = schema.get("$ref")
        if isinstance(ref, str) and ref not in within and self.left > 0:
            found = self._found(ref)
            if is_object(found):
                self.left -= 1
                rest = {key: value for key, value in schema.items() if key != "$ref"}
                return self.resolved({**found, **rest}, (*within, ref))
        return changed(schema, lambda inner: self.resolved(inner, within))

    def _found(self, ref: str) -> Any:
        try:
            return target(self.root, ref)
        except KeyError:
            return None


_MOST: Final = 1000


def is_local(schema: Any) -> bool:
    """Whether all references of a schema are pointers from its root."""
    for one in every(schema):
        if not is_object(one):
            continue
        ref = one.get("$ref", "#")
        if any(isinstance(one.get(key), str) for key in _ELSEWHERE) or not _is_pointer(ref):
            return False
    return True


def _is_pointer(ref: Any) -> bool:
    return isinstance(ref, str) and (ref == "#" or ref.startswith("#/"))


def reached(schema: dict[str, Any]) -> set[tuple[str, str]]:
    """Return keyword and name of all definitions at the root that anything leads to."""
    found: set[tuple[str, str]] = set()
    seen: set[str] = set()
    waiting: list[Any] = [{key: schema[key] for key in schema if key not in DEFINITIONS}]
    while waiting:
        for ref in _mentioned(waiting.pop()) - seen:
            seen.add(ref)
            match steps(ref):
                case [("$defs" | "definitions") as keyword, name, *_]:
                    if name in (known := definitions(schema, keyword)):
                        found.add((keyword, name))
                        waiting.append(known[name])
                case [_, *_]:  # under a keyword that holds no schemas, but for this one
                    with suppress(KeyError):
                        waiting.append(target(schema, ref))
                case _:
                    pass
    return found


def _mentioned(schema: Any) -> set[str]:
    return {
        one["$ref"] for one in every(schema) if is_object(one) and isinstance(one.get("$ref"), str)
    }


def points_into_body(schema: Any) -> bool:
    """Whether a reference leads to anything but the root or a definition at the root."""
    refs = [one["$ref"] for one in every(schema) if is_object(one) and "$ref" in one]
    return any((way := steps(ref)) and way[0] not in DEFINITIONS for ref in refs)


def depth(schema: Any) -> int:
    """Return how many schemas lie within one another."""
    return 1 + max((depth(inner) for _, inner in below(schema)), default=0)
