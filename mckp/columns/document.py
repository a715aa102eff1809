"""From JSON to a tape that knows what its strings of JSON hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mckp.columns.tape import STRING, Tape, scan
from mckp.encoders.embedded import MOST_LEVELS, SPELLINGS, embedded
from mckp.jit import njit
from mckp.jsontext import dump

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.tape import Small

_SPELLINGS = {name: number for number, name in enumerate(SPELLINGS)}


def document_tape(text: bytes) -> Tape | None:
    """Return the tape of a compact JSON text, or None if it holds what tapes do not.

    What strings of JSON hold stands behind the document, each as an entry without a parent.

    Parameters
    ----------
    text : bytes
        What `mckp.jsontext.dump` writes.
    """
    tape, _, size = scan(np.frombuffer(text, np.uint8))
    if size < 0:
        return None
    first = 0
    for _ in range(MOST_LEVELS):
        last = tape.kind.size
        held = _embedded(tape, first)
        if not held:
            break
        below, _, size = scan(np.frombuffer(b"[" + ",".join(held.values()).encode() + b"]", np.uint8))
        tape = _joined(tape, below, held)
        first = last
    return tape


def _embedded(tape: Tape, first: int) -> dict[tuple[int, int], str]:
    """Return, by entry and spelling, the compact JSON of strings that are JSON."""
    found: dict[tuple[int, int], str] = {}
    for entry in _candidates(tape, first).tolist():
        text = tape.text[tape.begin[entry] : tape.stop[entry]].tobytes().decode()
        if (holds := embedded(text)) is not None:
            spelling, value = holds
            found[entry, _SPELLINGS[spelling]] = dump(value)
    return found


@njit
def _candidates(tape: Tape, first: int) -> Ints:
    """Return the first of equal strings that begin and end as JSON does."""
    found = np.empty(tape.kind.size - first, np.int64)
    count = 0
    for entry in range(first, tape.kind.size):
        begin, stop = tape.begin[entry], tape.stop[entry]
        if tape.kind[entry] != STRING or tape.same[entry] != entry or stop - begin < 3:
            continue
        opening, closing = tape.text[begin], tape.text[stop - 1]
        if opening in (91, 123) and closing == opening + 2:
            found[count] = entry
            count += 1
    return found[:count]


def _joined(tape: Tape, below: Tape, held: dict[tuple[int, int], str]) -> Tape:
    """Return a tape with what some of its strings hold behind it, where `below` is an array."""
    keys, key_map = _merged_keys(tape, below)
    here, moved = tape.kind.size, tape.text.size
    later = slice(1, None)
    roots = _children(below) - 1 + here
    inner, spelling = tape.inner.copy(), tape.spelling.copy()
    of = np.full(here, -1, np.int32)
    for number, (entry, spelled) in enumerate(held):
        of[entry] = number
        spelling[entry] = spelled
    mine = of[np.minimum(tape.same, here - 1)]
    has = mine >= 0
    inner[has] = roots[mine[has]]
    spelling[has] = spelling[tape.same[has]]
    names = below.key[later]
    return Tape(
        text=np.concatenate([tape.text, below.text]),
        kind=np.concatenate([tape.kind, below.kind[later]]),
        start=np.concatenate([tape.start, below.start[later] + moved]),
        end=np.concatenate([tape.end, below.end[later] + moved]),
        begin=np.concatenate([tape.begin, below.begin[later] + moved]),
        stop=np.concatenate([tape.stop, below.stop[later] + moved]),
        key=np.concatenate([tape.key, np.where(names < 0, -1, key_map[names]).astype(np.int32)]),
        next=_shifted(tape.next, below.next, here),
        size=np.concatenate([tape.size, below.size[later]]),
        facts=np.concatenate([tape.facts, below.facts[later]]),
        same=_shifted(tape.same, below.same, here),
        inner=np.concatenate([inner, below.inner[later]]),
        spelling=np.concatenate([spelling, below.spelling[later]]),
        key_start=np.concatenate([tape.key_start, below.key_start[keys] + moved]),
        key_end=np.concatenate([tape.key_end, below.key_end[keys] + moved]),
        key_begin=np.concatenate([tape.key_begin, below.key_begin[keys] + moved]),
        key_stop=np.concatenate([tape.key_stop, below.key_stop[keys] + moved]),
    )


def _shifted(left: Small, right: Small, here: int) -> Small:
    return np.concatenate([left, (right[1:] + (here - 1)).astype(np.int32)])


def _children(tape: Tape) -> Ints:
    """Return the entries of the items of an array that is the whole document."""
    found, entry = [], 1
    while entry < tape.kind.size:
        found.append(entry)
        entry = int(tape.next[entry])
    return np.array(found, dtype=np.int64)


def _merged_keys(tape: Tape, below: Tape) -> tuple[Ints, Ints]:
    """Return which names of another tape are new, and the number that each of its names gets."""
    known = {name: number for number, name in enumerate(_names(tape))}
    fresh: list[int] = []
    numbers: list[int] = []
    for place, name in enumerate(_names(below)):
        if name not in known:
            known[name] = len(known)
            fresh.append(place)
        numbers.append(known[name])
    # One more, so that there is something to point at even without names.
    return np.array(fresh, dtype=np.int64), np.array([*numbers, -1], dtype=np.int64)


def _names(tape: Tape) -> list[bytes]:
    text: Bytes = tape.text
    spans = zip(tape.key_start.tolist(), tape.key_end.tolist(), strict=True)
    return [text[start:end].tobytes() for start, end in spans]
