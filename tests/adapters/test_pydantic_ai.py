"""The capability for pydantic-ai, in agents of its own."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="needs the extra pydantic-ai")

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from mckp.agents.adapters.pydantic_ai import PydanticAIToolResults
from mckp.answers.primer import instruction
from tests.adapters.test_surfaces import BUDGET, CASES, by_python

DATA = [{"id": n, "state": "done", "job": f"job {n % 3}"} for n in range(60)]


class Fake:
    """Says what it was given to say, and keeps what it is sent."""

    def __init__(self, *script: ToolCallPart) -> None:
        last: list[ToolCallPart | TextPart] = [TextPart("done")]
        self._script = iter([*script, *last])
        self.sent: list[list[ModelMessage]] = []

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.sent.append(list(messages))
        return ModelResponse(parts=[next(self._script)])


def run(model: Fake, results: PydanticAIToolResults) -> Any:
    agent = Agent(FunctionModel(model.answer), capabilities=[results])

    @agent.tool_plain
    def jobs() -> list[dict[str, Any]]:
        """List jobs."""
        return DATA

    return asyncio.run(agent.run("What is done?"))


def contents(messages: list[ModelMessage]) -> list[Any]:
    parts = [part for message in messages for part in message.parts]
    return [part.content for part in parts if isinstance(part, ToolReturnPart)]


def test_the_model_is_sent_less_and_the_history_has_all() -> None:
    """Data is sent as text, what was sent once is sent the same again."""
    model = Fake(ToolCallPart("jobs", {}, "c1"), ToolCallPart("jobs", "{}", "c2"))
    done = run(model, PydanticAIToolResults(budget=120))
    assert contents(done.all_messages()) == [DATA, DATA]
    requests = [message for message in model.sent[-1] if isinstance(message, ModelRequest)]
    assert {request.instructions for request in requests} == {instruction("native")}
    first, second = contents(model.sent[-1])
    assert first.startswith("> [#1 as compact]")
    assert second.startswith("> [ref #1]")
    for before, after in zip(model.sent, model.sent[1:], strict=False):
        assert contents(after)[: len(contents(before))] == contents(before)


def test_only_texts_of_results_change() -> None:
    """Prompts, failures, files and what is short stay; arguments need not be JSON."""
    picture = BinaryContent(b"x", media_type="image/png")
    text = json.dumps(DATA)
    request = ModelRequest(
        parts=[
            ToolReturnPart("jobs", text, "c1", metadata={"kept": 1}),
            ToolReturnPart("jobs", text, "c2", outcome="failed"),
            ToolReturnPart("jobs", [text, picture], "c3"),
            ToolReturnPart("jobs", {"short": 1}, "c4"),
            UserPromptPart("And?"),
        ]
    )
    calls: list[Any] = [ToolCallPart("jobs", "{", key) for key in ("c1", "c2", "c3", "c4")]
    log: list[ModelMessage] = [ModelResponse(parts=calls), request]
    results = PydanticAIToolResults()
    answer, shown = results.encoded(log)
    assert answer is log[0]
    assert list(shown.parts[1:]) == list(request.parts[1:])
    first = shown.parts[0]
    assert isinstance(first, ToolReturnPart)
    assert (first.metadata, first.tool_call_id) == ({"kept": 1}, "c1")
    assert str(first.content).startswith("> [#1 as compact]")
    assert results.session(log).savings.responses == 2


def test_no_tool_is_given_where_none_is_wanted() -> None:
    """Without recall, the capability brings no toolset."""
    assert PydanticAIToolResults(recall=False).get_toolset() is None


@pytest.mark.parametrize(("text", "asked"), CASES)
def test_a_recall_is_answered_as_in_python(text: str, asked: dict[str, Any]) -> None:
    """A recall of the capability has the same answer as one in Python."""
    called = ModelResponse(parts=[ToolCallPart("jobs", {}, "c1")])
    result = ModelRequest(parts=[ToolReturnPart("jobs", text, "c1")])
    said = PydanticAIToolResults(budget=BUDGET).recalled([called, result], handle="#1", **asked)
    assert said.removeprefix("error: ") == by_python(text, asked)


def test_streams_calls_at_once_and_failures() -> None:
    """What is streamed is encoded as well; each call keeps its result, and a failure stays."""
    sent: list[list[ModelMessage]] = []
    wrong = "no such job " * 60

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        del info
        sent.append(list(messages))
        calls = [["jobs", "broken"], ["jobs"], []][len(sent) - 1]
        yield {
            n: DeltaToolCall(name=name, json_args="{}", tool_call_id=f"c{len(sent)}{n}")
            for n, name in enumerate(calls)
        } or "done"

    agent = Agent(
        FunctionModel(stream_function=stream), capabilities=[PydanticAIToolResults(budget=120)]
    )

    @agent.tool_plain
    def jobs() -> list[dict[str, Any]]:
        """List jobs."""
        return DATA

    @agent.tool_plain(retries=2)
    def broken() -> str:
        """Fail."""
        raise ModelRetry(wrong)

    async def asked() -> list[ModelMessage]:
        async with agent.run_stream("What is done?") as run_:
            assert await run_.get_output() == "done"
            return run_.all_messages()

    assert contents(asyncio.run(asked())) == [DATA, wrong, DATA]
    first, failure, second = contents(sent[-1])
    assert first.startswith("> [#1 as compact]")
    assert failure == wrong
    assert second.startswith("> [ref #1]")
