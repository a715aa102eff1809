"""A result that takes too long is stopped, and holds up no other."""

import gc
import json
import subprocess
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer

from mckp import tokenizers, work
from mckp.agents.mcp.desk import Desk, RoutedCall
from mckp.agents.mcp.servers import ProxySettings
from mckp.agents.session import Session, SessionSettings
from mckp.work import Watch, WorkLimitError, run_limited
from tests.mcp.fakes import Through, first_text, rows, text


def busy(seconds: float) -> str:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(100))
    return "done"


def test_work_is_stopped_at_its_limit() -> None:
    """Work beyond its time limit is stopped, and later work runs."""
    assert run_limited(lambda: busy(0.01), 5.0) == "done"
    start = time.thread_time()
    with pytest.raises(WorkLimitError):
        run_limited(lambda: busy(20), 0.1)
    assert time.thread_time() - start < 10
    assert run_limited(lambda: busy(0.01), 5.0) == "done"


def test_an_error_of_the_work_is_raised() -> None:
    """An error of limited work reaches the caller."""
    with pytest.raises(KeyError):
        run_limited(lambda: dict[str, str]()["a"], 5.0)


def test_no_stop_comes_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that ends about when its time does is done or stopped; nothing is raised after it."""
    monkeypatch.setattr(work, "_LEAST_WAIT", 0.0)
    ends = {"done": 0, "stopped": 0}
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for number in range(400):
            try:
                ends[run_limited(lambda: busy(0.0005), 0.0002 + number % 20 * 2e-5)] += 1
            except WorkLimitError:
                ends["stopped"] += 1
            for _ in range(50):  # a stop on its way would come here
                sum(range(20))
    finally:
        sys.setswitchinterval(interval)
    assert sum(ends.values()) == 400
    assert min(ends.values()) > 9


def test_a_stop_that_comes_after_the_work_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop that comes after the work leaves its result."""
    disarm, stops = Watch.disarm, [0]

    def late(watch: Watch) -> None:
        stops[0] += 1
        if stops[0] == 1:
            watch.stop_after(0)
            busy(5)
        disarm(watch)

    monkeypatch.setattr(Watch, "disarm", late)
    assert run_limited(lambda: "done", 0.2) == "done"
    assert stops == [2]
    busy(0.4)  # nor does the watch stop anything once its time has come


def test_a_stop_that_is_ignored_is_repeated() -> None:
    """As in callbacks of the collector and in `__del__`, where Python ignores exceptions."""
    ignored: list[str] = []

    def ignoring() -> None:
        try:
            busy(20)
        except work.Stop:
            ignored.append("once")
        busy(20)

    start = time.thread_time()
    with pytest.raises(WorkLimitError):
        run_limited(ignoring, 0.1)
    assert ignored == ["once"]
    assert time.thread_time() - start < 10


def test_no_stop_comes_where_python_ignores_it() -> None:
    """`__del__` and callbacks of the collector come to their end; the work is stopped after it."""
    ended: list[str] = []

    class Slow:
        def __del__(self) -> None:
            busy(0.2)
            ended.append("__del__")

    def collected(phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            busy(0.2)
            ended.append("callback")

    def deleting() -> None:
        Slow()
        busy(5)

    def collecting() -> None:
        gc.collect()
        busy(5)

    with pytest.raises(WorkLimitError):
        run_limited(deleting, 0.05)
    gc.callbacks.append(collected)
    try:
        with pytest.raises(WorkLimitError):
            run_limited(collecting, 0.05)
    finally:
        gc.callbacks.remove(collected)
    assert ended[:2] == ["__del__", "callback"]


def test_a_module_is_imported_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit does not interrupt an import; it stops the work after it."""
    (tmp_path / "slow_to_import.py").write_text(
        "import time\nend = time.thread_time() + 0.4\nwhile time.thread_time() < end: pass\nx = 1\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    def importing() -> None:
        import_module("slow_to_import")
        busy(5)

    with pytest.raises(WorkLimitError):
        run_limited(importing, 0.1)
    assert sys.modules.pop("slow_to_import").x == 1


def test_work_cannot_catch_its_stop() -> None:
    """Work that catches every exception is stopped all the same."""

    def stubborn() -> None:
        while True:
            with suppress(Exception):
                busy(5)

    with pytest.raises(WorkLimitError):
        run_limited(stubborn, 0.1)


def test_functions_can_be_traced_afterwards() -> None:
    """CPython 3.11 traces no function to its end while it waits for an exception of a thread."""
    program = """if True:
        import sys, time
        from mckp.work import Watch, WorkLimitError, run_limited

        def busy():
            while True:
                time.thread_time()

        run_limited(lambda: 1, 5.0)
        try:
            run_limited(busy, 0.1)
        except WorkLimitError:
            pass
        lines = []
        sys.settrace(lambda frame, event, value: lines.append(event))
        (lambda: 1)()
        sys.settrace(None)
        print(lines)
    """
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )
    assert "call" in run.stdout


def test_a_result_that_is_stopped_was_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A repeat of a result whose delivery was stopped is sent, as the host has not got it."""
    session = Session(SessionSettings(budget=200))
    note = session.unshown.note

    def slow(*given: Any) -> None:
        busy(20)

    monkeypatch.setattr(session.unshown, "note", slow)
    body = json.dumps(rows(200))
    with pytest.raises(WorkLimitError):
        run_limited(lambda: session.add(tool="get", text=body), 0.3)
    monkeypatch.setattr(session.unshown, "note", note)
    assert "the same text as" not in session.add(tool="get", text=body).text


def test_what_cannot_be_made_ready_in_time_is_an_error_for_the_host() -> None:
    """A result that is not ready in time is an error that points to the log."""

    def opens() -> Session:
        raise WorkLimitError

    settings = ProxySettings({"": 300})
    desk = Desk(settings, ["jobs"], opens, settings.session_settings)
    came = {"content": [{"type": "text", "text": json.dumps(rows(200))}]}
    delivered = desk.deliver(RoutedCall("jobs", "get", {}), came).result
    assert delivered["isError"] is True
    assert "log of the proxy" in delivered["content"][0]["text"]


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
            text = first_text(await client.call_tool("get", {"name": name}))
            assert 0 < tokenizers.get("o200k").count(text) <= 300
            assert name in text
            came.append(name)

        await call("first")
        group.start_soon(call, "slow one")
        await anyio.sleep(0.1)
        for number in range(4):
            group.start_soon(call, f"quick {number}")
    assert came[-1] == "slow one"
    assert len(came) == 6
