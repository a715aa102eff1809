"""The tokens of a text by subtree: a row of boxes for each level, what was cut hatched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.display.colours import colour
from mckp.display.svg import CUT, WIDTH, box, picture
from mckp.jsontext import path_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.display.blocks import Block

_HEIGHT: Final = 22
_NARROW: Final = 1.0
"""Points of width below which a box is not drawn."""
_DEEPEST: Final = 12


def icicle(root: Block) -> str:
    """Return a picture of the blocks of a text.

    Examples
    --------
    >>> from mckp.display.blocks import Block
    >>> icicle(Block((), "kv", 30, [Block(("jobs",), "rows", 20)])).count("<rect x=")
    2
    """
    parts = list(_boxes(root, 0, WIDTH / max(1, root.size), 0))
    levels = 1 + max((level for level, _ in parts), default=0)
    return picture(levels * _HEIGHT + 1, "tokens by subtree", (part for _, part in parts))


def _boxes(block: Block, x: float, scale: float, level: int) -> Iterator[tuple[int, str]]:
    width, y = block.size * scale, level * _HEIGHT
    if width < _NARROW or level > _DEEPEST:
        return
    yield level, box(x, y, width, _HEIGHT - 1, colour(block.format), _tip(block), _label(block))
    at = x + block.own * scale
    for below in block.below:
        yield from _boxes(below, at, scale, level + 1)
        at += below.size * scale
    for cut in block.cuts:
        width = cut.tokens * scale
        if width >= _NARROW:
            tip = f"cut from {cut}, {cut.tokens} tokens"
            yield level + 1, box(at, y + _HEIGHT, width, _HEIGHT - 1, CUT, tip, _short(str(cut)))
        at += width


def _label(block: Block) -> str:
    last = block.path[-1] if block.path else "$"
    return f"[{last}] {block.tokens}" if isinstance(last, int) else f"{last} {block.tokens}"


def _short(cut: str) -> str:
    return cut.rpartition(": ")[2]


def _tip(block: Block) -> str:
    lost = f", {block.lost} cut" if block.lost else ""
    return f"{path_text(block.path)} as {block.format}: {block.tokens} tokens{lost}"
