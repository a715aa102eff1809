"""``phrases``: the document above which texts that it repeats are written once.

As a format of its own it is flow notation below its dictionary, and phrases are weighed by
their characters; `mckp.encode` lays a dictionary over whatever mixture it has chosen, and
weighs by tokens.
"""

from __future__ import annotations

from typing import Any, Final

from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.flow import body as flow_body

CHARACTERS_A_TOKEN: Final = 4
"""What a token is taken for where none are counted."""


def body(value: Any) -> Body | None:
    """Write an object or an array in which something repeats."""
    from mckp.encoders.phrase_search import find  # needs numpy, which nothing else here does

    plain = flow_body(value)
    found = find([plain.text], _estimates) if plain is not None else None
    return Body("", found.head + found.write(plain.text)) if plain and found else None


def _estimates(texts: list[str]) -> list[int]:
    return [-(-len(text) // CHARACTERS_A_TOKEN) for text in texts]


PHRASES = Format("phrases", DataLoss.NONE, body)
