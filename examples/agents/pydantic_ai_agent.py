"""An agent of pydantic-ai whose model is sent encoded results: offline, with a scripted model.

python -m pip install ".[pydantic-ai]" && python examples/agents/pydantic_ai_agent.py
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from mckp.agents.adapters.pydantic_ai import PydanticAIToolResults

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models.function import AgentInfo

BUILDS = Path(__file__).parents[1] / "builds.json"
PARTS: list[ToolCallPart | TextPart] = [
    ToolCallPart("list_builds", {"project": "harbour"}, "c1"),
    ToolCallPart("list_builds", {"project": "harbour"}, "c2"),
    ToolCallPart("recall", {"handle": 1, "path": "$.builds[20:].started"}, "c3"),
    TextPart("The oldest build started on the 13th of March."),
]
SCRIPT = iter(PARTS)


def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Say what comes next, and print the results that were sent."""
    for part in messages[-1].parts:
        if isinstance(part, ToolReturnPart):
            print(part.content, "", sep="\n")
    return ModelResponse(parts=[next(SCRIPT)])


agent = Agent(FunctionModel(scripted), capabilities=[PydanticAIToolResults(budget=320)])


@agent.tool_plain
def list_builds(project: str) -> Any:
    """List the builds of a project."""
    return json.loads(BUILDS.read_bytes())


def main() -> None:
    """Ask for builds, ask again, and have what was cut given back."""
    print(asyncio.run(agent.run("When did they start?")).output)


if __name__ == "__main__":
    main()
