"""Write values of data, whole or in part, as lines, headers and tables.

The step `offer` uses it for what writes all of a value, the step `cuts` for what writes some.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.encoders import (
    CSV,
    DERIVED,
    FENCE,
    FLOW,
    JSON,
    KV,
    MCKP_V2,
    PHRASES,
    PROSE,
    ROWS,
    TABLE,
)
from mckp.encoders.base import FEW_VALUES, LINE_CHARACTERS
from mckp.encoders.headers import write_header
from mckp.encoders.kv import item, member
from mckp.encoders.native import Known, write_flow
from mckp.encoders.records import as_records, may_be_rows
from mckp.encoders.scalars import write_key
from mckp.jsontext import CutObject, dump, is_array, is_container, is_object
from mckp.menu.classes import Plan, Rows, above_notes
from mckp.menu.members import MOST_INLINE, inside, values
from mckp.menu.projection import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.encoders.base import Format
    from mckp.encoders.records import Records
    from mckp.menu.more import More, Templates
    from mckp.menu.projection import Narrow
    from mckp.menu.weighing import Weighed

_APART: Final = (JSON, FLOW, FENCE, MCKP_V2, PHRASES)

GRIDS: Final = (CSV.name, TABLE.name)
"""Formats of which the first that fits writes records, where no table of ours does."""

MEMBERS: Final = "fields"
"""The unit of an object whose members are classes: a hint may name those that are cut."""

FACTS: Final = 40
"""Most facts of an object or array on one line."""


SHORTEST_LINE: Final = 110
"""Fewest characters of a member's line for which a part of it is offered: a part has a note."""


class Place(NamedTuple):
    """A value of the document and its place."""

    value: Any
    key: str | int | None = None
    """Its name or index; None for the document."""
    at: int = 0
    """How many leaves of the document come before it."""
    above: tuple[str | int, ...] = ()
    """The path of the container around it."""

    @property
    def path(self) -> tuple[str | int, ...]:
        """The path of the value."""
        return () if self.key is None else (*self.above, self.key)

    @property
    def depth(self) -> int:
        """The number of containers around the value."""
        return 0 if self.key is None else len(self.above) + 1


@dataclass(frozen=True, slots=True, eq=False)
class ValuePlan(Plan):
    """A value that may be written in part."""

    place: Place
    below: bool | None = None
    """Whether parts are only blocks, or only lines (False); None for both."""
    is_cut: bool = True
    """Whether there are narrower versions of it; a short line has none, but rows of it are cut."""


class Items(NamedTuple):
    """An array, or an object of records, whose rows may be cut."""

    value: Any

    def of(self, rows: Sequence[int]) -> Any:
        """Return the rows with these numbers."""
        return rows_of(self.value, rows)


class Values:
    """Writes values of one document, and remembers what it wrote and counted.

    Every level above a container asks for its facts and its text, so both are remembered by the
    container's ``id``, which is safe since the document outlives its menu.
    """

    def __init__(
        self, document: Weighed, formats: tuple[Format, ...], calls: Templates | None
    ) -> None:
        names = {format_.name for format_ in formats}
        composed = {"kv", "table"} <= names
        # A mix of lines and tables is never longer than mckp_v2, and compact JSON is never longer
        # than a fence of indented JSON. So the longer one is offered only without the shorter.
        self.v2 = MCKP_V2.name in names and not composed
        self.fence = FENCE.name in names
        self.data_fence = self.fence and JSON.name not in names
        self.opens_text = self.fence or PROSE.name in names
        self.json = JSON.name in names
        self.flow = FLOW.name in names
        self.keeps_lines = KV.name in names
        self.tables = [f for f in formats if f in (ROWS, DERIVED)]
        self.formats = [f for f in formats if f not in (*_APART, *self.tables)]
        self.worth, self.calls = document.worth, calls
        # Every text has the note on what was dropped before.
        self.note = "" if document.dropped is None else f"{document.dropped}\n"
        self.known: Known = {}
        self.counts: dict[int, int] = {}
        self.long: dict[int, bool] = {}
        self.gathered: dict[int, Records | None] = {}
        self.alive: list[Any] = []  # parts of the document whose ``id`` was remembered

    def facts(self, value: Any) -> int:
        """Return the number of facts in a value of the document, which is its number of leaves."""
        if not is_container(value) or not value:
            return 1
        count = self.counts.get(id(value))
        if count is None:
            inner = [item for item in inside(value) if is_container(item)]
            count = len(value) - len(inner) + sum(map(self.facts, inner))
            self.counts[id(value)] = count
        return count

    def weight(self, place: Place) -> float:
        """Return the worth of a value."""
        count = self.facts(place.value)
        return count if self.worth is None else self.worth.of(place.at, count)

    def is_pinned(self, place: Place) -> bool:
        """Whether anything in a value is pinned."""
        return self.worth is not None and self.worth.is_pinned(place.at, self.facts(place.value))

    def children(self, place: Place) -> Iterator[Place]:
        """Yield the places of the children of a container."""
        value, at, path = place.value, place.at, place.path
        for key, child in value.items() if is_object(value) else enumerate(value):
            yield Place(child, key, at, path)
            at += self.facts(child)

    def end(self, place: Place) -> str:
        """Return the note that is at the end of the document."""
        return self.note if place.key is None else ""

    def may_flow(self, value: Any) -> bool:
        """Whether a value may be written on one line in flow notation."""
        if not (self.flow and is_container(value) and value):
            return False
        return not (self.tables and self.keeps_lines and self.is_long(value))

    def is_long(self, value: dict[str, Any] | list[Any]) -> bool:
        """Whether a container, or one inside it, is too long for one line."""
        known = self.long.get(id(value))
        if known is None:
            inner = list(filter(is_container, inside(value)))
            # The cheap test comes first: it finds most long tables without a look into members.
            known = (
                (is_array(value) and len(value) > MOST_INLINE and any(map(is_object, inner)))
                or (DERIVED not in self.tables and self.is_much(value, inner))
                or any(map(self.is_long, inner))
            )
            self.long[id(value)] = known
        return known

    def is_much(self, value: dict[str, Any] | list[Any], inner: list[Any]) -> bool:
        """Whether a container has too many facts or characters for one line.

        A table has a lower limit, since cells side by side are hard to tell apart. An array of
        leaves has none, since a reader need not find a member in it.
        """
        facts = self.facts(value)
        if facts <= FEW_VALUES or (is_array(value) and not inner):
            return False
        records = sum(map(is_object, inner))
        is_table = records > 1 and (is_array(value) or records == len(value))
        return is_table or facts > FACTS or len(dump(value)) > LINE_CHARACTERS

    def line(self, place: Place, left: Any) -> tuple[str, str]:
        """Return the format and the line for `left`, the kept part of a value."""
        key = place.key
        if key is None:
            if self.flow and is_container(left):
                return FLOW.name, above_notes(write_flow(left, known=self.known))
            return JSON.name, above_notes(dump(left) + "\n")
        if not is_container(left):
            return KV.name, member(key, left)
        if self.may_flow(left):
            return FLOW.name, write_flow(left, write_key(key), self.known)
        return JSON.name, member(key, left)

    def item(self, value: Any, *, is_left: bool = False) -> str:
        """Return the line of an item; JSON has no signs for what was cut."""
        if self.may_flow(value) or (is_left and self.flow and is_cut(value)):
            return write_flow(value, "- ", self.known)
        return item(value)

    def records(self, value: Any) -> Records | None:
        """Return the records of a value as columns, which are made once."""
        if id(value) not in self.gathered:
            self.gathered[id(value)] = as_records(value) if may_be_rows(value) else None
        return self.gathered[id(value)]

    def header(self, place: Place, shape: str, name: str) -> str:
        """Return the line above a block."""
        return write_header(place.depth, "" if place.key is None else place.key, shape, name)

    def headed(self, place: Place, head: str) -> tuple[str, ...]:
        """Return the head of a block of lines, and below it the note on the document, if any."""
        return (head, self.note) if self.end(place) else (head,)

    def table(
        self,
        name: str,
        head: str,
        rows: Sequence[str],
        place: Place,
        *,
        is_lines: bool = False,
        narrow: Narrow | None = None,
    ) -> Rows:
        """Return the rows of an array, or of an object of records; all columns, or some.

        `head` is above them; if they are `is_lines`, each item is a line; `narrow` has the kept
        columns.
        """
        value, part = place.value, None if narrow is None else narrow.part
        more = self.call(place)
        may_count = not (is_lines or more or self.worth is None)
        return Rows(
            name,
            self.headed(place, head) if is_lines else (head,),
            rows=rows,
            worths=self.row_worths(place) if narrow is None else narrow.worths,
            keys=list(value) if is_object(value) else range(len(value)),
            unit="items" if is_lines else "rows",
            left=Items(value) if narrow is None else narrow,
            below=True,
            tail=(part.note if part else "") + ("" if is_lines else self.end(place)),
            part=part,
            pinned=self.pinned_rows(place),
            more=more,
            has_indexes=is_array(value) and self.calls is None,
            has_names=may_count,
        )

    def row_worths(self, place: Place) -> list[float]:
        """Return the worth of each item of an array, or of each record of an object."""
        return list(map(self.weight, self.children(place)))

    def pinned_rows(self, place: Place) -> frozenset[int]:
        """Return the numbers of the rows that must stay."""
        if not self.is_pinned(place):
            return frozenset()
        rows = enumerate(self.children(place))
        return frozenset(row for row, child in rows if self.is_pinned(child))

    def call(self, place: Place) -> More | None:
        """Return the call that fetches the missing rows of an array, if there is one."""
        return self.calls.at(place.path) if self.calls and is_array(place.value) else None


def is_cut(value: Any) -> bool:
    """Whether a value contains an object with members cut."""
    return any(isinstance(inner, CutObject) for inner in values(value))
