"""The menu of JSON data."""

from __future__ import annotations

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
from mckp.encoders.embedded import embedded
from mckp.encoders.headers import write_header
from mckp.encoders.hints import Overflow
from mckp.encoders.kv import item, member
from mckp.encoders.native import Known, write_flow
from mckp.encoders.scalars import write_key
from mckp.jsontext import dump, is_array, is_container, is_object
from mckp.menu.base import Menu, MenuClass, Option
from mckp.menu.more import Calls

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.encoders.base import Format
    from mckp.menu.more import Templates
    from mckp.menu.reduction import Reduction
    from mckp.menu.worth import Worth

_APART: Final = (JSON, FLOW, FENCE, MCKP_V2, PHRASES)
_GRIDS: Final = (CSV.name, TABLE.name)

OPEN_DEPTH: Final = 12
"""Levels of containers that may become blocks of their own; deeper ones stay on a line."""

MOST_INLINE: Final = 8
"""Records of a table that are read with ease on one line; longer ones have lines."""

LARGE_ITEM: Final = 200
"""Mean characters of JSON above which the items of an array are worth opening one by one."""


def offer_data(
    value: Any,
    formats: tuple[Format, ...],
    worth: Worth | None = None,
    more: Templates | None = None,
) -> Menu:
    """Return the menu of a plain value.

    Parameters
    ----------
    value
        What JSON parses to.
    formats : tuple of Format
        Formats to offer, in the order of ties. Compact JSON is added where nothing else
        can carry a value.
    worth : Worth, optional
        The weights of the leaves; each is one fact if it is not given.
    more : Templates, optional
        Calls that get what is missing of arrays.
    """
    calls = None if more is None else Calls(more, value)
    offer = _Offer(formats, worth, calls)
    return Menu(offer.document(value), Overflow(offer.facts(value), None, "facts"))


def offer_part(
    part: Reduction,
    formats: tuple[Format, ...],
    worth: Worth | None = None,
    more: Templates | None = None,
    *,
    lines: bool = True,
) -> list[Option]:
    """Return the ways to write a smaller version of a document, without what is told of it.

    Of tables members are gone already, so their records are no blocks of their own.

    Parameters
    ----------
    part : Reduction
        The smaller version.
    formats, worth, more
        As for `offer_data`.
    lines : bool, default True
        Whether members may have lines of their own.
    """
    calls = None if more is None else Calls(more, part.content)
    options = _Offer(formats, worth, calls, lines, narrow=True).document(part.content).options
    for option in options:
        option.reduction = part
    return options


class _Offer:
    """The recursion over a document.

    `depth` counts the containers around a value, `at` the leaves before it. How many facts a
    container holds and how it is written is asked for at every level above it, so both are
    remembered, by ``id``: the document outlives its menu.
    """

    def __init__(
        self,
        formats: tuple[Format, ...],
        worth: Worth | None,
        calls: Calls | None,
        lines: bool = True,
        narrow: bool = False,
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
        others = _APART if lines else (*_APART, KV)
        self.formats = [f for f in formats if f not in (*others, *self.tables)]
        self.worth, self.calls = worth, calls
        self.narrow = narrow
        self.known: Known = {}
        self.counts: dict[int, int] = {}
        self.long: dict[int, bool] = {}

    def facts(self, value: Any) -> int:
        """Return the facts that a value of the document holds, which are its leaves."""
        if not is_container(value) or not value:
            return 1
        count = self.counts.get(id(value))
        if count is None:
            count = 0
            for below in value.values() if is_object(value) else value:
                count += self.facts(below) if is_container(below) else 1
            self.counts[id(value)] = count
        return count

    def weight(self, value: Any, at: int) -> float:
        """Return the information in a value of the document."""
        count = self.facts(value)
        return count if self.worth is None else self.worth.of(at, count)

    def cls(self, key: str | int | None, value: Any, at: int, options: list[Option]) -> MenuClass:
        pinned = self.worth is not None and self.worth.is_pinned(at, self.facts(value))
        return MenuClass(key, value, self.weight(value, at), options, pinned=pinned)

    def places(self, value: Any, at: int) -> list[int]:
        """Return the leaves before each child of a container."""
        below = value.values() if is_object(value) else value
        return list(accumulate(map(self.facts, below), initial=at))

    def placed(self, value: Any, at: int) -> Iterable[tuple[str | int, Any, int]]:
        """Yield the children of a container, with name or number and the leaves before each."""
        for (key, child), before in zip(_items(value), self.places(value, at), strict=False):
            yield key, child, before

    def document(self, value: Any) -> MenuClass:
        options = self.blocks(value, None, 0, 0)
        may_flow = self.may_flow(value)
        # What is shorter as JSON than in flow notation is not worth its price in time.
        if (self.json and not self.narrow) or not (options or may_flow):
            options.insert(0, Option(JSON.name, (dump(value),)))
        if may_flow:
            flow = write_flow(value, known=self.known)
            # Alone on its line it may as well have no line feed, as compact JSON has none.
            alone = not self.narrow and flow.find("\n") == len(flow) - 1
            options.insert(not self.narrow, Option(FLOW.name, (flow[:-1] if alone else flow,)))
        if self.v2 and (text := write(value, MCKP_V2)):
            options.append(Option(MCKP_V2.name, (text,)))
        return self.cls(None, value, 0, options)

    def may_flow(self, value: Any) -> bool:
        """Whether a value may stand on one line in flow notation."""
        if not (self.flow and is_container(value) and value):
            return False
        return not (self.tables and self.keeps_lines and self.has_long_table(value))

    def has_long_table(self, value: dict[str, Any] | list[Any]) -> bool:
        """Whether a value is, or has as a member at any depth, a table too long for one line.

        An object is a table only if all its members are records, an array if any item is one.
        """
        found = self.long.get(id(value))
        if found is None:
            below = value.values() if is_object(value) else value
            if len(below) > MOST_INLINE:
                found = (any if is_array(value) else all)(map(is_object, below))
            else:
                inner = filter(is_container, below) if is_object(value) else ()
                found = any(map(self.has_long_table, inner))
            self.long[id(value)] = found
        return found

    def may_spell(self, value: Any) -> bool:
        """Whether a value is a string of JSON, to be written as what it holds."""
        return self.flow and isinstance(value, str) and embedded(value) is not None

    def may_open(self, value: Any) -> bool:
        """Whether a value may be a block, which of strings only those of several lines are."""
        if isinstance(value, str):
            return self.opens_text and "\n" in value
        return is_container(value) and bool(value)

    def blocks(self, value: Any, key: str | int | None, depth: int, at: int) -> list[Option]:
        """Return the ways to write a value as a block under its own header."""
        if not self.may_open(value) or depth >= OPEN_DEPTH:
            return []
        options: list[Option] = []
        for format_ in self.tables:
            options += self.rows(format_, value, key, depth, at)
        has_rows = any(option.is_whole for option in options)
        for format_ in self.formats:
            if format_ is KV:
                if not (self.narrow and has_rows):
                    options += self.lines(value, key, depth, at, has_rows=has_rows)
            elif format_.name not in _GRIDS or (is_array(value) and not has_rows):
                options += self.rows(format_, value, key, depth, at)
        if self.data_fence or (self.fence and isinstance(value, str)):
            options += self.rows(FENCE, value, key, depth, at)
        return options

    def rows(self, format_: Format, value: Any, key: Any, depth: int, at: int) -> list[Option]:
        """Return tables of a value, and its text in other blocks."""
        at_child = self.places(value, at) if is_container(value) else []
        options: list[Option] = []
        for body in format_.bodies(value):
            head = write_header(depth, key, body.shape, format_.name) + body.head
            children = tuple(
                self.cls(name, item, before, [Option(format_.name, (row,))])
                for (name, item), before, row in zip(
                    _items(value), at_child, body.rows, strict=False
                )
            )
            opened = Option(format_.name, (head,), children, below=True, unit="rows")
            options.append(self.with_call(opened, at, depth))
        return options

    def with_call(self, option: Option, at: int, depth: int) -> Option:
        """Add to a way to write an array the call that gets what is missing of it."""
        if self.calls is not None and option.children:
            option.more = self.calls.at(at, depth)
        return option

    def lines(self, value: Any, key: Any, depth: int, at: int, *, has_rows: bool) -> list[Option]:
        if is_object(value):
            children = tuple(
                self.member(name, child, depth + 1, before)
                for name, child, before in self.placed(value, at)
            )
            head = write_header(depth, key, f"{{{len(value)}}}" if depth == 0 else "", KV.name)
            return [Option(KV.name, (head,), children, below=True, unit="fields")]
        if is_array(value):
            head = write_header(depth, key, f"[{len(value)}]", KV.name)
            options = [] if has_rows else [self.items(value, head, at)]
            options += self.opened(value, head, depth, at)
            return [self.with_call(each, at, depth) for each in options]
        return []

    def items(self, value: list[Any], head: str, at: int) -> Option:
        """Return an array as a list with each item on a line."""
        plain = tuple(
            self.cls(index, child, before, self.item(child))
            for index, child, before in self.placed(value, at)
        )
        return Option(KV.name, (head,), plain, below=True, unit="items")

    def opened(self, value: list[Any], head: str, depth: int, at: int) -> list[Option]:
        """Return an array whose items may be blocks of their own, if they are large."""
        if any(is_container(child) and child for child in value) and (
            len(dump(value)) >= LARGE_ITEM * len(value)
        ):
            children = tuple(
                self.member(index, child, depth + 1, before)
                for index, child, before in self.placed(value, at)
            )
            return [Option(KV.name, (head,), children, below=True, unit="items")]
        return []

    def member(self, key: str | int, value: Any, depth: int, at: int) -> MenuClass:
        """Return the class of a member, or of an item called by its index."""
        # What is below comes first, for in the flow around it, it need not be written again.
        blocks = self.blocks(value, key, depth, at)
        return self.cls(key, value, at, [_option(*self.line(key, value)), *blocks])

    def line(self, key: str | int, value: Any) -> tuple[str, str]:
        """Return the format and the line of a member."""
        if not is_container(value):
            if self.may_spell(value):
                return FLOW.name, write_flow(value, f"{_name(key)}: ")
            return KV.name, member(key, value)
        if self.may_flow(value):
            return FLOW.name, write_flow(value, _name(key), self.known)
        return JSON.name, member(key, value)

    def item(self, value: Any) -> list[Option]:
        """Return the ways to write an item on a line of its own."""
        if self.may_flow(value) or self.may_spell(value):
            return [_option(FLOW.name, write_flow(value, "- ", self.known))]
        return [_option((JSON if is_container(value) else KV).name, item(value))]


def _option(format_name: str, text: str) -> Option:
    return Option(format_name, (text,))


def _name(key: str | int) -> str:
    return str(key) if isinstance(key, int) else write_key(key)


def _items(value: Any) -> Iterable[tuple[str | int, Any]]:
    return value.items() if is_object(value) else enumerate(list[Any](value))
