"""The filter for the OpenAI Agents SDK, in runs of its own."""

import asyncio
import copy
import json
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("agents", reason="needs the extra openai-agents")

from agents import Agent, ModelResponse, RunConfig, Runner, Usage, function_tool
from agents.models.interface import Model
from agents.run_config import ModelInputData
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from mckp.agents.adapters.openai_agents import OpenAIAgentsToolResults
from mckp.answers.primer import instruction
from tests.adapters.test_surfaces import BUDGET, CASES, by_python

ROWS = json.dumps([{"id": n, "state": "done", "job": f"job {n % 3}"} for n in range(60)])


class Fake(Model):
    """Says what it was given to say, and keeps what it is sent."""

    def __init__(self, *script: Any) -> None:
        part = ResponseOutputText(type="output_text", text="done", annotations=[])
        last = ResponseOutputMessage(
            id="m", type="message", role="assistant", status="completed", content=[part]
        )
        self._script = iter([*script, last])
        self.sent: list[Any] = []

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        self.sent.append(copy.deepcopy(kwargs.get("input", args[1] if len(args) > 1 else None)))
        return ModelResponse(output=[next(self._script)], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


@function_tool
def jobs(part: int = 0) -> str:
    """List jobs."""
    return f"[{part},{ROWS}]"


def call(key: str, name: str = "jobs", **args: Any) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(
        type="function_call", call_id=key, name=name, arguments=json.dumps(args)
    )


def run(results: OpenAIAgentsToolResults, model: Fake) -> Any:
    agent = Agent(name="a", model=model, tools=[jobs, results.recall_tool()])
    config = RunConfig(call_model_input_filter=results, tracing_disabled=True)
    return Runner.run(agent, "What is done?", run_config=config)


def outputs(items: list[Any]) -> list[str]:
    return [item["output"] for item in items if item.get("type") == "function_call_output"]


def test_the_model_is_sent_less_and_the_history_has_all() -> None:
    """The model gets short results, the history keeps full ones, and no sent item changes later."""
    model = Fake(call("c1"), call("c2"))
    done = asyncio.run(run(OpenAIAgentsToolResults(budget=120), model))
    assert outputs(done.to_input_list()) == [f"[0,{ROWS}]"] * 2
    first, second = outputs(model.sent[-1])
    assert first.startswith("> [#1 as compact]")
    assert second.startswith("> [ref #1]")
    for before, after in zip(model.sent, model.sent[1:], strict=False):
        assert after[: len(before)] == before


def test_instructions_explain_signs() -> None:
    """Existing instructions explain signs once for each call of the model."""
    results = OpenAIAgentsToolResults()
    for given, sent in (("Be brief.", f"Be brief.\n\n{instruction('native')}"), (None, None)):
        data: Any = SimpleNamespace(model_data=ModelInputData([], given))
        assert results(data).instructions == sent


def test_runs_at_once_recall_what_is_theirs() -> None:
    """Runs at the same time share one filter, and each recalls its own results."""
    results = OpenAIAgentsToolResults(budget=60)
    models = [
        Fake(call("c1", part=part), call("c2", "recall", handle=1, path="$[0]"))
        for part in range(5)
    ]

    async def all_of_them() -> None:
        await asyncio.gather(*(run(results, model) for model in models))

    asyncio.run(all_of_them())
    assert [outputs(model.sent[-1])[-1] for model in models] == ["0", "1", "2", "3", "4"]


def test_the_session_counts_what_was_saved() -> None:
    """The session of a finished run counts the repeated result as a hit."""
    results, model = OpenAIAgentsToolResults(), Fake(call("c1"), call("c2"))
    done = asyncio.run(run(results, model))
    assert results.session(done.to_input_list()).savings.hits == 1


@pytest.mark.parametrize(("text", "asked"), CASES)
def test_a_recall_is_answered_as_in_python(text: str, asked: dict[str, Any]) -> None:
    """A recall of the filter has the same answer as one in Python."""

    @function_tool(name_override="jobs")
    def given() -> str:
        """Return the jobs."""
        return text

    results = OpenAIAgentsToolResults(budget=BUDGET)
    model = Fake(call("c1"), call("c2", "recall", handle="#1", **asked))
    agent = Agent(name="a", model=model, tools=[given, results.recall_tool()])
    config = RunConfig(call_model_input_filter=results, tracing_disabled=True)
    asyncio.run(Runner.run(agent, "What is done?", run_config=config))
    assert outputs(model.sent[-1])[-1].removeprefix("error: ") == by_python(text, asked)


class Streaming(Fake):
    """Streams what it was given to say; a list is several calls at once."""

    async def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        self.sent.append(copy.deepcopy(kwargs.get("input", args[1] if len(args) > 1 else None)))
        item = next(self._script)
        made = Response.model_construct(
            id="r", output=item if isinstance(item, list) else [item], usage=None, tools=[]
        )
        yield ResponseCompletedEvent.model_construct(
            type="response.completed", response=made, sequence_number=0
        )


@function_tool
def broken() -> str:
    """Fail."""
    raise ValueError("no such job")


def test_streams_calls_at_once_and_failures() -> None:
    """What is streamed is encoded as well; each call keeps its result, and a failure stays."""
    results = OpenAIAgentsToolResults(budget=400)
    model = Streaming([call("c1"), call("c2", "broken")], call("c3"))
    agent = Agent(name="a", model=model, tools=[jobs, broken])
    config = RunConfig(call_model_input_filter=results, tracing_disabled=True)

    async def asked() -> list[Any]:
        streamed = Runner.run_streamed(agent, "What is done?", run_config=config)
        assert [event.type async for event in streamed.stream_events()]
        return streamed.to_input_list()

    history = outputs(asyncio.run(asked()))
    assert (history[0], history[2]) == (f"[0,{ROWS}]", f"[0,{ROWS}]")
    first, second, third = outputs(model.sent[-1])
    assert first.startswith("> [#1 as compact]")
    # Some versions add the message of the error.
    assert second == history[1]
    assert second.startswith("An error occurred while running the tool. Please try again.")
    assert third.startswith("> [ref #1]")
