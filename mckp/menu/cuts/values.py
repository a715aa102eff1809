"""Parts of data: a value with fewer columns, members, items or words."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.encoders import KV, PROSE, ROWS, RULES
from mckp.encoders.base import LINE_CHARACTERS
from mckp.encoders.hints import Overflow
from mckp.encoders.rows import ruled_body
from mckp.encoders.scalars import write_key
from mckp.jsontext import is_array, is_container
from mckp.menu.chain import request_of, shortener
from mckp.menu.classes import CutPart, Option
from mckp.menu.members import OPEN_DEPTH, is_records
from mckp.menu.naming import groups_of, name_worths_of_fields, names_of_rows
from mckp.menu.narrow import Narrower
from mckp.menu.shorten import notes, shortened_worth, sizes
from mckp.menu.values import GRIDS, SHORTEST_LINE, PlacedValue, has_cut_members
from mckp.tokenizers.fragment import is_fragment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mckp.encoders.base import Body
    from mckp.menu.classes import AnyOption, RowsOption
    from mckp.menu.line import ValueLine
    from mckp.menu.naming import Groups
    from mckp.menu.price import Prices
    from mckp.menu.projection import Narrow
    from mckp.menu.values import Values
    from mckp.menu.widening import Widening

MOST_NESTED: Final = 64
"""Most facts of a member that is offered on one line with some of its facts."""

TEXT_STEP: Final = 0.85
"""Each form of a text has this share of the characters of the form before it."""


class RowNotes(NamedTuple):
    """What a hint may say about missing rows besides their number."""

    groups: Groups | None = None
    """The groups of the rows, so that it may count the missing rows of each."""
    names: Sequence[str] | None = None
    """The name of each row, so that it may name the missing ones."""


class SomeOfValues:
    """Makes the options that write parts of values; `prices` counts the tokens of texts."""

    def __init__(self, values: Values, prices: Prices) -> None:
        self.values, self.count, self.count_once = values, prices.of, prices.count

    def name_worths(self, place: PlacedValue) -> Mapping[str, float]:
        """Return the worth of naming each member of an object if it is cut."""
        return name_worths_of_fields(self.values.weights, place.children(), self.count)

    def row_notes(self, place: PlacedValue) -> RowNotes:
        """Return what hints may say about missing rows, whichever columns a table has."""
        facts = [max(1, record.facts) for record in place.children()]
        groups = groups_of(place.value, self.values.row_worths(place), facts)
        return RowNotes(groups, names_of_rows(place.value))

    def parts(
        self, place: PlacedValue, below: bool | None
    ) -> Iterator[AnyOption | ValueLine | Widening]:
        """Yield the ways to write a part of a value: fewer columns, members, items or words.

        `below` is as in `mckp.menu.data`: if true, only blocks; if false, only a line.
        """
        value, depth = place.value, place.depth
        if isinstance(value, str):
            if not self.values.is_pinned(place):
                yield from self.shorter_forms(place, below)
            return
        if not is_container(value) or not value:
            return
        may_open = below is not False and depth < OPEN_DEPTH
        if is_records(value) and len(value) > 1 and may_open:
            yield from self.narrower_tables(place)
        if below or self.values.is_pinned(place):
            return
        is_last = depth == OPEN_DEPTH  # what it holds can be cut nowhere else
        is_few = not is_records(value) and (is_last or place.facts <= MOST_NESTED)
        if self.values.offers_flow and (depth == 0 or is_few):
            yield from self.lines_of(place)
        elif self.values.offers_flow and is_records(value):
            return
        elif (self.values.keeps_lines or place.key is not None) and (
            len(self.values.line(place)[1]) > LINE_CHARACTERS
        ):
            return  # unless the document may be nothing but a line
        elif is_array(value) and not is_records(value):
            yield from self.prefixes(place)
        elif not self.values.offers_flow:
            for narrow in Narrower(value, place.at, self.values.weights, self.count).versions():
                yield from self.part_of_line(place, narrow.value(), narrow.part, sum(narrow.worths))

    def part_of_line(
        self, place: PlacedValue, left: Any, part: CutPart, worth: float
    ) -> Iterator[Option]:
        """Yield the option that writes `left`, the kept part of a value, on a line above its notes.

        There is none if the text would not be a fragment.
        """
        name, text = self.values.line_of_part(place, left)
        if is_fragment(text + part.note):
            tail = self.values.end_note(place)
            yield Option(name, (text, part.note), worth, tail=tail, part=part, left=left)

    def lines_of(self, place: PlacedValue) -> Iterator[ValueLine]:
        """Yield the series of lines that write some leaves of a value, if there is one."""
        from mckp.menu.line import Leaves  # which loads NumPy

        leaves = Leaves(place, self.values.weights, self.count)
        name = "" if place.key is None else write_key(place.key)
        line = leaves.line(name, self.values.end_note(place), is_alone=place.key is None)
        if line is not None:
            yield line

    def narrower_tables(self, place: PlacedValue) -> Iterator[RowsOption | Widening]:
        """Yield tables with some of the columns, each in the first format that fits.

        After these come tables that have more columns in some rows than in others.
        """
        value = place.value
        rules = place.rules if self.values.offers_rules else {}
        columns = Narrower(value, place.at, self.values.weights, self.count, place.records, rules)
        versions = columns.versions()
        if not self.values.has_rules and (body := self.values.ruled(place)) is not None:
            head = self.values.header(place, body.shape, RULES.name) + body.head
            yield self.values.table(RULES.name, head, body.rows, place)
        for narrow in versions:
            name, body = self.grid(narrow)
            if body is not None:
                head = self.values.header(place, body.shape, name) + body.head
                yield self.values.table(name, head, body.rows, place, narrow=narrow)
            elif self.values.keeps_lines and is_array(value):
                left = narrow.value()
                head = self.values.header(place, f"[{len(left)}]", KV.name)
                rows = tuple(
                    self.values.item(PlacedValue(record, number), is_left=True)
                    for number, record in enumerate(left)
                )
                yield self.values.table(KV.name, head, rows, place, is_lines=True, narrow=narrow)
        if ROWS in self.values.tables:
            for version in columns.telling_versions(versions):
                if (body := version.body()) is not None:
                    head = self.values.header(place, body.shape, ROWS.name) + body.head
                    yield self.values.table(ROWS.name, head, body.rows, place, narrow=version)
            for inner in columns.inner_versions(versions, place):
                if (body := inner.body()) is not None:
                    head = self.values.header(place, body.shape, ROWS.name) + body.head
                    table = self.values.table(ROWS.name, head, body.rows, place, narrow=inner)
                    yield replace(table, pinned=table.pinned | inner.pinned)
            keeps_all = self.values.is_pinned(place)
            header = partial(self.values.header, place, name=ROWS.name)
            for wider in columns.pair_versions(versions):
                end = self.values.end_note(place)
                widening = wider.widening(header, end, self.count_once, keeps_all=keeps_all)
                if widening is not None:
                    yield widening

    def grid(self, narrow: Narrow) -> tuple[str, Body | None]:
        """Return the first format that fits a version of records as a table, and the table.

        If none fits, the format is empty and the table None.
        """
        records, columns = narrow.records(), narrow.columns
        if columns.rules and (body := ruled_body(records, columns.records, columns.rules)):
            return RULES.name, body
        for format_ in self.values.tables:
            if (body := next(format_.bodies(records), None)) is not None:
                return format_.name, body
        if self.values.offers_flow and has_cut_members(records.values()):
            return "", None  # unlike lines in flow notation, cells of JSON cannot show what was cut
        for format_ in self.values.formats:
            if format_.name in GRIDS and (body := format_.body(records.values())) is not None:
                return format_.name, body
        return "", None

    def prefixes(self, place: PlacedValue) -> Iterator[Option]:
        """Yield the beginnings of an array on a line: its first 1, 2, 3, 4, 6 items and so on."""
        value, total = place.value, place.facts
        children = list(place.children())
        size = 1
        while size < len(value):
            missing = total - (children[size].at - place.at)
            part = CutPart((Overflow(missing, total, "facts"),), (f"[{size}:]",))
            worth = sum(map(self.values.worth_of, children[:size]))
            yield from self.part_of_line(place, value[:size], part, worth)
            size += max(1, size // 2)

    def shorter_forms(self, place: PlacedValue, below: bool | None) -> Iterator[Option]:
        """Yield shorter forms of a long string: on a line, or as a block of several lines.

        `below` is as in `mckp.menu.data`: if true, only a block; if false, only a line.
        """
        text, worth, end = place.value, self.values.worth_of(place), self.values.end_note(place)
        may_open = below is not False and place.depth < OPEN_DEPTH and PROSE in self.values.formats
        shorter = shortener(text, request_of(self.values.weights))
        for form in shorter.forms(sizes(len(text), TEXT_STEP, 1)):
            part, worth_left = CutPart(notes(None, [form])), shortened_worth(worth, form)
            body = PROSE.body(form.text) if may_open else None
            if body is not None:
                block = self.values.header(place, body.shape, PROSE.name) + body.head + part.note
                yield Option(
                    PROSE.name,
                    (block,),
                    worth_left,
                    below=True,
                    tail=end,
                    part=part,
                    left=form.text,
                )
            if not below and (body is None or len(form.text) < SHORTEST_LINE):
                yield from self.part_of_line(place, form.text, part, worth_left)
