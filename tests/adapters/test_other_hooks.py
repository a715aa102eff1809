"""Hooks of other hosts: what they answer, and what they leave alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from mckp.agents.adapters.other_hooks import FORMS, respond_as
from mckp.tokenizers import get

COUNT = get("o200k").count
LOG = "".join(f"step {n} of the build is done, with {n * 7} files\n" for n in range(900))
ROWS = json.dumps([{"id": n, "state": "done", "job": f"job {n % 3}"} for n in range(300)])
MCP = {"content": [{"type": "text", "text": "300 jobs"}], "structuredContent": {"jobs": ROWS}}


MODULES = ("opencode", "pi")
"""Hosts that load a module of ours, which writes the events."""


def event(host: str, tool: str, text: Any, **more: Any) -> dict[str, Any]:
    if host == "copilot-cli":
        result = {"resultType": "success", "textResultForLlm": text}
        args = json.dumps({"command": "make"})
        return {"sessionId": "s", "toolName": tool, "toolArgs": args, "toolResult": result, **more}
    if host in MODULES:
        plain = {"session": "s", "tool": tool, "shell": tool == "bash", "text": text}
        return {**plain, "args": {"command": "make"}, **more}
    common = {"session_id": "s", "tool_name": tool, "tool_input": {"command": "make"}, **more}
    if host == "codex":
        return {"hook_event_name": "PostToolUse", "tool_response": text, **common}
    response = {"llmContent": text, "returnDisplay": "", "error": None}
    return {"hook_event_name": "AfterTool", "tool_response": response, **common}


def answered(host: str, raw_event: Any, budget: int | None = None) -> Any:
    raw = raw_event if isinstance(raw_event, bytes) else json.dumps(raw_event).encode()
    return json.loads(respond_as(host, raw, budget=budget))


def shown(host: str, said: Any) -> str:
    """Return the text that the host shows its model, as it was seen when it was run."""
    if host == "copilot-cli":
        assert said == {"modifiedResult": said["modifiedResult"]}
        assert said["modifiedResult"]["resultType"] == "success"
        text: str = said["modifiedResult"]["textResultForLlm"]
    elif host in MODULES:
        assert list(said) == ["text"]
        text = said["text"]
    else:
        assert said["decision"] == {"codex": "block", "gemini-cli": "deny"}[host]
        text = said["reason"]
    return text


TOOLS = {
    "codex": ("Bash", "mcp__ci__jobs"),
    "gemini-cli": ("run_shell_command", "mcp_ci_jobs"),
    "copilot-cli": ("bash", "ci-jobs"),
    "opencode": ("bash", "ci_jobs"),
}


@pytest.mark.parametrize("budget", [300, 1_000, 20_000])
@pytest.mark.parametrize("text", [LOG, ROWS], ids=["log", "rows"])
@pytest.mark.parametrize("which", [0, 1], ids=["shell", "server"])
@pytest.mark.parametrize("host", [host for host in FORMS if host != "pi"])  # as opencode
def test_a_result_is_replaced_within_the_budget(
    host: str, which: int, text: str, budget: int
) -> None:
    """Each host's hook replaces a long result within the budget, and names the recall command."""
    given: Any = text
    if host == "codex" and which:
        given = {"content": [{"type": "text", "text": text}]}
    said = answered(host, event(host, TOOLS[host][which], given), budget)
    if budget == 20_000 and host != "codex" and text == LOG:
        assert said == {}, "it is not longer than the budget, and no other form is shorter"
        return
    text_shown = shown(host, said)
    assert COUNT(text_shown) <= budget
    assert host != "codex" or COUNT(text_shown) <= 2_500
    if budget < 20_000:
        assert "mckp hook recall" in text_shown


@pytest.mark.parametrize("table", ["[mckp]\nbudget = 900", "[policies.'*']\nbudget = 900"])
@pytest.mark.parametrize("host", ["codex", "gemini-cli"])
def test_a_budget_of_the_configuration_holds_with_the_line_on_recall(
    host: str, table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A configured budget is kept and used, the line on recall included."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = tmp_path / "mckp" / "pipeline_config.toml"
    file.parent.mkdir()
    file.write_text(f"schema_version = 2\n{table}\n")
    text = shown(
        host, answered(host, event(host, TOOLS[host][1], ROWS if host != "codex" else MCP))
    )
    assert "hook recall" in text
    assert 700 < COUNT(text) <= 900


def test_what_the_user_asks_in_codex_is_kept(tmp_path: Path, monkeypatch: Any) -> None:
    """A prompt in Codex is kept for later results and answered with nothing."""
    monkeypatch.setenv("MCKP_STATE_DIR", str(tmp_path))
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "job 2?"}
    assert answered("codex", prompt) == {}
    assert [file.read_text() for file in tmp_path.glob("*.prompt")] == ["job 2?"]


def test_structured_content_is_what_codex_would_show() -> None:
    """Structured content of a result goes before its text, within the budget."""
    data = {"jobs": json.loads(ROWS)}
    result = {"content": [{"type": "text", "text": "300 jobs"}], "structuredContent": data}
    text_shown = shown("codex", answered("codex", event("codex", "mcp__ci__jobs", result), 500))
    assert "jobs" in text_shown
    assert COUNT(text_shown) <= 500


@pytest.mark.parametrize(
    ("host", "raw_event"),
    [
        ("codex", event("codex", "Bash", "done")),
        ("codex", event("codex", "apply_patch", LOG)),
        ("codex", event("codex", "mcp__ci__jobs", {"content": [], "isError": True})),
        ("codex", event("codex", "mcp__ci__a", {"content": [{"type": "image", "data": "AA=="}]})),
        ("codex", event("codex", "mcp__ci__a", None)),
        ("codex", event("codex", "Bash", "> [#3]\n" + LOG)),
        ("codex", event("codex", "Bash", LOG, session_id=None)),
        ("codex", {"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}),
        ("codex", {"session_id": "s", "hook_event_name": "PreCompact"}),
        ("gemini-cli", event("gemini-cli", "read_file", LOG)),
        ("gemini-cli", event("gemini-cli", "run_shell_command", [{"inlineData": {}}])),
        ("gemini-cli", {**event("gemini-cli", "mcp_a_b", LOG), "tool_response": {"error": "x"}}),
        ("gemini-cli", {"session_id": "s", "hook_event_name": "PreCompress"}),
        ("copilot-cli", event("copilot-cli", "view", LOG)),
        ("copilot-cli", event("copilot-cli", "bash", None)),
        ("copilot-cli", event("copilot-cli", "bash", LOG, toolResult={"resultType": "failure"})),
        ("copilot-cli", {"sessionId": "s"}),
        *((host, raw) for host in FORMS for raw in (b"", b"[]", b"{", b"\xff", b"{}", b"7")),
    ],
)
def test_all_else_stays_as_it_is(host: str, raw_event: Any) -> None:
    """Files, pictures, failures, texts of the proxy and broken events stay as they are."""
    assert answered(host, raw_event, 400) == {}


def test_without_a_budget_codex_gets_only_what_it_takes_whole() -> None:
    """Without a budget, a result that Codex would cut stays unchanged; a shorter one is encoded."""
    long = json.dumps([{"id": n, "state": "done", "job": f"job {n}"} for n in range(2_000)])
    assert answered("codex", event("codex", "Bash", long)) == {}
    short = json.dumps([{"id": n, "state": "done", "job": f"job {n}"} for n in range(90)])
    assert "\n89 job 89\n" in shown("codex", answered("codex", event("codex", "Bash", short)))


def test_few_characters_may_be_more_tokens_than_codex_takes() -> None:
    """A short result of rare characters, which Codex would cut, stays unchanged."""
    rows = [{"id": n, "name": chr(0x1FAE0 + n % 8) * 60 + str(n)} for n in range(30)]
    assert len(json.dumps(rows, ensure_ascii=False)) < 2_600
    assert answered("codex", event("codex", "Bash", json.dumps(rows, ensure_ascii=False))) == {}
    few = json.dumps(rows[:9], ensure_ascii=False)
    assert "\n8 " in shown("codex", answered("codex", event("codex", "Bash", few)))
