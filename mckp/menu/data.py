"""The menu of a document: that of data is made here, that of a text in `mckp.menu.text`."""

from __future__ import annotations

from functools import cache, partial
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
    write,
)
from mckp.encoders.base import LINE_CHARACTERS, MOST_CELLS
from mckp.encoders.headers import write_header
from mckp.encoders.hints import Overflow
from mckp.encoders.kv import item, member
from mckp.encoders.native import Known, write_flow
from mckp.encoders.records import as_records, may_be_rows
from mckp.encoders.scalars import write_key
from mckp.jsontext import CutObject, dump, is_array, is_container, is_object
from mckp.menu.chain import request_of, shortener
from mckp.menu.classes import Line, Menu, MenuClass, Option, Part, Rows, Widening, above_notes
from mckp.menu.members import MOST_INLINE, OPEN_DEPTH, inside, is_one_class, is_records, values
from mckp.menu.naming import fields_named, groups_of, names_of_rows
from mckp.menu.narrow import Narrower
from mckp.menu.shorten import notes, share, sizes
from mckp.tokenizers.fragment import is_fragment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mckp.encoders.base import Body, Format
    from mckp.encoders.records import Records
    from mckp.menu.chain import Count
    from mckp.menu.classes import AnyOption, Series
    from mckp.menu.more import More, Templates
    from mckp.menu.naming import Groups
    from mckp.menu.narrow import Narrow
    from mckp.menu.weighing import Weighed

_APART: Final = (JSON, FLOW, FENCE, MCKP_V2, PHRASES)
_GRIDS: Final = (CSV.name, TABLE.name)

MOST_NESTED: Final = 64
"""Most facts of a member that is offered on one line with some of its facts."""

TEXT_STEP: Final = 0.85
"""Each form of a text has this share of the characters of the form before it."""

FACTS: Final = 40
"""Most facts of an object or array on one line."""

LONGEST_ROW: Final = 6 * LINE_CHARACTERS
"""Most characters of a record as a row, lines below it not counted; a longer one is a block."""

SHORTEST_LINE: Final = 110
"""Fewest characters of a member's line for which a part of it is offered: a part has a note."""


class Place(NamedTuple):
    """A value of the document and its place."""

    value: Any
    key: str | int | None = None
    """Its name or index; None for the document."""
    at: int = 0
    """How many leaves of the document stand before it."""
    above: tuple[str | int, ...] = ()
    """The path of the container around it."""

    @property
    def path(self) -> tuple[str | int, ...]:
        return () if self.key is None else (*self.above, self.key)

    @property
    def depth(self) -> int:
        """How many containers are around it."""
        return 0 if self.key is None else len(self.above) + 1


def offer(
    document: Weighed,
    formats: tuple[Format, ...],
    count: Count,
    reads_as: Callable[[str], str],
    more: Templates | None = None,
) -> Menu:
    """Return the menu of a document; of options equally good, that of an earlier format is taken.

    `count` returns the tokens of texts; the columns of records are ordered by worth per token.
    `reads_as` returns the kind that a reader takes a text for, such as ``"markdown"``. `more` has
    the calls that fetch rows which were cut. Where no format can write data, compact JSON does.
    """
    if not document.tree.is_json:
        from mckp.menu.text import offer_text

        return offer_text(document, formats, reads_as)
    value, dropped = document.tree.value, document.dropped
    # Where items of arrays are dropped, later items have other indexes than in the source.
    made = _Offer(document, formats, count, None if document.is_shifted else more)
    # If nothing is left, the text is one note, which counts the whole document.
    facts = made.facts(value) + (0 if dropped is None else dropped.missing)
    return Menu(made.document(Place(value)), Overflow(facts, None, "facts"))


class _Offer:
    """Makes the classes of a document, from its root down.

    Every level above a container asks for its facts and its text, so both are remembered by the
    container's ``id``, which is safe since the document outlives its menu.
    """

    def __init__(
        self,
        document: Weighed,
        formats: tuple[Format, ...],
        count: Count,
        calls: Templates | None,
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
        self.count, self.worth, self.calls = count, document.worth, calls
        # Every text has the note on what was dropped before.
        self.note = "" if document.dropped is None else f"{document.dropped}\n"
        self.known: Known = {}
        self.counts: dict[int, int] = {}
        self.long: dict[int, bool] = {}
        self.gathered: dict[int, Records | None] = {}
        self.grouped: dict[int, Groups | None] = {}
        self.row_named: dict[int, Sequence[str] | None] = {}
        self.alive: list[Any] = []  # parts of the document whose ``id`` was remembered

    def facts(self, value: Any) -> int:
        """Return how many facts a value of the document holds: its leaves."""
        if not is_container(value) or not value:
            return 1
        count = self.counts.get(id(value))
        if count is None:
            inner = [item for item in inside(value) if is_container(item)]
            count = len(value) - len(inner) + sum(map(self.facts, inner))
            self.counts[id(value)] = count
        return count

    def weight(self, place: Place) -> float:
        """Return what a value is worth."""
        count = self.facts(place.value)
        return count if self.worth is None else self.worth.of(place.at, count)

    def is_pinned(self, place: Place) -> bool:
        """Whether something in a value must stay."""
        return self.worth is not None and self.worth.is_pinned(place.at, self.facts(place.value))

    def children(self, place: Place) -> Iterator[Place]:
        """Yield what is in a container."""
        value, at, path = place.value, place.at, place.path
        for key, child in value.items() if is_object(value) else enumerate(value):
            yield Place(child, key, at, path)
            at += self.facts(child)

    def cls(
        self,
        place: Place,
        options: Iterable[AnyOption],
        narrower: Callable[[], Iterable[AnyOption | Series]] | None = None,
    ) -> MenuClass:
        worth, pinned = self.weight(place), self.is_pinned(place)
        return MenuClass(place.key, place.value, worth, tuple(options), pinned, narrower)

    def document(self, place: Place) -> MenuClass:
        value, options = place.value, self.blocks(place)
        may_flow = self.may_flow(value)
        if self.json or not (options or may_flow):
            options.insert(0, self.alone(JSON.name, dump(value)))
        if may_flow:
            flow = write_flow(value, known=self.known)
            # A text of one line needs no line feed, as compact JSON has none.
            alone = flow.find("\n") == len(flow) - 1
            options.insert(1, self.alone(FLOW.name, flow[:-1] if alone else flow))
        if self.v2 and (text := write(value, MCKP_V2)):
            options.append(self.alone(MCKP_V2.name, text))
        return self.cls(place, options, lambda: self.narrower(place))

    def alone(self, name: str, text: str) -> Option:
        """Return the option that writes the document as one text, with the note that all have."""
        if not self.note:
            return Option(name, (text,))
        return Option(name, (above_notes(f"{text.removesuffix(chr(10))}\n") + self.note,))

    def end(self, place: Place) -> str:
        """Return the note that is at the end of the document."""
        return self.note if place.key is None else ""

    # Lines

    def may_flow(self, value: Any) -> bool:
        """Whether a value may be on one line in flow notation."""
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
        """Whether a container has too many facts, or characters, for one line.

        The limit of a table is lower, since cells side by side are hard to tell apart. An array
        of leaves has no limit, since a reader need not find a member in it.
        """
        facts = self.facts(value)
        if facts <= MOST_CELLS or (is_array(value) and not inner):
            return False
        records = sum(map(is_object, inner))
        is_table = records > 1 and (is_array(value) or records == len(value))
        return is_table or facts > FACTS or len(dump(value)) > LINE_CHARACTERS

    def member(self, place: Place, *, below: bool | None = None) -> MenuClass:
        """Return the class of a member, or of an item with its index for a name.

        It offers a line and blocks; if `below` is true only blocks, if false only a line.
        """
        value = place.value
        # Blocks are made first: what they hold is remembered, so the line does not write it again.
        blocks = [] if below is False else self.blocks(place)
        options = blocks
        # A value that is too long for a line in flow is no line of JSON either.
        is_block = self.flow and is_container(value) and not self.may_flow(value)
        if not below and not (blocks and is_block):
            name, text = self.line(place, value)
            options = [Option(name, (text,)), *blocks]
            if len(text) < SHORTEST_LINE:
                return self.cls(place, options)
        if not (is_container(value) or isinstance(value, str)):
            return self.cls(place, options)
        return self.cls(place, options, lambda: self.narrower(place, below))

    def line(self, place: Place, left: Any) -> tuple[str, str]:
        """Return the format and the line of a value, of which `left` is kept."""
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
        if self.may_flow(value) or (is_left and self.flow and _is_cut(value)):
            return write_flow(value, "- ", self.known)
        return item(value)

    # Blocks

    def may_open(self, value: Any) -> bool:
        """Whether a value may be a block: a container, or a string of several lines."""
        if isinstance(value, str):
            return self.opens_text and "\n" in value
        return is_container(value) and bool(value)

    def blocks(self, place: Place) -> list[AnyOption]:
        """Return the ways to write a value as a block under its own header."""
        value = place.value
        if not self.may_open(value) or place.depth >= OPEN_DEPTH:
            return []
        options = [block for format_ in self.tables for block in self.rows(format_, place)]
        has_rows = bool(options)
        if are_blocks := self.are_blocks(place, options):
            options = []
        for format_ in self.formats:
            if format_ is KV:
                options += self.lines(place, has_rows=has_rows, are_blocks=are_blocks)
            elif format_.name not in _GRIDS or (is_array(value) and not has_rows):
                options += self.rows(format_, place)
        if self.data_fence or (self.fence and isinstance(value, str)):
            options += self.rows(FENCE, place)
        return options

    def rows(self, format_: Format, place: Place) -> list[AnyOption]:
        """Return the blocks of a value in one format: tables, or other text."""
        content = self.records(place.value) if format_ in self.tables else place.value
        bodies = () if content is None else format_.bodies(content)
        return [self.block(format_, body, place) for body in bodies]

    def records(self, value: Any) -> Records | None:
        """Return the records of a value as columns; they are made once."""
        if id(value) not in self.gathered:
            self.gathered[id(value)] = as_records(value) if may_be_rows(value) else None
        return self.gathered[id(value)]

    def block(self, format_: Format, body: Body, place: Place) -> AnyOption:
        """Return a block in a format; it is `Rows` if it can be cut between rows."""
        head = self.header(place, body.shape, format_.name) + body.head
        if not body.rows:
            return Option(format_.name, (head,), below=True, tail=self.end(place))
        return self.table(format_.name, head, body.rows, place)

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
        """Return the rows of an array, or of an object of records; all columns, or some."""
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
            kept=partial(kept_rows, (lambda: value) if narrow is None else narrow.value),
            below=True,
            tail=(part.note if part else "") + ("" if is_lines else self.end(place)),
            part=part,
            pinned=self.pinned_rows(place),
            more=more,
            has_indexes=is_array(value) and self.calls is None,
            groups=partial(self.groups, place) if may_count else None,
            names=partial(self.row_names, place) if may_count else None,
        )

    def row_worths(self, place: Place) -> list[float]:
        """Return the worth of each item of an array, or of each record of an object."""
        return list(map(self.weight, self.children(place)))

    def groups(self, place: Place) -> Groups | None:
        """Return the groups of records, which are the same for all tables of them."""
        value = place.value
        if id(value) not in self.grouped:
            self.grouped[id(value)] = groups_of(value, self.row_worths(place))
        return self.grouped[id(value)]

    def row_names(self, place: Place) -> Sequence[str] | None:
        """Return the names of records, which are the same for all tables of them."""
        value = place.value
        if id(value) not in self.row_named:
            self.row_named[id(value)] = names_of_rows(value)
        return self.row_named[id(value)]

    def pinned_rows(self, place: Place) -> frozenset[int]:
        """Return the numbers of the rows that must stay."""
        if not self.is_pinned(place):
            return frozenset()
        rows = enumerate(self.children(place))
        return frozenset(row for row, child in rows if self.is_pinned(child))

    def call(self, place: Place) -> More | None:
        """Return the call that fetches the missing rows of an array, if there is one."""
        return self.calls.at(place.path) if self.calls and is_array(place.value) else None

    def lines(self, place: Place, *, has_rows: bool, are_blocks: bool) -> list[AnyOption]:
        """Return a container as a block of lines; a member may also be a block of its own."""
        value = place.value
        records = self.records(value) if has_rows and is_records(value) else None
        if records is not None and is_one_class(records):
            return []
        if is_object(value):
            head = self.header(place, f"{{{len(value)}}}" if place.key is None else "", KV.name)
            children = tuple(map(self.member, self.children(place)))

            @cache
            def named() -> dict[str, float]:
                fields = ((str(child.key), child.value, child.at) for child in self.children(place))
                return fields_named(self.worth, fields, self.facts, self.count)

            above = self.headed(place, head)
            return [Option(KV.name, above, 0, children, below=True, unit="fields", named=named)]
        if not is_array(value):
            return []
        head = self.header(place, f"[{len(value)}]", KV.name)
        if records is not None:
            # Few records are one class as well, unless long arrays are in them.
            arrays = filter(is_array, values(value))
            is_opened = are_blocks or any(len(array) > MOST_INLINE for array in arrays)
            return self.opened(place, head) if is_opened else []
        return [
            self.table(KV.name, head, list(map(self.item, value)), place, is_lines=True),
            *self.opened(place, head),
        ]

    def are_blocks(self, place: Place, tables: Sequence[AnyOption]) -> bool:
        """Whether an array has few records, and they hold so much that they are long as rows."""
        value = place.value
        is_few = is_array(value) and len(value) <= MOST_INLINE and all(map(is_object, value))
        if not (is_few and self.keeps_lines and self.call(place) is None) or DERIVED in self.tables:
            return False
        rows = (row for table in tables if isinstance(table, Rows) for row in table.rows)
        if not any(row.find("\n") > LONGEST_ROW for row in rows):
            return False
        return all(
            sum(not is_container(item) for item in record.values()) <= FACTS for record in value
        )

    def opened(self, place: Place, head: str) -> list[AnyOption]:
        """Return the options in which each item of a short array is a class of its own."""
        value = place.value
        if len(value) > MOST_INLINE or self.call(place) is not None:
            return []
        if not any(is_container(child) and child for child in value):
            return []
        # To stay in order, items are all lines or all blocks, if all of them may be blocks.
        kinds = (False, True) if all(map(self.may_open, value)) else (None,)
        alternatives = (
            tuple(self.member(child, below=below) for child in self.children(place))
            for below in kinds
        )
        return [
            Option(KV.name, self.headed(place, head), 0, children, below=True, unit="items")
            for children in alternatives
            if all(child.options for child in children)
        ]

    # Parts

    def narrower(self, place: Place, below: bool | None = None) -> Iterator[AnyOption | Series]:
        """Yield the ways to write a part of a value: fewer columns, members, items or words."""
        value, depth = place.value, place.depth
        if isinstance(value, str):
            if not self.is_pinned(place):
                yield from self.shorter(place, below)
            return
        if not is_container(value) or not value:
            return
        may_open = below is not False and depth < OPEN_DEPTH
        if is_records(value) and len(value) > 1 and may_open:
            yield from self.narrower_tables(place)
        if below or self.is_pinned(place):
            return
        is_last = depth == OPEN_DEPTH  # what it holds can be cut nowhere else
        is_few = not is_records(value) and (is_last or self.facts(value) <= MOST_NESTED)
        # A line has no room for calls that fetch the rest of its arrays.
        if self.flow and self.calls is None and (depth == 0 or is_few):
            yield from self.lines_of(place)
        elif self.flow and is_records(value):
            return
        elif (self.keeps_lines or place.key is not None) and (
            len(self.line(place, value)[1]) > LINE_CHARACTERS
        ):
            return  # unless the document may be nothing but a line
        elif is_array(value) and not is_records(value):
            yield from self.prefixes(place)
        elif not self.flow:
            for narrow in Narrower(value, place.at, self.worth, self.count).versions():
                yield from self.part_of_line(place, narrow.value(), narrow.part, sum(narrow.worths))

    def part_of_line(self, place: Place, left: Any, part: Part, worth: float) -> Iterator[Option]:
        """Yield the kept part of a value on a line, notes below it, if that text is a fragment."""
        self.alive.append(left)
        name, text = self.line(place, left)
        if is_fragment(text + part.note):
            kept, tail = (lambda: left), self.end(place)
            yield Option(name, (text, part.note), worth, tail=tail, part=part, kept=kept)

    def lines_of(self, place: Place) -> Iterator[Line]:
        """Yield the series that writes some leaves of a value on a line, if there is one."""
        from mckp.menu.line import Leaves  # which loads NumPy

        leaves = Leaves(place.value, place.at, self.worth, self.count, self.facts)
        name = "" if place.key is None else write_key(place.key)
        line = leaves.line(name, self.end(place), is_alone=place.key is None)
        if line is not None:
            yield line

    def narrower_tables(self, place: Place) -> Iterator[Rows | Widening]:
        """Yield tables of some of the columns, each in the first format that fits.

        Then come tables of which some rows have more columns than the others.
        """
        value = place.value
        columns = Narrower(value, place.at, self.worth, self.count, self.records(value))
        versions = columns.versions()
        for narrow in versions:
            name, body = self.grid(narrow.records())
            if body is not None:
                head = self.header(place, body.shape, name) + body.head
                yield self.table(name, head, body.rows, place, narrow=narrow)
            elif self.keeps_lines and is_array(value):
                records = narrow.value()
                self.alive.append(records)
                head = self.header(place, f"[{len(records)}]", KV.name)
                rows = tuple(self.item(record, is_left=True) for record in records)
                yield self.table(KV.name, head, rows, place, is_lines=True, narrow=narrow)
        if ROWS in self.tables:
            keeps_all = self.is_pinned(place) or self.call(place) is not None
            header = partial(self.header, place, name=ROWS.name)
            for wider in columns.between(versions):
                widening = wider.widening(header, self.end(place), keeps_all=keeps_all)
                if widening is not None:
                    yield widening

    def grid(self, records: Records) -> tuple[str, Body | None]:
        """Return the first format that can write records as a table, and that table."""
        for format_ in self.tables:
            if (body := next(format_.bodies(records), None)) is not None:
                return format_.name, body
        if self.flow and _is_cut(records.values()):
            return "", None  # cells of JSON have no signs for what was cut, lines of flow have
        for format_ in self.formats:
            if format_.name in _GRIDS and (body := format_.body(records.values())) is not None:
                return format_.name, body
        return "", None

    def prefixes(self, place: Place) -> Iterator[Option]:
        """Yield beginnings of an array on a line: of one item, two, three, four, six and so on."""
        value, total = place.value, self.facts(place.value)
        children = list(self.children(place))
        size = 1
        while size < len(value):
            missing = total - (children[size].at - place.at)
            part = Part((Overflow(missing, total, "facts"),), (f"[{size}:]",))
            worth = sum(map(self.weight, children[:size]))
            yield from self.part_of_line(place, value[:size], part, worth)
            size += max(1, size // 2)

    def shorter(self, place: Place, below: bool | None) -> Iterator[Option]:
        """Yield shorter forms of a long text: on a line, or as a block if it has several lines."""
        text, worth, end = place.value, self.weight(place), self.end(place)
        may_open = below is not False and place.depth < OPEN_DEPTH and PROSE in self.formats
        for form in shortener(text, request_of(self.worth)).forms(sizes(len(text), TEXT_STEP, 1)):
            part, worth_left = Part(notes(None, [form])), share(worth, form)
            body = PROSE.body(form.text) if may_open else None
            if body is not None and place.key is not None:
                block = self.header(place, body.shape, PROSE.name) + body.head + part.note
                kept = partial(str, form.text)
                yield Option(
                    PROSE.name, (block,), worth_left, below=True, tail=end, part=part, kept=kept
                )
            if not below and (body is None or len(form.text) < SHORTEST_LINE):
                yield from self.part_of_line(place, form.text, part, worth_left)


def kept_rows(value: Callable[[], Any], rows: Sequence[int]) -> Any:
    """Return the rows of a value that have these numbers."""
    whole = value()
    if is_object(whole):
        items = list(whole.items())
        return dict(items[row] for row in rows)
    return [whole[row] for row in rows]


def _is_cut(value: Any) -> bool:
    return any(isinstance(item, CutObject) for item in values(value))
