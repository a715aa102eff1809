"""Smaller versions of a value: without its dearest members, with its long texts shortened.

The members of the records of an array go together, ``labels[*].url``, whatever records hold
them. Which of them stay is a knapsack of its own: each member is a class that its container
opens, with what it takes by a guess, and a long text has several forms. What is left is a value,
which any format can write.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from mckp.encoders.hints import Overflow
from mckp.jsontext import is_array, is_object
from mckp.menu.guesses import Guesses
from mckp.menu.members import ANY, is_keyed, is_table, members_of
from mckp.menu.projection import Projection
from mckp.menu.reduction import Reduction, share
from mckp.menu.shorten import Shortener
from mckp.solvers import solve
from mckp.solvers.each import EachBudget
from mckp.table import Table
from mckp.weights import facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mckp.menu.guesses import Count
    from mckp.menu.members import Member
    from mckp.menu.projection import Left
    from mckp.menu.reduction import Weigh
    from mckp.menu.shorten import Shortened


SHORTEST: Final = 24
"""Characters of a text that has no shorter form."""

MANY: Final = 8
"""Records of a place from which on some may better be left out than members of all."""

_STEP: Final = 0.8
"""What the next shorter form of a text has of its parts."""

_AROUND: Final = 2
"""Tokens around what is in a container."""


class Guess(NamedTuple):
    """Members that may be kept.

    Attributes
    ----------
    kept : dict of Member to float
        Which, and in which form; see `mckp.menu.projection.Projection`.
    cost : int
        Tokens, by a guess.
    value : float
        Information.
    """

    kept: dict[Member, float]
    cost: int
    value: float


class SmallerValues:
    """The smaller versions of one value.

    Parameters
    ----------
    value
        The value.
    count : callable
        From texts to the tokens of each.
    weigh : callable
        From a leaf, by its number, to its information.
    pinned : callable, optional
        From a leaf, by its number, to whether it must stay.

    Attributes
    ----------
    root : Member
        The value.
    order : list of Member
        Of which member the value, and each one in it, is a value.
    members : list of Member
        All members, each after that of which it is one.
    full : int
        Tokens of the value, by a guess.
    """

    def __init__(
        self,
        value: Any,
        count: Count,
        weigh: Weigh,
        pinned: Callable[[int], bool] | None = None,
    ) -> None:
        self.value, self.weigh = value, weigh
        self.order: list[Member] = []
        self.root = members_of(value, self.order)
        self.members = list(self.root.walk())
        self._facts = facts(value)
        self.is_table = _is_records(value)
        self._texts: dict[str, list[Shortened | None]] = {}
        # Of a text by itself something is better than nothing.
        self._least = 1 if isinstance(value, str) else SHORTEST
        self._guesses = Guesses(self.members, count)
        for member in self.members:
            if member.leaves:
                self._weigh(member)
            if pinned is not None and any(map(pinned, member.numbers)):
                member.is_pinned = True
                _fix(member)
        self._table = _Classes(self.root, self._guesses)
        self.full = self._table.full

    def _weigh(self, member: Member) -> None:
        """Find out what each form of the texts of a member takes and holds."""
        if any(isinstance(leaf, str) and len(leaf) > self._least for leaf in member.leaves):
            member.levels += self._shorter_levels(member)
        member.levels.append((self._guesses.leaves(member), sum(map(self.weigh, member.numbers))))
        count = len(member.leaves)
        if member.is_column and count > 1 and not member.varies:  # a table writes it once
            member.levels = [(-(-cost // count), weight) for cost, weight in member.levels]

    def _shorter_levels(self, member: Member) -> Iterator[tuple[int, float]]:
        forms = list(map(self.forms, member.leaves))
        sizes = [len(leaf) if isinstance(leaf, str) else 1 for leaf in member.leaves]
        tokens = self._guesses.each(member)
        weights = list(map(self.weigh, member.numbers))
        for level in range(max(map(len, forms)) - 1):
            cost, weight = 0, 0.0
            for each, size, whole, own in zip(forms, sizes, tokens, weights, strict=True):
                form = each[min(level, len(each) - 1)]
                cost += whole if form is None else 1 + whole * len(form.text) // size
                weight += own if form is None else share(own, form.missing, form.total)
            yield cost, weight

    def forms(self, leaf: Any) -> list[Shortened | None]:
        """Return the forms of a scalar, the shortest first; None stands for all of it."""
        if not isinstance(leaf, str) or len(leaf) <= self._least:
            return [None]
        found = self._texts.get(leaf)
        if found is None:
            found = self._texts[leaf] = [*reversed(list(_shorter(leaf, self._least))), None]
        return found

    def best(self, limit: int) -> Guess:
        """Return the members that are best kept within so many tokens, by a guess."""
        return self._table.best(limit)

    def without_poor(self, guess: Guess) -> dict[Member, float]:
        """Return the members that hold as much for a token as all of them do.

        Where records may be left out, the others cost records that would hold more.
        """
        density = guess.value / max(1, guess.cost)
        return {
            member: level
            for member, level in guess.kept.items()
            if member.below
            or member.is_fixed
            or member.levels[int(level)][1] >= density * self._table.cost_of(member, int(level))
        }

    def cost(self, kept: Mapping[Member, float]) -> int:
        """Return what members take of which none are kept in part, by a guess."""
        return sum(self._table.cost_of(member, int(level)) for member, level in kept.items())

    @cached_property
    def has_many_records(self) -> bool:
        """Whether records may be left out as well as members."""
        return any(each.key == ANY and each.records >= MANY for each in self.members)

    def additions(self, kept: Mapping[Member, float], most: float) -> list[dict[Member, float]]:
        """Return what may be kept besides for a few tokens, the most for its tokens first."""
        return self._table.additions(kept, most)

    def partials(self, kept: Mapping[Member, float], most: float) -> list[dict[Member, float]]:
        """Return columns of which the first records may keep theirs, the most that is kept first.

        Such a column has as its form how many records have it, below 0.
        """
        found: list[tuple[float, dict[Member, float]]] = []
        for member in self.members:
            if member not in kept and member.is_column and len(member.leaves) > 1:
                chain = {each: 0.0 for each in member.line() if each not in kept}
                spare = most - sum(map(self._table.around, chain)) - len(member.leaves)
                count = self._count_within(member, spare)
                if count and not member.records:
                    held = sum(map(self.weigh, member.numbers[:count]))
                    found.append((held, {**chain, member: -float(count)}))
        return [more for _, more in sorted(found, key=lambda each: -each[0])]

    def _count_within(self, member: Member, most: float) -> int:
        """Return how many leaves of a member take so many tokens, less than all of them."""
        for count, tokens in enumerate(self._guesses.each(member)[:-1]):
            most -= tokens - 1
            if most < 0:
                return count
        return len(member.leaves) - 1

    def stretched(
        self, kept: Mapping[Member, float], more: int
    ) -> tuple[Member, float, float] | None:
        """Return the member whose texts may be longer, by how much for some tokens, and the end."""
        for member, level in kept.items():
            if member.levels and 0 <= int(level) < len(member.levels) - 1:
                step = member.levels[int(level) + 1][0] - member.levels[int(level)][0]
                return member, more / max(1, step), int(level) + 1.0
        return None

    def form(self, leaf: Any, level: float) -> Shortened | None:
        """Return a form of a scalar, or one between two; None stands for all of it."""
        forms = self.forms(leaf)
        form = forms[min(int(level), len(forms) - 1)]
        part = level - int(level)
        if form is None or not part:
            return form
        longer = forms[int(level) + 1]
        own = next(each for each in _ways(leaf) if each.unit == form.unit)
        if longer is not None and longer.unit != form.unit:
            return form
        missing = 0 if longer is None else longer.missing
        missing += round((form.missing - missing) * (1 - part))
        found = own.without(missing) if missing else None
        return None if found is None or len(found.text) >= len(leaf) else found

    def left(self, kept: Mapping[Member, float]) -> Left:
        """Return what is left if some members stay."""
        return Projection(self.value, self.root, kept, self.weigh, self.form)

    def of(self, kept: Mapping[Member, float]) -> Reduction:
        """Return the version in which some members stay."""
        left = self.left(kept)
        gone = [each for each in self.members if each.leaves and each not in kept]
        some = {each: -int(level) for each, level in kept.items() if level < 0}
        hints = [Overflow(missing, total, unit) for unit, (missing, total) in left.cuts.items()]
        if gone or some:
            hints.insert(0, self.hint(gone, some))
        return Reduction(
            content=left.content,
            weight=left.weight,
            hints=tuple(hints),
            place=len(gone),
            names=(
                *(each.name for each in gone),
                *(f"{each.name}[{count}:]" for each, count in some.items()),
            ),
            weights=left.weights,
            numbers=tuple(left.numbers),
        )

    def hint(self, gone: Sequence[Member], some: Mapping[Member, int]) -> Overflow:
        """Return what tells of members that are gone, and of those that some records have."""
        if self.is_table and not some:
            total = sum(1 for each in self.members if each.leaves)
            return Overflow(len(gone), total, "columns")
        missing = sum(len(each.leaves) for each in gone)
        missing += sum(len(each.leaves) - count for each, count in some.items())
        return Overflow(missing, self._facts, "facts")


class _Classes:
    """The knapsack of members: a table, and what its rows mean.

    Parameters
    ----------
    root : Member
        The value.
    guesses : Guesses
        Tokens of names and leaves.
    """

    def __init__(self, root: Member, guesses: Guesses) -> None:
        self._root, self._guesses = root, guesses
        self._start, self._parent = [0], list[int]()
        self._cost, self._value = list[int](), list[float]()
        self._meaning: list[tuple[Member, int] | None] = []
        self.full = self._add(root, -1)
        self._table = Table.unchecked(
            start=np.array(self._start, dtype=np.int64),
            cost=np.array(self._cost, dtype=np.int64),
            value=np.array(self._value),
            parent_option=np.array(self._parent, dtype=np.int64),
        )

    def _add(self, member: Member, parent: int) -> int:
        """Add the class of a member and those below it, and return what all of it takes."""
        around = self.around(member)
        for level, cost, weight in () if member.below else _levels(member):
            self._option(around + cost, weight, (member, level))
        row = len(self._meaning)
        if member.below:
            self._option(around, 0, (member, 0))
        if not member.is_fixed:
            self._option(0, 0, None)
        self._close(parent)
        if not member.below:
            return around + member.levels[-1][0]
        if member.levels:
            around += self._own(member, row)
        return around + sum(self._add(below, row) for below in member.below.values())

    def cost_of(self, member: Member, level: int) -> int:
        """Return what a member takes without others below it."""
        own = member.levels[level][0] if member.levels else 0
        return self.around(member) + own

    def around(self, member: Member) -> int:
        """Return what a member takes without what is in it."""
        names = self._guesses.names(member)
        if member.key == ANY:
            return names + (member.records if member.below else 0)
        return names + _AROUND if member.below else names

    def _own(self, member: Member, parent: int) -> int:
        """Add the class of the leaves of a member that has members as well."""
        for level, cost, weight in _levels(member):
            self._option(cost, weight, (member, level))
        self._close(parent)
        return member.levels[-1][0]

    def _option(self, cost: int, value: float, meaning: tuple[Member, int] | None) -> None:
        self._cost.append(cost)
        self._value.append(value)
        self._meaning.append(meaning)

    def _close(self, parent: int) -> None:
        self._start.append(len(self._meaning))
        self._parent.append(parent)

    def best(self, limit: int) -> Guess:
        """Return the members that are best kept, and the form of each; the fewest if none fit."""
        choice = self._choice(limit)
        kept: dict[Member, float] = {}
        cost, value = 0, 0.0
        for begin, taken in zip(self._start, choice, strict=False):
            meaning = self._meaning[begin + taken] if taken >= 0 else None
            if meaning is not None:
                kept[meaning[0]] = max(meaning[1], kept.get(meaning[0], 0))
                cost, value = cost + self._cost[begin + taken], value + self._value[begin + taken]
        return Guess(kept, cost, value)

    def _choice(self, limit: int) -> list[int]:
        """Return the option of each class, -1 if it is not reached."""
        if EachBudget.pays(self._table, self.full):
            choice = self._each.at(limit)
        else:
            found = solve(self._table, max(0, limit))
            fits = found.status != "infeasible"
            choice = found.choice if fits else solve(self._table, self.least).choice
        taken: list[int] = choice.tolist()
        return taken

    @cached_property
    def _each(self) -> EachBudget:
        return EachBudget(self._table, self.full)

    def additions(self, kept: Mapping[Member, float], most: float) -> list[dict[Member, float]]:
        """Return what may be kept besides for a few tokens, the most for its tokens first."""
        found: list[tuple[float, dict[Member, float]]] = []
        for member in self._root.walk():
            if not member.levels or member.is_pinned:
                continue
            chain = {each: 0.0 for each in member.line() if each not in kept}
            before, held = (sum(map(self.around, chain)), 0.0)
            now = -1
            if not chain:
                if kept[member] < 0:
                    continue
                now = int(kept[member])
                before, held = -member.levels[now][0], member.levels[now][1]
            for level in range(len(member.levels) - 1, now, -1):
                cost, weight = member.levels[level]
                if before + cost <= most and weight > held:
                    density = (weight - held) / max(1, before + cost)
                    found.append((density, {**chain, member: float(level)}))
                    break
        return [more for _, more in sorted(found, key=lambda each: -each[0])]

    @property
    def least(self) -> int:
        """What the cheapest version takes."""
        cost = list(self._cost)
        for number in reversed(range(1, len(self._parent))):
            cost[self._parent[number]] += min(cost[self._start[number] : self._start[number + 1]])
        return min(cost[: self._start[1]])


def _levels(member: Member) -> Iterator[tuple[int, int, float]]:
    """Yield the forms of a member, the longest first: number, tokens, weight."""
    for level in reversed(range(len(member.levels))):
        yield level, *member.levels[level]
        if member.is_pinned:
            return


def _fix(member: Member | None) -> None:
    while member is not None:
        member.is_fixed = True
        member = member.above


def _shorter(text: str, least: int) -> Iterator[Shortened]:
    """Yield shorter forms of a text, each clearly shorter than the one before it.

    Where not even a first sentence or line fits, there are words of it.
    """
    longest = float(len(text))
    for forms in _ways(text):
        for missing in forms.places(_STEP):
            form = forms.without(missing)
            if len(form.text) < least:
                return
            if len(form.text) <= longest * _STEP:
                longest = len(form.text)
                yield form


def _ways(text: str) -> Iterator[Shortener]:
    yield Shortener(text)
    yield Shortener(text, by_words=True)


def _is_records(value: Any) -> bool:
    """Whether a value is a table."""
    if is_array(value):
        return bool(value) and is_table(value)
    return is_object(value) and is_keyed(value)
