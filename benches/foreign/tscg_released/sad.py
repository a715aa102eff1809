"""SAD-F as TSCG 1.4.3 has it: the first four names, without a score and without a budget."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from foreign.tscg_released.sdm import BLANK

_TOOL: Final = re.compile(r"^(\w+):", re.ASCII | re.MULTILINE)
_REQUIRED: Final = re.compile(rf"\b(\w+)\*{BLANK}*\(", re.ASCII)
_ENUM: Final = re.compile(rf"\b\w+:{BLANK}*\w+(?:\|\w+)+", re.ASCII)
_BLANKS: Final = re.compile(f"{BLANK}+", re.ASCII)


def sad(text: str, most: int = 4) -> str:
    """Repeat the first names at the end; tools with a hyphen in their names have none.

    Examples
    --------
    >>> print(sad("now: The time." + chr(10) + "  zone* (str): Which."))
    now: The time.
      zone* (str): Which.
    [ANCHOR:now,zone*]
    """
    found = dict.fromkeys(
        [
            *_TOOL.findall(text),
            *(f"{name}*" for name in _REQUIRED.findall(text)),
            *(_BLANKS.sub("", each) for each in _ENUM.findall(text)),
        ]
    )
    return f"{text}\n[ANCHOR:{','.join(islice(found, most))}]" if found else text
