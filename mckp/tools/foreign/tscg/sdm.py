"""SDM, semantic density maximisation: words that say nothing are struck, and nothing else.

A rewrite that would lose a word with a meaning is not done, and neither is one that makes the
text longer in tokens. No period is added.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mckp.tools.foreign.tscg.meaning import EQUAL, keeps
from mckp.tools.foreign.tscg.rewrite import rewritten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.tokenizers.base import Tokenizer
    from mckp.tools.tool import Tool

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
_PHRASE: Final = re.compile(rf"\b(?:{'|'.join(_SHORTER)})\b")
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
    shorter = _PHRASE.sub(lambda found: _SHORTER[found[0]], _OPENING.sub(_opened, text))
    if not _CODE.search(text):
        shorter = _BLANKS.sub("", shorter).strip()
    return shorter if keeps(text, shorter) else text


def sdm(tools: Sequence[Tool], tokenizer: Tokenizer) -> list[Tool]:
    """Rewrite all descriptions, nested ones included, where that saves tokens."""
    return rewritten(tools, sdm_text, tokenizer)


def _opened(found: re.Match[str]) -> str:
    return found["before"] + found["next"].upper()
