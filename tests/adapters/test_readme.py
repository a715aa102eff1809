"""What the page on adapters shows is so."""

import json
from pathlib import Path

from mckp.agents.adapters.claude_code.run import respond

PAGE = Path(__file__).parents[2] / "mckp" / "agents" / "adapters" / "README.md"


def test_settings_of_hooks_are_json() -> None:
    """Each event of theirs is one that the hook answers."""
    block = PAGE.read_text("utf-8").split("```json\n")[1].split("```")[0]
    hooks = json.loads(block)["hooks"]
    assert "PostToolUse" in hooks
    for name in hooks:
        assert respond(json.dumps({"session_id": "x", "hook_event_name": name}).encode()) == b"{}"
