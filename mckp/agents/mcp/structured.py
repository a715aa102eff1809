"""Structured content of results: mostly the same data as their text, so paid for twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.agents.session.classify import is_same
from mckp.jsontext import dump, is_array, is_object, load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def texts_in(blocks: Any) -> Iterator[int]:
    """Yield the indexes of texts for the model; none if `blocks` is no list."""
    for place, block in enumerate(blocks if is_array(blocks) else ()):
        if is_object(block) and block.get("type") == "text" and isinstance(block.get("text"), str):
            notes = block.get("annotations")
            audience = notes.get("audience") if is_object(notes) else None
            if block["text"] and (not is_array(audience) or "assistant" in audience):
                yield place


def arranged(result: dict[str, Any], way: str) -> dict[str, Any]:
    """Return a result of a call with its structured content arranged in one of `STRUCTURED`.

    Examples
    --------
    >>> text = {"type": "text", "text": '{"a": 1}'}
    >>> arranged({"content": [text], "structuredContent": {"a": 1}}, "auto")
    {'content': [{'type': 'text', 'text': '{"a": 1}'}]}
    >>> arranged({"content": [], "structuredContent": {"a": 1}}, "encode")
    {'content': [{'type': 'text', 'text': '{"a":1}'}]}
    """
    data = result.get("structuredContent")
    if data is None or way == "keep":
        return result
    blocks = result.get("content")
    blocks = blocks if is_array(blocks) else []
    places = list(texts_in(blocks))
    repeats = says([blocks[place]["text"] for place in places], data)
    if way == "auto" and not repeats:
        return result
    if repeats and len(places) > 1 and way != "drop":
        # If there is a text for each item, one text of all of them can be a table.
        blocks = [block for place, block in enumerate(blocks) if place not in places]
        blocks.insert(places[0], _text(_inner(data)))
    elif not places or (way == "encode" and not repeats):
        blocks = [*blocks, _text(data)]
    rest = {key: value for key, value in result.items() if key != "structuredContent"}
    return {**rest, "content": blocks}


def says(texts: Sequence[str], data: Any) -> bool:
    """Whether texts hold the same data, alone or as the only member of an object.

    Examples
    --------
    >>> says(["[1, 2]"], {"result": [1, 2]}), says(["1", "b"], {"result": [1, "b"]})
    (True, True)
    >>> says(["2 found"], {"count": 2}), says(["1"], {"result": 1.5})
    (False, False)
    """
    inner = _inner(data)
    if len(texts) == 1:
        return any(_holds(texts[0], each) for each in (data, inner))
    several = is_array(inner) and len(inner) == len(texts) > 0
    return several and all(map(_holds, texts, inner))


def _inner(data: Any) -> Any:
    """Return the only member of an object, since SDKs wrap other data so; else the data."""
    return next(iter(data.values())) if is_object(data) and len(data) == 1 else data


def _holds(text: str, data: Any) -> bool:
    if isinstance(data, str) and text == data:
        return True
    try:
        return is_same(load(text), data)
    except (ValueError, RecursionError):
        return False


def _text(data: Any) -> dict[str, str]:
    return {"type": "text", "text": dump(data)}
