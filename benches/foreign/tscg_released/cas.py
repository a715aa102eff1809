"""CAS as TSCG 1.4.3 has it: a fixed shuffle, as nothing ever sets how often a tool is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foreign.tscg_released.flat import FlatTool


def cas(tools: Sequence[FlatTool]) -> list[FlatTool]:
    """Lay out the even places in order, then the odd ones backwards.

    Examples
    --------
    >>> from foreign.tscg_released.flat import FlatTool
    >>> [tool.name for tool in cas([FlatTool(name, "", ()) for name in "abcde"])]
    ['a', 'c', 'e', 'd', 'b']
    """
    return [*tools] if len(tools) <= 2 else [*tools[::2], *reversed(tools[1::2])]
