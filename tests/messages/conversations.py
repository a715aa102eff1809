"""Random conversations with calls of tools, in the shapes of three interfaces."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from hypothesis import strategies as st

from mckp.jsontext import is_array, is_object
from tests.session.responses import TEXTS

Message: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Call:
    id: str
    tool: str
    texts: list[str]
    failed: bool
    has_picture: bool


_LONG = st.sampled_from(
    [
        json.dumps([{"id": n, "state": "done", "job": f"job {n % 3}"} for n in range(30)]),
        "\n".join(f"2026-01-01 12:00:{n:02} INFO step {n} of the build is done" for n in range(40)),
        "> [#1]\nnothing of this was said before\n" * 8,
    ]
)
_CALLS = st.tuples(
    st.sampled_from(["Read", "Bash", "mcp__ci__get_jobs"]),
    st.lists(_LONG | _LONG | TEXTS, min_size=1, max_size=2),
    st.sampled_from([False, False, False, True]),
    st.booleans(),
)


@st.composite
def turns(draw: st.DrawFn) -> list[list[Call]]:
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    number = iter(range(100))
    return [[Call(f"c{next(number)}", *draw(_CALLS)) for _ in range(size)] for size in sizes]


def chat(turn: list[Call]) -> list[Message]:
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": "{}"}}
        for call in turn
    ]
    answers = [
        {"role": "tool", "tool_call_id": call.id, "content": _content(call, "text")}
        for call in turn
    ]
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *answers]


def items(turn: list[Call]) -> list[Message]:
    calls = [
        {"type": "function_call", "call_id": call.id, "name": call.tool, "arguments": "{}"}
        for call in turn
    ]
    kind = "function_call_output"
    answers = [
        {"type": kind, "call_id": call.id, "output": _content(call, "input_text")} for call in turn
    ]
    return [{"type": "reasoning", "id": "r"}, *calls, *answers]


def blocks(turn: list[Call]) -> list[Message]:
    uses: list[Message] = [
        {"type": "tool_use", "id": call.id, "name": call.tool, "input": {}} for call in turn
    ]
    results = [
        {
            "type": "tool_result",
            "tool_use_id": call.id,
            "content": _content(call, "text"),
            "is_error": call.failed,
            "cache_control": {"type": "ephemeral"},
        }
        for call in turn
    ]
    return [
        {"role": "assistant", "content": [{"type": "text", "text": "Let me see."}, *uses]},
        {"role": "user", "content": [*results, {"type": "text", "text": "Go on."}]},
    ]


SHAPES: tuple[Callable[[list[Call]], list[Message]], ...] = (chat, items, blocks)


def _content(call: Call, kind: str) -> str | list[Message]:
    if len(call.texts) == 1 and not call.has_picture:
        return call.texts[0]
    mark = {"cache_control": {"type": "ephemeral"}}
    texts: list[Message] = [{"type": kind, "text": text, **mark} for text in call.texts]
    return [*texts, {"type": "image", "source": "…"}] if call.has_picture else texts


def masked(value: Any, texts: list[str]) -> Any:
    """Return messages with the texts of results taken out, which are added to a list."""
    if is_array(value):
        return [masked(item, texts) for item in value]
    if not is_object(value):
        return value
    without_texts = {name: masked(member, texts) for name, member in value.items()}
    is_result = value.get("role") == "tool" or value.get("type") in _RESULTS
    for name in ("content", "output") if is_result else ():
        if isinstance(value.get(name), str):
            texts.append(value[name])
            without_texts[name] = None
    if "text" in value and "cache_control" in value:
        texts.append(value["text"])
        without_texts["text"] = None
    return without_texts


_RESULTS = ("tool_result", "function_call_output")
