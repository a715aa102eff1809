"""The menu of JSON data."""

from __future__ import annotations

from functools import partial
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
from mckp.menu.base import Menu, MenuClass, Option, Others
from mckp.menu.more import Calls
from mckp.menu.reduction import ShorterTexts
from mckp.menu.smaller import SmallerValues
from mckp.weights import facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mckp.encoders.base import Format
    from mckp.menu.more import Templates
    from mckp.menu.reduction import Family, Reduction, Weigh
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
    *,
    reduced: bool = False,
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
    reduced : bool, default False
        Whether tables without some of their columns, and shortened texts, are offered.
    """
    calls = None if more is None else Calls(more, value)
    offer = _Offer(formats, worth, calls, reduced)
    return Menu(offer.document(value), Overflow(offer.facts(value), None, "facts"))


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
        reduced: bool,
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
        self.worth, self.calls, self.reduced = worth, calls, reduced
        self.known: Known = {}
        self.counts: dict[int, int] = {}
        self.long: dict[int, bool] = {}
        self.families: dict[tuple[int, str], Family] = {}

    def facts(self, value: Any) -> int:
        """Return the facts that a value of the document holds, which are its leaves."""
        if not is_container(value) or not value:
            return 1
        count = self.counts.get(id(value))
        if count is None:
            count = sum(map(self.facts, value.values() if is_object(value) else value))
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

    def document(self, value: Any) -> MenuClass:
        options = self.blocks(value, None, 0, 0)
        if self.json or not options:
            options.insert(0, Option(JSON.name, (dump(value),)))
            options += self.parts(value, 0, "facts", _noted_json)
        if self.may_flow(value):
            flow = write_flow(value, known=self.known)
            # Alone on its line it may as well have no line feed, as compact JSON has none.
            alone = flow.find("\n") == len(flow) - 1
            options.insert(1, Option(FLOW.name, (flow[:-1] if alone else flow,)))
            options += self.parts(
                value, 0, "facts", lambda part: [_option(FLOW.name, write_flow(part.content), part)]
            )
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
                options += self.lines(value, key, depth, at, has_rows=has_rows)
            elif format_.name not in _GRIDS or (is_array(value) and not has_rows):
                options += self.rows(format_, value, key, depth, at)
        if self.data_fence or (self.fence and isinstance(value, str)):
            options += self.rows(FENCE, value, key, depth, at)
        return options

    def rows(self, format_: Format, value: Any, key: Any, depth: int, at: int) -> list[Option]:
        """Return tables of all of a value, then those of its smaller versions."""
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
        if options and format_ is not FENCE:
            unit = "facts" if format_ is PROSE else "columns"
            narrow = partial(_narrow, format_, key, depth)
            pins = [child.pinned for child in options[0].children]

            def to_cut(part: Reduction) -> list[Option]:
                found = narrow(part, pins=pins)
                return [self.with_call(each, at, depth) for each in found if each.children]

            options += self.parts(value, at, unit, narrow, to_cut if pins else None)
        return options

    def parts(
        self,
        value: Any,
        at: int,
        unit: str,
        write: Callable[[Reduction], Iterable[Option]],
        opened: Callable[[Reduction], Iterable[Option]] | None = None,
    ) -> Iterable[Option]:
        """Return the ways to write smaller versions of a value, if such are wanted.

        Only of the smallest are rows cut here; of others where a choice leaves tokens over.
        """
        family = self.family(value, at, unit) if self.reduced else None
        if family is None:
            return []
        others = Others(family, write, opened)
        parts = list(filter(None, map(family.at, family.places())))
        return [*others.offered(parts), *others.opened(parts[-1:])]

    def with_call(self, option: Option, at: int, depth: int) -> Option:
        """Add to a way to write an array the call that gets what is missing of it."""
        if self.calls is not None and option.children:
            option.more = self.calls.at(at, depth)
        return option

    def family(self, value: Any, at: int, unit: str) -> Family | None:
        if is_container(value) and value:
            known = self.families.get((id(value), unit))
            if known is None:
                known = SmallerValues(value, unit, *self.leaves_from(at))
                self.families[id(value), unit] = known
            return known
        is_pinned = self.worth is not None and self.worth.is_pinned(at, 1)
        if not isinstance(value, str) or self.may_spell(value) or is_pinned:
            return None
        return ShorterTexts(value, self.weight(value, at))

    def leaves_from(self, at: int) -> tuple[Weigh, Callable[[int], bool] | None]:
        worth = self.worth
        if worth is None:
            return (lambda _: 1), None
        return (lambda i: worth.of(at + i, 1)), (lambda i: worth.is_pinned(at + i, 1))

    def lines(self, value: Any, key: Any, depth: int, at: int, *, has_rows: bool) -> list[Option]:
        if is_object(value):
            children = tuple(
                self.member(name, child, depth + 1, before)
                for (name, child), before in zip(
                    value.items(), self.places(value, at), strict=False
                )
            )
            head = write_header(depth, key, f"{{{len(value)}}}" if depth == 0 else "", KV.name)
            return [Option(KV.name, (head,), children, below=True, unit="fields")]
        if is_array(value):
            head = write_header(depth, key, f"[{len(value)}]", KV.name)
            options = [] if has_rows else [self.items(value, head, at)]
            # Records are cut by columns in tables, so that much less is made of each by itself.
            around, self.reduced = self.reduced, self.reduced and not has_rows
            options += self.opened(value, head, depth, at)
            self.reduced = around
            return [self.with_call(each, at, depth) for each in options]
        return []

    def items(self, value: list[Any], head: str, at: int) -> Option:
        """Return an array as a list with each item on a line."""
        plain = tuple(
            self.cls(index, child, before, self.item(child, before))
            for index, (child, before) in enumerate(
                zip(value, self.places(value, at), strict=False)
            )
        )
        return Option(KV.name, (head,), plain, below=True, unit="items")

    def opened(self, value: list[Any], head: str, depth: int, at: int) -> list[Option]:
        """Return an array whose items may be blocks of their own, if they are large."""
        if any(is_container(child) and child for child in value) and (
            len(dump(value)) >= LARGE_ITEM * len(value)
        ):
            children = tuple(
                self.member(i, child, depth + 1, before)
                for i, (child, before) in enumerate(
                    zip(value, self.places(value, at), strict=False)
                )
            )
            return [Option(KV.name, (head,), children, below=True, unit="items")]
        return []

    def member(self, key: str | int, value: Any, depth: int, at: int) -> MenuClass:
        """Return the class of a member, or of an item called by its index."""
        # What is below comes first, for in the flow around it, it need not be written again.
        blocks = self.blocks(value, key, depth, at)
        options = [_option(*self.line(key, value)), *blocks]

        def written(part: Reduction) -> list[Option]:
            return [_option(*self.line(key, part.content, known=False), part)]

        options += self.parts(value, at, "facts", written)
        return self.cls(key, value, at, options)

    def line(self, key: str | int, value: Any, *, known: bool = True) -> tuple[str, str]:
        """Return the format and the line of a member."""
        if not is_container(value):
            if self.may_spell(value):
                return FLOW.name, write_flow(value, f"{_name(key)}: ")
            return KV.name, member(key, value)
        if self.may_flow(value):
            return FLOW.name, write_flow(value, _name(key), self.known if known else None)
        return JSON.name, member(key, value)

    def item(self, value: Any, at: int) -> list[Option]:
        """Return the ways to write an item on a line of its own."""
        options = [_option(*self.item_line(value))]

        def written(part: Reduction) -> list[Option]:
            return [_option(*self.item_line(part.content, known=False), part)]

        return [*options, *self.parts(value, at, "facts", written)]

    def item_line(self, value: Any, *, known: bool = True) -> tuple[str, str]:
        if self.may_flow(value) or self.may_spell(value):
            return FLOW.name, write_flow(value, "- ", self.known if known else None)
        return (JSON if is_container(value) else KV).name, item(value)


def _narrow(
    format_: Format, key: Any, depth: int, part: Reduction, pins: list[bool] | None = None
) -> Iterable[Option]:
    """Yield the ways to write a smaller version of a value as a block, with its rows to cut."""
    content = part.content
    for body in format_.bodies(content):
        head = write_header(depth, key, body.shape, format_.name) + body.head
        if pins is None:
            text = head + "".join(body.rows) + part.note
            yield Option(format_.name, (text,), below=True)
            continue
        children = tuple(
            MenuClass(name, item, weight, [Option(format_.name, (row,))], pinned=pinned)
            for (name, item), weight, row, pinned in zip(
                _items(content), _weights(part), body.rows, pins, strict=False
            )
        )
        yield Option(format_.name, (head,), children, below=True, unit="rows", tail=part.note)


def _noted_json(part: Reduction) -> list[Option]:
    return [_option(JSON.name, dump(part.content) + "\n", part)]


def _weights(part: Reduction) -> Iterable[float]:
    """Yield the information in each child of a smaller version."""
    number = 0
    for child in part.content.values() if is_object(part.content) else part.content:
        count = facts(child)
        yield sum(map(part.worth, range(number, number + count)))
        number += count


def _option(format_name: str, text: str, part: Reduction | None = None) -> Option:
    return Option(format_name, (text if part is None else text + part.note,))


def _name(key: str | int) -> str:
    return str(key) if isinstance(key, int) else write_key(key)


def _items(value: Any) -> Iterable[tuple[str | int, Any]]:
    return value.items() if is_object(value) else enumerate(list[Any](value))
