"""Tools for a model that only writes text: offline, with a scripted model that streams.

python -m pip install . && python examples/agents/text_model.py
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mckp.agents.adapters.text_calls import TextCalls
from mckp.tools.calls import Text

if TYPE_CHECKING:
    from collections.abc import Iterator

BUILDS = Path(__file__).parents[1] / "builds.json"
TOOLS = [
    {
        "name": "list_builds",
        "description": "List the builds of a project.",
        "inputSchema": {
            "type": "object",
            "properties": {"project": {"type": "string"}},
            "required": ["project"],
        },
    }
]
SCRIPT = iter(
    [
        "Let me see. <call>list_builds project=harbour</call>",
        "<call>list_builds project=harbour</call><call>list_builds</call>",
        '<call>recall handle=1 path="$.builds[23].started"</call>',
        "The oldest build started on the 13th of March.",
    ]
)


def run(name: str, arguments: dict[str, Any]) -> str:
    """Run a tool."""
    return BUILDS.read_text("utf-8")


def model(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Say what comes next, in chunks, and print the answers that are there to read."""
    if "<tool-" in messages[-1]["content"]:
        print(messages[-1]["content"], "", sep="\n")
    text = next(SCRIPT)
    yield from (text[at : at + 7] for at in range(0, len(text), 7))


def main() -> None:
    """Ask for builds, ask again, once without saying of what, and have a part given back."""
    chat = TextCalls(TOOLS, run, budget=300)
    chat.say("When did they start?")
    for event in chat.converse(model):
        if isinstance(event, Text):
            print(event.text, end="")
    print()


if __name__ == "__main__":
    main()
