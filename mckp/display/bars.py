"""Tokens before and after, by format, as two bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.display.colours import OTHER, colour
from mckp.display.svg import WIDTH, box, legend, picture, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NAMES: Final = 60
_HEIGHT: Final = 18


def bars(source: int | None, split: Mapping[str, int]) -> str:
    """Return a picture of the tokens of a source, if they are known, and of a text by format.

    Examples
    --------
    >>> bars(60, {"rows": 20, "kv": 10}).count("<rect x=")
    5
    """
    return picture(3 * _HEIGHT + 8, "tokens before and after", _parts(source, split))


def _parts(source: int | None, split: Mapping[str, int]) -> Iterator[str]:
    tokens = sum(split.values())
    scale = (WIDTH - _NAMES) / max(1, source or 0, tokens)
    if source is not None:
        yield words(0, 13, "source")
        yield box(_NAMES, 0, source * scale, _HEIGHT - 2, OTHER, f"source: {source}", f"{source}")
    yield words(0, _HEIGHT + 13, "text")
    x: float = _NAMES
    for name, count in split.items():
        width = count * scale
        yield box(x, _HEIGHT, width, _HEIGHT - 2, colour(name), f"{name}: {count}", f"{count}")
        x += width
    yield legend(split, 3 * _HEIGHT, _NAMES)
