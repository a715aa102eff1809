"""What is left of a value in which some members are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.jsontext import is_array, is_container, is_object, left_of
from mckp.menu.dropped import GONE
from mckp.menu.members import ANY, is_keyed, is_records, is_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mckp.menu.chain import Level
    from mckp.menu.members import Member
    from mckp.menu.shorten import Shortened


class Projection:
    """What is left of a value in which some members are kept.

    `form` makes of a text and a number of characters its shorter form.
    """

    def __init__(
        self,
        root: Member,
        kept: Mapping[Member, Level],
        form: Callable[[Any, int], Shortened | None],
    ) -> None:
        self._root, self._kept, self._form = root, kept, form
        self._whole: set[Member] = set()
        self._some: set[Member] = set()
        for member in reversed(list(root.walk())):
            level = kept.get(member)
            below = member.below.values()
            own = not member.leaves or (level is not None and level.most is None)
            is_open = bool(member.leaves or member.below)
            if is_open and own and all(each in self._whole for each in below):
                self._whole.add(member)
            if level is not None or any(each in self._some for each in below):
                self._some.add(member)

    def of(self, value: Any) -> Any:
        """Return what is left of the value."""
        if is_records(value):
            return self._records(value, self._root.below[ANY])
        left = self.left(value, self._root)
        return ([] if is_array(value) else {}) if left is GONE else left

    def is_whole(self, member: Member) -> bool:
        """Whether all of a member is kept."""
        return member in self._whole

    def is_some(self, member: Member) -> bool:
        """Whether something of a member is kept."""
        return member in self._some

    def left(self, value: Any, member: Member, *, is_record: bool = False) -> Any:
        """Return what is left of a value of a member, `GONE` if it is nothing."""
        if member in self._whole:
            return value
        if member not in self._some:
            return GONE
        if is_object(value) and value:
            if not is_record and is_keyed(value):
                return self._inner(value, member.below[ANY])
            return self._object(value, member) or GONE
        if is_array(value) and value and is_table(value):
            return self._inner(value, member.below[ANY])
        level = self._kept.get(member)
        return GONE if level is None else self._all(value, level.most)

    def _object(self, value: dict[str, Any], member: Member) -> dict[str, Any]:
        below = member.below
        left = ((key, self.left(item, below[key])) for key, item in value.items())
        found = {key: item for key, item in left if item is not GONE}
        cut = [key for key in value.keys() - found.keys() if below[key] in self._some]
        return left_of(value, found, cut)

    def _records(self, value: Any, member: Member) -> Any:
        """Return what is left of records; one of which nothing is left is an empty one."""
        if is_object(value):
            return {key: self._record(item, member) for key, item in value.items()}
        return [self._record(item, member) for item in value]

    def _record(self, value: Any, member: Member) -> Any:
        left = self.left(value, member, is_record=True)
        if left is GONE:
            return self._object(value, member) if member in self._some else {}
        return left

    def _inner(self, value: Any, member: Member) -> Any:
        """Return what is left of records in a cell, which goes if nothing is left of any."""
        found = self._records(value, member)
        is_left = member in self._kept or any(found.values() if is_object(found) else found)
        return found if is_left else GONE

    def _all(self, value: Any, most: int | None) -> Any:
        """Return a value with all that is in it, its texts shortened."""
        if most is None:
            return value
        if is_container(value):
            if is_object(value):
                return left_of(value, {key: self._all(item, most) for key, item in value.items()})
            return [self._all(item, most) for item in value]
        form = self._form(value, most)
        return value if form is None else form.text
