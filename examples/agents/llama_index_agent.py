"""An agent of LlamaIndex whose model gets encoded results: offline, with a scripted model.

python -m pip install ".[llama-index]" && python examples/agents/llama_index_agent.py
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM

from mckp.agents.adapters.llama_index import LlamaIndexToolResults

if TYPE_CHECKING:
    from collections.abc import Sequence

BUILDS = Path(__file__).parents[1] / "builds.json"


def list_builds(project: str) -> str:
    """List the builds of a project."""
    return BUILDS.read_text("utf-8")


def call(key: str, name: str, **args: Any) -> ChatMessage:
    """Return a message that calls a tool."""
    block = ToolCallBlock(tool_call_id=key, tool_name=name, tool_kwargs=args)
    return ChatMessage(role=MessageRole.ASSISTANT, blocks=[block])


def main() -> None:
    """Ask for builds, ask again, and have what was cut given back."""
    script = iter(
        [
            call("c1", "list_builds", project="harbour"),
            call("c2", "list_builds", project="harbour"),
            call("c3", "recall", handle=1, path="$.builds[20:].started"),
            ChatMessage(
                role=MessageRole.ASSISTANT,
                content="The oldest build started on the 13th of March.",
            ),
        ]
    )

    def scripted(messages: Sequence[ChatMessage], **kwargs: Any) -> ChatMessage:
        if messages[-1].role == MessageRole.TOOL:
            print(messages[-1].content, "", sep="\n")
        return next(script)

    results = LlamaIndexToolResults(budget=320)
    model = results.model(MockFunctionCallingLLM(response_generator=scripted))
    tools: Any = [list_builds, results.recall_tool()]
    agent = FunctionAgent(tools=tools, llm=model, streaming=False)

    async def ask() -> object:
        return await agent.run(user_msg="When did they start?")

    print(asyncio.run(ask()))


if __name__ == "__main__":
    main()
