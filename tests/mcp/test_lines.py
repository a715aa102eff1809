"""Bytes to messages, whatever the bytes are."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.agents.mcp.messages import Unreadable, id_in, read_messages
from mckp.agents.mcp.pipes import Splitter
from tests.cases import cases


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=8))
def test_portions_do_not_matter(raw: bytes, cuts: list[int]) -> None:
    """Bytes split into the same lines, however they are portioned."""
    places = [0, *sorted(cuts), len(raw)]
    splitter = Splitter()
    lines: list[Any] = []
    for first, last in pairwise(places):
        lines += splitter.feed(raw[first:last])
    lines += splitter.end()
    wanted = raw.split(b"\n")
    assert lines == (wanted if wanted[-1] else wanted[:-1])


@pytest.mark.parametrize("portion", [1, 7, 1000])
def test_lines_beyond_the_limit_are_not_kept(portion: int) -> None:
    """A line beyond the limit is replaced by a mark with its id, and the next one is read."""
    splitter = Splitter(max_bytes=100)
    raw = b'{"jsonrpc":"2.0","id":5,"result":{"a":"' + b"x" * 500 + b'"}}\nnext\n'
    lines: list[Any] = []
    for place in range(0, len(raw), portion):
        lines += splitter.feed(raw[place : place + portion])
    long, after = lines
    assert isinstance(long, Unreadable)
    assert (long.id, long.is_message) == (5, True)
    assert after == b"next"


@pytest.mark.parametrize(
    ("line", "members"),
    [
        (b'[{"id":1},{"id":2}]', 2),
        (b" [{}]", 1),
        (b"[]", 0),
        (b"[1, 2]", 0),
        (b'[{"id":1}, 2]', 0),
        (b"[INFO] started", 0),
        (b'[{"id":1},{"i', 0),
        (b"[" * 100_000, 0),
    ],
)
def test_batches_hold_messages(line: bytes, members: int) -> None:
    """Each message of a batch is marked as unreadable; other arrays count as one."""
    messages = read_messages(line)
    assert len(messages) == max(1, members)
    assert all(isinstance(message, Unreadable) for message in messages)


def test_halves_of_characters_are_replaced() -> None:
    """JSON may name them, but no text can hold them; whole pairs stay."""
    raw = rb'{"jsonrpc":"2.0","id":1,"result":{"text":"\ud83d \ud83d\ude00 \udc00"}}'
    (message,) = read_messages(raw)
    assert not isinstance(message, Unreadable)
    assert message["result"] == {"text": "\ufffd \U0001f600 \ufffd"}
    json.dumps(message["result"]).encode()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        *cases(__file__, "test_ids_of_damaged_messages"),
        ('{"result":{"content":[{"text":"' + "x" * 9000 + '"]},"jsonrpc":"2.0","id":12}', 12),
    ],
)
def test_ids_of_damaged_messages(text: str, wanted: Any) -> None:
    """An id is taken only where it is surely that of the message."""
    assert id_in(text) == wanted
    for message in read_messages(text.encode()):
        assert isinstance(message, Unreadable)
        assert message.id == wanted


def test_deep_nesting_is_no_crash() -> None:
    """A message nested 100,000 deep is unreadable and no crash."""
    raw = b'{"jsonrpc":"2.0","id":1,"result":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
    (message,) = read_messages(raw)
    assert isinstance(message, Unreadable)
