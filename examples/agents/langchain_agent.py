"""An agent of LangChain whose model is shown encoded results: offline, with a scripted model.

python -m pip install ".[langchain]" && python examples/agents/langchain_agent.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from mckp.agents.adapters.langchain import LangChainToolResults

BUILDS = Path(__file__).parents[1] / "builds.json"


def list_builds(project: str) -> str:
    """List the builds of a project."""
    return BUILDS.read_text("utf-8")


class Scripted(GenericFakeChatModel):
    """Says what it was given to say, and prints the results that it is shown."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        """Take tools."""
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        if isinstance(messages[-1], ToolMessage):
            print(messages[-1].content, "", sep="\n")
        return super()._generate(messages, *args, **kwargs)


def call(key: str, name: str, **args: Any) -> AIMessage:
    """Return a message that calls a tool."""
    return AIMessage("", tool_calls=[{"id": key, "name": name, "args": args}])


def main() -> None:
    """Ask for builds, ask again, and have what was cut given back."""
    script = [
        call("c1", "list_builds", project="harbour"),
        call("c2", "list_builds", project="harbour"),
        call("c3", "recall", handle=1, path="$.builds[20:].started"),
        AIMessage("The oldest build started on the 13th of March."),
    ]
    agent = create_agent(
        Scripted(messages=iter(script)),
        [list_builds],
        middleware=[LangChainToolResults(budget=320)],
    )
    done = agent.invoke({"messages": [{"role": "user", "content": "When did they start?"}]})
    print(done["messages"][-1].content)


if __name__ == "__main__":
    main()
