"""The parts of documents by their shape, and each part in every format that takes it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Final

import mckp
from mckp.encoders import ALL, BASELINES, JSON, LEVELS, write_all
from mckp.jsontext import canonical, dump, is_array, is_container, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bench_formats import Document

SHAPES: Final = (
    "flat object",
    "nested object",
    "array of objects",
    "array of primitives",
    "mixed array",
)
"""Shapes of JSON; other parts of a document are scalars, or empty."""
PRETTY: Final = "json-pretty"
OWN: Final = {f"mckp {level}": level for level in LEVELS}
FORMATS: Final = (
    PRETTY,
    *(format_.name for format_ in ALL),
    *(format_.name for format_ in BASELINES),
    *OWN,
)
WHOLE: Final = "whole document"
"""The shape, if it is one, of what no other part is around."""
LEAST: Final = 60
"""Characters of compact JSON that a part has at least, some twenty tokens."""
MOST: Final = 40_000
MANY: Final = 120
"""Parts of one shape in one set; if there are more, so many of them are drawn."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a document: an object or an array, with all that is in it."""

    set: str
    document: str
    shape: str
    value: Any


def shape_of(value: Any) -> str | None:
    """Return the shape of an object or array, None of what is empty or no container.

    Examples
    --------
    >>> [shape_of(value) for value in ({"a": 1}, {"a": []}, [{"a": 1}], [1, None], [[1]], {})]
    ['flat object', 'nested object', 'array of objects', 'array of primitives', 'mixed array', None]
    """
    if not is_container(value) or not value:
        return None
    if is_object(value):
        return "nested object" if any(map(is_container, value.values())) else "flat object"
    if all(map(is_object, value)):
        return "array of objects"
    return "mixed array" if any(map(is_container, value)) else "array of primitives"


def nodes(documents: Iterable[Document], seed: int = 1, many: int = MANY) -> list[Node]:
    """Return whole documents and parts, none of them twice, and of each shape so many at most."""
    groups: dict[tuple[str, str], dict[str, Node]] = {}
    for document in documents:
        for shape, value in _parts(document.value):
            if LEAST <= len(dump(value)) <= MOST:
                group = groups.setdefault((document.set, shape), {})
                group.setdefault(canonical(value), Node(document.set, document.name, shape, value))
    drawn: list[Node] = []
    for key, group in groups.items():
        members = list(group.values())
        drawn += members if len(members) <= many else Random(f"{seed} {key}").sample(members, many)
    return drawn


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    yield WHOLE, value
    for below in _below(value):
        if (shape := shape_of(below)) is not None:
            yield shape, below


def _below(value: Any) -> Iterator[Any]:
    yield value
    if is_object(value):
        for below in value.values():
            yield from _below(below)
    elif is_array(value):
        for below in value:
            yield from _below(below)


def texts(value: Any, count: Callable[[Sequence[str]], list[int]]) -> dict[str, str]:
    """Write a part in each format that takes all of it, in the layout that is counted least."""
    by_format = {JSON.name: dump(value), PRETTY: json.dumps(value, indent=2, ensure_ascii=False)}
    for format_ in (*ALL, *BASELINES):
        if format_ is not JSON and (layouts := list(write_all(value, format_))):
            text = min(zip(count(layouts), layouts, strict=True))[1]
            assert format_ in BASELINES or canonical(mckp.decode(text)) == canonical(value), text
            by_format[format_.name] = text
    return by_format


def own_tokens(value: Any, tokenizer: str) -> dict[str, int]:
    """Return the tokens of what mckp writes at each level, chosen for a tokenizer."""
    return {
        name: mckp.encode(value, formats=[level], tokenizer=tokenizer).tokens
        for name, level in OWN.items()
    }
