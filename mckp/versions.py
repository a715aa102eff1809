"""Smaller versions of a document, priced: some near a limit, or a few of all sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mckp.menu.members import Member
    from mckp.menu.reduction import Reduction
    from mckp.menu.smaller import Guess, SmallerValues

LEAST: Final = 24
"""Tokens of a document below which a smaller version is not worth its note."""

SHARES: Final = (0.75, 0.55, 0.4, 0.3, 0.22, 0.15, 0.1, 0.06, 0.0)
"""What versions of all sizes have of the document."""

TRIES: Final = 6
"""Versions that are priced at most to find one that uses up a limit."""

TIMES: Final = (1.15, 1.35, 1.6, 2.0, 2.6, 3.5)
"""How much larger than a limit versions are of which records are cut."""

FEW: Final = 3
"""The same for long texts."""

LONG: Final = 2000
"""Tokens of a long text."""

VAST: Final = 20_000
"""Tokens of a document of which versions are not filled up: that takes long, for little."""

NEAR: Final = 20
"""Such a text is close enough if it leaves less than one in so many tokens."""

BACK: Final = (0.97, 0.9, 0.75, 0.5)
"""What is tried of a guess where nothing was found that fits."""

FILLS: Final = 4
"""Additions to a version that are tried."""

MOST_KNOWN: Final = 30
"""Versions that are remembered, and those of one more search."""

NOTE: Final = 9
"""Tokens of a note, about."""

SLACK: Final = 3.0
"""Tokens by which a version on one line may well be shorter than expected."""

WIDE: Final = 20
"""Tables and what has a dictionary may be shorter by twice as much, and one in so many tokens."""

CLOSE: Final = 200
"""A version is close enough if it leaves less than one in so many tokens."""


class Ways(Protocol):
    """The ways to write a version."""

    @property
    def most(self) -> int:
        """The price of the cheapest."""
        ...

    @property
    def is_loose(self) -> bool:
        """Whether a little more may take much less, or rows may be cut from it."""
        ...


W = TypeVar("W", bound=Ways)


@dataclass(frozen=True, slots=True, eq=False)
class Version(Generic[W]):
    """A smaller version of a document.

    Attributes
    ----------
    kept : mapping of Member to float
        What stays, and in which form.
    weight : float
        The information in it.
    ways : Ways
        How it may be written.
    """

    kept: Mapping[Member, float]
    weight: float
    ways: W

    @property
    def cost(self) -> int:
        """The price of the cheapest way to write it."""
        return self.ways.most


class _Closing(Generic[W]):
    """The guesses between which is the largest that leads to a version within a limit.

    What a version takes beside its guess tells which other is the largest that may fit.

    Parameters
    ----------
    limit : int
        Tokens.
    rate : float
        Tokens of a version for one of its guess.
    fails : int
        A guess that is too large.
    bends : bool
        Whether that rate changes with the size, as it does below a dictionary.

    Attributes
    ----------
    fits, fails : int
        A guess that led to a version within the limit, and a larger one that did not.
    best, over : Version or None
        The best version within the limit so far, and the last one beyond it.
    """

    def __init__(self, limit: int, rate: float, fails: int, *, bends: bool) -> None:
        self._limit, self._rate, self._beside = limit, rate, NOTE + 0.0
        self._slack, self._bends = 0.0, bends
        self.fits, self.fails = -1, fails
        self.best: Version[W] | None = None
        self.over: Version[W] | None = None

    @property
    def guess(self) -> int:
        """What to try next."""
        room = self._limit - self._beside + self._slack
        return min(self.fails - 1, int(room / self._rate))

    @property
    def is_close(self) -> bool:
        """Whether the best version leaves next to nothing."""
        return self.best is not None and self._limit - self.best.cost <= self._limit // CLOSE

    def place(self, guess: Guess, version: Version[W] | None) -> None:
        """Take note of what a guess led to; no version is all of the document, or nothing."""
        self._slack = 0.0
        if version is None and not guess.value:
            self._beside -= self._limit
        elif version is None or version.cost > self._limit:
            self.fails, self.over = guess.cost, version or self.over
        else:
            self.fits, self.best = guess.cost, max(filter(None, [self.best, version]), key=_rank)
            self._slack = 2 * SLACK + self._limit / WIDE if version.ways.is_loose else SLACK
        if version is not None:
            if self._bends and self.best is not None and self.over is not None:
                between = (self.over.cost - self.best.cost) / (self.fails - self.fits)
                self._rate = max(between, self._rate / 2)
            self._beside = version.cost - guess.cost * self._rate


class Versions(Generic[W]):
    """The smaller versions of a document of data.

    Parameters
    ----------
    values : SmallerValues
        The document.
    most : int
        The price of all of it.
    write : callable
        Returns the ways to write a version.
    has_phrases : bool
        Whether all of the document is cheapest below a dictionary.
    tokens : int
        Tokens of all of it.
    """

    def __init__(
        self,
        values: SmallerValues,
        most: int,
        write: Callable[[Reduction], W],
        *,
        has_phrases: bool,
        tokens: int,
    ) -> None:
        self._values, self._write, self._has_phrases = values, write, has_phrases
        self._tries = FEW if tokens > LONG else TRIES
        self._is_vast = tokens > VAST
        self._rate = most / values.full
        self._known: dict[Any, Version[W] | None] = {}
        self._near: dict[int, list[W]] = {}
        self._all: list[W] | None = None

    def near(self, limit: int) -> list[W]:
        """Return ways to write versions that just fit a limit, or just do not."""
        if limit not in self._near:
            self._near.clear()
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            self._near[limit] = self._searched(limit)
        return self._near[limit]

    def of_all_sizes(self) -> list[W]:
        """Return ways to write versions of all sizes."""
        if self._all is None:
            found = dict.fromkeys(map(self._of_share, SHARES))
            self._all = [each.ways for each in filter(None, found)]
        return self._all

    def _of_share(self, share: float) -> Version[W] | None:
        return self._of(self._values.best(int(self._values.full * share)).kept)

    def _searched(self, limit: int) -> list[W]:
        """Return ways to write the version that uses a limit best, and some others near it."""
        best, over = self._closest(limit)
        taken = [over, *self._richest(limit, best), *map(self._of_share, self._around(limit))]
        fitting = [each for each in [best, *taken] if each is not None and each.cost <= limit]
        if fitting:
            best = max(fitting, key=_rank)
            is_near = self._tries < TRIES and limit - best.cost <= limit // NEAR
            taken.append(best if is_near or self._is_vast else self._filled(best, limit))
        return [each.ways for each in dict.fromkeys(filter(None, taken))]

    def _closest(self, limit: int) -> tuple[Version[W] | None, Version[W] | None]:
        """Return the best version found within a limit, and the last one found beyond it."""
        end = self._values.full + 1
        near = _Closing[W](limit, self._rate, end, bends=self._has_phrases)
        for _ in range(self._tries):
            found = self._values.best(near.guess)
            if not near.fits < found.cost < near.fails:
                break
            near.place(found, self._of(found.kept))
            if near.is_close:
                break
        if near.best is None and near.over is not None:
            self._step_back(near)
        return near.best, near.over

    def _step_back(self, near: _Closing[W]) -> None:
        """Find a version within a limit that all so far were just beyond."""
        for share in BACK:
            found = self._values.best(int(near.fails * share))
            if not 0 < found.cost < near.fails:
                break
            near.place(found, self._of(found.kept))
            if near.best is not None:
                break

    def _around(self, limit: int) -> list[float]:
        """Return the shares of versions of all sizes between which a limit is."""
        share = (limit - NOTE) / self._rate / self._values.full
        larger = [each for each in SHARES if each >= share]
        is_of_use = self._values.has_many_records and self._tries == TRIES
        return larger[-1:] if is_of_use else []

    def _richest(self, limit: int, within: Version[W] | None) -> list[Version[W] | None]:
        """Return versions that hold the most for a token, of which records may be cut."""
        if not self._values.has_many_records:
            return []
        limits = (int(limit * times / self._rate) for times in TIMES)
        found = [self._values.best(each) for each in limits if each < self._values.full]
        # What fits as it is holds less than what was sought for the limit.
        least = 0 if within is None else (limit - NOTE) / self._rate
        larger = {each.cost: each for each in found if each.cost >= least}
        tried: list[Version[W] | None] = []
        for guess in sorted(larger.values(), key=_density, reverse=True):
            version, poorer = self._of(guess.kept), self._values.without_poor(guess)
            tried.append(version)
            if self._values.cost(poorer) >= least:
                tried.append(self._of(poorer))
            if version is not None and version.cost > limit:
                break
        return tried

    def _filled(self, version: Version[W], limit: int) -> Version[W]:
        """Return a version with more of what it lacks, as long as it fits."""
        tried: list[Mapping[Member, float]] = []
        most = limit - version.cost + 2.0
        while limit - version.cost >= max(2, limit // CLOSE) and len(tried) < FILLS:
            found = self._values.additions(version.kept, most / self._rate)
            more = next((each for each in found if each not in tried), None)
            if more is None:
                break
            tried.append(more)
            fuller = self._of({**version.kept, **more})
            if fuller is not None and fuller.cost <= limit and _rank(fuller) > _rank(version):
                version, most = fuller, limit - fuller.cost + 2.0
            else:
                most *= 0.85
        return self._stretched(self._partly(version, limit), limit)

    def _partly(self, version: Version[W], limit: int) -> Version[W]:
        """Return a version in which some records have one more column, as long as it fits."""
        room = limit - version.cost
        most = room + 0.0
        tried: dict[Member, float] = {}
        if room < max(2, limit // CLOSE):
            return version
        more = tried
        for _ in range(FILLS):
            found = self._values.partials(version.kept, most / self._rate)
            if found and found[0] != tried:
                more = tried = found[0]
            fuller = self._of({**version.kept, **more}) if more else None
            if fuller is None:
                break
            if fuller.cost <= limit:
                return max(fuller, version, key=_rank)
            most -= fuller.cost - limit + 1
            more = _fewer(more, room / (fuller.cost - version.cost))
        return version

    def _stretched(self, version: Version[W], limit: int) -> Version[W]:
        """Return a version with a longer text, as long as it fits."""
        spare = limit - version.cost
        found = self._values.stretched(version.kept, int(spare / self._rate))
        if found is None or spare < max(2, limit // CLOSE):
            return version
        member, step, end = found
        start = version.kept[member]
        for _ in range(FILLS):
            longer = self._of({**version.kept, member: min(start + step, end)})
            if longer is not None and longer.cost <= limit:
                return max(longer, version, key=_rank)
            step /= 1.5
        return version

    def _of(self, kept: Mapping[Member, float]) -> Version[W] | None:
        """Return the version in which some members are kept, None if that is no smaller one."""
        key = frozenset(kept.items())
        if key not in self._known:
            part = self._values.of(kept)
            is_smaller = part.hints and part.weight
            self._known[key] = Version(kept, part.weight, self._write(part)) if is_smaller else None
        return self._known[key]


def _fewer(more: Mapping[Member, float], share: float) -> dict[Member, float]:
    """Return a column that fewer records have, where they take more than was expected."""
    records = ((member, max(1, int(-form * share))) for member, form in more.items() if form < 0)
    return {**more, **{member: -float(count) for member, count in records}}


def _density(guess: Guess) -> float:
    return guess.value / max(1, guess.cost)


def _rank(version: Version[Any]) -> tuple[float, int]:
    return version.weight, -version.cost
