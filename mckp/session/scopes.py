"""Contexts: what each agent was shown, and still sees."""

from __future__ import annotations

from collections import OrderedDict
from itertools import islice
from operator import index
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mckp.session.mutations import Effect
    from mckp.session.store import Entry

MAIN: Final = "main"
"""The agent that is no sub-agent."""

MOST: Final = 1024
"""Agents whose contexts are known; of more, the ones least recently heard of are forgotten."""


class Scope:
    """The texts in one context that references may be made to, the latest last.

    Parameters
    ----------
    partition : int
        How often the context was compacted.
    """

    def __init__(self, partition: int = 0) -> None:
        self.partition = partition
        self.explained = False
        self._entries: OrderedDict[int, Entry] = OrderedDict()
        self._by_text: dict[str, int] = {}

    def __iter__(self) -> Iterator[Entry]:
        return reversed(self._entries.values())

    def add(self, entry: Entry, most: int) -> None:
        """Note that a text was delivered, and leave no more than so many."""
        self._entries[entry.number] = entry
        self._by_text[entry.text] = entry.number
        while len(self._entries) > most:
            self.drop(next(iter(self._entries)))

    def find(self, text: str) -> Entry | None:
        """Return a text that says the same, unless what it tells may have changed."""
        number = self._by_text.get(text)
        if number is None:
            return None
        return None if self._entries[number].stale else self._entries[number]

    def use(self, entry: Entry) -> None:
        """Note that a reference was made."""
        self._entries.move_to_end(entry.number)

    def near(self, tool: str, call: str, window: int | None = None) -> Entry | None:
        """Return the latest text of the same call, among so many of the newest."""
        newest = islice(self, window)
        return next((each for each in newest if (each.tool, each.call) == (tool, call)), None)

    def drop(self, number: int) -> None:
        """Note that a text is no longer there, or no longer referred to."""
        entry = self._entries.pop(number, None)
        if entry is not None and self._by_text.get(entry.text) == number:
            del self._by_text[entry.text]

    def compact(self) -> None:
        """Note that nothing of the context is left."""
        self._entries.clear()
        self._by_text.clear()
        self.partition += 1
        self.explained = False


class Scopes:
    """The contexts of all agents."""

    def __init__(self) -> None:
        self._scopes: OrderedDict[str, Scope] = OrderedDict()

    def of(self, agent: str) -> Scope:
        """Return the context of an agent, empty if it is new."""
        scope = self._scopes.setdefault(agent, Scope())
        self._scopes.move_to_end(agent)
        if len(self._scopes) > MOST:
            self._scopes.popitem(last=False)
        return scope

    def drop(self, entry: Entry) -> None:
        """Note that a text is no longer there, or no longer referred to."""
        if entry.agent in self._scopes:
            self._scopes[entry.agent].drop(entry.number)

    def end(self, agent: str) -> None:
        """Forget an agent."""
        self._scopes.pop(agent, None)

    def spoil(self, effect: Effect) -> None:
        """Note what may have changed, whoever sees it."""
        for scope in self._scopes.values():
            for entry in scope:
                entry.stale = entry.stale or effect.touches(entry)

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain data; of texts, the numbers."""
        return {
            agent: {
                "partition": scope.partition,
                "explained": scope.explained,
                "numbers": [entry.number for entry in scope][::-1],
            }
            for agent, scope in self._scopes.items()
        }

    def fill(self, data: Mapping[str, Any], entry: Callable[[int], Entry]) -> None:
        """Take over what `to_dict` wrote."""
        for agent, plain in data.items():
            scope = self._scopes[agent] = Scope(index(plain["partition"]))
            scope.explained = bool(plain["explained"])
            _fill(scope, map(entry, plain["numbers"]))


def _fill(scope: Scope, entries: Iterable[Entry]) -> None:
    found = list(entries)
    for entry in found:
        scope.add(entry, len(found))
