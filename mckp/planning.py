"""Which plan a document gets: values one by one, or in columns where that is worth its start."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders import CSV, DERIVED, FENCE, FLOW, JSON, KV, MCKP_V2, PHRASES, PROSE, ROWS, TABLE
from mckp.jsontext import dumped, load
from mckp.menu_plan import MenuPlan
from mckp.parsers import as_tree
from mckp.tokenizers.bpe import Bpe
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from mckp.encoders.base import Format
    from mckp.plan import Plan
    from mckp.tokenizers.base import Tokenizer

LEAST: Final = 1 << 10
"""Bytes of compact JSON from which on columns are faster, once they are there."""

STRAIGHT: Final = 1 << 14
"""Bytes of a JSON text from which on it is not parsed to values that columns do not need."""

LOADING: Final = 1 << 20
"""Bytes that take as long value by value as loading compiled kernels takes."""

COMPILING: Final = 1 << 28
"""Bytes that take as long value by value as compiling the kernels takes, where no copy is kept."""

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


def planned_from(
    data: Any, kind: str | None, formats: tuple[Format, ...], tokenizer: Tokenizer
) -> Plan:
    """Return the plan of whatever `mckp.encode` takes.

    The values of a large JSON text would take several times the room of all the rest, and
    parsing it half of the time, so where columns are at hand there are none.
    """
    plan = _straight(data, kind, formats, tokenizer)
    return planned(as_tree(data, kind), formats, tokenizer) if plan is None else plan


def _straight(
    data: Any, kind: str | None, formats: tuple[Format, ...], tokenizer: Tokenizer
) -> Plan | None:
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


def planned(tree: TreeNode, formats: tuple[Format, ...], tokenizer: Tokenizer) -> Plan:
    """Return the plan of a document; all plans of a document lead to the same result.

    Parameters
    ----------
    tree : TreeNode
        The document.
    formats : tuple of Format
        What may be used, in the order of ties.
    tokenizer : Tokenizer
        What counts.
    """
    bits = format_bits(formats)
    if bits and tree.is_json and isinstance(tokenizer, Bpe):
        text = bytearray(dumped(tree.value))
        if len(text) >= LEAST and _is_worth_it(len(text)):
            from mckp.columns.plan import column_plan

            del tree  # the values of a large document would be the larger part of all memory
            plan = column_plan(text, bits, tokenizer)
            if plan is not None:
                return plan
            tree = TreeNode.of(load(text.decode()))
    return MenuPlan(tree, formats, tokenizer)


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
