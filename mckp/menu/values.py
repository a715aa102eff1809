"""Write values of data, whole or in part, as lines, headers and tables.

The step `offer` uses this module to write all of a value, and the step `cuts` to write some of it.
"""

from __future__ import annotations

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
    RULES,
    TABLE,
)
from mckp.encoders.base import FEW_VALUES, LINE_CHARACTERS
from mckp.encoders.follow_columns import column_rules
from mckp.encoders.headers import write_header
from mckp.encoders.kv import item_line, member_line
from mckp.encoders.native import flow_lines, flow_of
from mckp.encoders.records import as_records, may_be_rows
from mckp.encoders.rows import ruled_body
from mckp.encoders.scalars import write_key
from mckp.frozen import frozen
from mckp.jsontext import CutObject, dump, is_array, is_container, is_object
from mckp.menu.classes import Plan, RowsOption, guard_from_header
from mckp.menu.members import MOST_INLINE, OPEN_DEPTH, values
from mckp.menu.projection import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.encoders.base import Body, Format
    from mckp.encoders.follow_columns import ColumnRules
    from mckp.encoders.records import Records
    from mckp.menu.inner import WithInner
    from mckp.menu.more import More, Templates
    from mckp.menu.projection import Narrow
    from mckp.menu.telling import WithTelling
    from mckp.menu.weighing import Weighed
    from mckp.paths import Path

_APART: Final = (JSON, FLOW, FENCE, MCKP_V2, RULES, PHRASES)

GRIDS: Final = (CSV.name, TABLE.name)
"""Formats that are offered for an array only if no table of mckp can write it."""

MEMBERS: Final = "fields"
"""The unit of an object whose members are classes: a hint may name those that are cut."""

FACTS: Final = 40
"""Most facts of an object or array on one line."""


SHORTEST_LINE: Final = 110
"""Parts of a line have notes, so they are offered only of a line of at least so many characters."""


class PlacedValue:
    """A value of the document, its place, and what was computed about it.

    Every container around a value needs its facts and its text, so these are computed only once.

    Attributes
    ----------
    key
        Its name or index; None for the document.
    at
        How many leaves of the document come before it.
    above
        The path of the container around it.
    facts
        The number of facts in it: its leaves.
    inner
        The places of the containers directly in it.
    is_long
        Whether it is too long for one line; None until `Values.is_long` is called.

    Examples
    --------
    >>> root = PlacedValue({"id": 7, "tags": ["a", "b"]})
    >>> root.facts, [(place.path, place.at) for place in root.children()]
    (3, [(('id',), 0), (('tags',), 1)])
    """

    __slots__ = (
        *("_flow", "_records", "_rules", "above", "at", "facts", "inner", "is_long", "key"),
        "value",
    )

    def __init__(
        self, value: Any, key: str | int | None = None, at: int = 0, above: Path = ()
    ) -> None:
        self.value, self.key, self.at, self.above = value, key, at, above
        self.facts, self.inner = 1, list[PlacedValue]()
        self.is_long: bool | None = None
        self._records: list[Records | None] | None = None
        self._flow: tuple[str, Sequence[str]] | None = None
        self._rules: ColumnRules | None = None
        if not is_container(value) or not value:
            return
        path, first = self.path, at
        for name, child in value.items() if is_object(value) else enumerate(value):
            if is_container(child):
                inner = PlacedValue(child, name, at, path)
                self.inner.append(inner)
                at += inner.facts
            else:
                at += 1
        self.facts = at - first

    def children(self) -> Iterator[PlacedValue]:
        """Yield the places of the children of a container."""
        value, at, path, inner = self.value, self.at, self.path, iter(self.inner)
        for key, child in value.items() if is_object(value) else enumerate(value):
            place = next(inner) if is_container(child) else PlacedValue(child, key, at, path)
            yield place
            at += place.facts

    @property
    def path(self) -> tuple[str | int, ...]:
        """The path of the value."""
        return () if self.key is None else (*self.above, self.key)

    @property
    def depth(self) -> int:
        """The number of containers around the value."""
        return 0 if self.key is None else len(self.above) + 1

    @property
    def records(self) -> Records | None:
        """The records of the value as columns; None if rows could not save tokens."""
        if self._records is None:
            self._records = [as_records(self.value) if may_be_rows(self.value) else None]
        return self._records[0]

    @property
    def rules(self) -> ColumnRules:
        """The rules for columns of the records."""
        if self._rules is None:
            self._rules = {} if self.records is None else column_rules(self.records)
        return self._rules

    @property
    def flow(self) -> tuple[str, Sequence[str]]:
        """The container in flow notation: its line, and the lines below that."""
        if self._flow is None:
            # Deep inside, what is written again is short, and recursion must not add frames.
            is_deep = self.depth > OPEN_DEPTH
            inner = None if is_deep else (place.flow for place in self.inner)
            self._flow = flow_of(self.value, inner)
        return self._flow


@frozen(eq=False)
class ValuePlan(Plan):
    """A value that may be written in part."""

    place: PlacedValue
    below: bool | None = None
    """Whether parts are only blocks, or only lines (False); None for both."""
    has_narrower: bool = True
    """Whether there are narrower versions of it. A short line has none, but its rows may be cut."""


class CuttableRows(NamedTuple):
    """An array, or an object of records, whose rows may be cut."""

    value: Any

    def of(self, rows: Sequence[int]) -> Any:
        """Return the rows with these numbers."""
        return rows_of(self.value, rows)


class Values:
    """Writes values of one document.

    `has_rules` says whether rules were found in it, so that whole tables are offered with rules.
    """

    def __init__(
        self,
        document: Weighed,
        formats: tuple[Format, ...],
        calls: Templates | None,
        *,
        has_rules: bool = False,
    ) -> None:
        names = {format_.name for format_ in formats}
        composed = {"kv", "table"} <= names
        # A mix of lines and tables is never longer than mckp_v2, and compact JSON is never longer
        # than a fence of indented JSON. So the longer one is offered only without the shorter.
        self.offers_v2 = MCKP_V2.name in names and not composed
        self.offers_fence = FENCE.name in names
        self.offers_data_fence = self.offers_fence and JSON.name not in names
        self.opens_text = self.offers_fence or PROSE.name in names
        self.offers_json = JSON.name in names
        self.offers_flow = FLOW.name in names
        self.keeps_lines = KV.name in names
        self.tables = [f for f in formats if f in (ROWS, DERIVED)]
        self.offers_rules = RULES in formats and ROWS in formats
        self.has_rules = has_rules and self.offers_rules
        self.formats = [f for f in formats if f not in (*_APART, *self.tables)]
        self.weights, self.calls = document.weights, calls
        # Every text has the note on what was dropped before.
        self.note = "" if document.dropped is None else f"{document.dropped}\n"

    def worth_of(self, place: PlacedValue) -> float:
        """Return the worth of a value; without weights, the number of its facts."""
        return place.facts if self.weights is None else self.weights.of(place.at, place.facts)

    def is_pinned(self, place: PlacedValue) -> bool:
        """Whether anything in a value is pinned."""
        return self.weights is not None and self.weights.is_pinned(place.at, place.facts)

    def end_note(self, place: PlacedValue) -> str:
        """Return the note on what was dropped if the place is the whole document, else ``""``."""
        return self.note if place.key is None else ""

    def may_flow(self, place: PlacedValue) -> bool:
        """Whether a value may be written on one line in flow notation."""
        if not (self.offers_flow and is_container(place.value) and place.value):
            return False
        return not (self.tables and self.keeps_lines and self.is_long(place))

    def is_long(self, place: PlacedValue) -> bool:
        """Whether a container, or one inside it, is too long for one line."""
        if place.is_long is None:
            # The cheap test comes first: it finds most long tables without a look into members.
            has_many_items = is_array(place.value) and len(place.value) > MOST_INLINE
            place.is_long = (
                (has_many_items and any(is_object(inner.value) for inner in place.inner))
                or (DERIVED not in self.tables and self.is_large(place))
                or any(map(self.is_long, place.inner))
            )
        return place.is_long

    def is_large(self, place: PlacedValue) -> bool:
        """Whether a container has too many facts or characters for one line.

        A table has a lower limit, since cells side by side are hard to tell apart. An array of
        leaves has none, since a reader need not find a member in it.
        """
        value, facts = place.value, place.facts
        if facts <= FEW_VALUES or (is_array(value) and not place.inner):
            return False
        object_count = sum(is_object(inner.value) for inner in place.inner)
        is_table = object_count > 1 and (is_array(value) or object_count == len(value))
        return is_table or facts > FACTS or len(dump(value)) > LINE_CHARACTERS

    def line(self, place: PlacedValue) -> tuple[str, str]:
        """Return the name of the format and the line that write a value."""
        key, value = place.key, place.value
        if key is None:
            if self.offers_flow and is_container(value):
                return FLOW.name, guard_from_header(flow_lines("", *place.flow))
            return JSON.name, guard_from_header(dump(value) + "\n")
        if self.may_flow(place):
            return FLOW.name, flow_lines(write_key(key), *place.flow)
        return JSON.name if is_container(value) else KV.name, member_line(key, value)

    def line_of_part(self, place: PlacedValue, left: Any) -> tuple[str, str]:
        """Return the name of the format and the line that write `left`, the rest of a value."""
        return self.line(PlacedValue(left, place.key, place.at, place.above))

    def item(self, place: PlacedValue, *, is_left: bool = False) -> str:
        """Return the line of an item.

        If `is_left`, the value is the kept part of an item. It is written in flow notation if
        members of it were cut, since JSON cannot show that.
        """
        if self.may_flow(place) or (is_left and self.offers_flow and has_cut_members(place.value)):
            return flow_lines("- ", *place.flow)
        return item_line(place.value)

    def header(self, place: PlacedValue, shape: str, name: str) -> str:
        """Return the line above a block; `name` is that of its format."""
        return write_header(place.depth, "" if place.key is None else place.key, shape, name)

    def head_fragments(self, place: PlacedValue, head: str) -> tuple[str, ...]:
        """Return the head of a block of lines, and the note on what was dropped, if it is due."""
        return (head, self.note) if self.end_note(place) else (head,)

    def table(
        self,
        name: str,
        head: str,
        rows: Sequence[str],
        place: PlacedValue,
        *,
        is_lines: bool = False,
        narrow: Narrow | WithTelling | WithInner | None = None,
    ) -> RowsOption:
        """Return the option that writes an array, or an object of records, as rows below `head`.

        `name` is that of the format. If `is_lines`, each row is the line of an item. `narrow` is
        the version of the value that the rows write; None for all columns.
        """
        value, part = place.value, None if narrow is None else narrow.part
        has_names = not (is_lines or self.weights is None)
        return RowsOption(
            name,
            self.head_fragments(place, head) if is_lines else (head,),
            rows=rows,
            worths=self.row_worths(place) if narrow is None else narrow.worths,
            keys=list(value) if is_object(value) else range(len(value)),
            unit="items" if is_lines else "rows",
            left=CuttableRows(value) if narrow is None else narrow,
            below=True,
            tail=(part.note if part else "") + ("" if is_lines else self.end_note(place)),
            part=part,
            pinned=self.pinned_rows(place),
            more=self.call(place),
            has_indexes=is_array(value),
            has_names=has_names,
        )

    def ruled(self, place: PlacedValue) -> Body | None:
        """Return an array as a table without the columns that follow from others, if it has any."""
        records = place.records if self.offers_rules else None
        return None if records is None else ruled_body(records, records, place.rules)

    def row_worths(self, place: PlacedValue) -> list[float]:
        """Return the worth of each item of an array, or of each record of an object."""
        return list(map(self.worth_of, place.children()))

    def pinned_rows(self, place: PlacedValue) -> frozenset[int]:
        """Return the numbers of the rows that must stay."""
        if not self.is_pinned(place):
            return frozenset()
        rows = enumerate(place.children())
        return frozenset(row for row, child in rows if self.is_pinned(child))

    def call(self, place: PlacedValue) -> More | None:
        """Return the call that fetches the missing rows of an array, if there is one."""
        if not (self.calls and is_array(place.value)):
            return None
        return self.calls.at(place.path, place.value)


def has_cut_members(value: Any) -> bool:
    """Whether a value is or contains an object some members of which were cut."""
    return any(isinstance(inner, CutObject) for inner in values(value))
