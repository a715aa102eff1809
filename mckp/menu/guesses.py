"""What members of a value take, by a guess: names and values as they stand behind a blank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.encoders.native import write_flow
from mckp.encoders.words import is_word
from mckp.jsontext import dump, is_container
from mckp.menu.members import ANY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mckp.menu.members import Member

    Count = Callable[[Sequence[str]], Sequence[int]]


class Guesses:
    """Tokens of names and leaves.

    Parameters
    ----------
    members : list of Member
        All of them.
    count : callable
        From texts to the tokens of each.
    """

    def __init__(self, members: list[Member], count: Count) -> None:
        self._count = count
        texts = [*map(_names, members), *map(_joined, members)]
        tokens = iter(count(texts))
        self._names = dict(zip(members, tokens, strict=False))
        self._sums = dict(zip(members, tokens, strict=True))
        self._each: dict[Member, Sequence[int]] = {}

    def names(self, member: Member) -> int:
        """Return what the name of a member takes, or the names of its records."""
        return self._names[member]

    def leaves(self, member: Member) -> int:
        """Return what all leaves of a member take."""
        return self._sums[member]

    def each(self, member: Member) -> Sequence[int]:
        """Return what each leaf of a member takes."""
        if member not in self._each:
            texts = [f" {_text(leaf, member.is_column)}" for leaf in member.leaves]
            self._each[member] = self._count(texts)
        return self._each[member]


def _names(member: Member) -> str:
    names = member.names if member.key == ANY else [member.key] if member.above else []
    return "".join(f" {name}" for name in names)


def _joined(member: Member) -> str:
    """Return all leaves of a member, each behind a blank."""
    if not any(isinstance(leaf, str) or is_container(leaf) for leaf in member.leaves):
        return dump(["", *member.leaves])[3:-1].replace(",", " ")
    return "".join(f" {_text(leaf, member.is_column)}" for leaf in member.leaves)


def _text(leaf: Any, is_column: bool) -> str:
    """Return a scalar as it is written in flow notation; texts may stand last in a row."""
    if isinstance(leaf, str):
        return leaf if is_column or is_word(leaf) else write_flow(leaf)[:-1]
    return dump(leaf)
