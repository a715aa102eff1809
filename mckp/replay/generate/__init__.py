"""Made-up sessions of agents: the same profile, seed and number give the same, everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

from mckp.errors import UnknownNameError
from mckp.replay.actions import Action, End, Response
from mckp.replay.generate.habits import refactors, searches_files, watches_pipelines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    _Habit = Callable[[Random, str], Iterator[Action]]

__all__ = ["PROFILES", "Profile", "generate"]


@dataclass(frozen=True, slots=True)
class Profile:
    """A way to work, or several in turn.

    Attributes
    ----------
    habits : sequence of functions
        Each from a generator of random numbers and a seed to endless actions; one session
        follows one of them.
    shortest, longest : int
        Responses a session has.
    """

    habits: Sequence[_Habit]
    shortest: int
    longest: int


PROFILES: Final = {
    "file_search_heavy": Profile((searches_files,), 60, 200),
    "pipeline_monitor": Profile((watches_pipelines,), 40, 160),
    "marathon_refactor": Profile((refactors,), 500, 900),
    "mixed": Profile((searches_files, watches_pipelines, refactors), 60, 240),
}
"""The profiles by name; in `mixed`, sessions of all kinds follow each other."""


def generate(profile: str, seed: int, events: int) -> Iterator[Action]:
    """Make up sessions of one kind, up to so many responses in all.

    Parameters
    ----------
    profile : str
        One of `PROFILES`.
    seed : int
        Another seed, other sessions.
    events : int
        How many responses; edits, compactions and ends of sessions come on top.

    Yields
    ------
    Response, Edit, Compact or End
        The last one is an `End`.

    Raises
    ------
    UnknownNameError
        For a profile that does not exist.

    Examples
    --------
    >>> actions = list(generate("file_search_heavy", seed=1, events=3))
    >>> [action.tool for action in actions if isinstance(action, Response)]
    ['Read', 'Read', 'Read']
    >>> actions[-1]
    End(model='claude-sonnet-4-6')
    """
    if profile not in PROFILES:
        raise UnknownNameError("profile", profile, PROFILES)
    return _sessions(PROFILES[profile], f"{profile}/{seed}", events)


def _sessions(profile: Profile, seed: str, events: int) -> Iterator[Action]:
    rng, left, number = Random(seed), events, 0
    while left > 0:
        length = min(left, rng.randrange(profile.shortest, profile.longest))
        habit, number = profile.habits[number % len(profile.habits)], number + 1
        own = f"{seed}/{number}"
        yield from _first(habit(Random(own), own), length)
        yield End("claude-sonnet-4-6")
        left -= length


def _first(actions: Iterator[Action], responses: int) -> Iterator[Action]:
    """Yield actions up to and with so many responses."""
    for action in actions:
        yield action
        responses -= isinstance(action, Response)
        if not responses:
            return
