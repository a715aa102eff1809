"""The step `offer`: every way to write each part of a document whole.

The menu of data is made here, that of a text in `mckp.menu.text`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mckp.encoders import DERIVED, FENCE, FLOW, JSON, KV, MCKP_V2, PHRASES, RULES, write
from mckp.encoders.base import LINE_CHARACTERS
from mckp.encoders.follow_search import find
from mckp.encoders.hints import Overflow
from mckp.encoders.native import flow_lines
from mckp.jsontext import dump, is_array, is_container, is_object
from mckp.menu.classes import Menu, MenuClass, Option, RowsOption, guard_from_header
from mckp.menu.members import MOST_INLINE, OPEN_DEPTH, are_too_many, is_records, values
from mckp.menu.values import FACTS, GRIDS, MEMBERS, SHORTEST_LINE, PlacedValue, ValuePlan, Values
from mckp.menu.weighing import Weighed
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from mckp.encoders.base import Body, Format
    from mckp.menu.classes import AnyOption
    from mckp.menu.more import Templates

CLEARLY: Final = 0.85
"""A document below rules is shorter for sure if it has less than this share of the characters. At
.75, of 428 responses none took more than .86 of the tokens."""

LONGEST_ROW: Final = 6 * LINE_CHARACTERS
"""Most characters of a record as a row, lines below it not counted; a longer one is a block."""


def offer(
    document: Weighed,
    formats: tuple[Format, ...],
    reads_as: Callable[[str], str],
    more: Templates | None = None,
    *,
    is_whole: bool = False,
) -> Menu:
    """Return the menu of a document; if it `is_whole`, no part of the document will be cut.

    Of equally good options, that of the earlier format is taken. Data that no format can write are
    written as compact JSON. `reads_as` returns the kind that a reader takes a text for, such as
    ``"markdown"``. `more` has the calls that fetch rows which were cut.
    """
    if not document.tree.is_json:
        from mckp.menu.text import offer_text

        return offer_text(document, formats, reads_as)
    value, dropped = document.tree.value, document.dropped
    # Where items of arrays are dropped, later items have other indexes than in the source.
    calls = None if document.is_shifted else more
    found = find(value) if RULES in formats and dropped is None else None
    written = Values(document, formats, calls, has_rules=found is not None)
    # If nothing is left, the text is one note, which counts the whole document.
    place = PlacedValue(value)
    facts = place.facts + (0 if dropped is None else dropped.missing)
    offered = _Offer(written)
    if found is not None and found.share < CLEARLY and is_whole and PHRASES not in formats:
        body = written.ruled(place)
        table = () if body is None else (offered.block(RULES, body, place),)
        root = offered.value_class(ValuePlan(place), table)
    else:
        root = offered.document_class(place)
    menu = Menu(root, Overflow(facts, None, "facts"), written)
    if found is None:
        return menu
    rest = _Offer(Values(Weighed(TreeNode.of(found.less)), formats, None))
    return replace(menu, rules=found.head, less=rest.document_class(PlacedValue(found.less)))


class _Offer:
    """Makes the classes of a document, from its root down."""

    def __init__(self, values: Values) -> None:
        self.values = values

    def value_class(self, plan: ValuePlan, options: Iterable[AnyOption]) -> MenuClass:
        """Return the class of a value, given the options that write all of it."""
        place = plan.place
        worth, pinned = self.values.worth_of(place), self.values.is_pinned(place)
        is_divided = is_container(place.value) or isinstance(place.value, str)
        options, part_plan = tuple(options), plan if is_divided else None
        return MenuClass(place.key, place.value, worth, options, pinned, part_plan)

    def document_class(self, place: PlacedValue) -> MenuClass:
        """Return the class of a whole document."""
        value, options = place.value, self.blocks(place)
        may_flow = self.values.may_flow(place)
        if self.values.offers_json or not (options or may_flow):
            options.insert(0, self.text_option(JSON.name, dump(value)))
        if may_flow:
            flow = flow_lines("", *place.flow)
            # A text of one line needs no line feed, as compact JSON has none.
            alone = flow.find("\n") == len(flow) - 1
            options.insert(1, self.text_option(FLOW.name, flow[:-1] if alone else flow))
        if self.values.offers_v2 and (text := write(value, MCKP_V2)):
            options.append(self.text_option(MCKP_V2.name, text))
        return self.value_class(ValuePlan(place), options)

    def text_option(self, name: str, text: str) -> Option:
        """Return the option that writes the document as the given text, in the format `name`.

        The note on what was dropped, if any, follows.
        """
        if not self.values.note:
            return Option(name, (text,))
        return Option(
            name, (guard_from_header(f"{text.removesuffix(chr(10))}\n") + self.values.note,)
        )

    def member_class(self, place: PlacedValue, *, below: bool | None = None) -> MenuClass:
        """Return the class of a member, or of an item, whose name is its index.

        If `below` is None, it offers a line and blocks; if true, only blocks; if false, only a
        line.
        """
        value = place.value
        # Blocks are made first: what they hold is remembered, so the line does not write it again.
        blocks = [] if below is False else self.blocks(place)
        options = blocks
        # A value that is too long for a line in flow is no line of JSON either.
        is_block = (
            self.values.offers_flow and is_container(value) and not self.values.may_flow(place)
        )
        if not below and not (blocks and is_block):
            name, text = self.values.line(place)
            options = [Option(name, (text,)), *blocks]
            if len(text) < SHORTEST_LINE:
                return self.value_class(ValuePlan(place, below, has_narrower=False), options)
        return self.value_class(ValuePlan(place, below), options)

    def may_open(self, value: Any) -> bool:
        """Whether a value may be a block: a container, or a string of several lines."""
        if isinstance(value, str):
            return self.values.opens_text and "\n" in value
        return is_container(value) and bool(value)

    def blocks(self, place: PlacedValue) -> list[AnyOption]:
        """Return the options that write a value as a block below a header."""
        value = place.value
        if not self.may_open(value) or place.depth >= OPEN_DEPTH:
            return []
        options = [
            block for format_ in self.values.tables for block in self.format_blocks(format_, place)
        ]
        has_rows = bool(options)
        if are_blocks := self.are_blocks(place, options):
            options = []
        if self.values.has_rules and (body := self.values.ruled(place)) is not None:
            options.append(self.block(RULES, body, place))
        for format_ in self.values.formats:
            if format_ is KV:
                options += self.line_blocks(place, has_rows=has_rows, are_blocks=are_blocks)
            elif format_.name not in GRIDS or (is_array(value) and not has_rows):
                options += self.format_blocks(format_, place)
        if self.values.offers_data_fence or (self.values.offers_fence and isinstance(value, str)):
            options += self.format_blocks(FENCE, place)
        return options

    def format_blocks(self, format_: Format, place: PlacedValue) -> list[AnyOption]:
        """Return the blocks that write a value in one format."""
        content = place.records if format_ in self.values.tables else place.value
        bodies = () if content is None else format_.bodies(content)
        return [self.block(format_, body, place) for body in bodies]

    def block(self, format_: Format, body: Body, place: PlacedValue) -> AnyOption:
        """Return the option of a block; it is a `RowsOption` if the block has rows."""
        head = self.values.header(place, body.shape, format_.name) + body.head
        if not body.rows:
            return Option(format_.name, (head,), below=True, tail=self.values.end_note(place))
        return self.values.table(format_.name, head, body.rows, place)

    def line_blocks(
        self, place: PlacedValue, *, has_rows: bool, are_blocks: bool
    ) -> list[AnyOption]:
        """Return the options that write a container as lines, or some of its members as blocks.

        `has_rows` says that the container is also offered as a table, and `are_blocks` that its
        items suit blocks better.
        """
        value = place.value
        records = place.records if has_rows and is_records(value) else None
        if records is not None and are_too_many(records):
            return []  # they are one class of rows
        if is_object(value):
            head = self.values.header(
                place, f"{{{len(value)}}}" if place.key is None else "", KV.name
            )
            children = tuple(map(self.member_class, place.children()))
            above = self.values.head_fragments(place, head)
            return [Option(KV.name, above, 0, children, below=True, unit=MEMBERS)]
        if not is_array(value):
            return []
        head = self.values.header(place, f"[{len(value)}]", KV.name)
        if records is not None:
            # Few records are one class as well, unless long arrays are in them.
            arrays = filter(is_array, values(value))
            is_opened = are_blocks or any(len(array) > MOST_INLINE for array in arrays)
            return self.opening_options(place, head) if is_opened else []
        return [
            self.values.table(
                KV.name, head, list(map(self.values.item, place.children())), place, is_lines=True
            ),
            *self.opening_options(place, head),
        ]

    def are_blocks(self, place: PlacedValue, tables: Sequence[AnyOption]) -> bool:
        """Whether the records of an array suit blocks better than rows of the given tables.

        They do if they are few and have few scalars each, but some row would be very long.
        """
        value = place.value
        is_few = is_array(value) and len(value) <= MOST_INLINE and all(map(is_object, value))
        if not (is_few and self.values.keeps_lines) or DERIVED in self.values.tables:
            return False
        rows = (row for table in tables if isinstance(table, RowsOption) for row in table.rows)
        if not any(row.find("\n") > LONGEST_ROW for row in rows):
            return False
        return all(
            sum(not is_container(item) for item in record.values()) <= FACTS for record in value
        )

    def opening_options(self, place: PlacedValue, head: str) -> list[AnyOption]:
        """Return the options that make each item of an array a class of its own.

        There are none for a long array, and for one of scalars only.
        """
        value = place.value
        if len(value) > MOST_INLINE:
            return []
        if not any(is_container(child) and child for child in value):
            return []
        # To stay in order, items are all lines or all blocks, if all of them may be blocks.
        kinds = (False, True) if all(map(self.may_open, value)) else (None,)
        alternatives = (
            tuple(self.member_class(child, below=below) for child in place.children())
            for below in kinds
        )
        return [
            Option(
                KV.name,
                self.values.head_fragments(place, head),
                0,
                children,
                below=True,
                unit="items",
            )
            for children in alternatives
            if all(child.options for child in children)
        ]
