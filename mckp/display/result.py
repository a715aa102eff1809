"""What a notebook shows of a result: tokens before and after, and the text by subtree."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final, Protocol

from mckp.display.blocks import blocks, split_of
from mckp.display.svg import CUT, OTHER, WIDTH_PX, box, colour, legend, picture, words
from mckp.jsontext import path_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mckp.display.blocks import Block, ChoiceLike, CutLike

_NAMES_PX: Final = 60
_BAR_HEIGHT_PX: Final = 18


def bars(source: int | None, split: Mapping[str, int]) -> str:
    """Return a picture of the tokens of a source, if they are known, and of a text by format.

    Examples
    --------
    >>> bars(60, {"rows": 20, "kv": 10}).count("<rect x=")
    5
    """
    return picture(3 * _BAR_HEIGHT_PX + 8, "tokens before and after", _parts(source, split))


def _parts(source: int | None, split: Mapping[str, int]) -> Iterator[str]:
    tokens = sum(split.values())
    scale = (WIDTH_PX - _NAMES_PX) / max(1, source or 0, tokens)
    if source is not None:
        yield words(0, 13, "source")
        yield box(
            _NAMES_PX,
            0,
            source * scale,
            _BAR_HEIGHT_PX - 2,
            OTHER,
            f"source: {source}",
            f"{source}",
        )
    yield words(0, _BAR_HEIGHT_PX + 13, "text")
    x: float = _NAMES_PX
    for name, count in split.items():
        width = count * scale
        yield box(
            x,
            _BAR_HEIGHT_PX,
            width,
            _BAR_HEIGHT_PX - 2,
            colour(name),
            f"{name}: {count}",
            f"{count}",
        )
        x += width
    yield legend(split, 3 * _BAR_HEIGHT_PX, _NAMES_PX)


_ROW_HEIGHT_PX: Final = 22
_MIN_WIDTH_PX: Final = 1.0
"""Points of width below which a box is not drawn."""
_MAX_LEVELS: Final = 12


def icicle(root: Block) -> str:
    """Return a picture of the blocks of a text.

    Examples
    --------
    >>> from mckp.display.blocks import Block
    >>> icicle(Block((), "kv", 30, [Block(("jobs",), "rows", 20)])).count("<rect x=")
    2
    """
    parts = list(_boxes(root, 0, WIDTH_PX / max(1, root.size), 0))
    levels = 1 + max((level for level, _ in parts), default=0)
    return picture(levels * _ROW_HEIGHT_PX + 1, "tokens by subtree", (part for _, part in parts))


def _boxes(block: Block, x: float, scale: float, level: int) -> Iterator[tuple[int, str]]:
    width, y = block.size * scale, level * _ROW_HEIGHT_PX
    if width < _MIN_WIDTH_PX or level > _MAX_LEVELS:
        return
    yield (
        level,
        box(x, y, width, _ROW_HEIGHT_PX - 1, colour(block.format), _tip(block), _label(block)),
    )
    at = x + block.own * scale
    for below in block.below:
        yield from _boxes(below, at, scale, level + 1)
        at += below.size * scale
    for cut in block.cuts:
        width = cut.tokens * scale
        if width >= _MIN_WIDTH_PX:
            tip = f"cut from {cut}, {cut.tokens} tokens"
            yield (
                level + 1,
                box(at, y + _ROW_HEIGHT_PX, width, _ROW_HEIGHT_PX - 1, CUT, tip, _short(str(cut))),
            )
        at += width


def _label(block: Block) -> str:
    last = block.path[-1] if block.path else "$"
    return f"[{last}] {block.tokens}" if isinstance(last, int) else f"{last} {block.tokens}"


def _short(cut: str) -> str:
    return cut.rpartition(": ")[2]


def _tip(block: Block) -> str:
    lost = f", {block.lost} cut" if block.lost else ""
    return f"{path_text(block.path)} as {block.format}: {block.tokens} tokens{lost}"


class ResultLike(Protocol):
    """See `mckp.result.Result`."""

    @property
    def text(self) -> str: ...
    @property
    def tokens(self) -> int: ...
    @property
    def choices(self) -> Sequence[ChoiceLike]: ...
    @property
    def elided(self) -> Sequence[CutLike]: ...


def page(result: ResultLike, facts: Iterable[tuple[str, str]], source: int | None) -> str:
    """Return a line of facts, the tokens before and after, where they went, and the text.

    Parameters
    ----------
    result : ResultLike
        The result.
    facts : iterable of (str, str)
        Names and facts.
    source : int or None
        Tokens of the source, if they are known.
    """
    line = " · ".join(f"{escape(name)} <b>{escape(fact)}</b>" for name, fact in facts)
    pictures = bars(source, split_of(result.choices, result.tokens))
    tree = icicle(blocks(result.choices, result.elided, result.tokens))
    return (
        f"<div><p>{line}</p>{pictures}<br>{tree}"
        f"<details><summary>text</summary><pre>{escape(result.text)}</pre></details></div>"
    )
