"""One word for one thing: budgets, handles and wishes are written alike behind every command."""

import json

import pytest

from mckp.agents.messages import MessageEncoder
from mckp.cli.options import parse_arguments
from tests.cli.conftest import Run

ROWS = json.dumps([{"id": n, "state": "done"} for n in range(90)])


@pytest.mark.parametrize("budget", ["80", "0.08k", "20%"])
def test_budgets_are_read_alike(run: Run, budget: str) -> None:
    """`encode` and `batch` read the same notations of budgets."""
    code, shown, _ = run("encode", "-b", budget, "--json", stdin=ROWS)
    limit = json.loads(shown)["budget"]
    assert code == 0
    assert json.loads(shown)["tokens"] <= limit
    assert run("batch", "--budget", budget, stdin=ROWS)[1] == shown


@pytest.mark.parametrize("command", ["mcp", "hook claude-code", "install cursor"])
def test_a_share_of_nothing_is_wrong_usage(run: Run, command: str) -> None:
    """Where results are yet to come, there is nothing that a share could be of."""
    code, _, errors = run(*command.split(), "--budget", "50%")
    assert code == 2
    assert "expected a number of tokens, such as 4000 or 4k, not the share 50%" in errors


@pytest.mark.parametrize("text", ["0.5", "-1", "many", "4K%", ""])
def test_what_is_no_budget_is_wrong_usage(run: Run, text: str) -> None:
    """A budget in another notation is wrong usage, and the message shows the right ones."""
    code, _, errors = run("encode", f"--budget={text}", stdin="[]")
    assert code == 2
    assert "a budget must be a number of tokens (4000, 4k) or a share (50%)" in errors


def test_a_header_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A header without a value takes it from the environment variable of its name."""
    monkeypatch.setenv("X-Key", "a secret: of mine")
    arguments = parse_arguments(
        ["mcp", "--url", "http://x", "--header", "X-Key", "--header", "A: b"]
    )
    assert arguments.header == [("X-Key", "a secret: of mine"), ("A", "b")]


def test_a_batch_heeds_wishes(run: Run) -> None:
    """Priorities and weights have the same effect in `encode` and in `batch`."""
    options = ["--priority", "*.state=drop", "--weights", "facts", "-b", "60"]
    single, many = (run(command, *options, stdin=ROWS)[1] for command in ("encode", "batch"))
    assert json.loads(many)["text"].encode() == single
    assert b"state" not in single.split(b"> [")[0]


def test_a_place_is_the_whole_by_default() -> None:
    """``$`` of a text that is no data is the text."""
    log = "\n".join(f"step {n} is done" for n in range(30))
    message = {"role": "tool", "tool_call_id": "c", "content": log}
    call = {"id": "c", "function": {"name": "log", "arguments": "{}"}}
    messages = [{"role": "assistant", "tool_calls": [call]}, message]
    assert MessageEncoder().recall(messages, 1) == MessageEncoder().recall(messages, 1, "$") == log


@pytest.mark.parametrize("command", ["encode", "compare", "inspect", "batch"])
def test_a_shell_notes_once_that_tokens_are_estimated(run: Run, command: str) -> None:
    """Each command writes one note if its tokens are estimated, and none otherwise."""
    outcome = run(command, "--tokenizer", "claude-sonnet-4", stdin='[{"id": 1}]')
    note = (
        "mckp: note: tokens are estimated by claude_estimate, not counted; "
        "the count is not known, so the estimate is on the safe side"
    )
    assert (outcome[0], outcome[2].splitlines()) == (0, [note])
    assert run(command, stdin='[{"id": 1}]')[2] == ""
