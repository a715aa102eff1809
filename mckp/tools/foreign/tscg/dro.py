"""DRO, delimiter-role optimisation: phrases that only relate two things become signs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mckp.tools.foreign.tscg.meaning import EQUAL, keeps
from mckp.tools.foreign.tscg.rewrite import rewritten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.tokenizers.base import Tokenizer
    from mckp.tools.tool import Tool

_SIGNS: Final = {said: sign for said, sign in EQUAL.items() if not sign.isalpha()}
_PHRASE: Final = re.compile(rf"\b(?:{'|'.join(_SIGNS)})\b")


def dro_text(text: str) -> str:
    """Write signs for phrases.

    Examples
    --------
    >>> dro_text("Each id corresponds to a row, less than or equal to 9")
    'Each id → a row, <= 9'
    """
    shorter = _PHRASE.sub(lambda found: _SIGNS[found[0]], text)
    return shorter if keeps(text, shorter) else text


def dro(tools: Sequence[Tool], tokenizer: Tokenizer) -> list[Tool]:
    """Write signs for phrases in all descriptions, where that saves tokens.

    The other half of DRO, compact delimiters around names and types, is the layout
    `mckp.tools.foreign.tscg.layout.COMPACT`.
    """
    return rewritten(tools, dro_text, tokenizer)
