"""The menu of JSON data."""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

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
from mckp.encoders.base import LINE_CHARACTERS
from mckp.encoders.headers import write_header
from mckp.encoders.hints import Overflow
from mckp.encoders.kv import item, member
from mckp.encoders.native import Known, write_flow
from mckp.encoders.records import gathered, may_be_rows
from mckp.encoders.scalars import write_key
from mckp.jsontext import dump, is_array, is_container, is_object
from mckp.menu.chain import shortener
from mckp.menu.classes import Line, Menu, MenuClass, Option, Part, Rows, Widening, no_groups
from mckp.menu.groups import groups_of
from mckp.menu.lengths import Lengths
from mckp.menu.members import is_records
from mckp.menu.more import Calls
from mckp.menu.naming import fields_named
from mckp.menu.narrow import Narrower
from mckp.menu.parts import (
    MOST_INLINE,
    above_notes,
    constant,
    holds_long_array,
    is_one_class,
    kept_rows,
    part_of_line,
)
from mckp.menu.shorten import notes, share, sizes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mckp.encoders.base import Body, Format
    from mckp.encoders.records import Records
    from mckp.menu.chain import Count
    from mckp.menu.classes import AnyOption, Series
    from mckp.menu.groups import Groups
    from mckp.menu.more import More, Templates
    from mckp.menu.narrow import Narrow, Wider
    from mckp.menu.worth import Worth

_APART: Final = (JSON, FLOW, FENCE, MCKP_V2, PHRASES)
_GRIDS: Final = (CSV.name, TABLE.name)

OPEN_DEPTH: Final = 12
"""Levels of containers that may become blocks of their own; deeper ones stay on a line."""

MOST_NESTED: Final = 64
"""Facts of a member that is offered on a line with some of them."""

TEXT_STEP: Final = 0.85
"""What each form of a text has of the characters of the one before it."""

SHORTEST_LINE: Final = 110
"""Characters of the line of a member from which on a part of it is worth its note."""


def offer_data(
    value: Any,
    formats: tuple[Format, ...],
    count: Count,
    worth: Worth | None = None,
    more: Templates | None = None,
    dropped: Overflow | None = None,
) -> Menu:
    """Return the menu of a plain value; see `mckp.menu.offer`.

    Compact JSON is added to the formats where nothing else can carry a value. `count` puts the
    columns of records in order.
    """
    calls = None if more is None else Calls(more, value)
    note = "" if dropped is None else f"{dropped}\n"
    offer = _Offer(formats, count, worth, calls, note)
    # A text in which nothing is left has one note, on all that there was.
    facts = offer.facts(value) + (0 if dropped is None else dropped.missing)
    return Menu(offer.document(value), Overflow(facts, None, "facts"))


class _Offer:
    """The recursion over a document.

    `depth` counts the containers around a value, `at` the leaves before it. How many facts a
    container holds and how it is written is asked for at every level above it, so both are
    remembered, by ``id``: the document outlives its menu.
    """

    def __init__(
        self,
        formats: tuple[Format, ...],
        count: Count,
        worth: Worth | None,
        calls: Calls | None,
        note: str,
    ) -> None:
        names = {each.name for each in formats}
        composed = {"kv", "table"} <= names
        # Lines and tables mixed freely are never longer than mckp_v2, nor is compact JSON
        # longer than an indented fence: both are offered where the shorter twin is not.
        self.v2 = MCKP_V2.name in names and not composed
        self.fence = FENCE.name in names
        self.data_fence = self.fence and JSON.name not in names
        self.opens_text = self.fence or PROSE.name in names
        self.json = JSON.name in names
        self.flow = FLOW.name in names
        self.keeps_lines = KV.name in names
        self.tables = [f for f in formats if f in (ROWS, DERIVED)]
        self.formats = [f for f in formats if f not in (*_APART, *self.tables)]
        self.count, self.worth, self.calls, self.note = count, worth, calls, note
        self.known: Known = {}
        self.counts: dict[int, int] = {}
        self.lengths = Lengths(self.facts, is_dense=DERIVED in self.tables)
        self.gathered: dict[int, Records | None] = {}
        self.grouped: dict[int, Groups | None] = {}
        self.alive: list[Any] = []  # parts of the document whose ``id`` was remembered

    def facts(self, value: Any) -> int:
        """Return the facts that a value of the document holds, which are its leaves."""
        if not is_container(value) or not value:
            return 1
        count = self.counts.get(id(value))
        if count is None:
            inner = [b for b in (value.values() if is_object(value) else value) if is_container(b)]
            count = len(value) - len(inner) + sum(map(self.facts, inner))
            self.counts[id(value)] = count
        return count

    def weight(self, value: Any, at: int) -> float:
        """Return the worth of a value of the document."""
        count = self.facts(value)
        return count if self.worth is None else self.worth.of(at, count)

    def is_pinned(self, value: Any, at: int) -> bool:
        """Whether something in a value must stay."""
        return self.worth is not None and self.worth.is_pinned(at, self.facts(value))

    def cls(
        self,
        key: str | int | None,
        value: Any,
        at: int,
        options: Iterable[AnyOption],
        narrower: Callable[[], Iterable[AnyOption | Series]] | None = None,
    ) -> MenuClass:
        pinned = self.is_pinned(value, at)
        return MenuClass(key, value, self.weight(value, at), tuple(options), pinned, narrower)

    def places(self, value: Any, at: int) -> list[int]:
        """Return the leaves before each child of a container."""
        below = value.values() if is_object(value) else value
        return list(accumulate(map(self.facts, below), initial=at))

    def placed(self, value: Any, at: int) -> Iterable[tuple[str | int, Any, int]]:
        """Yield the children of a container, with name or number and the leaves before each."""
        for (key, child), before in zip(_items(value), self.places(value, at), strict=False):
            yield key, child, before

    # The document

    def document(self, value: Any) -> MenuClass:
        options = self.blocks(value, None, 0, 0)
        may_flow = self.may_flow(value)
        if self.json or not (options or may_flow):
            options.insert(0, self.alone(JSON.name, dump(value)))
        if may_flow:
            flow = write_flow(value, known=self.known)
            # Alone on its line it may as well have no line feed, as compact JSON has none.
            alone = flow.find("\n") == len(flow) - 1
            options.insert(1, self.alone(FLOW.name, flow[:-1] if alone else flow))
        if self.v2 and (text := write(value, MCKP_V2)):
            options.append(self.alone(MCKP_V2.name, text))
        return self.cls(None, value, 0, options, lambda: self.narrower_document(value))

    def alone(self, name: str, text: str) -> Option:
        """Return a document that is one text, with the note that all texts have."""
        if not self.note:
            return Option(name, (text,))
        return Option(name, (above_notes(f"{text.removesuffix(chr(10))}\n") + self.note,))

    def narrower_document(self, value: Any) -> Iterator[AnyOption | Series]:
        """Return parts of the document: of it as a line, and of its tables."""

        def line(left: Any) -> tuple[str, str]:
            if self.flow and is_container(left):
                return FLOW.name, above_notes(write_flow(left, known=self.known))
            return JSON.name, above_notes(dump(left) + "\n")

        return self.narrower(value, None, 0, 0, line)

    # Lines

    def may_flow(self, value: Any) -> bool:
        """Whether a value may stand on one line in flow notation."""
        if not (self.flow and is_container(value) and value):
            return False
        return not (self.tables and self.keeps_lines and self.lengths.is_long(value))

    def member(
        self, key: str | int, value: Any, depth: int, at: int, *, below: bool | None = None
    ) -> MenuClass:
        """Return the class of a member, or of an item called by its index.

        It may be a line or a block, unless `below` says which of them.
        """
        # What is below comes first, for in the flow around it, it need not be written again.
        blocks = [] if below is False else self.blocks(value, key, depth, at)
        options = blocks
        # What is too long for a line of its own notation is no line of JSON either.
        is_block = self.flow and is_container(value) and not self.may_flow(value)
        if not below and not (blocks and is_block):
            name, text = self.line(key, value)
            options = [Option(name, (text,)), *blocks]
            if len(text) < SHORTEST_LINE:
                return self.cls(key, value, at, options)
        if not (is_container(value) or isinstance(value, str)):
            return self.cls(key, value, at, options)
        return self.cls(
            key,
            value,
            at,
            options,
            lambda: self.narrower(value, key, depth, at, lambda left: self.line(key, left), below),
        )

    def line(self, key: str | int, value: Any) -> tuple[str, str]:
        """Return the format and the line of a member."""
        if not is_container(value):
            return KV.name, member(key, value)
        if self.may_flow(value):
            return FLOW.name, write_flow(value, _name(key), self.known)
        return JSON.name, member(key, value)

    def item(self, value: Any) -> tuple[str, str]:
        """Return the format and the line of an item."""
        if self.may_flow(value):
            return FLOW.name, write_flow(value, "- ", self.known)
        return (JSON if is_container(value) else KV).name, item(value)

    # Blocks

    def may_open(self, value: Any) -> bool:
        """Whether a value may be a block, which of strings only those of several lines are."""
        if isinstance(value, str):
            return self.opens_text and "\n" in value
        return is_container(value) and bool(value)

    def blocks(self, value: Any, key: str | int | None, depth: int, at: int) -> list[AnyOption]:
        """Return the ways to write a value as a block under its own header."""
        if not self.may_open(value) or depth >= OPEN_DEPTH:
            return []
        options: list[AnyOption] = []
        are_blocks = self.are_blocks(value, at, depth)
        for format_ in () if are_blocks else self.tables:
            options += self.rows(format_, value, key, depth, at)
        has_rows = are_blocks or bool(options)
        for format_ in self.formats:
            if format_ is KV:
                options += self.lines(value, key, depth, at, has_rows=has_rows)
            elif format_.name not in _GRIDS or (is_array(value) and not has_rows):
                options += self.rows(format_, value, key, depth, at)
        if self.data_fence or (self.fence and isinstance(value, str)):
            options += self.rows(FENCE, value, key, depth, at)
        return options

    def rows(self, format_: Format, value: Any, key: Any, depth: int, at: int) -> list[AnyOption]:
        """Return tables of a value, and its text in other blocks."""
        given = self.records(value) if format_ in self.tables else value
        bodies = () if given is None else format_.bodies(given)
        return [self.block(format_, body, value, key, depth, at) for body in bodies]

    def records(self, value: Any) -> Records | None:
        """Return the records of a value in columns, gathered once."""
        if id(value) not in self.gathered:
            self.gathered[id(value)] = gathered(value) if may_be_rows(value) else None
        return self.gathered[id(value)]

    def block(
        self, format_: Format, body: Body, value: Any, key: Any, depth: int, at: int
    ) -> AnyOption:
        """Return a block in a format, as rows if it can be cut between them."""
        head = write_header(depth, key, body.shape, format_.name) + body.head
        if not body.rows:
            return Option(format_.name, (head,), below=True, tail=self.end(depth))
        return self.table(format_.name, head, body.rows, value, at, depth, "rows")

    def table(
        self,
        name: str,
        head: str,
        rows: Sequence[str],
        value: Any,
        at: int,
        depth: int,
        unit: str,
        narrow: Narrow | None = None,
    ) -> Rows:
        """Return the rows of an array, or of an object of records."""
        part = None if narrow is None else narrow.part
        worths = self.row_worths(value, at) if narrow is None else narrow.worths
        lines = unit == "items"
        more = self.call(at, depth)
        return Rows(
            name,
            (head, self.note) if lines and depth == 0 and self.note else (head,),
            rows,
            worths,
            list(value) if is_object(value) else range(len(value)),
            unit,
            kept_rows(constant(value) if narrow is None else narrow.value),
            below=True,
            tail=(part.note if part else "") + ("" if lines else self.end(depth)),
            part=part,
            pinned=self.pinned_rows(value, at),
            more=more,
            groups=no_groups
            if lines or more or self.worth is None
            else lambda: self.groups(value, at),
        )

    def end(self, depth: int) -> str:
        """Return the note that stands at the end of the document."""
        return self.note if depth == 0 else ""

    def row_worths(self, value: Any, at: int) -> Sequence[float]:
        """Return the worth of each item of an array, or of each record of an object."""
        return [self.weight(child, before) for _, child, before in self.placed(value, at)]

    def groups(self, value: Any, at: int) -> Groups | None:
        """Return the groups that records fall into, the same for all tables of them."""
        if id(value) not in self.grouped:
            self.grouped[id(value)] = groups_of(value, self.row_worths(value, at))
        return self.grouped[id(value)]

    def pinned_rows(self, value: Any, at: int) -> frozenset[int]:
        """Return which of these must stay."""
        if not self.is_pinned(value, at):
            return frozenset()
        placed = enumerate(self.placed(value, at))
        return frozenset(row for row, (_, child, at) in placed if self.is_pinned(child, at))

    def call(self, at: int, depth: int) -> More | None:
        """Return the call that gets what is missing of the array in a place."""
        return None if self.calls is None else self.calls.at(at, depth)

    def lines(
        self, value: Any, key: Any, depth: int, at: int, *, has_rows: bool
    ) -> list[AnyOption]:
        records = self.records(value) if has_rows and is_records(value) else None
        if records is not None and is_one_class(records):
            return []
        if is_object(value):
            children = tuple(
                self.member(name, child, depth + 1, before)
                for name, child, before in self.placed(value, at)
            )
            head = write_header(depth, key, f"{{{len(value)}}}" if depth == 0 else "", KV.name)
            fragments = (head, self.note) if depth == 0 and self.note else (head,)
            named = cache(lambda: fields_named(self.worth, self.placed(value, at), self.facts))
            return [Option(KV.name, fragments, 0, children, True, "fields", named=named)]
        if not is_array(value):
            return []
        head = write_header(depth, key, f"[{len(value)}]", KV.name)
        if records is not None:
            # One class is enough for few of an array, too, unless long arrays stand in them.
            is_opened = holds_long_array(value) or self.are_blocks(value, at, depth)
            return self.opened(value, head, depth, at) if is_opened else []
        texts = [self.item(child)[1] for child in value]
        items = self.table(KV.name, head, texts, value, at, depth, "items")
        return [items, *self.opened(value, head, depth, at)]

    def are_blocks(self, value: Any, at: int, depth: int) -> bool:
        """Whether a value has few records, one of which is too long for a row."""
        return (
            self.flow
            and is_array(value)
            and 1 < len(value) <= MOST_INLINE
            and is_records(value)
            and self.call(at, depth) is None
            and any(map(self.lengths.is_long_row, value))
        )

    def opened(self, value: list[Any], head: str, depth: int, at: int) -> list[AnyOption]:
        """Return an array of few items as one whose items may be blocks of their own."""
        if len(value) > MOST_INLINE or self.call(at, depth) is not None:
            return []
        if not any(is_container(child) and child for child in value):
            return []
        # Items that may all be blocks are lines all of them, or blocks, so that they stay in order.
        kinds = (False, True) if all(map(self.may_open, value)) else (None,)
        fragments = (head, self.note) if depth == 0 and self.note else (head,)
        found = (
            tuple(
                self.member(index, child, depth + 1, before, below=below)
                for index, child, before in self.placed(value, at)
            )
            for below in kinds
        )
        return [
            Option(KV.name, fragments, 0, children, below=True, unit="items")
            for children in found
            if all(child.options for child in children)
        ]

    # Parts

    def narrower(
        self,
        value: Any,
        key: str | int | None,
        depth: int,
        at: int,
        line: Callable[[Any], tuple[str, str]],
        below: bool | None = None,
    ) -> Iterator[AnyOption | Series]:
        """Yield the ways to write a part of a value: fewer columns, members, items or words."""
        if isinstance(value, str):
            if not self.is_pinned(value, at):
                yield from self.shorter(value, key, depth, at, line, below)
            return
        if not is_container(value) or not value:
            return
        may_open = below is not False and depth < OPEN_DEPTH
        if is_records(value) and len(value) > 1 and may_open:
            yield from self.narrower_tables(value, key, depth, at)
        if below or self.is_pinned(value, at):
            return
        is_few = not is_records(value) and self.facts(value) <= MOST_NESTED
        # A line has no room for the calls that get the rest of its arrays.
        if self.flow and self.calls is None and (depth == 0 or is_few):
            yield from self.lines_of(value, key, depth, at)
        elif self.flow and is_records(value):
            return
        elif (self.keeps_lines or key is not None) and len(line(value)[1]) > LINE_CHARACTERS:
            return  # unless the document may be nothing but a line
        elif is_array(value) and not is_records(value):
            yield from self.prefixes(value, at, line, self.end(depth))
        elif not self.flow:
            for narrow in Narrower(value, at, self.worth, self.count).versions():
                left = narrow.value()
                self.alive.append(left)
                name, text = line(left)
                yield from part_of_line(
                    name, text, narrow.part, sum(narrow.worths), narrow.value, self.end(depth)
                )

    def lines_of(self, value: Any, key: str | int | None, depth: int, at: int) -> Iterator[Line]:
        """Yield a value on a line with some of its leaves, if it may have any."""
        from mckp.menu.line import Leaves  # which loads NumPy

        leaves = Leaves(value, at, self.worth, self.count, self.facts)
        line = leaves.line("" if key is None else _name(key), self.end(depth), is_alone=depth == 0)
        if line is not None:
            yield line

    def narrower_tables(
        self, value: Any, key: Any, depth: int, at: int
    ) -> Iterator[Rows | Widening]:
        """Yield tables of some columns, in the first of the formats that fits each.

        Then such as have further columns in their first rows only.
        """
        records = self.records(value)
        columns = Narrower(value, at, self.worth, self.count, records=records)
        versions = columns.versions()
        for narrow in versions:
            left = narrow.records()
            name, body = self.grid(left)
            if body is not None:
                head = write_header(depth, key, body.shape, name) + body.head
                yield self.table(name, head, body.rows, value, at, depth, "rows", narrow)
            elif self.keeps_lines and is_array(value):
                left = narrow.value()
                self.alive.append(left)
                head = write_header(depth, key, f"[{len(left)}]", KV.name)
                rows = tuple(self.item(each)[1] for each in left)
                yield self.table(KV.name, head, rows, value, at, depth, "items", narrow)
        if ROWS in self.tables:
            for wider in columns.between(versions):
                yield from self.widening(wider, value, key, depth, at)

    def grid(self, records: Records) -> tuple[str, Body | None]:
        """Return the first table that fits some records, and its format."""
        for format_ in self.tables:
            if (body := next(format_.bodies(records), None)) is not None:
                return format_.name, body
        for format_ in self.formats:
            if format_.name in _GRIDS and (body := format_.body(records.values())) is not None:
                return format_.name, body
        return "", None

    def widening(
        self, wider: Wider, value: Any, key: Any, depth: int, at: int
    ) -> Iterator[Widening]:
        """Yield a table whose first rows have more columns than the others."""
        found = wider.table()
        if found is None:
            return
        (columns, constants, full), bare = found
        size = f"{{{len(value)}}}" if wider.is_named else f"[{len(value)}]"
        yield Widening(
            ROWS.name,
            (write_header(depth, key, size + columns, ROWS.name) + constants,),
            full,
            bare,
            wider.full.worths,
            wider.bare.worths,
            list(value) if wider.is_named else range(len(value)),
            wider.lost,
            wider.kept,
            self.end(depth),
            self.is_pinned(value, at) or self.call(at, depth) is not None,
        )

    def prefixes(
        self, value: list[Any], at: int, line: Callable[[Any], tuple[str, str]], note: str
    ) -> Iterator[Option]:
        """Yield the first items of an array on a line."""
        total = self.facts(value)
        places = self.places(value, at)
        size = 1
        while size < len(value):
            missing = total - (places[size] - at)
            kept = value[:size]
            self.alive.append(kept)
            worth = sum(
                self.weight(each, before) for each, before in zip(kept, places, strict=False)
            )
            part = Part((Overflow(missing, total, "facts"),), (f"[{size}:]",))
            name, text = line(kept)
            yield from part_of_line(name, text, part, worth, constant(kept), note)
            size += max(1, size // 2)

    def shorter(
        self,
        text: str,
        key: str | int | None,
        depth: int,
        at: int,
        line: Callable[[Any], tuple[str, str]],
        below: bool | None,
    ) -> Iterator[Option]:
        """Yield shorter forms of a long text, on a line, and those of several lines as a block."""
        worth, end = self.weight(text, at), self.end(depth)
        may_open = below is not False and depth < OPEN_DEPTH and PROSE in self.formats
        for form in shortener(text).forms(sizes(len(text), TEXT_STEP, 1)):
            part, left, kept = Part(notes(None, [form])), share(worth, form), constant(form.text)
            body = PROSE.body(form.text) if may_open else None
            if body is not None and key is not None:
                block = write_header(depth, key, body.shape, PROSE.name) + body.head + part.note
                yield Option(PROSE.name, (block,), left, below=True, tail=end, part=part, kept=kept)
            if not below and (body is None or len(form.text) < SHORTEST_LINE):
                yield from part_of_line(*line(form.text), part, left, kept, end)


def _name(key: str | int) -> str:
    return str(key) if isinstance(key, int) else write_key(key)


def _items(value: Any) -> Iterable[tuple[str | int, Any]]:
    return value.items() if is_object(value) else enumerate(list[Any](value))
