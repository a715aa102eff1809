"""The menu of JSON data."""

from __future__ import annotations

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
from mckp.encoders.hints import Hint
from mckp.encoders.kv import item, member
from mckp.encoders.native import Known, write_flow
from mckp.encoders.scalars import write_key
from mckp.jsontext import dump, is_array, is_container, is_object
from mckp.menu.base import Menu, MenuClass, Option

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.encoders.base import Format

_APART: Final = (JSON, FLOW, FENCE, MCKP_V2, PHRASES)
_GRIDS: Final = (CSV.name, TABLE.name)

OPEN_DEPTH: Final = 12
"""Levels of containers that may become blocks of their own; deeper ones stay on a line."""

MOST_INLINE: Final = 8
"""Records of a table that are read with ease on one line; longer ones have lines."""

LARGE_ITEM: Final = 200
"""Mean characters of JSON above which the items of an array are worth opening one by one."""


def offer_data(value: Any, formats: tuple[Format, ...]) -> Menu:
    """Return the menu of a plain value.

    Parameters
    ----------
    value
        What JSON parses to.
    formats : tuple of Format
        Formats to offer, in the order of ties. Compact JSON is added where nothing else
        can carry a value.
    """
    offer = _Offer(formats)
    return Menu(offer.document(value), Hint(offer.weight(value), None, "facts"))


class _Offer:
    """The recursion over a document; `depth` counts the containers around a value.

    What a container weighs and how it is written is asked for at every level above it, so
    both are remembered, by ``id``: the document outlives its menu.
    """

    def __init__(self, formats: tuple[Format, ...]) -> None:
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
        self.known: Known = {}
        self.weights: dict[int, int] = {}
        self.long: dict[int, bool] = {}

    def weight(self, value: Any) -> int:
        """Return the facts that a value of the document holds."""
        if not is_container(value) or not value:
            return 1
        weight = self.weights.get(id(value))
        if weight is None:
            weight = sum(map(self.weight, value.values() if is_object(value) else value))
            self.weights[id(value)] = weight
        return weight

    def document(self, value: Any) -> MenuClass:
        options = self.blocks(value, None, 0)
        if self.json or not options:
            options.insert(0, Option(JSON.name, (dump(value),)))
        if self.may_flow(value):
            flow = write_flow(value, known=self.known)
            # Alone on its line it may as well have no line feed, as compact JSON has none.
            alone = flow.find("\n") == len(flow) - 1
            options.insert(1, Option(FLOW.name, (flow[:-1] if alone else flow,)))
        if self.v2 and (text := write(value, MCKP_V2)):
            options.append(Option(MCKP_V2.name, (text,)))
        return MenuClass(None, value, self.weight(value), options)

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

    def blocks(self, value: Any, key: str | int | None, depth: int) -> list[Option]:
        """Return the ways to write a value as a block under its own header."""
        if not self.may_open(value) or depth >= OPEN_DEPTH:
            return []
        options: list[Option] = []
        below = value.values() if is_object(value) else value
        weights = list(map(self.weight, below)) if is_container(value) else []
        for format_ in self.tables:
            options += self.rows(format_, value, weights, key, depth)
        has_rows = bool(options)
        for format_ in self.formats:
            if format_ is KV:
                options += self.lines(value, weights, key, depth, has_rows=has_rows)
            elif format_.name not in _GRIDS or (is_array(value) and not has_rows):
                options += self.rows(format_, value, weights, key, depth)
        if self.data_fence or (self.fence and isinstance(value, str)):
            options += self.rows(FENCE, value, weights, key, depth)
        return options

    def rows(
        self, format_: Format, value: Any, weights: list[int], key: Any, depth: int
    ) -> list[Option]:
        options: list[Option] = []
        for body in format_.bodies(value):
            head = write_header(depth, key, body.shape, format_.name) + body.head
            children = tuple(
                MenuClass(name, item, weight, [Option(format_.name, (row,))])
                for (name, item), weight, row in zip(
                    _items(value), weights, body.rows, strict=False
                )
            )
            options.append(Option(format_.name, (head,), children, below=True, unit="rows"))
        return options

    def lines(
        self, value: Any, weights: list[int], key: Any, depth: int, *, has_rows: bool
    ) -> list[Option]:
        if is_object(value):
            children = tuple(self.member(name, child, depth + 1) for name, child in value.items())
            head = write_header(depth, key, f"{{{len(value)}}}" if depth == 0 else "", KV.name)
            return [Option(KV.name, (head,), children, below=True, unit="fields")]
        if is_array(value):
            head = write_header(depth, key, f"[{len(value)}]", KV.name)
            options = [] if has_rows else [self.items(value, weights, head)]
            return options + self.opened(value, head, depth)
        return []

    def items(self, value: list[Any], weights: list[int], head: str) -> Option:
        """Return an array as a list with each item on a line."""
        plain = tuple(
            MenuClass(index, child, weights[index], self.item(child))
            for index, child in enumerate(value)
        )
        return Option(KV.name, (head,), plain, below=True, unit="items")

    def opened(self, value: list[Any], head: str, depth: int) -> list[Option]:
        """Return an array whose items may be blocks of their own, if they are large."""
        if any(is_container(child) and child for child in value) and (
            len(dump(value)) >= LARGE_ITEM * len(value)
        ):
            children = tuple(self.member(i, child, depth + 1) for i, child in enumerate(value))
            return [Option(KV.name, (head,), children, below=True, unit="items")]
        return []

    def member(self, key: str | int, value: Any, depth: int) -> MenuClass:
        """Return the class of a member, or of an item called by its index."""
        # What is below comes first, for in the flow around it, it need not be written again.
        blocks = self.blocks(value, key, depth)
        if not is_container(value):
            line = self.scalar(key, value)
        elif self.may_flow(value):
            line = Option(FLOW.name, (write_flow(value, _name(key), self.known),))
        else:
            line = Option(JSON.name, (member(key, value),))
        return MenuClass(key, value, self.weight(value), [line, *blocks])

    def scalar(self, key: str | int, value: Any) -> Option:
        """Return a member that is no container on its line."""
        if self.may_spell(value):
            return Option(FLOW.name, (write_flow(value, f"{_name(key)}: "),))
        return Option(KV.name, (member(key, value),))

    def item(self, value: Any) -> list[Option]:
        """Return the ways to write an item on a line of its own."""
        if self.may_flow(value) or self.may_spell(value):
            return [Option(FLOW.name, (write_flow(value, "- ", self.known),))]
        return [Option(_on_line(value), (item(value),))]


def _name(key: str | int) -> str:
    return str(key) if isinstance(key, int) else write_key(key)


def _items(value: Any) -> Iterable[tuple[str | int, Any]]:
    return value.items() if is_object(value) else enumerate(list[Any](value))


def _on_line(value: Any) -> str:
    return JSON.name if is_container(value) else KV.name
