"""The texts that a later one may nearly repeat: few for each call, kept while a context lasts."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from mckp.config.tuner.marks import RAW
from mckp.session.near import near_texts
from mckp.session.store import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.replay.facts import Measure
    from mckp.session import Response as Told
    from mckp.session.layers import Way

MOST_CALLS: Final = 256
"""Calls of all agents for which texts are kept; the ones least recently made are forgotten."""

_LATEST: Final = 4


class Bases:
    """What was told last for each call.

    A session refers to the newest text that it delivered in full, so beside the newest ones
    the one is kept that all since could have referred to.

    Parameters
    ----------
    measure : Measure
        Counts what references would take.
    """

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._kept: OrderedDict[tuple[int, int], list[tuple[int, Entry]]] = OrderedDict()

    def have(self, agent: int, call: int, content: int) -> bool:
        """Whether nothing is there to refer to but the text itself."""
        return all(each == content for each, _ in self._kept.get((agent, call), ()))

    def add(self, agent: int, call: int, content: int, told: Told, way: Way) -> dict[int, int]:
        """Keep a text, and return the tokens of references by what they refer to."""
        kept = self._kept.setdefault((agent, call), [])
        self._kept.move_to_end((agent, call))
        if len(self._kept) > MOST_CALLS:
            self._kept.popitem(last=False)
        found = dict(self._references(kept, content, told, way))
        anchor = kept[:1]
        if not anchor or (anchor[0][0] != content and anchor[0][0] not in found):
            kept.clear()
        kept[:] = [each for each in kept if each[0] != content or each is kept[0]]
        if content not in [each for each, _ in kept]:
            kept.append((content, _entry(told, way)))
        del kept[1 : max(1, len(kept) - _LATEST)]
        return found

    def _references(
        self, kept: list[tuple[int, Entry]], content: int, told: Told, way: Way
    ) -> Iterator[tuple[int, int]]:
        for other, entry in kept:
            if other == content:
                continue
            tokens = min(self._measure.count(list(near_texts(entry, told, way))), default=None)
            if tokens is not None and tokens < way.tokens:
                yield other, tokens

    def forget(self, agent: int | None = None) -> None:
        """Forget what one agent was told, or all."""
        for key in [each for each in self._kept if agent in (None, each[0])]:
            del self._kept[key]


def _entry(told: Told, way: Way) -> Entry:
    body = None if way.form == RAW else way.body
    return Entry(10, "", "", "", None, told.text, body, way.form)
