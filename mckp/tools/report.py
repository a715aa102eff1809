"""What a result says of each tool: its level, and what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.jsontext import canonical
from mckp.result import Choice, Elided
from mckp.tools.levels import LEVELS, census, losses
from mckp.tools.text.write import Shared

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.tools.offer import Levels, Offer
    from mckp.tools.search import Draft
    from mckp.tools.tool import Tool


def choices(offer: Offer, draft: Draft) -> Iterable[Choice]:
    """Yield the level of each tool that is there, in the order of the catalog."""
    for number, tokens in _tokens(offer, draft.levels, draft.common):
        level = draft.levels[number]
        if level is not None:
            value = offer.values[number][LEVELS.index(level)]
            yield Choice((offer.tools[number].name,), level, tokens, value)


def elided(offer: Offer, draft: Draft) -> Iterable[Elided]:
    """Yield what is cut: the tools that are left out, then what is left out of others."""
    levels: Levels = ("full",) * len(offer.tools)
    whole = dict(_tokens(offer, levels, Shared()))
    here = dict(_tokens(offer, draft.levels, draft.common))
    gone = [number for number, level in enumerate(draft.levels) if level is None]
    if gone:
        tokens = sum(whole[number] for number in gone)
        names = tuple(offer.tools[number].name for number in gone)
        yield Elided((), "tools", len(gone), len(levels), tokens, names)
    for number, level in enumerate(draft.levels):
        if level not in (None, "full", "json"):
            lost = losses(offer.tools[number], level, offer.rule)
            if lost:
                yield Elided(
                    (offer.tools[number].name,),
                    "keywords",
                    sum(lost.values()),
                    census(offer.tools[number]).total(),
                    max(0, whole[number] - here[number]),
                    tuple(lost),
                )


def wanted(offer: Offer, draft: Draft) -> list[Tool]:
    """Return what the text must read back as."""
    return [
        offer.given[number] if level == "json" else offer.told[number][level]
        for number, level in enumerate(draft.levels)
        if level is not None
    ]


def same(one: Tool, other: Tool) -> bool:
    """Whether two tools are the same, types of values included."""
    facts = [
        canonical([tool.name, tool.shape, tool.definition(), sorted(tool.absent)])
        for tool in (one, other)
    ]
    return facts[0] == facts[1]


def _tokens(offer: Offer, levels: Levels, common: Shared) -> Iterable[tuple[int, int]]:
    kept = [number for number, level in enumerate(levels) if level is not None]
    counts = offer.tokenizer.count_batch(offer.selected(levels, common))
    return zip(kept, counts, strict=True)
