"""What may be written of a large document, priced: in arrays, from the tape to the text."""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.columns.abridge import abridged_texts, grafted
from mckp.columns.count import counted
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
from mckp.columns.fill import AT_ONCE, filled, priced_menu
from mckp.columns.options import (
    ABOVE,
    CHILDREN,
    ENTRY,
    FORMAT,
    LINE,
    NAMES,
    NARROW,
    OWNER,
    PHRASES,
    PLACE,
    SIZE,
    UNIT,
    UNITS,
    Menu,
)
from mckp.columns.outlook import ColumnOutlook
from mckp.columns.readback import reads_as
from mckp.columns.scratch import scratch_for
from mckp.columns.tabulate import CUT, tabulated
from mckp.columns.tape import END, FACTS, KEY_BEGIN, KEY_STOP, NAME, scan
from mckp.encoders.scalars import ABSENT
from mckp.jsontext import load
from mckp.memory import LARGE, give_back
from mckp.plan import Draft, Offer
from mckp.result import Choice, Elided
from mckp.table import Table
from mckp.verify import check_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.tape import Small, Tape
    from mckp.paths import Path
    from mckp.tokenizers.bpe import Bpe

_LARGEST: Final = 1 << 30
"""Bytes of JSON, or of texts on a menu, beyond which places might not fit 32 bits."""


def column_plan(text: bytearray | Bytes, formats: int, tokenizer: Bpe) -> ColumnPlan | None:
    """Return the plan of a document, or None if it holds what columns do not.

    Parameters
    ----------
    text : bytearray or array of uint8
        Compact JSON as `mckp.jsontext.dumped` writes it, which the plan keeps.
    formats : int
        Numbers of the formats to offer, as bits; see `mckp.columns.options`.
    tokenizer : Bpe
        What counts.
    """
    tape = document_tape(text) if len(text) < _LARGEST else None
    return None if tape is None else ColumnPlan(tape, formats, tokenizer)


class ColumnPlan:
    """A `mckp.plan.Plan` in arrays; a pick is the option of each class, -1 where it is cut.

    On the menu of a large document is only what may be part of the whole of it.

    Parameters
    ----------
    tape : Tape
        The document.
    formats : int
        Numbers of the formats to offer, as bits; see `mckp.columns.options`.
    tokenizer : Tokenizer
        What counts; counts of fragments must add up.
    prices : sequence of arrays of int32, optional
        Tokens of all options, if they are known; then all of them are on the menu.
    codes : list of bytes and array of int32, optional
        The texts of all of the document in codes, and their tokens, likewise.

    Attributes
    ----------
    formats : int
        The formats that are mixed freely.
    tokenizer : Bpe
        What counts.
    """

    scale = 1

    def __init__(
        self,
        tape: Tape,
        formats: int,
        tokenizer: Bpe,
        prices: Sequence[Small] = (),
        codes: tuple[list[bytes], Small] | None = None,
    ) -> None:
        self.tape, self.tokenizer = tape, tokenizer
        give_back(tape.text.size)
        self._scratch = scratch_for(tape)
        self.formats = formats & ~(1 << PHRASES)
        self.total = int(tape.nodes[0, FACTS])
        self._nothing = f"> [+{tape.nodes[0, FACTS]} facts]\n"
        self._floor = tokenizer.count(self._nothing)
        self._every: Sequence[Small] = ()
        if prices:
            self._set(filled(tape, self.formats, self._scratch), np.concatenate(prices))
        else:
            # Texts of a small document take little room, and whoever cuts it needs all of them.
            at_once = AT_ONCE if tape.text.size >= LARGE else 16 * AT_ONCE
            if formats & (1 << NARROW):
                at_once = _LARGEST  # a version is there to be cut
            priced = priced_menu(tape, self.formats, self._scratch, tokenizer, at_once)
            give_back(tape.text.size)
            self._every = priced.every
            self._set(priced.menu, priced.own)
        self._first = len(self.menu.options)
        if formats & (1 << PHRASES):
            self._offer_phrases()
        elif codes is not None:
            self._graft(*codes)

    def _set(self, menu: Menu, own: Small) -> None:
        self.menu, self._own = menu, own
        self._hint = hints(menu, self.tokenizer)
        self._settle()

    def _settle(self) -> None:
        """Find out what is cheapest."""
        self._cost, self.pick = cheapest(self.menu, self._own)

    def _offer_phrases(self) -> None:
        options = in_order(self.menu, self.pick)
        texts = self._texts(options)
        abridged = abridged_texts(texts, self.tokenizer)
        if abridged is None:
            return
        menu = grafted(self.menu, self.pick, options, abridged)
        del texts, abridged  # there may be no room for both them and counting
        counts = counted(menu.text, menu.spans[self._first :], self.tokenizer)
        if counts.sum() < self.most:
            self._set(menu, np.concatenate([self._own, counts.astype(np.int32)]))

    def _graft(self, texts: list[bytes], own: Small) -> None:
        options = in_order(self.menu, self.pick)
        menu = grafted(self.menu, self.pick, options, texts)
        self._set(menu, np.concatenate([self._own, own]))

    @property
    def full(self) -> ColumnPlan:
        """The plan of ways to write some of it, on whose menu is everything."""
        return self._full if self._every else self

    @cached_property
    def _full(self) -> ColumnPlan:
        return ColumnPlan(self.tape, self.formats, self.tokenizer, self._every, self._codes())

    def _codes(self) -> tuple[list[bytes], Small] | None:
        """Return the texts in codes, as they stand on the menu, and their tokens."""
        if self._first == len(self.menu.options):
            return None
        spans: list[list[int]] = self.menu.spans[self._first :].tolist()
        texts = [self.menu.text[start:end].tobytes() for start, end in spans]
        return texts, self._own[self._first :]

    @property
    def document(self) -> Any:
        return load(_decoded(self.tape.text[: self.tape.spans[0, END]]))

    @property
    def size(self) -> int:
        """Bytes of the compact JSON."""
        return int(self.tape.spans[0, END])

    @property
    def most(self) -> int:
        return int(self._cost[0])

    @property
    def best(self) -> tuple[str, str]:
        """How all of it is written at best: the format, and what its parts are called."""
        kind: list[int] = self.menu.kinds[self.pick[0]].tolist()
        return NAMES[kind[FORMAT]], UNITS[kind[UNIT]]

    def wholes(self) -> list[Draft]:
        return [self._whole]

    @cached_property
    def _whole(self) -> Draft:
        draft = Draft(self.pick, self._text(self.pick), self.total)
        # That is all that texts are there for, but for those in codes.
        if self._every and self._first == len(self.menu.options):
            self.menu = self.menu._replace(text=self.menu.text[:0].copy())
        return draft

    def nothing(self) -> Draft:
        return Draft(np.full(len(self.menu.classes), CUT, np.int32), self._nothing, 0)

    def offer(self, limit: int, exact: AbstractSet[int], near: int | None = None) -> Offer:
        own, hint, cost = (each.astype(np.int64) for each in (self._own, self._hint, self._cost))
        twice = np.zeros(len(self.menu.options), np.bool_)
        twice[list(exact)] = True
        rows = tabulated(self.menu, self.held, own, hint, cost, self._floor, limit, twice)

        def draft(choice: Sequence[int]) -> Draft:
            pick = np.full(len(self.menu.classes), CUT, np.int32)
            chosen = np.array(choice, dtype=np.int64)
            take_chosen(self.menu, self.pick, rows.start, rows.of, rows.option, chosen, pick)
            return Draft(pick, self._text(pick), self.account(pick)[1][0].item())

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
        give_back(self.tape.text.size)
        if draft.pick is self.pick:
            wanted, kept = self.tape, self.tape.text[: self.tape.spans[0, END]]
        else:
            kept = self._kept(draft.pick)
            wanted, _, _ = scan(kept)
        if not reads_as(draft.text, wanted):
            check_value(draft.text, load(_decoded(kept)))

    def choices(self, pick: Small) -> Iterable[Choice]:
        cost, value, missing = self.account(pick)
        blocks = self.menu.kinds[pick, UNIT] != LINE
        blocks[0] = True
        shown = self._in_document_order(blocks & (missing >= 0))
        formats: list[int] = self.menu.kinds[pick[shown], FORMAT].tolist()
        places = self.places
        for mine, format_, tokens, held in zip(
            shown.tolist(), formats, cost[shown].tolist(), value[shown].tolist(), strict=True
        ):
            yield Choice(places.path(mine), NAMES[format_], tokens, held)

    def elided(self, pick: Small) -> Iterable[Elided]:
        if pick[0] == CUT:
            yield Elided((), "facts", self.total, self.total, self.most, ())
            return
        missing = self.account(pick)[2]
        cut = self._in_document_order(missing > 0)
        first, sizes = self.menu.options[pick[cut]][:, [CHILDREN, SIZE]].T
        units = self.menu.kinds[pick[cut], UNIT]
        ends = np.cumsum(sizes, dtype=np.int64)
        below = np.repeat(first + sizes - ends, sizes) + np.arange(ends[-1] if ends.size else 0)
        gone = below[pick[below] == CUT]
        begin: Ints = np.cumsum(missing[cut]) - missing[cut]
        lost: Ints = np.add.reduceat(self._cost[gone], begin) if begin.size else begin
        places = self.places
        keys = iter(places.keys(gone))
        rows: list[list[int]] = np.column_stack((cut, units, sizes, lost)).tolist()
        for mine, unit, size, tokens in rows:
            names = tuple(islice(keys, int(missing[mine])))
            yield Elided(places.path(mine), UNITS[unit], len(names), size, tokens, names)

    def outlook(self, pick: Small) -> ColumnOutlook:
        if self._every:  # then all of it was written, and nothing else is on the menu
            return self.full.outlook(self.full.pick)
        return ColumnOutlook(self, pick)

    def hints(self, pick: Small) -> Iterable[tuple[Path, str]]:
        # Lines of a block are never cut, and blocks stand in the order of the document.
        return ((cut.path, cut.kind) for cut in self.elided(pick))

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

    @cached_property
    def places(self) -> Places:
        """Where classes stand in the document."""
        return Places(self.tape, self.menu)

    def prices_of(self, option: int) -> tuple[int, int]:
        """Return the tokens of an option without its children, and of its hint."""
        return int(self._own[option]), int(self._hint[option])

    @cached_property
    def held(self) -> NDArray[Any]:
        """The information in each entry of the tape."""
        return self.tape.nodes[:, FACTS].astype(np.int64)

    def account(self, pick: Small) -> tuple[Small, NDArray[Any], Small]:
        """Return for each class its tokens, what it keeps, and what it misses."""
        return account(self.menu, self.held, self._own, self._hint, pick)


class Places:
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
        named = self._tape.nodes[entries, NAME]
        numbers: list[int] = places.tolist()
        if (named < 0).all():
            return tuple(numbers)
        names: list[int] = named.tolist()
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


def hints(menu: Menu, tokenizer: Bpe) -> Small:
    """Return the tokens of each option's hint, 0 where there are no children."""
    found = np.zeros(len(menu.options), np.int32)
    cut = np.flatnonzero(menu.options[:, SIZE])
    units, sizes = menu.kinds[cut, UNIT].astype(np.int64), menu.options[cut, SIZE]
    kinds, number = np.unique(sizes * 8 + units, return_inverse=True)
    tokens = [_tokens_of_hint(kind & 7, kind >> 3, tokenizer) for kind in kinds.tolist()]
    found[cut] = np.array(tokens, dtype=np.int64)[number]
    return found


@lru_cache(1 << 12)
def _tokens_of_hint(unit: int, size: int, tokenizer: Bpe) -> int:
    text = _written(lambda out: put_hint(unit, size, size, out, 0), 80)
    return tokenizer.count(_decoded(text))
