"""Conversations are read as parts, of which each has the speaker that it is from."""

from typing import Any

import pytest

from mckp.agents.messages.conversation import conversation_parts
from mckp.agents.messages.requests import Request
from mckp.plain import JsonValue


def kinds_and_texts(messages: list[JsonValue]) -> list[tuple[str, str]]:
    """Return the kind and the text of each part of a conversation."""
    return [(part.kind, part.text) for part in conversation_parts(messages)]


def test_words_in_parts_are_read() -> None:
    """What is said in the messages of google-genai is part of the conversation, except thoughts."""
    thought: dict[str, Any] = {"text": "Hm.", "thought": True}
    messages: list[JsonValue] = [
        {"role": "user", "parts": [{"text": "Which one?"}]},
        {"role": "model", "parts": [thought, {"text": "The seventh."}]},
    ]
    assert kinds_and_texts(messages) == [("request", "Which one?"), ("message", "The seventh.")]


@pytest.mark.parametrize("role", ["tool", "function"])
def test_a_result_is_no_request(role: str) -> None:
    """The content of a result is not also read as words of the user."""
    message: JsonValue = {"role": role, "name": "get", "tool_call_id": "1", "content": "seven"}
    assert kinds_and_texts([message]) == [("result", "seven")]


@pytest.mark.parametrize("kind", ["text", "string", "input_text", "untyped", "parts"])
def test_a_request_is_heard_in_every_shape(kind: str) -> None:
    """What the user and the model say counts in the messages of each API, except thoughts."""
    request = Request()
    for role, text in (("user", "Which build failed?"), ("assistant", "Let me see.")):
        block = {"text": text} if kind in ("untyped", "parts") else {"type": kind, "text": text}
        content = text if kind == "string" else [block]
        if kind == "parts":
            spoken = [{"text": "Hm.", "thought": True}, block]
            request.hear({"role": role.replace("assistant", "model"), "parts": spoken})
        else:
            request.hear({"role": role, "content": content})
    assert request.text_for({"n": 7001}) == "Which build failed?\nLet me see.\n7001"


@pytest.mark.parametrize(
    ("args", "heard"),
    [
        ({"page": 1}, ""),
        ({"page": 1200, "per_page": 100}, ""),
        ({"issue": 4711, "page": 2}, "4711"),
        ({"q": "is a failed build"}, "failed build"),
        ({"country": "DE", "state": True}, ""),
        ({"city": "東京"}, "東京"),
        ({"ids": [12, 123]}, "123"),
    ],
)
def test_arguments_that_say_nothing_are_no_request(args: JsonValue, heard: str) -> None:
    """Numbers of pages and words of one or two letters match rows that nobody asked for."""
    request = Request()
    request.hear({"role": "user", "content": "Which build failed?"})
    assert request.text_for(args) == "\n".join(filter(None, ["Which build failed?", heard]))
