"""Conversations with calls and answers as data, as text."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.agents.adapters.text_calls import rewritten
from mckp.errors import DataError
from mckp.jsontext import difference
from mckp.tools.calls import Call, read_calls
from tests.cases import cases
from tests.strategies import examples
from tests.tools.calls.reading import ToolAnswer, read_results
from tests.tools.calls.test_answers import WORDS
from tests.tools.calls.test_roundtrip import ARGUMENTS, tool_of
from tests.tools.calls.test_stream import TOOLS

_SAID = WORDS.filter(bool)

_NAMES = st.sampled_from(["f", "g", "a b"])
_CALLED = st.lists(st.tuples(_NAMES, ARGUMENTS, WORDS, st.booleans()), min_size=1, max_size=3)
_TURNS = st.lists(st.tuples(_SAID, st.none() | _SAID, _CALLED), max_size=3)
_TOOLS = [*TOOLS, tool_of({}, "g"), tool_of({"properties": {"a": {}}}, "a b")]
_ALL = {tool.name: tool for tool in _TOOLS}


def _openai(turns: list[Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"role": "system", "content": "<call>x</call>"}]
    number = 0
    for asked, said, called in turns:
        calls: list[Any] = []
        answers: list[Any] = []
        for name, arguments, answer, _ in called:
            number += 1
            text = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
            function = {"name": name, "arguments": text}
            calls.append({"id": f"call_{number}", "type": "function", "function": function})
            answers.append({"role": "tool", "tool_call_id": f"call_{number}", "content": answer})
        found.append({"role": "user", "content": asked})
        found += [{"role": "assistant", "content": said, "tool_calls": calls}, *answers]
        found.append({"role": "assistant", "content": asked})
    return found


def _anthropic(turns: list[Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    number = 0
    for asked, said, called in turns:
        blocks: list[Any] = [{"type": "text", "text": said}] if said else []
        answers: list[Any] = []
        for name, arguments, answer, error in called:
            key = f"call_{(number := number + 1)}"
            blocks.append({"type": "tool_use", "id": key, "name": name, "input": arguments})
            result = {"type": "tool_result", "tool_use_id": key, "content": answer}
            answers.append({**result, "is_error": True} if error else result)
        found.append({"role": "user", "content": [{"type": "text", "text": asked}]})
        found.append({"role": "assistant", "content": blocks})
        found.append({"role": "user", "content": [*answers, {"type": "image", "source": {}}]})
    return found


def _read(text: str) -> tuple[list[Any], list[Any]]:
    calls = [event for event in read_calls(text, _TOOLS) if isinstance(event, Call)]
    return calls, [piece for piece in read_results(text) if isinstance(piece, ToolAnswer)]


@examples(100)
@given(turns=_TURNS)
def test_calls_and_answers_are_read_back(turns: list[Any]) -> None:
    """In conversations of both shapes, all calls and answers stand as text, and nothing else."""
    due = [each for _, _, called in turns for each in called]
    for messages, knows_errors in ((_openai(turns), False), (_anthropic(turns), True)):
        text = rewritten(messages, _ALL)
        assert all(message.keys() == {"role", "content"} for message in text)
        said = [each for message in text if message["role"] != "system" for each in _texts(message)]
        found = list(map(_read, said))
        calls = [call for some, _ in found for call in some]
        answers = [answer for _, some in found for answer in some]
        assert [call.name for call in calls] == [name for name, *_ in due]
        assert difference([call.arguments for call in calls], [each[1] for each in due]) is None
        errors = [knows_errors and error for *_, error in due]
        assert answers == [
            ToolAnswer(name, answer, error)
            for (name, _, answer, _), error in zip(due, errors, strict=True)
        ]


def _texts(message: dict[str, Any]) -> list[str]:
    content = message["content"]
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content if block["type"] == "text"]


def test_answers_in_another_order() -> None:
    calls = [
        {"id": key, "type": "function", "function": {"name": "f", "arguments": ""}} for key in "ab"
    ]
    messages: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "b", "content": "of b"},
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "of a"}]},
    ]
    said, answered = rewritten(messages, {})
    assert said == {"role": "assistant", "content": "<call>f</call>\n<call>f</call>"}
    answers = '<tool-result name="f">of a</tool-result>\n<tool-result name="f">of b</tool-result>'
    assert answered == {"role": "user", "content": answers}


def test_other_blocks_are_kept() -> None:
    thought = {"type": "thinking", "thinking": "hm"}
    picture: Any = {"type": "image", "source": {}}
    use: Any = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    seen: Any = [{"type": "text", "text": "see"}, picture]
    done: Any = {"type": "tool_result", "tool_use_id": "1", "content": seen}
    call: Any = {"id": "2", "function": {"name": "f", "arguments": ""}}
    said, answered, last, asked, again = rewritten(
        [
            {"role": "assistant", "content": [thought, use]},
            {"role": "user", "content": [done]},
            {"role": "system", "content": [picture]},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "2", "content": seen},
        ],
        {},
    )
    assert said["content"] == [{"type": "text", "text": "<call>f</call>"}, thought]
    text = '<tool-result name="f">see</tool-result>'
    assert answered["content"] == again["content"] == [{"type": "text", "text": text}, picture]
    assert (last["content"], asked["content"]) == ([picture], "<call>f</call>")


_BAD: Any = cases(__file__, "_BAD")


@pytest.mark.parametrize(("message", "said"), _BAD)
def test_bad_messages(message: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        rewritten([message], {})
