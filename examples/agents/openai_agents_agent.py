"""An agent of the OpenAI Agents SDK that sends encoded results: offline, with a scripted model.

python -m pip install ".[openai-agents]" && python examples/agents/openai_agents_agent.py
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents import Agent, ModelResponse, RunConfig, Runner, Usage, function_tool
from agents.models.interface import Model
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from mckp.agents.adapters.openai_agents import OpenAIAgentsToolResults

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

BUILDS = Path(__file__).parents[1] / "builds.json"


@function_tool
def list_builds(project: str) -> str:
    """List the builds of a project."""
    return BUILDS.read_text("utf-8")


class Scripted(Model):
    """Says what it was given to say, and prints the results that it is sent."""

    def __init__(self, script: list[Any]) -> None:
        self._script = iter(script)

    async def get_response(
        self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any
    ) -> ModelResponse:
        """Answer."""
        if input[-1].get("type") == "function_call_output":
            print(input[-1]["output"], "", sep="\n")
        return ModelResponse(output=[next(self._script)], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """Answer in parts, which nobody asks for here."""
        raise NotImplementedError


def call(key: str, name: str, **args: Any) -> ResponseFunctionToolCall:
    """Return a call of a tool."""
    return ResponseFunctionToolCall(
        type="function_call", call_id=key, name=name, arguments=json.dumps(args)
    )


def message(text: str) -> ResponseOutputMessage:
    """Return a message of the model."""
    part = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(
        id="m1", type="message", role="assistant", status="completed", content=[part]
    )


def main() -> None:
    """Ask for builds, ask again, and have what was cut given back."""
    script = [
        call("c1", "list_builds", project="harbour"),
        call("c2", "list_builds", project="harbour"),
        call("c3", "recall", handle=1, path="$.builds[20:].started"),
        message("The oldest build started on the 13th of March."),
    ]
    results = OpenAIAgentsToolResults(budget=320)
    agent = Agent(name="a", model=Scripted(script), tools=[list_builds, results.recall_tool()])
    config = RunConfig(call_model_input_filter=results, tracing_disabled=True)
    run = Runner.run(agent, "When did they start?", run_config=config)
    print(asyncio.run(run).final_output)


if __name__ == "__main__":
    main()
