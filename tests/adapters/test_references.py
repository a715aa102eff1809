"""References of the proxy and the hook never point to what the model no longer has."""

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from mckp.agents.adapters.claude_code.run import respond
from mckp.agents.config import Config
from mckp.agents.mcp.desk import Desk, RoutedCall
from mckp.agents.mcp.messages import is_compaction, notification
from mckp.agents.mcp.serve import Sessions
from mckp.agents.mcp.servers import ProxySettings
from tests.strategies import SCALE

TEXTS: Final = [
    json.dumps([{"id": n, "part": part, "state": "done"} for n in range(40)]) for part in range(4)
]
_LABEL: Final = re.compile(r"> \[#([0-9]+)")
_REFERENCE: Final = re.compile(r"> \[ref #([0-9]+)")


class Proxied:
    """A conversation through the proxy."""

    def __init__(self, _: Path, number: int) -> None:
        del number
        sessions = Sessions(ProxySettings(), Config())
        self._desk = Desk(ProxySettings(), ["ci"], sessions.open, sessions.settings)

    def call(self, text: str) -> str:
        came = {"content": [{"type": "text", "text": text}]}
        call = RoutedCall("ci", "log", {"part": text[:24]})
        return str(self._desk.deliver(call, came).result["content"][0]["text"])

    def compact(self) -> None:
        self._desk.compact()


class Hooked:
    """A conversation of Claude Code with the hook."""

    def __init__(self, folder: Path, number: int) -> None:
        self._event: dict[str, Any] = {"session_id": f"s{number}", "cwd": str(folder)}

    def _respond(self, **event: Any) -> Any:
        return json.loads(respond(json.dumps({**self._event, **event}).encode(), budget=4000))

    def call(self, text: str) -> str:
        event = {"hook_event_name": "PostToolUse", "tool_name": "mcp__ci__log"}
        answer = self._respond(**event, tool_input={"part": text[:24]}, tool_response=text)
        return str(answer.get("hookSpecificOutput", {}).get("updatedToolOutput", text))

    def compact(self) -> None:
        self._respond(hook_event_name="PreCompact")


WAYS: Final[dict[str, Callable[[Path, int], Proxied | Hooked]]] = {
    "proxy": Proxied,
    "hook": Hooked,
}


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MCKP_STATE_DIR", str(tmp_path / "state"))


@pytest.mark.parametrize("way", WAYS)
def test_no_reference_to_what_was_compacted(way: str, tmp_path: Path) -> None:
    """In fifty conversations, each reference is to a text that came since the last compaction."""
    draw = random.Random(5)
    made = 0
    for number in range(max(5, int(50 * SCALE))):
        talk, seen = WAYS[way](tmp_path, number), set[str]()
        for _ in range(12):
            if draw.random() < 0.2:
                talk.compact()
                seen.clear()
            sent = talk.call(draw.choice(TEXTS))
            if found := _REFERENCE.match(sent):
                made += 1
                assert found[1] in seen, sent
            elif label := _LABEL.match(sent):
                seen.add(label[1])
    assert made > 5


@pytest.mark.parametrize("way", WAYS)
def test_a_reference_is_never_the_answer_twice_running(way: str, tmp_path: Path) -> None:
    """A host that compacts in silence gets the text at the next call: never a second reference."""
    draw = random.Random(7)
    for number in range(max(5, int(50 * SCALE))):
        talk, last = WAYS[way](tmp_path, number), dict[str, bool]()
        for _ in range(12):
            text = draw.choice(TEXTS)
            is_reference = _REFERENCE.match(talk.call(text)) is not None
            assert not (is_reference and last.get(text))
            last[text] = is_reference
        assert any(last.values()) or number


def test_names_of_compaction() -> None:
    """A notification of compaction is known by the end of its name, and others are not it."""
    names = ("notifications/compact", "notifications/devboy/compact", "notifications/x/compacted")
    assert all(is_compaction(notification(name)) for name in names)
    assert not is_compaction(notification("notifications/cancelled"))
