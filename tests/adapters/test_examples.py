"""The examples run, offline, with the frameworks themselves."""

import json
import runpy
from pathlib import Path

import pytest

from mckp.agents.adapters.claude_code.run import respond

AGENTS = Path(__file__).parents[2] / "examples" / "agents"
PAGE = Path(__file__).parents[2] / "mckp" / "agents" / "adapters" / "README.md"
FRAMEWORKS = {
    "langchain_agent": "langchain",
    "llama_index_agent": "llama_index.core",
    "openai_agents_agent": "agents",
    "pydantic_ai_agent": "pydantic_ai",
    "text_model": "mckp",
}


def test_each_example_is_tried() -> None:
    """The examples in the folder are those that the tests run."""
    assert {path.stem for path in AGENTS.glob("*.py")} == {*FRAMEWORKS}


# LlamaIndex asks its agents for all their attributes, those that pydantic gave up as well.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pydantic.PydanticDeprecatedSince20")
@pytest.mark.filterwarnings("ignore::pydantic.PydanticDeprecatedSince211")
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_an_example_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The model is shown a table within the budget, a reference, and what it recalled."""
    pytest.importorskip(FRAMEWORKS[name], reason=f"{name} needs an extra of its own")
    runpy.run_path(str(AGENTS / f"{name}.py"), run_name="__main__")
    said = capsys.readouterr().out
    places = [
        said.find(text)
        for text in (
            "> [#1 as compact]\n{7}\n",
            "\n> [+",
            "> [ref #1]\n(the same text as #1 above, which was cut; recall #1 has the rest)",
            "2026-03-13T12:05:00Z",
            "The oldest build started on the 13th of March.",
        )
    ]
    assert -1 not in places
    assert places == sorted(places)


def test_settings_of_hooks_are_json() -> None:
    """Each event in the example settings is one that the hook answers."""
    block = PAGE.read_text("utf-8").split("```json\n")[1].split("```")[0]
    hooks = json.loads(block)["hooks"]
    assert "PostToolUse" in hooks
    for name in hooks:
        assert respond(json.dumps({"session_id": "x", "hook_event_name": name}).encode()) == b"{}"
