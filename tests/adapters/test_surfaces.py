"""One recall has one answer, whichever way a model asks it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mckp.agents.adapters.claude_code.notes import FOLDER
from mckp.agents.adapters.claude_code.run import recall_in_conversation, respond
from mckp.agents.adapters.text_calls import TextCalls
from mckp.agents.mcp.desk import Desk
from mckp.agents.mcp.servers import ProxySettings
from mckp.agents.messages import MessageEncoder
from mckp.agents.session import Session, SessionSettings
from mckp.agents.session.recall import answer, answer_of
from mckp.agents.session.tool import ABOUT, definition, schema
from mckp.answers.primer import instruction
from mckp.errors import RecallError
from mckp.recall.question import PARAMETERS
from mckp.tokenizers import get

BUDGET = 120
ROWS = [
    {"id": n, "state": "failed" if n % 9 == 4 else "passed", "owner": {"name": f"user{n % 4}"}}
    for n in range(80)
]
DATA = json.dumps({"total": 80, "jobs": ROWS})
TEXT = "".join(
    f"step {n} {'failed' if n % 9 == 4 else 'is done'} at second {n}\n" for n in range(80)
)
HITS = "".join(f"src/lib/{'ab'[n // 6]}.py:{n}:    value_{n} = load({n})\n" for n in range(12))
PAGE = " ".join(f"word{n} {'needle' if n % 99 == 7 else 'straw'}" for n in range(400))
IN_DATA = json.dumps({"id": 7, "log": {"text": TEXT}})

CASES: list[tuple[str, dict[str, Any]]] = [
    (DATA, {"where": "state == 'failed'", "fields": ["id", "owner.name"]}),
    (DATA, {"group": "owner.name", "fields": ["count()", "max(id)"]}),
    (DATA, {"path": "$.jobs[5:8]"}),
    (DATA, {"sort": "-id", "limit": 2}),
    (DATA, {"where": "status == 'failed'"}),
    (DATA, {"fields": ["id"], "offset": 70}),
    (TEXT, {"grep": "failed", "context": 1, "limit": 4}),
    (TEXT, {"lines": "13-15"}),
    (TEXT, {"lines": "900"}),
    (TEXT, {"grep": "is done|failed|panic"}),
    (HITS, {"path": "lib/b.py", "limit": 3}),
    (HITS, {"where": "path endswith 'a.py'", "fields": ["path", "number"]}),
    (PAGE, {"grep": "needle"}),
    (PAGE, {"lines": "1"}),
    (IN_DATA, {"path": "$.log.text", "grep": "failed"}),
    (IN_DATA, {"path": "$.log.text", "offset": 60}),
]


def _call(text: str) -> list[dict[str, Any]]:
    call = {"id": "c1", "function": {"name": "jobs", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": text},
    ]


def answers(text: str, asked: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the answer of each surface with its name."""
    session = Session(SessionSettings(budget=BUDGET))
    session.add(tool="jobs", text=text)
    said, is_error = answer(session, {"handle": "#1", **asked}, BUDGET)
    yield "Python", said

    yield "messages", MessageEncoder(budget=BUDGET).recall(_call(text), "#1", **asked)

    def jobs(*_: object) -> str:
        return text

    chat = TextCalls([{"name": "jobs", "description": "Jobs."}], jobs, budget=BUDGET)
    chat.feed("<call>jobs</call>")
    chat.finish()
    chat.feed(f"<call>recall {json.dumps({'handle': '#1', **asked})}</call>")
    chat.finish()
    yield "text calls", str(chat.messages[-1]["content"])

    desk = Desk(ProxySettings(), ["s"], lambda: session, lambda: session.settings)
    result = desk.answer("recall", {"handle": "#1", **asked})
    assert bool(result.get("isError")) == is_error
    yield "proxy", result["content"][0]["text"]

    event = {"session_id": "x", "hook_event_name": "PostToolUse", "tool_name": "mcp__s__jobs"}
    respond(json.dumps({**event, "tool_response": text}).encode(), budget=BUDGET)
    try:
        yield "hook", recall_in_conversation("x", {"handle": "#1", **asked}, budget=BUDGET)
    except RecallError as error:
        wrong, _, command = str(error).partition("; try ")
        assert wrong == said.partition("\ntry {")[0]
        assert command.startswith("mckp hook recall x 1 --")


def by_python(text: str, asked: dict[str, Any]) -> str:
    """Return the answer of a session, with which others are compared."""
    session = Session(SessionSettings(budget=BUDGET))
    session.add(tool="jobs", text=text)
    return answer(session, {"handle": "#1", **asked}, BUDGET)[0]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "asked"), CASES)
def test_all_surfaces_give_the_same_answer(
    text: str, asked: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python, hooks, adapters, text calls and servers answer a recall with the same text."""
    monkeypatch.setenv(FOLDER, str(tmp_path))
    by_surface = dict(answers(text, asked))
    wanted = by_surface.pop("Python")
    assert get("o200k").count(wanted) <= BUDGET or "\ntry {" in wanted
    assert wanted in by_surface.pop("text calls").replace("&lt;", "<").replace("&gt;", ">")
    assert {said.removeprefix("error: ") for said in by_surface.values()} == {wanted}


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        case
        for case in CASES
        # An error of a shell names a command.
        if case[1] != {"lines": "900"} and case[1].get("where") != "status == 'failed'"
    ],
)
def test_a_shell_gives_the_same_answer(text: str, asked: dict[str, Any]) -> None:
    """The recall of a shell has the same answer as that of a session."""
    session = Session()
    session.add(tool="jobs", text=text)
    said, _ = answer(session, {"handle": "#1", **asked}, BUDGET)
    assert answer_of(text.encode(), asked, BUDGET, "o200k") == said


def test_the_tool_is_described_in_few_tokens() -> None:
    """The description and each instruction have at most 90 tokens, and list each parameter once."""
    assert get("o200k").count(ABOUT) <= 90
    own = [name for name in PARAMETERS if name != "jq"]  # programs are for who asks for them
    assert list(schema()["properties"]) == ["handle", *own, "queries"]
    assert {*definition("openai")["function"]} == {"name", "description", "parameters"}
    for formats in ("standard", "native", "dense"):
        assert get("o200k").count(instruction(formats)) <= 90
