"""A value without some of its members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from mckp.jsontext import is_array, is_container, is_object
from mckp.menu.members import ANY, is_keyed, is_table
from mckp.menu.reduction import share
from mckp.weights import facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mckp.menu.members import Member
    from mckp.menu.reduction import Weigh
    from mckp.menu.shorten import Shortened

_GONE: Final = object()
_WHOLE: Final = 1e9  # the number of no form is as large


class Left(Protocol):
    """What is left of a value, and what was lost of its texts."""

    @property
    def content(self) -> Any:
        """What is left, in some form; records stay, be they empty."""
        ...

    @property
    def weights(self) -> Sequence[float]:
        """The information in each leaf of it."""
        ...

    @property
    def weight(self) -> float:
        """The information in all of it."""
        ...

    @property
    def numbers(self) -> Sequence[int]:
        """Which leaf of the value each was; -1 for what became empty. Nothing if no one asks."""
        ...

    @property
    def cuts(self) -> dict[str, tuple[int, int]]:
        """How many sentences, lines and so on are missing from texts, of how many."""
        ...


class Projection:
    """A `Left` of a value that is a value.

    Parameters
    ----------
    value
        The value.
    root : Member
        Its members.
    kept : mapping of Member to float
        Those that stay, and which form of their texts: 0 for the shortest, -3 if the first three
        records have it and the others have not.
    weigh : callable
        From a leaf, by its number, to its information.
    form : callable
        From a scalar and the number of its form to that; None stands for all of it.

    Attributes
    ----------
    numbers : list of int
        Which leaf of the value each leaf of the content was; -1 for what became empty.
    """

    def __init__(
        self,
        value: Any,
        root: Member,
        kept: Mapping[Member, float],
        weigh: Weigh,
        form: Callable[[Any, float], Shortened | None],
    ) -> None:
        self._root, self._weigh, self._form, self._kept = root, weigh, form, kept
        self._number = 0
        self._seen: dict[Member, int] = {}
        self.weights: list[float] = []
        self.numbers: list[int] = []
        self.cuts: dict[str, tuple[int, int]] = {}
        content = self._left(value, root)
        self.content: Any = ([] if is_array(value) else {}) if content is _GONE else content

    @property
    def weight(self) -> float:
        return sum(self.weights)

    def _left(self, value: Any, member: Member) -> Any:
        level = self._kept.get(member)
        if level is not None and level < 0:
            self._seen[member] = seen = self._seen.get(member, 0) + 1
            level = _WHOLE if seen <= -level else None
        if level is None:
            self._number += facts(value) if is_container(value) else 1
            return _GONE
        if not is_container(value):
            return self._leaf(value, level)
        if is_object(value) and value:
            return self._members(value, member)
        if is_array(value) and value and is_table(value):
            found = self._records(enumerate(value), member.below[ANY])
            return found if found is _GONE else list(found.values())
        return self._all(value, level)

    def _members(self, value: dict[str, Any], member: Member) -> Any:
        if is_keyed(value):
            return self._records(value.items(), member.below[ANY])
        found = {key: self._left(item, member.below[key]) for key, item in value.items()}
        return {key: item for key, item in found.items() if item is not _GONE} or _GONE

    def _records(self, pairs: Iterable[tuple[Any, Any]], member: Member) -> Any:
        """Return what is left of records; one of which nothing is left is an empty one."""
        start, is_gone = len(self.weights), member.above is not self._root
        found: dict[Any, Any] = {}
        for key, item in pairs:
            left = self._left(item, member)
            if left is _GONE:
                self.weights.append(0.0)
                self.numbers.append(-1)
                left = {}
            else:
                is_gone = False
            found[key] = left
        if is_gone:
            del self.weights[start:], self.numbers[start:]
        return _GONE if is_gone else found

    def _all(self, value: Any, level: float) -> Any:
        """Return a value with all that is in it, its texts shortened."""
        if not is_container(value) or not value:
            return self._leaf(value, level)
        if is_object(value):
            return {key: self._all(item, level) for key, item in value.items()}
        return [self._all(item, level) for item in value]

    def _leaf(self, value: Any, level: float) -> Any:
        weight = self._weigh(self._number)
        form = self._form(value, level) if isinstance(value, str) else None
        self.numbers.append(self._number)
        self._number += 1
        if form is None:
            self.weights.append(weight)
            return value
        missing, total = self.cuts.get(form.unit, (0, 0))
        self.cuts[form.unit] = missing + form.missing, total + form.total
        self.weights.append(share(weight, form.missing, form.total))
        return form.text
