"""A conversation that has grown too long: what must stay stays, and what is cut says so."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp import MessageEncoder
from mckp.agents.messages.compaction import tokens_of
from mckp.agents.messages.shapes import as_mapping, calls_of, results_of, words_of
from mckp.tokenizers import get
from tests.messages.test_shapes import anthropic, chat, converse, genai, responses
from tests.strategies import examples

SHAPES = [chat, responses, anthropic, genai, converse]
COUNT_BATCH = get("o200k").count_batch
JOBS = json.dumps([{"id": n, "state": "failed" if n == 41 else "done"} for n in range(99)])
LOG = "".join(f"step {n} is done\n" for n in range(300)) + "ERROR: the disk is full\n"
ASK = {"role": "user", "content": "Why does it fail?"}
GO_ON = {"role": "user", "content": "Free some space."}


def talk(shape: Callable[[Any], list[Any]], contents: list[str]) -> list[Any]:
    steps = [shape(content) for content in contents]
    named = [json.loads(json.dumps(s, default=as_mapping)) for s in steps]
    plain = [json.loads(json.dumps(s).replace("c1", f"c{n}")) for n, s in enumerate(named, 1)]
    return [ASK, *(message for step in plain for message in step), GO_ON]


def called(messages: list[Any]) -> list[str]:
    return [call for message in messages for call, _ in calls_of(as_mapping(message))]


def answered(messages: list[Any]) -> list[str]:
    return [result.call_id for message in messages for result in results_of(as_mapping(message))]


@pytest.mark.parametrize("shape", SHAPES)
def test_results_give_way_in_all_shapes(shape: Callable[[Any], list[Any]]) -> None:
    """Users' words, calls and pairs stay; the cause of a failure is still there."""
    messages = talk(shape, [LOG, JOBS])
    encoder = MessageEncoder()
    compacted = encoder.compact(messages, 200)
    assert compacted.tokens == tokens_of(compacted.messages, COUNT_BATCH) <= 200 < compacted.before
    assert [compacted.messages[0], compacted.messages[-1]] == [ASK, GO_ON]
    assert called(compacted.messages) == called(messages)
    assert answered(compacted.messages) == answered(messages)
    assert (
        compacted.messages[: compacted.unchanged] == encoder.encode(messages)[: compacted.unchanged]
    )
    assert "ERROR: the disk is full" in json.dumps(compacted.messages)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_conversation_goes_on(shape: Callable[[Any], list[Any]]) -> None:
    """What was sent does not change, no later text refers to what is gone, and all is recalled."""
    encoder = MessageEncoder()
    compacted = encoder.compact(talk(shape, [LOG, JOBS]), 150)
    assert encoder.encode(compacted.messages) == compacted.messages
    longer = [*compacted.messages, *talk(shape, [LOG])[1:-1]]
    sent = encoder.encode(longer)
    assert sent[: len(compacted.messages)] == compacted.messages
    assert "ERROR: the disk is full" in json.dumps(sent[len(compacted.messages) :])
    assert "[ref" not in json.dumps(sent[len(compacted.messages) :])
    for change in compacted.changes:
        asked = {"lines": "200"} if change.what == "result" and change.message < 4 else {}
        text = encoder.recall(compacted.messages, change.handle, **asked)
        assert not text.startswith("error"), text
    again = encoder.compact(longer, 150)
    assert again.tokens <= 150


def test_long_words_and_arguments_before_the_last_request_give_way_too() -> None:
    """Old words and arguments are cut; requests and later words stay, and recall has the rest."""
    write: dict[str, Any] = {
        "path": "run.py",
        "content": "".join(f"print({n})\n" for n in range(200)),
    }
    call = {"id": "c1", "type": "function"}
    call["function"] = {"name": "write", "arguments": json.dumps(write)}  # type: ignore[assignment]
    plan = "First I look at the disk. " * 60
    messages: list[Any] = [
        {"role": "system", "content": "Be careful. " * 20},
        ASK,
        {"role": "assistant", "content": plan, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        GO_ON,
        {"role": "assistant", "content": "Now I free it. " * 20},
    ]
    encoder = MessageEncoder()
    compacted = encoder.compact(messages, 450)
    assert compacted.tokens <= 450
    assert [compacted.messages[n] for n in (0, 1, 3, 4, 5)] == [
        messages[n] for n in (0, 1, 3, 4, 5)
    ]
    assert {change.what for change in compacted.changes} == {"words", "argument"}
    said = json.loads(compacted.messages[2]["tool_calls"][0]["function"]["arguments"])
    assert said["path"] == "run.py"
    assert said["content"] != write["content"]
    assert messages[2]["content"] == plan  # what was given is as it was
    handle = next(change.handle for change in compacted.changes if change.what == "argument")
    assert encoder.recall(compacted.messages, handle, lines="150").endswith("\nprint(149)")


def test_repeats_refer_to_the_first() -> None:
    """A reference to a text that is cut says the truth: it is the same text."""
    compacted = MessageEncoder().compact(talk(chat, [LOG, JOBS, LOG]), 200)
    texts = [message["content"] for message in compacted.messages if message["role"] == "tool"]
    assert texts[0].startswith("> [#1 as compact]\n")
    assert texts[2].startswith("> [ref #1]\n")


def test_equal_data_in_another_spelling_refer_to_the_first() -> None:
    """Equal data in another layout become a reference to the first, never to themselves."""
    rows = [{"id": n, "state": "done"} for n in range(200)]
    encoder = MessageEncoder()
    messages = talk(chat, [json.dumps(rows), json.dumps(rows, indent=1), "ok", "ok"])
    compacted = encoder.compact(messages, 300)
    texts = [message["content"] for message in compacted.messages if message["role"] == "tool"]
    assert texts[1].startswith("> [ref #1]\n")
    assert texts[2:] == ["ok", "ok"]  # a reference would be longer
    assert encoder.recall(compacted.messages, "#2", where="id == 7", fields=["id"]) == '[{"id":7}]'


def test_what_is_data_counts_and_stays_data() -> None:
    """A result as Python has it is not written if it stays; a text in a document is counted."""
    messages = [ASK, *chat({"k": [1, 2]}), *talk(chat, [JOBS])[1:]]
    encoder = MessageEncoder()
    compacted = encoder.compact(messages, 200)
    assert compacted.messages[2] == messages[2]
    assert (
        compacted.messages[: compacted.unchanged] == encoder.encode(messages)[: compacted.unchanged]
    )
    source = {"type": "text", "media_type": "text/plain", "data": LOG}
    messages = [ASK, *anthropic([{"type": "document", "source": source}]), GO_ON]
    compacted = encoder.compact(messages, 100)
    assert compacted.tokens <= 100
    remaining = compacted.messages[2]["content"][0]["content"][0]["source"]["data"]
    assert get("o200k").count(remaining) < 100


def test_what_must_stay_is_never_cut() -> None:
    """A budget below what must stay is an error whose floor, with some room, works."""
    messages = talk(chat, [LOG])
    with pytest.raises(mckp.BudgetError) as caught:
        MessageEncoder().compact(messages, 12)
    assert MessageEncoder().compact(messages, caught.value.floor + 20).tokens
    with pytest.raises(TypeError, match="needs a budget"):
        MessageEncoder().compact(messages, None)  # type: ignore[arg-type]


def test_what_fits_stays() -> None:
    """A conversation that fits is as it was sent."""
    messages = talk(chat, [JOBS])
    encoder = MessageEncoder()
    sent = encoder.encode(messages)
    compacted = encoder.compact(messages, "100%")
    assert (compacted.messages, compacted.changes, compacted.unchanged) == (sent, (), len(sent))


@pytest.mark.slow
@examples(20)
@given(
    st.lists(st.sampled_from([LOG, JOBS, "ok", "", "# Log\n\n- one\n- two\n" * 40]), max_size=5),
    st.integers(30, 600),
    st.sampled_from(SHAPES),
)
def test_any_budget_holds(
    contents: list[str], budget: int, shape: Callable[[Any], list[Any]]
) -> None:
    """Any budget holds or is a `BudgetError`; words of users and pairs of calls stay."""
    messages = talk(shape, contents)
    try:
        compacted = MessageEncoder().compact(messages, budget)
    except mckp.BudgetError:
        return
    assert tokens_of(compacted.messages, COUNT_BATCH) == compacted.tokens <= budget
    users = [
        text for m in (compacted.messages[0], compacted.messages[-1]) for _, text in words_of(m)
    ]
    assert users == [ASK["content"], GO_ON["content"]]
    assert answered(compacted.messages) == answered(messages)


def test_steps_since_the_only_request_give_way_too() -> None:
    """An agent that worked long on one request: of its words, those of the last step stay."""
    plan = "Now I look at the disk and at what fills it. " * 30
    steps = [message for n in range(4) for message in talk(chat, [f"{n} {LOG}"])[1:-1]]
    calls = [message for message in steps if message.get("tool_calls")]
    for number, message in enumerate(calls):
        message["content"] = f"{number} {plan}"
    compacted = MessageEncoder().compact([ASK, *steps], 700)
    words = [change.message for change in compacted.changes if change.what == "words"]
    assert words == [1, 3, 5]
    assert compacted.messages[7]["content"] == calls[3]["content"]


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_the_budget_that_an_error_names_works(shape: Callable[[Any], list[Any]]) -> None:
    """The floor of the error is the smallest budget that works."""
    messages = talk(shape, [LOG, JOBS, LOG.replace("step", "task"), "ok"])
    encoder = MessageEncoder()
    with pytest.raises(mckp.BudgetError) as caught:
        encoder.compact(messages, 20)
    floor = caught.value.floor
    assert encoder.compact(messages, floor).tokens == floor
    with pytest.raises(mckp.BudgetError):
        encoder.compact(messages, floor - 1)
