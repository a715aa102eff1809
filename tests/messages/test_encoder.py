"""Messages: what was sent stays as it is, and all else but the texts of results as well."""

import copy
import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import decode
from mckp.agents.messages import LEAST, MessageEncoder, encode_messages
from mckp.agents.session import Reader, SessionSettings
from mckp.tokenizers import get
from tests.cases import cases
from tests.messages.conversations import SHAPES, Call, Message, masked, turns
from tests.session.responses import response
from tests.strategies import examples

ROWS = json.dumps([{"id": n, "state": "done", "job": f"job {n % 3}"} for n in range(40)])
SETTINGS = st.builds(
    SessionSettings,
    near_ref_enabled=st.booleans(),
    min_body_chars=st.sampled_from([1, 200]),
    budget=st.sampled_from([None, LEAST, 80]),
)
SHAPED = st.sampled_from(SHAPES)
Shape = Callable[[list[Call]], list[Message]]


def _call_and_result(text: str, *, call: str = "c1", tool: str = "jobs") -> list[Message]:
    function = {"name": tool, "arguments": "{}"}
    return [
        {"role": "assistant", "tool_calls": [{"id": call, "function": function}]},
        {"role": "tool", "tool_call_id": call, "content": text},
    ]


@pytest.mark.slow
@given(turns(), SHAPED, SETTINGS)
@examples(15)
def test_a_conversation_that_goes_on_begins_with_the_same_messages(
    turns: list[list[Call]], shape: Shape, settings: SessionSettings
) -> None:
    """Nothing that was sent is rewritten: by one encoder, by another, or if it comes back."""
    encoder, told_back = MessageEncoder(settings=settings), MessageEncoder(settings=settings)
    messages: list[Message] = []
    sent: list[Message] = []
    for turn in turns:
        messages += shape(turn)
        before, sent = sent, encoder.encode(messages)
        assert sent[: len(before)] == before
        assert told_back.encode([*before, *messages[len(before) :]]) == sent
    assert encode_messages(messages, settings=settings) == sent


@pytest.mark.slow
@given(turns(), SHAPED, SETTINGS)
@examples(15)
def test_only_texts_of_results_change(
    turns: list[list[Call]], shape: Shape, settings: SessionSettings
) -> None:
    """Ids, marks for caches, pictures, errors and calls stay, and each text can be read."""
    messages = [message for turn in turns for message in shape(turn)]
    given_messages = copy.deepcopy(messages)
    sent = MessageEncoder(settings=settings).encode(messages)
    assert messages == given_messages
    before, after = list[str](), list[str]()
    assert masked(sent, after) == masked(messages, before)
    reader, count = Reader(), get("o200k").count
    for text, delivered in zip(before, after, strict=True):
        if settings.budget is None:
            assert response(text).is_equal_to(reader.read(delivered))
        elif delivered != text:
            assert count(delivered) <= settings.budget


@pytest.mark.parametrize("shape", SHAPES)
def test_texts_of_one_result_share_its_budget(shape: Shape) -> None:
    """The two texts of one result keep its budget together."""
    call = Call(
        "c1", "jobs", [ROWS, ROWS.replace("done", "failed")], failed=False, has_picture=True
    )
    after = list[str]()
    masked(encode_messages(shape([call]), budget=120), after)
    assert len(after) == 2
    assert sum(map(get("o200k").count, after)) <= 120


def test_messages_that_were_taken_out_are_not_referred_to() -> None:
    """A repeated result is a reference only while the first one is in the conversation."""
    encoder = MessageEncoder()
    messages = [*_call_and_result(ROWS), *_call_and_result(ROWS, call="c2")]
    assert encoder.encode(messages)[3]["content"].startswith("> [ref #1]")
    assert encoder.encode(messages[2:])[1]["content"].startswith("> [#1 as compact]\n[40]{")


def test_a_result_without_its_call_is_shortened_and_not_labelled() -> None:
    """Where a server keeps the conversation, numbers could not be told apart."""
    output = {"type": "function_call_output", "call_id": "c9", "output": ROWS}
    first, second = encode_messages([output, output])
    assert first == second
    assert first["output"].startswith("> [as compact]\n")


def test_recall_gives_back_what_was_cut() -> None:
    """Recall gives parts, following rows and lines of what was cut, within the budget."""
    encoder, messages = MessageEncoder(budget=80), _call_and_result(ROWS)
    assert "> [+" in encoder.encode(messages)[1]["content"]
    assert encoder.recall(messages, "#1", "$[39].id") == "39"
    assert decode(encoder.recall(messages, 1, offset=38)) == json.loads(ROWS)[38:]
    assert encoder.recall(messages, 1, offset=40) == "nothing follows"
    assert get("o200k").count(encoder.recall(messages, 1)) <= 80
    log = "\n".join(f"step {n} is done and nothing else is to be told" for n in range(90))
    last = "\n".join(log.split("\n")[88:])
    assert encoder.recall(_call_and_result(log), 1, offset=88) == f"> [lines 89-90 of 90]\n{last}"


def test_what_the_user_asks_is_kept() -> None:
    """It is seen where the result arrives, and later words change nothing that was sent."""
    rows = json.dumps([{"id": n, "note": f"about {n}", "state": "done"} for n in range(60)])
    asked = {"role": "user", "content": "what is the note of job 47?"}
    later = {"role": "user", "content": "and that of job 12?"}
    encoder = MessageEncoder(budget=60)
    (_, _, sent) = encoder.encode([asked, *_call_and_result(rows)])
    assert "about 47" in sent["content"]
    assert "about 47" not in encode_messages(_call_and_result(rows), budget=60)[1]["content"]
    again = encoder.encode([asked, *_call_and_result(rows), later])
    assert again[2] == sent
    off = SessionSettings(heeds_request=False)
    plain = encode_messages([asked, *_call_and_result(rows)], settings=off, budget=60)[2]
    assert plain == encode_messages(_call_and_result(rows), settings=off, budget=60)[1]


@pytest.mark.parametrize("handle", ["7", "all", -1])
def test_recall_of_nothing_says_so_to_the_model(handle: str | int) -> None:
    """A recall of an unknown handle is an error text."""
    assert MessageEncoder().recall(_call_and_result(ROWS), handle).startswith("error: ")


def test_what_recall_said_is_left_alone() -> None:
    """The answer to a recall is not encoded again."""
    messages = [*_call_and_result(ROWS), *_call_and_result(ROWS, call="c2", tool="recall")]
    assert encode_messages(messages)[3]["content"] == ROWS


def test_objects_of_clients_are_read_and_kept() -> None:
    """Calls may be in objects of the client library, which go through as they are."""
    call, answer = _call_and_result(ROWS)
    spoken = SimpleNamespace(model_dump=lambda: call)
    sent = encode_messages([spoken, answer])
    assert sent[0] is spoken
    assert sent[1]["content"].startswith("> [#1 as compact]")
    use: dict[str, object] = {"type": "tool_use", "id": "c1", "name": "jobs", "input": {}}
    said = {"role": "assistant", "content": [SimpleNamespace(model_dump=lambda: use)]}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": ROWS}
    sent = encode_messages([said, {"role": "user", "content": [result]}])
    assert sent[0] is said
    assert sent[1]["content"][0]["content"].startswith("> [#1 as compact]")


@pytest.mark.parametrize("where", ["parse", "encode", "labelled_text"])
def test_what_fails_is_a_plain_cut_within_the_budget(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """All of it can be recalled, and later results are encoded as ever."""

    def failing(*_: object, **__: object) -> None:
        raise RuntimeError("a defect")

    encoder = MessageEncoder(budget=60)
    with monkeypatch.context() as broken:
        broken.setattr(f"mckp.agents.session.sender.{where}", failing)
        broken.setattr("mckp.agents.session.sender.json_value", failing)
        (_, first) = encoder.encode(_call_and_result(ROWS))
    assert get("o200k").count(first["content"]) <= 60
    [handle] = re.findall(r"characters left out; handle (#[0-9]+)\]", first["content"])
    assert "cut without being parsed" in caplog.text
    *before, after = encoder.encode(
        [*_call_and_result(ROWS), *_call_and_result(ROWS[:-1] + " ]", call="c2")]
    )
    assert before[1] == first
    assert re.match(r"> \[#[0-9]+ as compact\]", after["content"])
    assert encoder.session([*before, after]).recall(handle) == ROWS


def test_a_byte_that_is_not_utf8_leaves_the_budget_on() -> None:
    """An output with an invalid byte keeps the budget and can be sent."""
    log = "".join(f"step {n} of the build is done\n" for n in range(1400))
    text = (log.encode() + b"caf\xe9 at the end\n").decode(errors="surrogateescape")
    sent = encode_messages(_call_and_result(text, tool="Bash"), budget=100)[1]["content"]
    assert get("o200k").count(sent) <= 100
    assert len(text) > 40_000
    assert sent.encode()


def test_odd_messages_go_through() -> None:
    """Messages of unknown shapes stay as they are."""
    odd: list[Any] = cases(__file__, "ODD")
    assert encode_messages(odd) == odd


def test_arguments_may_be_anything() -> None:
    """Arguments that are too deep or no JSON do not keep a result from being encoded."""
    deep: list[Any] = []
    for _ in range(20_000):
        deep = [deep]
    text = "[" * 20_000 + "]" * 20_000
    encoded = encode_messages(_call_and_result(ROWS))[1]["content"]
    for arguments in (text, deep, {"a": {1, 2}}):
        messages = _call_and_result(ROWS)
        messages[0]["tool_calls"][0]["function"]["arguments"] = arguments
        assert encode_messages(messages)[1]["content"] in (ROWS, encoded)


def test_a_budget_without_room_is_refused() -> None:
    """A budget below the least one is an error that names the least."""
    with pytest.raises(ValueError, match=f"budget=5 leaves no room.*use {LEAST} or more"):
        MessageEncoder(budget=5)


def test_threads_share_an_encoder() -> None:
    """Threads that share an encoder get the texts that each conversation has alone."""
    encoder = MessageEncoder()
    chats = [
        [*_call_and_result(f"{n}{ROWS}"), *_call_and_result(f"{n}{ROWS}", call="c2")]
        for n in range(8)
    ] * 3
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(encoder.encode, chats)) == [encode_messages(chat_) for chat_ in chats]


def test_savings_are_known() -> None:
    """The session of an encoder counts results, repeats and saved tokens."""
    encoder, messages = (
        MessageEncoder(),
        [*_call_and_result(ROWS), *_call_and_result(ROWS, call="c2")],
    )
    encoder.encode(messages)
    savings = encoder.session(messages).savings
    assert (savings.responses, savings.hits) == (2, 1)
    assert savings.combined_savings_pct > 50


@pytest.mark.parametrize("messages", [None, 3, "x", {"messages": []}, iter([])])
def test_what_is_no_list_of_messages_is_an_error(messages: Any) -> None:
    """A mapping or another type in place of messages is an error."""
    with pytest.raises(TypeError, match="expected a list of messages, got"):
        encode_messages(messages)


def test_uses_are_counted_when_asked() -> None:
    """Uses of sent values in later calls and words are counted on request."""
    rows = [{"id": 70_000 + n, "host": f"kestrel-{n}", "up": True} for n in range(12)]
    call = {"id": "c1", "function": {"name": "hosts", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Which one is down? Not kestrel-1."},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps(rows)},
        {"role": "assistant", "content": "It is kestrel-7, not kestrel-1."},
    ]
    encoder = MessageEncoder()
    for said in (messages, encoder.encode(messages)):
        counts = encoder.uses(said)
        assert {field: field_counts["used"] for field, field_counts in counts["hosts"].items()} == {
            "[*].id": 0,
            "[*].host": 1,
            "[*].up": 0,
        }
    assert encoder.uses(messages[:3]) == {}
