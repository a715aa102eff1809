"""Which of many patterns a path matches, found in one walk along its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from mckp.weights.patterns import Wild

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mckp.weights.patterns import Step

_OTHER_NAME: Final = Wild.STEP
_OTHER_INDEX: Final = Wild.ELEMENT

_Place: TypeAlias = tuple[int, int]
"""The number of a pattern, and how many of its steps have been walked."""


class Matcher:
    """Patterns as one automaton, whose states are made when a path first leads there.

    All names that no pattern names are one to it, and so are all such indices, so the
    states are few however many different paths there are.

    Parameters
    ----------
    patterns : sequence of tuple of Step
        As `read_pattern` returns them.

    Examples
    --------
    >>> from mckp.weights.patterns import read_pattern
    >>> matcher = Matcher([read_pattern("**.id"), read_pattern("jobs")])
    >>> matcher.matched(("jobs", 0, "id")), matcher.matched(("id", "x")), matcher.matched(())
    ((0, 1), (0,), ())
    """

    def __init__(self, patterns: Sequence[tuple[Step, ...]]) -> None:
        self._patterns = patterns
        steps = {step for pattern in patterns for step in pattern}
        self._named = steps - set(Wild)
        self.states: dict[frozenset[_Place], _State] = {}
        self._root = self._state((number, 0) for number in range(len(patterns)))

    def matched(self, path: tuple[str | int, ...]) -> tuple[int, ...]:
        """Return the numbers of the patterns that cover the leaf at a path, in order."""
        state = self._root
        for step in path:
            symbol = step if step in self._named else _other(step)
            found = state.next.get(symbol)
            if found is None:
                found = state.next[symbol] = self._state(self._walked(state.places, symbol))
            state = found
        return state.matched

    def _state(self, places: Iterable[_Place]) -> _State:
        """Return the state of some places, with those that lie behind any number of steps."""
        found: set[_Place] = set()
        for number, place in places:
            pattern, end = self._patterns[number], place
            found.add((number, end))
            while end < len(pattern) and pattern[end] is Wild.DEEP:
                end += 1
                found.add((number, end))
        key = frozenset(found)
        if key not in self.states:
            ended = sorted(n for n, place in key if place == len(self._patterns[n]))
            self.states[key] = _State(key, tuple(ended))
        return self.states[key]

    def _walked(self, places: Iterable[_Place], symbol: Step) -> Iterable[_Place]:
        for number, place in places:
            pattern = self._patterns[number]
            if place == len(pattern) or pattern[place] is Wild.DEEP:
                yield number, place  # below what is matched, all is covered
            elif _takes(pattern[place], symbol):
                yield number, place + 1


class _State:
    """Where the patterns stand after some steps, and where each further step leads."""

    __slots__ = ("matched", "next", "places")

    def __init__(self, places: frozenset[_Place], matched: tuple[int, ...]) -> None:
        self.places, self.matched = places, matched
        self.next: dict[Step, _State] = {}


def _other(step: str | int) -> Wild:
    return _OTHER_INDEX if isinstance(step, int) else _OTHER_NAME


def _takes(step: Step, symbol: Step) -> bool:
    if step is Wild.ELEMENT:
        return isinstance(symbol, int) or symbol is _OTHER_INDEX
    return step is Wild.STEP or step == symbol
