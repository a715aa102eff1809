"""A result that takes too long is stopped, and holds up no other."""

import json
import subprocess
import sys
import time
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer

from mckp import tokenizers
from mckp.agents.mcp.servers import ProxySettings
from mckp.agents.mcp.work import WorkLimitError, limited
from mckp.agents.session import Session
from tests.mcp.fakes import Through, rows, said, text


def busy(seconds: float) -> str:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(100))
    return "done"


def test_work_is_stopped_at_its_limit() -> None:
    assert limited(lambda: busy(0.01), 5.0) == "done"
    start = time.thread_time()
    with pytest.raises(WorkLimitError):
        limited(lambda: busy(20), 0.1)
    assert time.thread_time() - start < 10
    assert limited(lambda: busy(0.01), 5.0) == "done"


def test_an_error_of_the_work_is_raised() -> None:
    with pytest.raises(KeyError):
        limited(lambda: dict[str, str]()["a"], 5.0)


def test_a_limit_leaves_nothing_behind_in_the_interpreter() -> None:
    """A trace set after it runs: what is left of an exception sends Python 3.11 in circles."""
    program = """
import sys
from mckp.agents.mcp.work import WorkLimitError, limited
for _ in range(50):
    limited(int, 5.0)
for seconds in (0.0, 0.05, 0.1):
    try:
        limited(lambda: sum(n % 7 for n in range(10**9)), seconds)
    except WorkLimitError:
        pass
lines = []
sys.settrace(lambda frame, event, _: lines.append(frame.f_lineno))
(lambda: 1)()
sys.settrace(None)
assert lines
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_the_limit_is_raised_within_the_call_or_not_at_all() -> None:
    """Whether the work ends just before or just after its limit, nothing is raised later."""
    ends: set[str] = set()
    for number in range(40):
        try:
            ends.add(limited(lambda: busy(0.04 + 0.001 * (number % 20)), 0.05))  # noqa: B023
        except WorkLimitError:
            ends.add("stopped")
        for _ in range(1000):
            pass
    assert ends <= {"done", "stopped"}


async def test_one_slow_result_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is cut plainly, within its budget; the results of others come while it is written."""
    server = MCPServer("jobs")

    @server.tool(structured_output=False)
    def get(name: str) -> Any:
        return text(f"{name}\n" + json.dumps(rows(200)))

    draft = Session.__dict__["add"]

    def slow(self: Session, **call: Any) -> Any:
        if call["text"].startswith("slow"):
            busy(30)
        return draft(self, **call)

    monkeypatch.setattr(Session, "add", slow)
    settings = ProxySettings({"": 300}, work=5.0)
    came: list[str] = []
    through = Through({"jobs": server}, settings)
    async with Client(through) as client, anyio.create_task_group() as group:

        async def call(name: str) -> None:
            found = said(await client.call_tool("get", {"name": name}))
            assert 0 < tokenizers.get("o200k").count(found) <= 300
            assert name in found
            came.append(name)

        await call("first")
        group.start_soon(call, "slow one")
        await anyio.sleep(0.1)
        for number in range(4):
            group.start_soon(call, f"quick {number}")
    assert came[-1] == "slow one"
    assert len(came) == 6
