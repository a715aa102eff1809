"""CFO as TSCG 1.4.3 has it: what reads first, then what it cannot tell, then what writes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foreign.tscg_released.flat import FlatTool

_NAMES: Final = (
    re.compile(
        "(get|read|list|search|find|query|fetch|view|describe|show|load|retrieve|check|lookup)_"
    ),
    re.compile(
        "(create|send|update|delete|write|execute|modify|remove|post|put|patch|destroy|insert|"
        "publish|upload|save|run)_"
    ),
)
_WORDS: Final = (
    re.compile(r"(get|read|list|search|find|query|fetch|retrieve)(\s|\Z)"),
    re.compile(r"(create|send|update|delete|write|execute|modify|remove|run)(\s|\Z)"),
)
_READ, _OTHER, _WRITE = range(3)


def cfo(tools: Sequence[FlatTool]) -> list[FlatTool]:
    """Sort tools by what their names, or else the first words of their descriptions, say.

    Examples
    --------
    >>> from foreign.tscg_released.flat import FlatTool
    >>> said = {"run_it": "", "turn": "", "see": "Get it."}
    >>> [tool.name for tool in cfo([FlatTool(*each, ()) for each in said.items()])]
    ['see', 'turn', 'run_it']
    """
    return sorted(tools, key=_kind)


def _kind(tool: FlatTool) -> int:
    name, description = tool.name.lower(), tool.description.lstrip().lower()
    for text, (reads, writes) in ((name, _NAMES), (description, _WORDS)):
        if reads.match(text):
            return _READ
        if writes.match(text):
            return _WRITE
    return _OTHER
