"""Conversations whose context is compacted at random places: nothing refers to what is gone."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from mckp.agents.adapters.claude_code.answering import answer
from mckp.agents.adapters.claude_code.memory import Memory
from mckp.agents.mcp.desk import Desk, RoutedCall
from mckp.agents.mcp.messages import is_compaction, notification
from mckp.agents.mcp.servers import ProxySettings
from mckp.agents.session import Reader, Session, SessionSettings
from mckp.errors import MckpError
from tests.mcp.jobs import rows

SETTINGS = SessionSettings(refers_again=False, budget=500)
CONVERSATIONS = 5
CALLS = 15


class HookHost:
    """A host whose hook shortens the results of one conversation."""

    def __init__(self) -> None:
        self.memory = Memory()

    def call(self, tool: str, text: str) -> str:
        event = {"hook_event_name": "PostToolUse", "tool_name": f"mcp__ci__{tool}"}
        said = answer({**event, "tool_response": text}, self.memory, SETTINGS)
        return said["hookSpecificOutput"]["updatedToolOutput"] if said else text

    def compact(self) -> None:
        answer({"hook_event_name": "PreCompact", "trigger": "auto"}, self.memory, SETTINGS)


class ProxyHost:
    """A host with a proxy between itself and the server."""

    def __init__(self) -> None:
        self.desk = Desk(ProxySettings(), ["ci"], lambda: Session(SETTINGS), lambda: SETTINGS)

    def call(self, tool: str, text: str) -> str:
        result = {"content": [{"type": "text", "text": text}]}
        delivered = self.desk.deliver(RoutedCall("ci", tool, {}), result).result
        return str(delivered["content"][0]["text"])

    def compact(self) -> None:
        if is_compaction(notification("notifications/mckp/compact")):
            self.desk.compact()


def texts(chance: random.Random) -> dict[str, Callable[[], str]]:
    """Return tools, some of whose results come again, or again with small changes."""
    changing: list[Any] = [dict(row) for row in rows(30)]

    def change() -> str:
        chance.choice(changing)["state"] = chance.choice(["open", "done"])
        return json.dumps(changing)

    return {
        "list": lambda: json.dumps(rows(chance.choice([20, 30, 200]))),
        "watch": change,
        "log": lambda: "".join(f"step {n} is done\n" for n in range(chance.choice([60, 400]))),
        "page": lambda: json.dumps({"page": chance.randint(1, 2), "items": rows(25)}),
    }


@pytest.mark.parametrize("host", [HookHost, ProxyHost])
def test_no_reference_leads_to_what_was_compacted(host: Callable[[], Any]) -> None:
    """Each reference can be read from what the host has shown since the last compaction."""
    references = 0
    for seed in range(CONVERSATIONS):
        chance, model, reader = random.Random(seed), host(), Reader()
        tools = texts(chance)
        for _ in range(CALLS):
            if chance.random() < 0.15:
                model.compact()
                reader = Reader()
            tool = chance.choice([*tools])
            said = model.call(tool, tools[tool]())
            references += said.startswith("> [ref ")
            reader.read(said)  # an unknown number is an error
    assert references >= CONVERSATIONS


@pytest.mark.parametrize("host", [HookHost, ProxyHost])
def test_after_a_reference_comes_the_text(host: Callable[[], Any]) -> None:
    """If a host compacts without a word, what follows a reference to a text is the text."""
    for seed in range(CONVERSATIONS):
        chance, model = random.Random(seed), host()
        tools = texts(chance)
        dangling: dict[str, bool] = {}
        for _ in range(CALLS):
            tool = chance.choice([*tools])
            text = tools[tool]()
            try:
                Reader().read(model.call(tool, text))
            except MckpError:
                assert not dangling.get(text), "a reference twice running"
                dangling[text] = True
            else:
                dangling[text] = False
