"""TSCG: descriptions in fewer words that mean the same (operators SDM and DRO)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mckp.tools.renderings.schema import described

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mckp.tokenizers.base import Tokenizer
    from mckp.tools.tool import Tool

EQUAL: Final = {
    "in order to": "to",
    "so as to": "to",
    "when you need to": "to",
    "when you want to": "to",
    "whether or not": "whether",
    "prior to": "before",
    "in the event that": "if",
    "due to the fact that": "because",
    "for the purpose of": "for",
    "is able to": "can",
    "are able to": "can",
    "a large number of": "many",
    "corresponds to": "→",
    "correspond to": "→",
    "maps to": "→",
    "greater than or equal to": ">=",
    "less than or equal to": "<=",
    "for example": "e.g.",
}
"""Phrases that say the same; `sdm` and `dro` write the right ones."""

EMPTY: Final = re.compile(
    "an?|the|this|that|it|is|be|will|can|may|you|please|note|used?|for|to|"
    "tool|function|method|endpoint|command|allows|lets|enables|designed|which"
)
"""Words that say nothing of their own; no negation, condition or number is among them."""

_PHRASES: Final = re.compile(rf"\b(?:{'|'.join(map(re.escape, EQUAL))})\b", re.IGNORECASE)
_WORD: Final = re.compile(r"\w+(?:['.-]\w+)*|[^\w\s.,:;!?\"'()]+")


def meaning(text: str) -> Counter[str]:
    """Return the words of a text that mean something, and how often each stands.

    Examples
    --------
    >>> sorted(meaning("This tool is used in order to delete the file, not a folder."))
    ['delete', 'file', 'folder', 'not']
    >>> meaning("The code corresponds to 3") == meaning("code → 3")
    True
    """
    common = _PHRASES.sub(lambda found: EQUAL[found[0].lower()], text).lower()
    return Counter(word for word in _WORD.findall(common) if not EMPTY.fullmatch(word))


def keeps(before: str, after: str) -> bool:
    """Whether everything that one text means stands in the other."""
    return meaning(before) <= meaning(after)


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


_IT: Final = "(?:tool|function|method|endpoint|command)"
_OPENINGS: Final = (
    r"(?:please )?note that",
    rf"(?:you (?:can|may) )?use this {_IT} (?:when you (?:need|want) to|to|for)",
    rf"(?:this {_IT}|it) (?:can be used|may be used|is used|is designed|will be used) (?:to|for)",
    rf"this {_IT} (?:allows you to|lets you|enables you to|will|can)",
    rf"(?:this is )?(?:a|the) {_IT} (?:that can be used to|which can be used to|to|for)",
)
_OPENING: Final = re.compile(
    rf"(?P<before>\A|[.!?]\s+|\n)(?:{'|'.join(_OPENINGS)})\s+(?P<next>\w)", re.IGNORECASE
)
_SHORTER: Final = {said: short for said, short in EQUAL.items() if short.isalpha()}
_TO_WORDS: Final = re.compile(rf"\b(?:{'|'.join(_SHORTER)})\b")
_BLANKS: Final = re.compile(r"(?<=\S)[ \t]+(?=\n|\Z)|(?<=\S[ \t])[ \t]+")
_CODE: Final = re.compile(r"```|\t|\n {2,}")


def sdm_text(text: str) -> str:
    """Strike what says nothing.

    Examples
    --------
    >>> sdm_text("This tool allows you to  search. Use this tool when you need to find files")
    'Search. Find files'
    >>> sdm_text("The name of the label, if needed")
    'The name of the label, if needed'
    """
    shorter = _TO_WORDS.sub(lambda found: _SHORTER[found[0]], _OPENING.sub(_opened, text))
    if not _CODE.search(text):
        shorter = _BLANKS.sub("", shorter).strip()
    return shorter if keeps(text, shorter) else text


def sdm(tools: Sequence[Tool], tokenizer: Tokenizer) -> list[Tool]:
    """Rewrite all descriptions, nested ones included, where that saves tokens."""
    return rewritten(tools, sdm_text, tokenizer)


def _opened(found: re.Match[str]) -> str:
    return found["before"] + found["next"].upper()


_SIGNS: Final = {said: sign for said, sign in EQUAL.items() if not sign.isalpha()}
_TO_SIGNS: Final = re.compile(rf"\b(?:{'|'.join(_SIGNS)})\b")


def dro_text(text: str) -> str:
    """Write signs for phrases.

    Examples
    --------
    >>> dro_text("Each id corresponds to a row, less than or equal to 9")
    'Each id → a row, <= 9'
    """
    shorter = _TO_SIGNS.sub(lambda found: _SIGNS[found[0]], text)
    return shorter if keeps(text, shorter) else text


def dro(tools: Sequence[Tool], tokenizer: Tokenizer) -> list[Tool]:
    """Write signs for phrases in all descriptions, where that saves tokens.

    The other half of DRO, compact delimiters around names and types, is the layout
    `mckp.tools.renderings.tscg_layout.COMPACT`.
    """
    return rewritten(tools, dro_text, tokenizer)
