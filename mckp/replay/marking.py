"""From actions to marks: texts are measured, numbered and forgotten."""

from __future__ import annotations

import secrets
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from mckp import tokenizers
from mckp.config.tuner.marks import NO_BASES, Changed, Compacted, Ended, Mark, Seen
from mckp.replay.actions import Action, Compact, Edit, End, Response
from mckp.replay.bases import Bases
from mckp.replay.facts import Facts, Measure
from mckp.replay.run import arguments
from mckp.session import SessionSettings
from mckp.session.mutations import Effect, effect_of, file_of
from mckp.session.store import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mckp.api import TokenizerLike

LEAST_NEAR: Final = 100
"""Bytes below which nobody looks for near repeats."""


class Numbers:
    """Numbers for things, the same for the same."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def __getitem__(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def clear(self) -> None:
        """Forget what was numbered."""
        self._numbers.clear()


class Marker:
    """Turns actions into marks, one at a time.

    Parameters
    ----------
    settings : SessionSettings, optional
        What sessions may do: templates and formats are tried as it says.
    tokenizer : str, Tokenizer or callable, default "o200k"
        Who counts.
    """

    def __init__(
        self, settings: SessionSettings | None = None, tokenizer: TokenizerLike = "o200k"
    ) -> None:
        self._measure = Measure(settings or SessionSettings(), tokenizers.get(tokenizer))
        self._salt = secrets.token_bytes(16)
        self._facts: dict[bytes, Facts] = {}
        self._agents, self._calls, self._sources = Numbers(), Numbers(), Numbers()
        self._fresh: dict[int, Entry] = {}
        self._bases = Bases(self._measure)

    def marks(self, action: Action) -> Iterator[Mark]:
        """Yield what is kept of an action."""
        if isinstance(action, Response):
            yield from self._responded(action)
        elif isinstance(action, Edit):
            yield from self._changed(effect_of("Write", None, action.file, {}))
        elif isinstance(action, Compact):
            self._bases.forget(self._agents[action.agent])
            yield Compacted(self._agents[action.agent])
        else:
            yield from self._ended(action)

    def _responded(self, action: Response) -> Iterator[Mark]:
        args = arguments(action.args)
        file = file_of(args, action.file)
        yield from self._changed(effect_of(action.tool, args, file, {}))
        source = self._sources[action.tool, file]
        self._fresh[source] = Entry(0, "", action.tool, "", file, "", None)
        agent, call = self._agents[action.agent], self._calls[action.tool, action.args]
        facts, bases = self._looked_at(action.text, agent, call)
        yield Seen(
            action.tool,
            agent,
            facts.content,
            call,
            source,
            facts.chars,
            facts.baseline,
            facts.ways,
            facts.shape,
            facts.inner,
            facts.columns,
            facts.depth,
            bases or NO_BASES,
        )

    def _looked_at(self, text: str, agent: int, call: int) -> tuple[Facts, Mapping[int, int]]:
        digest = blake2b(text.encode(), digest_size=16, key=self._salt).digest()
        facts = self._facts.get(digest)
        if facts is not None and self._bases.have(agent, call, facts.content):
            return facts, NO_BASES
        told = self._measure.told(text)
        ways = self._measure.ways(told)
        if facts is None:
            facts = self._measure.facts(told, ways, len(self._facts))
            self._facts[digest] = facts
        if facts.chars < LEAST_NEAR:
            return facts, NO_BASES
        return facts, self._bases.add(agent, call, facts.content, told, ways[0])

    def _changed(self, effect: Effect | None) -> Iterator[Mark]:
        """Yield which sources a call touches, of those that nothing has touched since."""
        if effect is None:
            return
        touched = frozenset(each for each, of in self._fresh.items() if effect.touches(of))
        for each in touched:
            del self._fresh[each]
        if touched:
            yield Changed(touched)

    def _ended(self, action: End) -> Iterator[Mark]:
        for numbers in (self._agents, self._calls, self._sources):
            numbers.clear()
        self._fresh.clear()
        self._bases.forget()
        yield Ended(action.model)


def marks(
    actions: Iterable[Action],
    settings: SessionSettings | None = None,
    *,
    tokenizer: TokenizerLike = "o200k",
) -> Iterator[Mark]:
    """Turn a log into marks, an action at a time.

    Parameters
    ----------
    actions : iterable of actions
        A log.
    settings : SessionSettings, optional
        What sessions may do: templates and formats are tried as it says.
    tokenizer : str, Tokenizer or callable, default "o200k"
        Who counts.

    Yields
    ------
    Mark
        Of texts and paths there are only numbers in them, the same for the same.

    Examples
    --------
    >>> from mckp.replay import Response
    >>> seen = list(marks([Response("Read", "{}", "secret"), Response("Read", "{}", "secret")]))
    >>> [(each.content, each.ways) for each in seen]
    [(0, {'': 1}), (0, {'': 1})]
    """
    marker = Marker(settings, tokenizer)
    for action in actions:
        yield from marker.marks(action)
