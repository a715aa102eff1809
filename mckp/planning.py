"""Which plan a document gets: values one by one, or in columns where that is worth its start."""

from __future__ import annotations

from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders import CSV, DERIVED, FENCE, FLOW, JSON, KV, MCKP_V2, PHRASES, PROSE, ROWS, TABLE
from mckp.jsontext import dumped, load
from mckp.menu_plan import MenuPlan
from mckp.parsers import as_tree
from mckp.tokenizers.bpe import Bpe
from mckp.tree import TreeNode
from mckp.weights import facts

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.columns.plan import ColumnPlan
    from mckp.encoders.base import Format
    from mckp.menu.more import Templates
    from mckp.menu.worth import Worth
    from mckp.plan import Plan
    from mckp.tokenizers.base import Tokenizer

LEAST: Final = 1 << 9
"""Bytes of compact JSON from which on columns are faster, once they are there."""

STRAIGHT: Final = 1 << 14
"""Bytes of a JSON text from which on it is not parsed to values that columns do not need."""

LOADING: Final = 1 << 20
"""Bytes that take as long value by value as loading compiled kernels takes."""

COMPILING: Final = 1 << 28
"""Bytes that take as long value by value as compiling the kernels takes, where no copy is kept."""

MOST_REDUCED: Final = 1 << 19
"""Bytes of a document up to which members are cut from all records, and texts shortened.

Beyond, what is cut are whole rows, items, members and blocks, unless there are few of them.
"""

FEW_FACTS: Final = 1000
"""Facts, or blocks of a text, of which so much may be made however long they are."""

LONGEST: Final = 1 << 22
"""Bytes of a document with few facts up to which its texts are shortened."""

_NUMBERS: Final = {
    each.name: number
    for number, each in enumerate(
        (JSON, KV, CSV, TABLE, PROSE, FENCE, FLOW, ROWS, DERIVED, PHRASES)
    )
}


class _Meter:
    """The bytes that went value by value, and would have gone in columns.

    Whoever pays for a start once that many bytes would have paid for it never pays more than
    twice what was best in hindsight.
    """

    def __init__(self) -> None:
        self.bytes = 0
        self.due = 0  # when to look again whether kernels are there
        self.lock = Lock()

    def add(self, size: int) -> int:
        with self.lock:
            self.bytes += size
            return self.bytes


_METER: Final = _Meter()


def load_columns() -> bool:
    """Load what columns need, for a process that will stay; return whether it was there.

    Nothing is compiled: where no copy is kept, documents go value by value as before.
    """
    from mckp.columns import ready

    if not ready.is_ready():
        return False
    from mckp.columns.warm import warm_up

    warm_up()
    _METER.add(LOADING)
    return True


class Planned:
    """A document, and its plans.

    Parameters
    ----------
    whole : Plan
        Ways to write all of it.
    part : callable
        Makes the plan of ways to write some of it.
    """

    def __init__(self, whole: Plan, part: Callable[[], Plan]) -> None:
        self.whole, self._part = whole, part

    @cached_property
    def part(self) -> Plan:
        """Ways to write some of it."""
        return self._part()


def planned_from(
    data: Any, kind: str | None, formats: tuple[Format, ...], tokenizer: Tokenizer
) -> Planned:
    """Return the plans of whatever `mckp.encode` takes.

    The values of a large JSON text would take several times the room of all the rest, and
    parsing it half of the time, so where columns are at hand there are none.
    """
    straight = _straight(data, kind, formats, tokenizer)
    if straight is None:
        return planned(as_tree(data, kind), formats, tokenizer)
    if not _is_reduced(straight.size, straight.total):
        return Planned(straight, lambda: straight.full)
    return Planned(straight, lambda: _part_plan(straight.full, as_tree(data, kind).value, formats))


def _straight(
    data: Any, kind: str | None, formats: tuple[Format, ...], tokenizer: Tokenizer
) -> ColumnPlan | None:
    """Return the plan of a text that is surely JSON."""
    if kind not in (None, "json") or not isinstance(data, str | bytes | bytearray):
        return None
    bits, size = format_bits(formats), len(data)
    if not bits or size < STRAIGHT or not isinstance(tokenizer, Bpe) or not _is_at_hand(size):
        return None
    from mckp.columns.compact import compact_json
    from mckp.columns.plan import column_plan

    text = compact_json(data)
    if text is None or text.size < LEAST:
        return None
    return column_plan(text, bits, tokenizer)


def _part_plan(columns: ColumnPlan, value: Any, formats: tuple[Format, ...]) -> Plan:
    from mckp.part_plan import PartPlan  # needs numpy

    return PartPlan(columns, value, formats)


def planned(
    tree: TreeNode,
    formats: tuple[Format, ...],
    tokenizer: Tokenizer,
    worth: Worth | None = None,
    note: str = "",
    more: Templates | None = None,
) -> Planned:
    """Return the plans of a document; both lead to the same result where all of it fits.

    Parameters
    ----------
    tree : TreeNode
        The document.
    formats : tuple of Format
        What may be used, in the order of ties.
    tokenizer : Tokenizer
        What counts.
    worth : Worth, optional
        The weights of what the document holds, if they are not its facts.
    note : str, optional
        What every text says besides.
    more : Templates, optional
        Calls that get what is missing of arrays, of which columns know nothing.
    """
    if worth is not None or note or not tree.is_json:
        reduced = worth is not None or _is_reduced(len(tree.source or ""), _blocks(tree))
        return _by_value(tree, formats, tokenizer, worth, note=note, more=more, reduced=reduced)
    bits = format_bits(formats) if more is None else 0
    text = bytearray(dumped(tree.value))
    reduced = _is_reduced(len(text), facts(tree.value))
    is_large = len(text) >= LEAST
    if bits and isinstance(tokenizer, Bpe) and is_large and _is_worth_it(len(text)):
        from mckp.columns.plan import column_plan

        if reduced:
            value = tree.value
            if (whole := column_plan(text, bits, tokenizer)) is not None:
                return Planned(whole, lambda: _part_plan(whole.full, value, formats))
        else:
            # The values of a large document would be the larger part of all memory.
            tree = TreeNode.of(None)
            if (large := column_plan(text, bits, tokenizer)) is not None:
                return Planned(large, lambda: large.full)
            tree = TreeNode.of(load(text.decode()))
    return _by_value(tree, formats, tokenizer, None, note=note, more=more, reduced=reduced)


def _by_value(
    tree: TreeNode,
    formats: tuple[Format, ...],
    tokenizer: Tokenizer,
    worth: Worth | None,
    *,
    note: str,
    more: Templates | None,
    reduced: bool,
) -> Planned:
    if tree.is_json or not reduced:
        plan = MenuPlan(tree, formats, tokenizer, worth, note=note, more=more, reduced=reduced)
        return Planned(plan, lambda: plan)
    whole = MenuPlan(tree, formats, tokenizer, worth, note=note, more=more)
    return Planned(
        whole,
        lambda: MenuPlan(tree, formats, tokenizer, worth, note=note, more=more, reduced=True),
    )


def _blocks(tree: TreeNode) -> int:
    return 0 if tree.is_json else sum(1 for _ in tree.walk())


def _is_reduced(size: int, held: float) -> bool:
    """Whether a document is small enough to offer parts of its values."""
    return size <= MOST_REDUCED or (held <= FEW_FACTS and size <= LONGEST)


def format_bits(formats: tuple[Format, ...]) -> int:
    """Return the formats as bits, 0 if columns do not know how to mix them."""
    names = {each.name for each in formats}
    mixes = JSON.name in names and (MCKP_V2.name not in names or {KV.name, TABLE.name} <= names)
    if not mixes or not names <= {*_NUMBERS, MCKP_V2.name}:
        return 0
    return sum(1 << _NUMBERS[name] for name in names - {MCKP_V2.name})


def _is_at_hand(size: int) -> bool:
    """Whether columns are there, and need no more than to be loaded."""
    if _METER.bytes + size < max(LOADING, _METER.due):
        return False
    from mckp.columns import ready

    return ready.is_ready()


def _is_worth_it(size: int) -> bool:
    """Whether columns are there, or soon would have paid for their start."""
    done = _METER.add(size)
    if done < max(LOADING, _METER.due):
        return False
    from mckp.columns import ready

    if done >= COMPILING and not ready.is_ready():
        from mckp.columns.warm import warm_up

        warm_up()
    found = ready.is_ready()
    _METER.due = 0 if found else min(2 * done, max(done, COMPILING))
    return found
