"""Patterns on paths, such as ``items[*].user.login`` or ``**.id``: how they are read and matched.

A pattern is a sequence of steps from the root, which may be written as ``$``:

==================  ===========================================================
``name``            the member of that name, after a dot unless it is the first step
``["a.b"]``         the same for names with dots, brackets, quotes or ``*``; ``['a.b']`` too
``[2]``             the third element of an array, or child of a block of text
``[*]``             any element
``*``               any one step, member or element
``**``              any number of steps, none included
==================  ===========================================================

A pattern that names a container covers all that is below it. Paths as results print
them are patterns. Where a part of data is asked for, ``[5:8]``, ``[2:]`` and ``[-3:]`` stand for
elements as in Python.
"""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from mckp.errors import PatternError
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Wild(Enum):
    """A step of a pattern that stands for more than one name or index."""

    STEP = "*"
    ELEMENT = "[*]"
    DEEP = "**"


Step: TypeAlias = str | int | Wild

_NAME: Final = regex(r"[^.\[\]*'\"]+")
_INDEX: Final = regex(r"\[(0|[1-9][0-9]{0,17})\]")
_SLICE: Final = regex(r"\[((?:-?[0-9]{1,17})?):((?:-?[0-9]{1,17})?)\]")
_QUOTED: Final = regex(r"""\[("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\]""")
_IN_SINGLE: Final = regex(r"""\\'|\\.|\"""")
_IN_BRACKETS: Final = (
    "an index (0 or more), * or a quoted name between brackets, as in [0], [*] or "
)
_A_NAME: Final = "a name, * or **; names with other signs go in brackets, as in ['a.b']"


def read_pattern(pattern: str) -> tuple[Step, ...]:
    """Return the steps of a pattern; a `PatternError` names the column where reading fails.

    Examples
    --------
    >>> read_pattern("$.items[*].**['a.b']")
    ('items', <Wild.ELEMENT: '[*]'>, <Wild.DEEP: '**'>, 'a.b')
    """
    return cast("tuple[Step, ...]", _read_steps(pattern, may_slice=False))


def read_selection(pattern: str) -> tuple[Step | slice, ...]:
    """Return the steps of a pattern that may have slices, as in ``items[2:].name``."""
    return _read_steps(pattern, may_slice=True)


def _read_steps(pattern: str, *, may_slice: bool) -> tuple[Step | slice, ...]:
    """Return the steps of a pattern, which may have slices only if `may_slice` is set."""
    at = 1 if re.match(r"\$(?![^.\[])", pattern) else 0
    if not pattern:
        raise PatternError(pattern, 1, "a path; $ is the whole document")
    steps: list[Step | slice] = []
    while at < len(pattern):
        if may_slice and (match := _SLICE.match(pattern, at)):
            steps.append(slice(*(int(bound) if bound else None for bound in match.groups())))
            at = match.end()
            continue
        step, at = (_read_bracket if pattern[at] == "[" else _read_name)(pattern, at)
        steps.append(step)
    return tuple(steps)


def _read_bracket(pattern: str, at: int) -> tuple[Step, int]:
    """Read the step in brackets at an index, and return it with the index after it."""
    if pattern.startswith("[*]", at):
        return Wild.ELEMENT, at + 3
    if match := _INDEX.match(pattern, at):
        return int(match[1]), match.end()
    if match := _QUOTED.match(pattern, at):
        return _unquote(pattern, match), match.end()
    raise PatternError(pattern, at + 2, _IN_BRACKETS + "['a.b']")


def _read_name(pattern: str, at: int) -> tuple[Step, int]:
    """Read the name or stars at an index, and return the step with the index after it.

    Unless the index is 0, a dot must come first.
    """
    if at:
        if pattern[at] != ".":
            raise PatternError(pattern, at + 1, "a dot, [ or the end")
        at += 1
    for star in (Wild.DEEP, Wild.STEP):
        if pattern.startswith(star.value, at):
            return star, at + len(star.value)
    name = _NAME.match(pattern, at)
    if name is None:
        raise PatternError(pattern, at + 1, _A_NAME)
    return name[0], name.end()


def _unquote(pattern: str, match: re.Match[str]) -> str:
    """Return the name that a match of `_QUOTED` has between its quotes, without escapes."""
    text = match[1]
    if text[0] == "'":
        escaped = {"\\'": "'", '"': '\\"'}
        text = f'"{_IN_SINGLE.sub(lambda escape: escaped.get(escape[0], escape[0]), text[1:-1])}"'
    try:
        name: str = json.loads(text, strict=False)
        name.encode()  # a lone surrogate is in no document
    except ValueError as error:
        raise PatternError(pattern, match.start() + 2, "escapes as in JSON") from error
    return name


def matches_step(wanted: Step, step: str | int) -> bool:
    """Whether a step of a pattern, other than ``**``, matches a step of a path.

    Examples
    --------
    >>> [matches_step(step, 2) for step in (Wild.ELEMENT, Wild.STEP, "id")]
    [True, True, False]
    """
    if wanted is Wild.ELEMENT:
        return isinstance(step, int)
    return wanted is Wild.STEP or wanted == step


_Place: TypeAlias = tuple[int, int]
"""The index of a pattern, and how many of its steps have been matched."""


class Matcher:
    """Patterns compiled into a single automaton, whose states are created on demand.

    All names that no pattern mentions count as one symbol, and all such indices as another, so
    there are few states even for very many different paths.

    Examples
    --------
    >>> matcher = Matcher([read_pattern("**.id"), read_pattern("jobs")])
    >>> paths = ("jobs", 0, "id"), ("id", "x"), ()
    >>> list(map(matcher.match_path, paths))
    [(0, 1), (0,), ()]
    """

    def __init__(self, patterns: Sequence[tuple[Step, ...]]) -> None:
        self._patterns = patterns
        self._named = {step for pattern in patterns for step in pattern} - set(Wild)
        self._next: dict[tuple[frozenset[_Place], Step], frozenset[_Place]] = {}
        self.states: dict[frozenset[_Place], tuple[int, ...]] = {}
        self._root = self._make_state((number, 0) for number in range(len(patterns)))

    def match_path(self, path: tuple[str | int, ...]) -> tuple[int, ...]:
        """Return the indexes of the patterns that match the leaf at a path, ascending."""
        state = self._root
        for step in path:
            wild = Wild.ELEMENT if isinstance(step, int) else Wild.STEP
            symbol = step if step in self._named else wild
            following = self._next.get((state, symbol))
            if following is None:
                following = self._next[state, symbol] = self._make_state(
                    self._next_places(state, symbol)
                )
            state = following
        return self.states[state]

    def _make_state(self, places: Iterable[_Place]) -> frozenset[_Place]:
        """Return the state of the given places and those that follow if a ``**`` matches no step.

        The patterns that are matched in this state are stored in `states`.
        """
        reached: set[_Place] = set()
        for number, place in places:
            pattern, end = self._patterns[number], place
            reached.add((number, end))
            while end < len(pattern) and pattern[end] is Wild.DEEP:
                end += 1
                reached.add((number, end))
        state = frozenset(reached)
        ended = sorted(
            pattern_number
            for pattern_number, place in state
            if place == len(self._patterns[pattern_number])
        )
        self.states[state] = tuple(ended)
        return state

    def _next_places(self, places: Iterable[_Place], symbol: Step) -> Iterator[_Place]:
        """Yield the places that a symbol leads to from the given ones."""
        for number, place in places:
            pattern = self._patterns[number]
            if place == len(pattern) or pattern[place] is Wild.DEEP:
                yield number, place  # a pattern covers everything below what it matches
            elif pattern[place] in (symbol, Wild.STEP) or (
                pattern[place] is Wild.ELEMENT and isinstance(symbol, int)
            ):
                yield number, place + 1
