"""What a notebook shows of a result."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Protocol

from mckp.display.bars import bars
from mckp.display.blocks import blocks, split_of
from mckp.display.icicle import icicle

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mckp.display.blocks import ChoiceLike, CutLike


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
