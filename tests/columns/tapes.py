"""Tapes of plain values, and what stands on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mckp.columns.tape import (
    AFTER,
    BEGIN,
    END,
    KEY_BEGIN,
    KEY_STOP,
    START,
    STOP,
    scan,
)
from mckp.jsontext import dumped, is_container, is_object, load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.columns.buffer import Bytes
    from mckp.columns.tape import Small, Tape


def bytes_of(text: bytes) -> Bytes:
    """Return a text as an array that may be written."""
    return np.frombuffer(bytearray(text), np.uint8)


def tape_of(value: Any) -> Tape:
    """Return the tape of a plain value."""
    return scan(bytes_of(dumped(value)))[0]


def entries_of(value: Any) -> Iterator[Any]:
    """Yield a value and all below it, in the order of a tape."""
    yield value
    if is_container(value):
        for below in value.values() if is_object(value) else value:
            yield from entries_of(below)


def children(tape: Tape, entry: int) -> Small:
    """Return the entries right below an entry."""
    found: list[int] = []
    child = entry + 1
    while child < tape.nodes[entry, AFTER]:
        found.append(child)
        child = int(tape.nodes[child, AFTER])
    return np.array(found, np.int32)


def name_of(tape: Tape, key: int) -> str:
    """Return the name that has a number."""
    return tape.text[tape.keys[key, KEY_BEGIN] : tape.keys[key, KEY_STOP]].tobytes().decode()


def json_at(tape: Tape, entry: int) -> str:
    """Return the JSON of an entry."""
    return tape.text[tape.spans[entry, START] : tape.spans[entry, END]].tobytes().decode()


def content_of(tape: Tape, entry: int) -> str:
    """Return the content of a string."""
    return tape.text[tape.spans[entry, BEGIN] : tape.spans[entry, STOP]].tobytes().decode()


def value_of(tape: Tape, entry: int) -> Any:
    """Return the value of an entry."""
    return load(json_at(tape, entry))
