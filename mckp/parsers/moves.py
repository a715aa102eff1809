"""The moves of members that restore an order that was lost.

Formats put lines before blocks, and free text at the end of a row, as the order of members has no
meaning. In a JSON string it has: a different order is a different string. So the line above a text
lists moves: ``job<status``, ``id>url``. In each object with both names, ``job`` goes right before
``status`` if it comes after it, and ``id`` goes right after ``url`` if it comes before it.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.jsontext import STRING, dump, is_array, is_object
from mckp.parsers.cells import read_name
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Orders = dict[tuple[tuple[str, ...], tuple[str, ...]], None]

MOST_MOVES: Final = 40
ROUNDS: Final = 4
"""Most passes over the objects until no move undoes another."""

_SAFE: Final = regex(r"[^\W\d][\w.$@/-]*")
_NAME: Final = rf"(?:[^\W\d][\w.$@/-]*|{STRING})"
MOVES: Final = rf"{_NAME}[<>]{_NAME}(?: {_NAME}[<>]{_NAME})*"
"""Written moves, as a regular expression."""
_MOVE: Final = regex(rf"({_NAME})([<>])({_NAME})")


class Move(NamedTuple):
    """A name goes right before another one (``<``) or right after it (``>``)."""

    name: str
    sign: str
    other: str

    def __str__(self) -> str:
        return f"{_write_name(self.name)}{self.sign}{_write_name(self.other)}"


def _write_name(name: str) -> str:
    """Return a name as it is, or in quotation marks if it has special characters."""
    return name if _SAFE.fullmatch(name) else dump(name)


def read_moves(text: str) -> tuple[Move, ...]:
    """Parse written moves."""
    return tuple(
        Move(read_name(match[1]), match[2], read_name(match[3])) for match in _MOVE.finditer(text)
    )


def move_names(names: Sequence[str], moves: Iterable[Move]) -> list[str]:
    """Return the names, reordered by the moves.

    Examples
    --------
    >>> move_names(["id", "url", "status", "job"], read_moves("job<status id>url"))
    ['url', 'id', 'job', 'status']
    """
    order = list(names)
    there = set(order)
    for name, sign, neighbour in moves:
        if name in there and neighbour in there:
            at, goal = order.index(name), order.index(neighbour)
            if (at > goal) if sign == "<" else (at < goal):
                order.insert(goal, order.pop(at))
    return order


def reorder(value: Any, moves: Sequence[Move]) -> Any:
    """Return data with the members of all objects reordered by the moves."""
    known: dict[tuple[str, ...], list[str]] = {}

    def sorted_(node: Any) -> Any:
        if is_object(node):
            names = tuple(node)
            if (order := known.get(names)) is None:
                order = known[names] = move_names(names, moves)
            return {name: sorted_(node[name]) for name in order}
        return [sorted_(item) for item in node] if is_array(node) else node

    return sorted_(value) if moves else value


def moves_to(pairs: Iterable[tuple[Any, Any]]) -> tuple[Move, ...] | None:
    """Return the moves that give the first of each pair of equal data the order of the second.

    Return None if too many are needed, or if two objects need opposite moves.

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
        before = len(moves)
        for names, wanted in orders:
            moves += _missing_moves(move_names(names, moves), wanted)
            if len(moves) > MOST_MOVES:
                return None
        if len(moves) == before:
            return tuple(moves)
    return None


def _name_orders(first: Any, second: Any) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield the names of each pair of objects at the same place in two equal values."""
    pending = [(first, second)]
    while pending:
        left, right = pending.pop()
        if is_object(left):
            yield tuple(left), tuple(right)
            pending += ((child, right[name]) for name, child in left.items())
        elif is_array(left):
            pending += zip(left, right, strict=True)


def _missing_moves(names: Sequence[str], wanted: Sequence[str]) -> Iterator[Move]:
    """Yield the moves that bring names into another order, one for each name out of order."""
    if list(names) == list(wanted):
        return
    place = {name: at for at, name in enumerate(wanted)}
    placed = {place[name] for name in _longest_ascending(names, place)}
    order = list(names)
    for at, name in enumerate(wanted):
        if at in placed:
            continue
        placed.add(at)
        after = next((n for n in range(at + 1, len(wanted)) if n in placed), None)
        if at and order.index(name) < order.index(wanted[at - 1]):
            move = Move(name, ">", wanted[at - 1])
        elif after is not None and order.index(name) > order.index(wanted[after]):
            move = Move(name, "<", wanted[after])
        else:
            continue
        order = move_names(order, [move])
        yield move


def _longest_ascending(names: Sequence[str], place: dict[str, int]) -> list[str]:
    """Return the longest subsequence of names with ascending places, in time O(n log n)."""
    ends: list[int] = []  # the least place that ends a run of each length
    last: list[int] = []  # the number of the name at that place
    before: list[int] = []
    for number, name in enumerate(names):
        at = bisect_left(ends, place[name])
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1] = [place[name]]
        last[at : at + 1] = [number]
    run: list[str] = []
    number = last[-1] if last else -1
    while number >= 0:
        run.append(names[number])
        number = before[number]
    return run
