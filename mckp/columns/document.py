"""From JSON to a tape that knows what its strings of JSON hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.columns.tape import (
    AFTER,
    BEGIN,
    INNER,
    KIND,
    NAME,
    SAME,
    SPELLING,
    STOP,
    STRING,
    Tape,
    scan,
)
from mckp.encoders.embedded import MOST_LEVELS, SPELLINGS, embedded
from mckp.jit import njit
from mckp.jsontext import dump

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.tape import Small, Wide

MOST_TEXT: Final = (1 << 31) - 1
"""Bytes of a tape's text that places of 32 bits reach."""

_SPELLINGS = {name: number for number, name in enumerate(SPELLINGS)}


def document_tape(text: bytes | bytearray | Bytes) -> Tape | None:
    """Return the tape of a compact JSON text, or None if it holds what tapes do not.

    What strings of JSON hold stands behind the document, each as an entry without a parent.

    Parameters
    ----------
    text : bytes, bytearray or array of uint8
        What `mckp.jsontext.dumped` writes; of the last two the tape takes possession.
    """
    tape, _, size = scan(_buffer(text))
    if size < 0:
        return None
    first = 0
    for _ in range(MOST_LEVELS):
        last = tape.nodes.shape[0]
        held = _embedded(tape, first)
        if not held:
            break
        below, _, _ = scan(_buffer(b"[" + ",".join(held.values()).encode() + b"]"))
        if tape.text.size + below.text.size > MOST_TEXT:
            return None
        fields = list(tape)
        del tape
        tape = _joined(fields, below, held)
        first = last
    return tape


def _buffer(text: bytes | bytearray | Bytes) -> Bytes:
    """Return a text as an array that may be written; only bytes are copied."""
    if isinstance(text, np.ndarray):
        return text
    return np.frombuffer(text if isinstance(text, bytearray) else bytearray(text), np.uint8)


def _embedded(tape: Tape, first: int) -> dict[tuple[int, int], str]:
    """Return, by entry and spelling, the compact JSON of strings that are JSON."""
    found: dict[tuple[int, int], str] = {}
    for entry in _candidates(tape, first).tolist():
        text = tape.text[tape.spans[entry, BEGIN] : tape.spans[entry, STOP]].tobytes().decode()
        if (holds := embedded(text)) is not None:
            spelling, value = holds
            found[entry, _SPELLINGS[spelling]] = dump(value)
    return found


@njit
def _candidates(tape: Tape, first: int) -> Ints:
    """Return the first of equal strings that begin and end as JSON does."""
    found = np.empty(tape.nodes.shape[0] - first, np.int64)
    count = 0
    for entry in range(first, tape.nodes.shape[0]):
        if tape.nodes[entry, KIND] != STRING or tape.nodes[entry, SAME] != entry:
            continue
        begin, stop = tape.spans[entry, BEGIN], tape.spans[entry, STOP]
        if stop - begin < 3:
            continue
        opening, closing = tape.text[begin], tape.text[stop - 1]
        if opening in (91, 123) and closing == opening + 2:
            found[count] = entry
            count += 1
    return found[:count]


def _joined(tape: list[Any], below: Tape, held: dict[tuple[int, int], str]) -> Tape:
    """Return a tape with what some of its strings hold behind it, where `below` is an array.

    Of the tape come only the arrays: each is let go once it stands in a longer one.
    """
    text, nodes, spans, keys = tape
    tape.clear()
    here, size = len(nodes), len(text)
    fresh, numbers = _merged_keys(text, keys, below)
    more = below.nodes[1:].copy()
    more[:, NAME] = numbers[more[:, NAME]]
    more[:, [AFTER, SAME]] += here - 1
    for (entry, spelling), root in zip(held, _items(below), strict=True):
        nodes[entry, INNER], nodes[entry, SPELLING] = root - 1 + here, spelling
    first = nodes[:, SAME]
    nodes[:, INNER], nodes[:, SPELLING] = nodes[first, INNER], nodes[first, SPELLING]
    nodes = np.concatenate([nodes, more])
    text = np.concatenate([text, below.text])
    spans = np.concatenate([spans, below.spans[1:] + size])
    return Tape(text, nodes, spans, np.concatenate([keys, below.keys[fresh] + size]))


def _items(tape: Tape) -> Iterator[int]:
    """Yield the entries of the items of an array that is the whole document."""
    entry = 1
    while entry < len(tape.nodes):
        yield entry
        entry = int(tape.nodes[entry, AFTER])


def _merged_keys(text: Bytes, keys: Wide, below: Tape) -> tuple[list[int], Small]:
    """Return which names of another tape are new, and the number that each of its names gets."""
    known = {name: number for number, name in enumerate(_names(text, keys))}
    names = list(_names(below.text, below.keys))
    fresh = [place for place, name in enumerate(names) if name not in known]
    known |= {names[place]: len(known) + i for i, place in enumerate(fresh)}
    # The last one is for what has no name.
    return fresh, np.array([*(known[name] for name in names), -1], dtype=np.int32)


def _names(text: Bytes, keys: Wide) -> Iterator[bytes]:
    for start, end in keys[:, :2].tolist():
        yield text[start:end].tobytes()
