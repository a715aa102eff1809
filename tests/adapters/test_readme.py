"""What the page on adapters shows is so."""

from __future__ import annotations

import doctest
import json
from pathlib import Path

import pytest

from mckp.agents.adapters.claude_code.run import respond

PAGE = Path(__file__).parents[2] / "mckp" / "agents" / "adapters" / "README.md"


@pytest.mark.filterwarnings("ignore::pydantic.PydanticDeprecatedSince20")
@pytest.mark.filterwarnings("ignore::pydantic.PydanticDeprecatedSince211")
def test_examples_run_as_shown() -> None:
    for name in ("langchain", "llama_index.core", "agents", "pydantic_ai"):
        pytest.importorskip(name, reason="the page needs the extra agents")
    found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert found.attempted > 20
    assert found.failed == 0


def test_named_files_exist() -> None:
    links = [part.split(")")[0] for part in PAGE.read_text("utf-8").split("](")[1:]]
    assert len(links) > 5
    assert [link for link in links if not (PAGE.parent / link).exists()] == []


def test_settings_of_hooks_are_json() -> None:
    """Each event of theirs is one that the hook answers."""
    block = PAGE.read_text("utf-8").split("```json\n")[1].split("```")[0]
    hooks = json.loads(block)["hooks"]
    assert "PostToolUse" in hooks
    for name in hooks:
        assert respond(json.dumps({"session_id": "x", "hook_event_name": name}).encode()) == b"{}"
