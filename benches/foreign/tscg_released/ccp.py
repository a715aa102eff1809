"""CCP as TSCG 1.4.3 has it: every tool again, with the parameters it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foreign.tscg_released.flat import FlatTool


def ccp(text: str, tools: Sequence[FlatTool]) -> str:
    """Close with the names.

    Examples
    --------
    >>> from foreign.tscg_released.flat import FlatTool
    >>> print(ccp("now: The time.", [FlatTool("now", "The time.", ())]))
    now: The time.
    [CLOSURE:now()]
    """
    return f"{text}\n[CLOSURE:{','.join(map(_again, tools))}]" if tools else text


def _again(tool: FlatTool) -> str:
    return f"{tool.name}({','.join(each.name for each in tool.parameters if each.required)})"
