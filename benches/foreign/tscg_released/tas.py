"""TAS as TSCG 1.4.3 has it: fixed replacements, in descriptions as well; it asks no tokenizer."""

from __future__ import annotations

import re
from typing import Final

from foreign.tscg_released.sdm import BLANK

_ARROW: Final = re.compile("=>|-->")
_BAR: Final = re.compile(rf"{BLANK}*\|{BLANK}*", re.ASCII)
_WIDE: Final = re.compile(rf":{BLANK}{{2,}}", re.ASCII)


def tas(text: str) -> str:
    """Rewrite the separators of the text of one tool.

    Examples
    --------
    >>> tas("set: a|b --> c |  d:   e")
    'set: a | b : c | d: e'
    """
    return _WIDE.sub(": ", _BAR.sub(" | ", _ARROW.sub(":", text)))
