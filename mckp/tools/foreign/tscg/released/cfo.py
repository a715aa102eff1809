"""CFO as TSCG 1.4.3 has it: what reads first, then what it cannot tell, then what writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.tools.foreign.tscg.released.flat import FlatTool

_READS: Final = frozenset(
    "get read list search find query fetch view describe show load retrieve check lookup".split()
)
_WRITES: Final = frozenset(
    "create send update delete write execute modify remove post put patch destroy insert publish"
    " upload save run".split()
)
_FIRST_WORDS: Final = (
    frozenset("get read list search find query fetch retrieve".split()),
    frozenset("create send update delete write execute modify remove run".split()),
)
_READ, _OTHER, _WRITE = range(3)


def cfo(tools: Sequence[FlatTool]) -> list[FlatTool]:
    """Sort tools by what their names, or else the first words of their descriptions, say.

    Examples
    --------
    >>> from mckp.tools.foreign.tscg.released.flat import FlatTool
    >>> made = [FlatTool("run_it", "", ()), FlatTool("turn", "", ()), FlatTool("see", "Get it.", ())]
    >>> [tool.name for tool in cfo(made)]
    ['see', 'turn', 'run_it']
    """
    return sorted(tools, key=_kind)


def _kind(tool: FlatTool) -> int:
    verb, underscore, _ = tool.name.lower().partition("_")
    first = (tool.description.lower().split() or [""])[0]
    for word, known, (reads, writes) in (
        (verb, bool(underscore), (_READS, _WRITES)),
        (first, True, _FIRST_WORDS),
    ):
        if known and word in reads:
            return _READ
        if known and word in writes:
            return _WRITE
    return _OTHER
