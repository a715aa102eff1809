"""Schemas that are there twice within one tool are defined once, where that pays."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from mckp.jsontext import canonical, dump, is_object
from mckp.tools.schema.keywords import changed, definitions, every
from mckp.tools.schema.prune import pruned
from mckp.tools.schema.refs import is_local, points_into_body

if TYPE_CHECKING:
    from collections.abc import Callable


def hoisted(schema: dict[str, Any], count: Callable[[str], int]) -> dict[str, Any]:
    """Return a pruned schema that says the same in fewer tokens of compact JSON.

    Equal schemas within it move to its ``$defs``, largest first, as long as that saves
    tokens by exact count. It stands on its own: nothing refers to another tool.

    Parameters
    ----------
    schema : dict
        The schema of one tool.
    count : callable
        Counts the tokens of a text.

    Examples
    --------
    >>> place = {"type": "object", "properties": {"x": {"type": "number", "minimum": 0}}}
    >>> names = hoisted({"properties": {"from": place, "to": place}}, len)
    >>> names["properties"]
    {'from': {'$ref': '#/$defs/a'}, 'to': {'$ref': '#/$defs/a'}}
    """
    best = pruned(schema)
    if not is_local(best) or points_into_body(best) or "$schema" in best:
        return best
    tokens = count(dump(best))
    for key in _repeated(best):
        draft = _moved(best, key)
        if draft is not None and (fewer := count(dump(draft))) < tokens:
            best, tokens = draft, fewer
    return best


def _repeated(schema: dict[str, Any]) -> list[str]:
    """Return the schemas that are there more than once, as text, largest first."""
    seen = Counter(canonical(one) for one in every(schema) if is_object(one) and "$ref" not in one)
    keys = [key for key, times in seen.items() if times > 1]
    return sorted(keys, key=lambda key: (-len(key), key))


def _moved(schema: dict[str, Any], key: str) -> dict[str, Any] | None:
    found = next((one for one in every(schema) if canonical(one) == key), None)
    if found is None:
        return None  # it was within a larger one that has moved
    defs = definitions(schema, "$defs")
    name = _free_name({*defs, *definitions(schema, "definitions")})
    ref = {"$ref": f"#/$defs/{name}"}
    body = {part: value for part, value in schema.items() if part != "$defs"}
    moved = _replaced(body, key, ref)
    return {**moved, "$defs": {**_replaced({"$defs": defs}, key, ref)["$defs"], name: found}}


def _replaced(schema: dict[str, Any], key: str, ref: dict[str, str]) -> dict[str, Any]:
    def change(inner: Any) -> Any:
        if canonical(inner) == key:
            return ref
        return changed(inner, change) if is_object(inner) else inner

    return changed(schema, change)


def _free_name(taken: set[str]) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    number = 0
    while True:
        tail = "" if number < len(letters) else str(number // len(letters))
        if (name := letters[number % len(letters)] + tail) not in taken:
            return name
        number += 1
