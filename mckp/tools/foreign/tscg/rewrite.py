"""Rewriting what tools say, where that saves tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mckp.tools.foreign.schema import described

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mckp.tokenizers.base import Tokenizer
    from mckp.tools.tool import Tool


def rewritten(
    tools: Sequence[Tool], shorten: Callable[[str], str], tokenizer: Tokenizer
) -> list[Tool]:
    """Shorten all descriptions, nested ones included; those that gain nothing stay.

    Examples
    --------
    >>> from mckp import tokenizers
    >>> from mckp.tools import parse_tools
    >>> tools = parse_tools([{"name": "now", "description": "The very exact time."}])
    >>> counter = tokenizers.get("o200k")
    >>> rewritten(tools, lambda text: text.replace(" very", ""), counter)[0].description
    'The exact time.'
    """

    def change(text: str) -> str:
        shorter = shorten(text)
        if shorter == text:
            return text
        after, before = tokenizer.count_batch([shorter, text])
        return shorter if after < before else text

    return [
        replace(
            tool,
            description=change(tool.description),
            parameters=described(tool.parameters, change),
        )
        for tool in tools
    ]
