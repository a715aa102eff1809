"""What a text means, for the check that a rewrite keeps it: its words, in a common form."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

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
