"""How TSCG 1.4.3 counts its savings: by characters, of which code is said to have more tokens.

JSON counts as code and TSCG's own text does not, so that a text that was not shortened at all
would have saved 30 % (Claude) or 37 % (GPT-4).
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

from foreign.tscg_released.pipeline import tscg_released
from mckp.errors import UnknownNameError
from mckp.jsontext import dump
from mckp.tools.tool import parse_tools

if TYPE_CHECKING:
    from collections.abc import Mapping

_SIGN: Final = re.compile(r'[{}\[\]:,"]')
_CODE_FROM: Final = 0.15
_PROSE: Final = 4.0
_CODE: Final[Mapping[str, float]] = {"claude": 2.8, "gpt-4": 2.5}


def estimated(text: str, model: str = "claude") -> int:
    """Return what TSCG takes for the tokens of a text.

    Examples
    --------
    >>> estimated("a" * 28), estimated('["a","b"]' + "," * 19)
    (7, 10)
    """
    if model not in _CODE:
        raise UnknownNameError("model of TSCG's meter", model, _CODE)
    if not text:
        return 0
    size = len(text.encode("utf-16-le")) // 2
    is_code = len(_SIGN.findall(text)) / size > _CODE_FROM
    return math.ceil(size / (_CODE[model] if is_code else _PROSE))


def claimed(tools: Any, profile: str = "balanced", model: str = "claude") -> float:
    """Return the percentage that TSCG says it saves of a catalog, to one decimal.

    Examples
    --------
    >>> claimed([{"name": "now", "description": "The time."}])
    61.9
    """
    found = parse_tools(tools)
    rows = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
        for tool in found
    ]
    before = estimated("\n".join(map(dump, rows)), model)
    after = estimated(tscg_released(found, profile, model), model)
    return round(1000 * (before - after) / before) / 10 if before else 0.0
