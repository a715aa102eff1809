"""Formats of one line, for any value or for any that holds others.

``json``: the value as compact JSON. Every type as JSON has it.

``flow``: JSON without what can be left out.

``{name oauth2 scopes[read write] owner{login ann id 7}}``: names and values alternate,
strings are quoted only where they hold a blank, a bracket or a semicolon, or look like
something else. Arrays of records inside are tables inside; strings of many lines stand
below the line.

``phrases``: the document above which texts that it repeats are written once.

As a format of its own it is flow notation below its dictionary, and phrases are weighed by
their characters; `mckp.encode` lays a dictionary over whatever mixture it has chosen, and
weighs by tokens.
"""

from __future__ import annotations

from typing import Any, Final

from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.native import write_flow
from mckp.jsontext import dump, is_container

CHARACTERS_A_TOKEN: Final = 4
"""What a token is taken for where none are counted."""


def json_body(value: Any) -> Body:
    """Write any value."""
    return Body("", dump(value) + "\n")


def flow_body(value: Any) -> Body | None:
    """Write an object or an array that is not empty."""
    return Body("", write_flow(value)) if is_container(value) and value else None


def phrases_body(value: Any) -> Body | None:
    """Write an object or an array in which something repeats."""
    from mckp.encoders.phrase_search import find  # needs numpy, which nothing else here does

    plain = flow_body(value)
    found = find([plain.text], _estimates) if plain is not None else None
    return Body("", found.head + found.write(plain.text)) if plain and found else None


def _estimates(texts: list[str]) -> list[int]:
    return [-(-len(text) // CHARACTERS_A_TOKEN) for text in texts]


JSON = Format("json", DataLoss.NONE, json_body)
FLOW = Format("flow", DataLoss.NONE, flow_body)
PHRASES = Format("phrases", DataLoss.NONE, phrases_body)
