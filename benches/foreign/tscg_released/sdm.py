"""SDM as TSCG 1.4.3 has it: phrases are struck out wherever they stand, and a period added.

It loses words that mean something ("the name of the label" becomes "Label."); see
`mckp.tools.renderings.tscg_wording` for what the paper asks for.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foreign.tscg_released.flat import FlatTool

BLANK: Final = r"[\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
"""What JavaScript takes for a blank; below, ``\\s`` and ``\\w`` know ASCII only."""

# A word may be one of several, `_` stands for a blank in it, and with `?` it may be missing.
_BEFORE: Final = (
    "use this tool when you need to",
    "use this tool|function to|for",
    "this tool allows_you_to|lets_you|enables_you_to|is_used_to|can_be_used_to|will",
    "you can use this tool? to",
    "this tool|function is_designed|was_designed to",
    "please note that",
    "note that",
    "it is|can_be useful|helpful for|when",
    "this is a|the tool for|that",
    "the value|name|text|content|data|input|output of|for? the|a?",
    "specifies the",
    "indicates the|whether",
    "determines the|whether",
    "represents the|a",
)
_AT_THE_END: Final = ("if needed", "if applicable", "as needed", "when available")
_WITHIN: Final = (
    "that may have changed since your training cutoff",
    "since the|your training|knowledge cutoff",
    "or any other? current|relevant? data|information",
    "or any other? * that you|might|may? *",
    "to execute",
    "to perform",
    "to carry_out",
)


def _pattern(phrase: str) -> str:
    return rf"\b{''.join(map(_word, phrase.split()))}".removesuffix(" ")


def _word(text: str) -> str:
    words = r"\w+" if text == "*" else text.rstrip("?").replace("_", " ")
    return f"(?:(?:{words}) )?" if text.endswith("?") else f"(?:{words}) "


def _compiled(pattern: str, becomes: str = "") -> tuple[re.Pattern[str], str]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII), becomes


_REWRITES: Final = (
    *(_compiled(rf"{_pattern(phrase)}{BLANK}*") for phrase in _BEFORE),
    *(_compiled(rf"{BLANK}*{_pattern(phrase)}\.?{BLANK}*\Z") for phrase in _AT_THE_END),
    *(_compiled(rf"{_pattern(phrase)}\b") for phrase in _WITHIN),
    _compiled(rf"{BLANK}{{2,}}", " "),
    _compiled(rf"{BLANK}+\.", "."),
    _compiled(rf",{BLANK}*\.", "."),
    _compiled(rf",{BLANK}*,", ","),
    _compiled(rf"\A{BLANK}*,{BLANK}*"),
)
_EDGES: Final = re.compile(rf"\A{BLANK}+|{BLANK}+\Z", re.ASCII)


def stripped(text: str) -> str:
    """Strike the phrases out, begin with a capital, end with a period.

    Examples
    --------
    >>> stripped("This tool will perform   a search, if needed")
    'Perform a search,.'
    >>> stripped("The name of the label")
    'Label.'
    """
    for pattern, becomes in _REWRITES:
        text = pattern.sub(becomes, text)
    text = _EDGES.sub("", text)
    if text[:1].isascii():
        text = text[:1].upper() + text[1:]
    return text if not text or text[-1] in ".!?" else f"{text}."


def sdm(tools: Sequence[FlatTool]) -> list[FlatTool]:
    """Rewrite the descriptions of tools and parameters."""
    return [
        replace(
            tool,
            description=stripped(tool.description),
            parameters=tuple(
                replace(each, description=stripped(each.description)) for each in tool.parameters
            ),
        )
        for tool in tools
    ]
