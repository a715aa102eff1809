"""What may be written of a large document, priced: in arrays, from the tape to the text."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.columns.abridge import abridged_texts, grafted
from mckp.columns.atoms import find_atoms, sums
from mckp.columns.decide import (
    account,
    cheapest,
    in_order,
    put_hint,
    take_chosen,
    write,
    write_each,
    write_kept,
)
from mckp.columns.document import document_tape
from mckp.columns.menu import offer
from mckp.columns.native_work import work_for
from mckp.columns.options import (
    ABOVE,
    CHILDREN,
    ENTRY,
    FORMAT,
    LINE,
    NAMES,
    OWNER,
    PHRASES,
    PLACE,
    SIZE,
    SOURCE,
    TEXT,
    UNIT,
    UNITS,
    Menu,
)
from mckp.columns.price import add_up, parts_of
from mckp.columns.readback import reads_as
from mckp.columns.scratch import Scratch, scratch_for
from mckp.columns.tabulate import CUT, tabulated
from mckp.columns.tape import END, FACTS, KEY_BEGIN, KEY_STOP, NAME, scan
from mckp.columns.units import room_for_units
from mckp.encoders.scalars import ABSENT
from mckp.jsontext import load
from mckp.plan import Draft, Offer
from mckp.result import Choice, Elided
from mckp.table import Table
from mckp.verify import check_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.tape import Small, Tape, Wide
    from mckp.tokenizers.bpe import Bpe

_LARGEST: Final = 1 << 30
"""Bytes of JSON, or of texts on a menu, beyond which places might not fit 32 bits."""


_AT_ONCE: Final = 1 << 21
"""Bytes of texts that are counted at once."""


def column_plan(text: bytearray, formats: int, tokenizer: Bpe) -> ColumnPlan | None:
    """Return the plan of a document, or None if it holds what columns do not.

    Parameters
    ----------
    text : bytearray
        Compact JSON as `mckp.jsontext.dumped` writes it, which the plan keeps.
    formats : int
        Numbers of the formats to offer, as bits; see `mckp.columns.options`.
    tokenizer : Bpe
        What counts.
    """
    tape = document_tape(text) if len(text) < _LARGEST else None
    return None if tape is None else ColumnPlan(tape, formats, tokenizer)


def filled(tape: Tape, formats: int, scratch: Scratch) -> Menu:
    """Return the menu of a document."""
    entries, shapes = tape.nodes.shape[0], 1 << 12
    classes = options = 2 * entries + 64
    size = 4 * tape.text.size + 4096
    while True:
        menu = Menu(
            np.empty((classes, 5), np.int32),
            np.empty((options, 9), np.int32),
            np.empty((options, 2), np.int32),
            np.empty(size, np.uint8),
            np.empty(entries + 64, np.int32),
            np.zeros(5, np.int64),
        )
        work = work_for(tape, shapes)
        offer(tape, formats, menu, work, scratch)
        used = menu.state.tolist()
        if used[0] <= classes and used[1] <= options and used[2] <= size and not work.short:
            break
        shapes *= 4 if work.short else 1
        classes, options = max(classes, 2 * used[0]), max(options, 2 * used[1])
        size = max(size, 2 * used[2])
    return Menu(
        menu.classes[: used[0]],
        menu.options[: used[1]],
        menu.spans[: used[1]],
        menu.text[: used[2]],
        menu.columns,
        menu.state,
    )


def priced(tape: Tape, menu: Menu, scratch: Scratch, tokenizer: Bpe) -> Ints:
    """Return the tokens of each option without its children."""
    count, size = tape.nodes.shape[0] + 4096, 4 * tape.text.size + (1 << 16)
    while True:
        units = room_for_units(count, size)
        atoms = find_atoms(tape, units)
        parts = parts_of(tape, menu, scratch, atoms, units)
        used, bytes_used = units.state.tolist()
        if used <= count and bytes_used <= size:
            break
        count, size = 2 * used, 2 * bytes_used
    tokens = counted(units.text, units.spans[:used], tokenizer)
    own = np.zeros(len(menu.options), np.int64)
    add_up(tape, menu, scratch, atoms, parts, sums(atoms, tokens), tokens, own)
    written = np.flatnonzero(menu.options[:, SOURCE] == TEXT)
    own[written] = counted(menu.text, menu.spans[written], tokenizer)
    return own


class ColumnPlan:
    """A `mckp.plan.Plan` in arrays; a pick is the option of each class, -1 where it is cut.

    Parameters
    ----------
    tape : Tape
        The document.
    formats : int
        Numbers of the formats to offer, as bits; see `mckp.columns.options`.
    tokenizer : Tokenizer
        What counts; counts of fragments must add up.
    """

    scale = 1

    def __init__(self, tape: Tape, formats: int, tokenizer: Bpe) -> None:
        self.tape = tape
        self._scratch = scratch_for(tape)
        self.menu = filled(tape, formats & ~(1 << PHRASES), self._scratch)
        self.total = int(tape.nodes[0, FACTS])
        self._nothing = f"> [+{tape.nodes[0, FACTS]} facts]\n"
        self._floor = tokenizer.count(self._nothing)
        self._own = priced(tape, self.menu, self._scratch, tokenizer)
        self._price(tokenizer)
        if formats & (1 << PHRASES):
            self._offer_phrases(tokenizer)

    def _price(self, tokenizer: Bpe) -> None:
        self._hint = hints(self.menu, tokenizer)
        self._cost, self._best = cheapest(self.menu, self._own)

    def _offer_phrases(self, tokenizer: Bpe) -> None:
        options = in_order(self.menu, self._best)
        texts = self._texts(options)
        abridged = abridged_texts(texts, tokenizer.count_batch, self.most)
        if abridged is not None:
            self.menu = grafted(self.menu, self._best, options, abridged)
            more = self.menu.spans[len(self._own) :]
            counts = counted(self.menu.text, more, tokenizer)
            self._own = np.concatenate([self._own, counts])
            self._price(tokenizer)

    @property
    def most(self) -> int:
        return int(self._cost[0])

    def wholes(self) -> list[Draft]:
        return [Draft(self._best, self._text(self._best), self.total)]

    def nothing(self) -> Draft:
        return Draft(np.full(len(self.menu.classes), CUT, np.int32), self._nothing, 0)

    def offer(self, limit: int, exact: AbstractSet[int]) -> Offer:
        twice = np.zeros(len(self.menu.options), np.bool_)
        twice[list(exact)] = True
        rows = tabulated(
            self.menu, self.tape.nodes, self._own, self._hint, self._cost, self._floor, limit, twice
        )

        def draft(choice: Sequence[int]) -> Draft:
            pick = np.full(len(self.menu.classes), CUT, np.int32)
            chosen = np.array(choice, dtype=np.int64)
            take_chosen(self.menu, self._best, rows.start, rows.of, rows.option, chosen, pick)
            return Draft(pick, self._text(pick), int(self._account(pick)[1][0]))

        table = Table.unchecked(rows.start, rows.cost, rows.value, rows.parent)
        return Offer(table, rows.due, lambda row: int(rows.option[row]) >> 1, draft)

    def lowest(self, limit: int) -> None:
        return None

    def refine(self, pick: Any) -> bool:
        return False

    def restore(self) -> None:
        pass

    def verify(self, draft: Draft) -> None:
        """Check that a text reads back as what was chosen, or raise a VerifyError."""
        if draft.pick[0] == CUT:
            check_value(draft.text, ABSENT)
            return
        if draft.pick is self._best:
            wanted, kept = self.tape, self.tape.text[: self.tape.spans[0, END]]
        else:
            kept = self._kept(draft.pick)
            wanted, _, _ = scan(kept)
        if not reads_as(draft.text, wanted):
            check_value(draft.text, load(_decoded(kept)))

    def choices(self, pick: Small) -> Iterable[Choice]:
        cost, value, missing = self._account(pick)
        blocks = self.menu.options[pick, UNIT] != LINE
        blocks[0] = True
        shown = self._in_document_order(blocks & (missing >= 0))
        formats: list[int] = self.menu.options[pick[shown], FORMAT].tolist()
        places = _Places(self.tape, self.menu)
        for mine, format_, tokens, held in zip(
            shown.tolist(), formats, cost[shown].tolist(), value[shown].tolist(), strict=True
        ):
            yield Choice(places.path(mine), NAMES[format_], tokens, held)

    def elided(self, pick: Small) -> Iterable[Elided]:
        if pick[0] == CUT:
            yield Elided((), "facts", self.total, self.total, self.most, ())
            return
        missing = self._account(pick)[2]
        cut = self._in_document_order(missing > 0)
        first, sizes, units = self.menu.options[pick[cut]][:, [CHILDREN, SIZE, UNIT]].T
        ends = np.cumsum(sizes, dtype=np.int64)
        below = np.repeat(first + sizes - ends, sizes) + np.arange(ends[-1] if ends.size else 0)
        gone = below[pick[below] == CUT]
        begin: Ints = np.cumsum(missing[cut]) - missing[cut]
        lost: Ints = np.add.reduceat(self._cost[gone], begin) if begin.size else begin
        places = _Places(self.tape, self.menu)
        keys = iter(places.keys(gone))
        rows: list[list[int]] = np.column_stack((cut, units, sizes, lost)).tolist()
        for mine, unit, size, tokens in rows:
            names = tuple(islice(keys, int(missing[mine])))
            yield Elided(places.path(mine), UNITS[unit], len(names), size, tokens, names)

    def _in_document_order(self, classes: NDArray[np.bool_]) -> Ints:
        found = np.flatnonzero(classes)
        return found[np.argsort(self.menu.classes[found, ENTRY], kind="stable")]

    def _text(self, pick: Small) -> str:
        if pick[0] == CUT:
            return self._nothing
        guess = self.tape.text.size + 4096
        return _decoded(
            _written(lambda out: write(self.tape, self.menu, self._scratch, pick, 0, out, 0), guess)
        )

    def _texts(self, options: Ints) -> list[str]:
        ends = np.empty(len(options) + 1, np.int64)
        guess = self.tape.text.size + 4096
        written = _written(
            lambda out: write_each(self.tape, self.menu, self._scratch, options, out, ends), guess
        ).tobytes()
        spans = zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
        return [written[start:end].decode() for start, end in spans]

    def _kept(self, pick: Small) -> Bytes:
        guess = self.tape.text.size + 16
        return _written(lambda out: write_kept(self.menu, self.tape, pick, 0, out, 0), guess)

    def _account(self, pick: Small) -> tuple[Ints, Ints, Ints]:
        return account(self.menu, self.tape.nodes, self._own, self._hint, pick)


class _Places:
    """Where classes stand in the document.

    Parameters
    ----------
    tape : Tape
        The document.
    menu : Menu
        Its menu.
    """

    def __init__(self, tape: Tape, menu: Menu) -> None:
        self._names = [
            tape.text[begin:stop].tobytes().decode()
            for begin, stop in tape.keys[:, [KEY_BEGIN, KEY_STOP]].tolist()
        ]
        self._tape, self._menu = tape, menu
        self._paths: dict[int, tuple[str | int, ...]] = {0: ()}

    def keys(self, classes: Ints) -> tuple[str | int, ...]:
        """Return the names of members, or the indices of items."""
        entries, places = self._menu.classes[classes][:, [ENTRY, PLACE]].T
        names: list[int] = self._tape.nodes[entries, NAME].tolist()
        numbers: list[int] = places.tolist()
        pairs = zip(names, numbers, strict=True)
        return tuple(number if name < 0 else self._names[name] for name, number in pairs)

    def path(self, mine: int) -> tuple[str | int, ...]:
        """Return the steps to a class from the root."""
        path = self._paths.get(mine)
        if path is None:
            entry, place, above = (
                int(self._menu.classes[mine, part]) for part in (ENTRY, PLACE, ABOVE)
            )
            name = int(self._tape.nodes[entry, NAME])
            step = place if name < 0 else self._names[name]
            path = (*self.path(int(self._menu.options[above, OWNER])), step)
            self._paths[mine] = path
        return path


def _decoded(text: Bytes) -> str:
    return str(text.data, "utf-8")


def _written(into: Callable[[Bytes], int], guess: int) -> Bytes:
    out = np.empty(guess, np.uint8)
    size = into(out)
    if size > guess:
        out = np.empty(size, np.uint8)
        into(out)
    return out[:size]


def counted(text: Bytes, spans: Small | Wide, tokenizer: Bpe) -> Ints:
    """Return the tokens of pieces of a buffer, each on its own."""
    found = np.empty(len(spans), np.int64)
    behind = np.cumsum(spans[:, 1] - spans[:, 0], dtype=np.int64)
    first = 0
    # Some at a time, for counting takes more room than the texts do.
    while first < len(spans):
        done = behind[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(behind, done + _AT_ONCE)))
        starts, ends = spans[first:last].T.astype(np.int64, order="C")
        found[first:last] = tokenizer.count_pieces(text, starts, ends)
        first = last
    return found


def hints(menu: Menu, tokenizer: Bpe) -> Ints:
    """Return the tokens of each option's hint, 0 where there are no children."""
    units, sizes = menu.options[:, UNIT].astype(np.int64), menu.options[:, SIZE]
    kinds, number = np.unique(sizes * 8 + units, return_inverse=True)
    texts = [_hint(kind & 7, kind >> 3) for kind in kinds.tolist()]
    counts = np.array(tokenizer.count_batch(texts), dtype=np.int64)
    return np.where(sizes > 0, counts[number], 0)


def _hint(unit: int, size: int) -> str:
    if not size:
        return ""
    return _decoded(_written(lambda out: put_hint(unit, size, size, out, 0), 80))
