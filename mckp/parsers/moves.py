"""The moves of members that restore an order that was lost.

Formats put lines before blocks, and free text at the end of a row, as the order of members has no
meaning. In a JSON string it has: a different order is a different string. So the line above a text
lists moves: ``job<status``, ``id>url``. In each object with both names, ``job`` goes right before
``status`` if it comes after it, and ``id`` goes right after ``url`` if it comes before it.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.jsontext import STRING, JsonValue, dump, is_array, is_object
from mckp.parsers.cells import read_name
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Names = tuple[str, ...]
    Orders = dict[tuple[Names, Names], None]

MOST_MOVES: Final = 40
ROUNDS: Final = 4
"""Most passes over the objects until no move undoes another."""

_SAFE: Final = regex(r"[^\W\d][\w.$@/-]*")
_NAME: Final = rf"(?:[^\W\d][\w.$@/-]*|{STRING})"
MOVES: Final = rf"{_NAME}[<>]{_NAME}(?: {_NAME}[<>]{_NAME})*"
"""Written moves, as a regular expression."""
_MOVE: Final = regex(rf"({_NAME})([<>])({_NAME})")


class Move(NamedTuple):
    """A move of one name right before another one (``<``) or right after it (``>``)."""

    name: str
    sign: str
    other: str

    def __str__(self) -> str:
        return f"{_write_name(self.name)}{self.sign}{_write_name(self.other)}"


def _write_name(name: str) -> str:
    """Return a name as it is, or in quotation marks if it has special characters."""
    return name if _SAFE.fullmatch(name) else dump(name)


def read_moves(text: str) -> tuple[Move, ...]:
    """Parse moves as `Move` writes them, separated by blanks; anything else is skipped."""
    return tuple(
        Move(read_name(match[1]), match[2], read_name(match[3])) for match in _MOVE.finditer(text)
    )


def move_names(names: Sequence[str], moves: Iterable[Move]) -> list[str]:
    """Return the names after applying the moves in order.

    A move is skipped if one of its names is missing, or if its names are in the right order.

    Examples
    --------
    >>> move_names(["id", "url", "status", "job"], read_moves("job<status id>url"))
    ['url', 'id', 'job', 'status']
    """
    order = list(names)
    known = set(order)
    for name, sign, neighbour in moves:
        if name in known and neighbour in known:
            index, target = order.index(name), order.index(neighbour)
            if (index > target) if sign == "<" else (index < target):
                order.insert(target, order.pop(index))
    return order


def reorder(value: JsonValue, moves: Sequence[Move]) -> JsonValue:
    """Return data with the members of all objects reordered by the moves."""
    order_of: dict[tuple[str, ...], list[str]] = {}

    def reorder_node(node: JsonValue) -> JsonValue:
        if is_object(node):
            names = tuple(node)
            if (order := order_of.get(names)) is None:
                order = order_of[names] = move_names(names, moves)
            return {name: reorder_node(node[name]) for name in order}
        return [reorder_node(item) for item in node] if is_array(node) else node

    return reorder_node(value) if moves else value


def moves_to(pairs: Iterable[tuple[JsonValue, JsonValue]]) -> tuple[Move, ...] | None:
    """Return the moves that reorder the first value of each pair like the second.

    The values of a pair are equal but for the order of members. Return None if more than
    `MOST_MOVES` are needed, or if moves for one object keep undoing those for another.

    Examples
    --------
    >>> print(*moves_to([({"a": 1, "c": 3, "b": 2}, {"a": 1, "b": 2, "c": 3})]))
    c>b
    """
    orders: Orders = {}
    for first, second in pairs:
        for names, wanted in _name_orders(first, second):
            orders[names, wanted] = None
    moves: list[Move] = []
    for _ in range(ROUNDS):
        count_before = len(moves)
        for names, wanted in orders:
            moves += _missing_moves(move_names(names, moves), wanted)
            if len(moves) > MOST_MOVES:
                return None
        if len(moves) == count_before:
            return tuple(moves)
    return None


def _name_orders(first: JsonValue, second: JsonValue) -> Iterator[tuple[Names, Names]]:
    """Yield the names of the objects at each place of two values that are equal but for order."""
    pending = [(first, second)]
    while pending:
        left, right = pending.pop()
        if is_object(left) and is_object(right):
            yield tuple(left), tuple(right)
            pending += ((child, right[name]) for name, child in left.items())
        elif is_array(left) and is_array(right):
            pending += zip(left, right, strict=True)


def _missing_moves(names: Sequence[str], wanted: Sequence[str]) -> Iterator[Move]:
    """Yield moves that bring names closer to the wanted order, at most one for each name.

    The names of a longest run that is in the right order already stay where they are.
    """
    if list(names) == list(wanted):
        return
    goal_of = {name: index for index, name in enumerate(wanted)}
    placed_indexes = {goal_of[name] for name in _longest_ascending(names, goal_of)}
    order = list(names)
    for index, name in enumerate(wanted):
        if index in placed_indexes:
            continue
        placed_indexes.add(index)
        next_index = next((n for n in range(index + 1, len(wanted)) if n in placed_indexes), None)
        if index and order.index(name) < order.index(wanted[index - 1]):
            move = Move(name, ">", wanted[index - 1])
        elif next_index is not None and order.index(name) > order.index(wanted[next_index]):
            move = Move(name, "<", wanted[next_index])
        else:
            continue
        order = move_names(order, [move])
        yield move


def _longest_ascending(names: Sequence[str], place_of: dict[str, int]) -> list[str]:
    """Return the longest subsequence of names with ascending places, in time O(n log n)."""
    least_ends: list[int] = []  # the least place that ends a subsequence of each length
    end_indexes: list[int] = []  # the index of the name at that place
    previous: list[int] = []  # the index of the name before each name in its subsequence
    for index, name in enumerate(names):
        length = bisect_left(least_ends, place_of[name])
        previous.append(end_indexes[length - 1] if length else -1)
        least_ends[length : length + 1] = [place_of[name]]
        end_indexes[length : length + 1] = [index]
    ascending: list[str] = []
    index = end_indexes[-1] if end_indexes else -1
    while index >= 0:
        ascending.append(names[index])
        index = previous[index]
    return ascending[::-1]
