"""Models of LlamaIndex that get encoded results, in agents of its own."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

pytest.importorskip("llama_index.core", reason="needs the extra llama-index")

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM

from mckp.agents.adapters.llama_index import LlamaIndexToolResults
from mckp.answers.primer import instruction
from tests.adapters.test_surfaces import BUDGET, CASES, by_python

# LlamaIndex asks its agents for all their attributes, those that pydantic gave up as well.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pydantic.PydanticDeprecatedSince20"),
    pytest.mark.filterwarnings("ignore::pydantic.PydanticDeprecatedSince211"),
]

ROWS = json.dumps([{"id": n, "state": "done", "job": f"job {n % 3}"} for n in range(60)])


def jobs() -> str:
    """List jobs."""
    return ROWS


def call(key: str, name: str = "jobs", **args: Any) -> ChatMessage:
    block = ToolCallBlock(tool_call_id=key, tool_name=name, tool_kwargs=args)
    return ChatMessage(role="assistant", blocks=[block])


def answer(key: str, *blocks: TextBlock | ImageBlock) -> ChatMessage:
    extra = {"tool_call_id": key}
    return ChatMessage(role="tool", blocks=[*blocks], additional_kwargs=extra)


class Script:
    """Says what it was given to say, and keeps what it is sent."""

    def __init__(self, *script: ChatMessage) -> None:
        self._script = iter([*script, ChatMessage(role="assistant", content="done")])
        self.received: list[list[ChatMessage]] = []

    def __call__(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        self.received.append(list(messages))
        return next(self._script)


def contents(messages: list[ChatMessage]) -> list[str | None]:
    return [message.content for message in messages if message.role == "tool"]


async def _asked(
    script: Script, results: LlamaIndexToolResults, *, streaming: bool
) -> list[ChatMessage]:
    tools: Any = [jobs, results.recall_tool()]
    model = results.model(MockFunctionCallingLLM(response_generator=script))
    agent: Any = FunctionAgent(tools=tools, llm=model, streaming=streaming)
    handler = agent.run(user_msg="What is done?")
    await handler
    memory: Any = await handler.ctx.store.get("memory")
    messages: list[ChatMessage] = await memory.aget_all()
    return messages


@pytest.mark.parametrize("streaming", [False, True])
def test_the_model_gets_less_and_the_memory_has_all(streaming: bool) -> None:
    """The model gets short results, the memory keeps full ones, and sent messages never change."""
    script = Script(call("c1"), call("c2"))
    memory = asyncio.run(_asked(script, LlamaIndexToolResults(budget=120), streaming=streaming))
    assert contents(memory) == [ROWS, ROWS]
    first, second = contents(script.received[-1])
    assert str(first).startswith("> [#1 as compact]")
    assert str(second).startswith("> [ref #1]")
    for before, after in zip(script.received, script.received[1:], strict=False):
        assert after[: len(before)] == before


def test_the_system_message_explains_signs() -> None:
    """An existing system message explains signs once, whichever way the model is asked."""
    results, given = LlamaIndexToolResults(), ChatMessage(role="system", content="Be brief.")
    messages = results.model_messages(results.model_messages([given]))
    assert [message.content for message in messages] == [f"Be brief.\n\n{instruction('native')}"]
    assert given.content == "Be brief."
    assert results.model_messages([call("c1")]) == [call("c1")]


def test_a_model_stays_what_it_was() -> None:
    """A wrapped model is of its class, leaves the original alone, and encodes in all four ways."""
    script = Script(*(ChatMessage(role="assistant", content="ok") for _ in range(4)))
    llm = MockFunctionCallingLLM(response_generator=script)
    model = LlamaIndexToolResults().model(llm)
    assert isinstance(model, MockFunctionCallingLLM)
    assert (type(llm), model.class_name()) == (MockFunctionCallingLLM, llm.class_name())
    log = [call("c1"), answer("c1", TextBlock(text=ROWS))]

    async def awaited() -> None:
        await model.achat(log)
        async for _ in await model.astream_chat(log):
            pass

    model.chat(log)
    list(model.stream_chat(log))
    asyncio.run(awaited())
    assert len(script.received) == 4
    assert all(str(messages[1].content).startswith("> [#1") for messages in script.received)
    llm.chat(log)
    assert script.received[-1][1].content == ROWS


def test_only_texts_of_results_change() -> None:
    """Calls and pictures stay as they are; the texts of results are encoded."""
    function = {"name": "jobs", "arguments": "{}"}
    old = {"tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    asked = ChatMessage(role="assistant", additional_kwargs=old)
    picture = ImageBlock(image=b"x", image_mimetype="image/png")
    log = [asked, answer("c1", TextBlock(text=ROWS), picture)]
    results = LlamaIndexToolResults()
    shown = results.encoded(log)
    assert shown[0] is asked
    assert shown[1].additional_kwargs == {"tool_call_id": "c1"}
    assert shown[1].blocks[1] == picture
    assert str(shown[1].content).startswith("> [#1 as compact]")
    assert results.session(log).savings.responses == 1


@pytest.mark.parametrize(("text", "asked"), CASES)
def test_a_recall_is_answered_as_in_python(text: str, asked: dict[str, Any]) -> None:
    """A recall of the adapter has the same answer as one in Python."""
    messages = [call("c1"), answer("c1", TextBlock(text=text))]
    said = LlamaIndexToolResults(budget=BUDGET).recalled(messages, handle="#1", **asked)
    assert said.removeprefix("error: ") == by_python(text, asked)
