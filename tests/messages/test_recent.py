"""Memories are bounded, in number and in size, and what is forgotten is worked out again."""

import pytest

from mckp.agents.messages import MessageEncoder, encoder
from mckp.agents.messages.transcripts import Recent

LOG = "\n".join(f"step {n} of the build is done" for n in range(12))


def test_the_oldest_are_forgotten() -> None:
    """A memory drops its oldest entries beyond its number or its room, and keeps the newest."""
    recent = Recent[str, int](3, max_size=10)
    for number, name in enumerate("abac"):
        recent.put(name, number, 1)
    assert [recent.get(name) for name in "abc"] == [2, 1, 3]
    recent.put("d", 4, 1)
    assert [recent.get(name) for name in "abcd"] == [2, None, 3, 4]
    recent.put("e", 5, 9)
    assert [recent.get(name) for name in "acde"] == [None, None, 4, 5]
    recent.put("f", 6, 99)
    assert (len(recent), recent.take("f"), len(recent)) == (1, 6, 0)
    recent.put("g", 7, 10)
    assert recent.get("g") == 7


def test_conversations_that_are_forgotten_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A conversation that was forgotten is encoded to the same texts again."""
    monkeypatch.setattr(encoder, "MAX_CONVERSATIONS", 1)
    known = MessageEncoder()
    chats = [
        [
            {"type": "function_call_output", "call_id": f"c{number}", "output": f"{name}\n{LOG}"}
            for number in range(2)
        ]
        for name in "abc"
    ]
    for chat in chats:
        for number in range(2):
            called = {"type": "function_call", "call_id": f"c{number}", "name": "build"}
            chat.insert(0, {**called, "arguments": "{}"})
    first = [known.encode(chat) for chat in chats]
    assert [known.encode(chat) for chat in chats] == first
    assert all(chat[-1]["output"].startswith("> [ref #1]") for chat in first)
