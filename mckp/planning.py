"""Which plan a document gets: values one by one, or in columns where that is worth its start."""

from __future__ import annotations

from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Final

from mckp.encoders import CSV, DERIVED, FENCE, FLOW, JSON, KV, MCKP_V2, PHRASES, PROSE, ROWS, TABLE
from mckp.jsontext import dumped, load
from mckp.menu_plan import MenuPlan
from mckp.tokenizers.bpe import Bpe
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from mckp.encoders.base import Format
    from mckp.plan import Plan
    from mckp.tokenizers.base import Tokenizer
    from mckp.menu.more import Templates
    from mckp.menu.worth import Worth

LEAST: Final = 1 << 10
"""Bytes of compact JSON from which on columns are faster, once they are there."""

LOADING: Final = 1 << 20
"""Bytes that take as long value by value as loading compiled kernels takes."""

COMPILING: Final = 1 << 28
"""Bytes that take as long value by value as compiling the kernels takes, where no copy is kept."""

MOST_REDUCED: Final = 1 << 16
"""Bytes of compact JSON up to which tables go without columns, and texts are shortened.

Beyond, what is cut are whole rows, items, members and blocks.
"""

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


class Planned:
    """A document, and its plans; both lead to the same result where both are there.

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
        Calls that get what is missing of arrays; only values one by one have them.

    Attributes
    ----------
    whole : Plan
        Ways to write all of it.
    """

    def __init__(
        self,
        tree: TreeNode,
        formats: tuple[Format, ...],
        tokenizer: Tokenizer,
        worth: Worth | None = None,
        note: str = "",
        more: Templates | None = None,
    ) -> None:
        self._tree: TreeNode | None = tree
        self._more = more
        self._given = formats, tokenizer, worth
        self._note = note
        columns = self._columns(tree) if worth is None and not note else None
        self.whole: Plan = columns or MenuPlan(tree, *self._given, note=note)

    @cached_property
    def part(self) -> Plan:
        """Ways to write some of it: in large documents, columns are cut from no table."""
        if self._tree is None:
            return self.whole
        given = self._given
        return MenuPlan(self._tree, *given, note=self._note, more=self._more, reduced=True)

    def _columns(self, tree: TreeNode) -> Plan | None:
        formats, tokenizer, _ = self._given
        bits = format_bits(formats)
        if not bits or not tree.is_json or not isinstance(tokenizer, Bpe):
            return None
        text = bytearray(dumped(tree.value))
        if len(text) < LEAST or not _is_worth_it(len(text)):
            return None
        from mckp.columns.plan import column_plan

        plan = column_plan(text, bits, tokenizer)
        if plan is not None and len(text) > MOST_REDUCED and self._more is None:
            self._tree = None
        return plan


def format_bits(formats: tuple[Format, ...]) -> int:
    """Return the formats as bits, 0 if columns do not know how to mix them."""
    names = {each.name for each in formats}
    mixes = JSON.name in names and (MCKP_V2.name not in names or {KV.name, TABLE.name} <= names)
    if not mixes or not names <= {*_NUMBERS, MCKP_V2.name}:
        return 0
    return sum(1 << _NUMBERS[name] for name in names - {MCKP_V2.name})


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
