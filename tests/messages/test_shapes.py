"""Messages of every client: results are found, cut, and put back in their shape."""

import copy
import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from mckp.agents.messages import MessageEncoder, encode_messages
from mckp.agents.messages.shapes import results_of
from mckp.jsontext import is_array, is_object
from mckp.tokenizers import get

ROWS: list[dict[str, Any]] = [{"id": n, "state": "done", "job": f"job {n % 3}"} for n in range(60)]
TEXT = json.dumps(ROWS)
BUDGET = 80
COUNT = get("o200k").count
MCP = {"content": [{"type": "text", "text": TEXT}], "structuredContent": {"jobs": ROWS}}


def chat(content: Any) -> list[Any]:
    call = {"id": "c1", "type": "function", "function": {"name": "jobs", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": content},
    ]


def function(content: Any) -> list[Any]:
    return [{"role": "function", "name": "jobs", "content": content}]


def responses(content: Any) -> list[Any]:
    return [
        {"type": "function_call", "call_id": "c1", "name": "jobs", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": content},
    ]


def anthropic(content: Any) -> list[Any]:
    return [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "jobs"}]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": content}],
        },
    ]


def genai(content: Any) -> list[Any]:
    given: dict[str, Any] = content if is_object(content) else {"output": content}
    answer: dict[str, Any] = {"function_response": {"name": "jobs", "response": given}}
    return [
        {"role": "model", "parts": [{"function_call": {"name": "jobs", "args": {"a": 1}}}]},
        {"role": "user", "parts": [answer]},
    ]


def genai_json(content: Any) -> list[Any]:
    text = json.dumps(genai(content)).replace("function_call", "functionCall")
    messages: list[Any] = json.loads(text.replace("function_response", "functionResponse"))
    return messages


def converse(content: Any) -> list[Any]:
    blocks = [{"text": content}] if isinstance(content, str) else content
    blocks = [{"json": content}] if isinstance(blocks, dict) else blocks
    result = {"toolUseId": "c1", "content": blocks, "status": "success"}
    return [
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c1", "name": "jobs"}}]},
        {"role": "user", "content": [{"toolResult": result}]},
    ]


SHAPES = [chat, function, responses, anthropic, genai, genai_json, converse]
CONTENTS: dict[str, Any] = {
    "text": TEXT,
    "data": ROWS,
    "object": {"jobs": ROWS, "page": 1},
    "events": [{"type": "push", "row": row} for row in ROWS],
    "MCP": MCP,
    "blocks": [{"type": "text", "text": TEXT}, {"type": "text", "text": "end of the jobs"}],
    "no JSON": {"at": {1, 2}, 3: b"caf\xe9", "rows": ROWS},
}


@pytest.mark.parametrize(
    ("shape", "content"),
    [
        (shape, content)
        for shape in SHAPES
        for content in CONTENTS
        if shape is not genai_json or content != "no JSON"
    ],
)
def test_results_are_found_in_every_shape(shape: Callable[[Any], list[Any]], content: str) -> None:
    """In each client's shape, the result alone is shortened, within the budget."""
    messages = shape(CONTENTS[content])
    before = copy.deepcopy(messages)
    sent = MessageEncoder(budget=BUDGET).encode(messages)
    assert messages == before
    assert sent[:-1] == messages[:-1]
    (first, *others) = list(results_of(sent[-1]))
    assert not others
    (was,) = list(results_of(messages[-1]))
    assert (first.path[:4], first.call_id) == (was.path[:4], was.call_id)
    shown = "".join(_strings(sent[-1]))
    assert COUNT(shown) <= BUDGET + 20  # roles and ids are counted here as well
    if content == "MCP" and "[60]{id}\n" in shown:
        pytest.xfail("a table of which half a small budget is left keeps bare ids: a known defect")
    assert "job 0" in shown or "done" in shown


@pytest.mark.parametrize("shape", [chat, responses, anthropic, genai, converse])
def test_bytes_are_read_as_the_text_that_they_are(shape: Callable[[Any], list[Any]]) -> None:
    """JSON in bytes is data, as it is in a text; what is not UTF-8 is cp1252."""
    for kind in (bytes, bytearray):
        sent = MessageEncoder(budget=BUDGET).encode(shape(kind(TEXT.encode())))
        assert _strings(sent[-1]) == _strings(MessageEncoder(budget=BUDGET).encode(shape(TEXT))[-1])
    sent = MessageEncoder(budget=BUDGET).encode(shape(b"caf\xe9 is open\n" * 9))
    assert "café is open" in "".join(_strings(sent[-1]))


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    below: Iterable[Any] = value.values() if is_object(value) else value if is_array(value) else ()
    return [text for member in below for text in _strings(member)]


@pytest.mark.parametrize("shape", SHAPES)
def test_what_was_sent_comes_back_the_same(shape: Callable[[Any], list[Any]]) -> None:
    """Given its own messages, an encoder returns them, and a longer talk begins with them."""
    encoder = MessageEncoder(budget=BUDGET)
    sent = encoder.encode(shape(CONTENTS["object"]))
    assert encoder.encode(sent) == sent
    more = [*shape(CONTENTS["object"]), *chat(json.dumps(ROWS[:9]))]
    assert encoder.encode(more)[: len(sent)] == sent


def test_failures_of_each_client_are_known() -> None:
    """Each client's mark of a failed result is read."""
    failed = [
        {"type": "tool_result", "tool_use_id": "c1", "content": "x", "is_error": True},
        {"toolResult": {"toolUseId": "c1", "content": [{"text": "x"}], "status": "error"}},
    ]
    for block in failed:
        (result,) = results_of({"role": "user", "content": [block]})
        assert result.is_error
    part = {"function_response": {"name": "a", "response": {"error": "x"}}}
    (result,) = results_of({"role": "user", "parts": [part]})
    assert (result.is_error, result.tool, result.content) == (True, "a", "x")


def test_texts_in_documents_and_searches_are_results() -> None:
    """Texts in documents and search results are shortened, and pictures stay."""
    document = {"type": "document", "source": {"type": "text", "data": TEXT}, "title": "jobs"}
    search = {"type": "search_result", "content": [{"type": "text", "text": TEXT}], "source": "a"}
    messages = anthropic([document, search, {"type": "image", "source": {"type": "base64"}}])
    sent = encode_messages(messages, budget=BUDGET)[1]["content"][0]["content"]
    shown = sent[0]["source"]["data"], sent[1]["content"][0]["text"]
    assert sum(map(COUNT, shown)) <= BUDGET
    assert sent[2] == messages[1]["content"][0]["content"][2]


def test_output_of_shells_is_a_result() -> None:
    """Output and errors of a shell keep one budget together."""
    parts = [{"stdout": TEXT, "stderr": TEXT, "outcome": {"type": "exit", "exit_code": 0}}]
    messages = [{"type": "shell_call_output", "call_id": "c1", "output": parts}]
    [sent] = encode_messages(messages, budget=BUDGET)
    assert sum(COUNT(sent["output"][0][name]) for name in ("stdout", "stderr")) <= BUDGET


UNREAD: list[tuple[dict[str, Any], str]] = [
    ({"type": "odd_call_output", "call_id": "c1", "value": TEXT}, "messages[0]"),
    ({"role": "user", "content": [{"type": "tool-result", "output": TEXT}]}, ".content[0]"),
    ({"role": "assistant", "content": [{"toolResult": {"content": []}}]}, ".content[0]"),
]


@pytest.mark.parametrize(("message", "place"), UNREAD)
def test_what_is_no_known_result_is_said_once(
    message: dict[str, Any], place: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A result of an unknown shape stays as it is, with one warning that names its place."""
    encoder = MessageEncoder(budget=BUDGET)
    for _ in range(2):
        assert encoder.encode([message, message]) == [message, message]
    [record] = caplog.records
    assert place in record.getMessage()


@pytest.mark.parametrize("shape", SHAPES)
def test_known_shapes_warn_of_nothing(
    shape: Callable[[Any], list[Any]], caplog: pytest.LogCaptureFixture
) -> None:
    """Known shapes are encoded without a warning."""
    encode_messages([{"role": "system", "content": "S"}, *shape(TEXT)], budget=BUDGET)
    assert caplog.records == []


def test_on_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """After an error, a result is passed as it came, raised, or cut, as `on_error` says."""

    def failing(*_: object, **__: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr("mckp.agents.session.sender.encode", failing)
    assert encode_messages(chat(TEXT), budget=BUDGET, on_error="pass") == chat(TEXT)
    with pytest.raises(RuntimeError, match="a defect"):
        encode_messages(chat(TEXT), budget=BUDGET, on_error="raise")
    assert COUNT(encode_messages(chat(TEXT), budget=BUDGET)[1]["content"]) <= BUDGET
    with pytest.raises(ValueError, match="known: text, pass, raise"):
        MessageEncoder(on_error="ignore")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("shape", [chat, responses, anthropic])
def test_bytes_are_the_text_that_they_hold(shape: Callable[[Any], list[Any]]) -> None:
    """Bytes as content are encoded like their text."""
    wanted = encode_messages(shape(TEXT), budget=BUDGET)
    assert encode_messages(shape(TEXT.encode()), budget=BUDGET) == wanted
    blocks = [{"type": "text", "text": TEXT}]
    raw = [{"type": "text", "text": TEXT.encode()}]
    assert encode_messages(shape(raw), budget=BUDGET) == encode_messages(
        shape(blocks), budget=BUDGET
    )
