"""The command itself: a client, the proxy and a server as three processes, or over HTTP."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from typing import IO, Any

import anyio
import pytest
import uvicorn
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.memory import create_client_server_memory_streams

from mckp.agents.config import Config
from mckp.agents.mcp.revival import MOST
from mckp.agents.mcp.serve import Sessions, running_relay
from mckp.agents.mcp.servers import ProxySettings, ServerSpec, server_of_url
from mckp.agents.mcp.web import FromSdk, ToSdk
from mckp.agents.session import Reader
from mckp.agents.telemetry import read_telemetry
from tests.cases import cases
from tests.mcp.fakes import first_text, full_server, of_process, rows, run
from tests.mcp.test_child import MISBEHAVING
from tests.shell import python

ROOT = Path(__file__).parents[2]
PROXY = (sys.executable, "-m", "mckp", "mcp")
PATIENCE = 60
"""Seconds that a process may take on a busy machine."""

GREET = cases(__file__, "GREET")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the files of the user out of it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return tmp_path


def started(*argv: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*PROXY, *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def sent(process: subprocess.Popen[bytes], *messages: Any) -> tuple[IO[bytes], IO[bytes]]:
    """Send messages to the proxy, and return its two ends."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("".join(json.dumps(message) + "\n" for message in messages).encode())
    process.stdin.flush()
    return process.stdin, process.stdout


async def test_a_client_through_the_command(home: Path) -> None:
    """Only messages are on standard output; figures are written when asked for."""
    folder = home / "figures"
    command = (*PROXY, "--budget", "300", "--telemetry", str(folder), "--")
    server = (sys.executable, "-S", MISBEHAVING, "bytes")
    async with Client(of_process(*command, *server, **os.environ)) as client:
        assert [tool.name for tool in (await client.list_tools()).tools][-1] == "recall"
        texts = [first_text(await client.call_tool("good", {})) for _ in range(2)]
        assert texts == [
            "> [#1]\n" + "all is good " * 40,
            "> [ref #1]\n(the same text as #1 above)",
        ]
    (events,) = (folder / "events").iterdir()
    assert len(events.read_text().splitlines()) == 2


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux reports what is taken")
def test_little_is_loaded_before_the_first_call(home: Path) -> None:
    """Before the first call, the proxy has loaded no NumPy and takes less than 60 MB."""
    del home
    with started("--", sys.executable, "-S", MISBEHAVING, "bytes") as process:
        asks = [GREET, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}]
        given, answered = sent(process, *asks)
        answers = [json.loads(answered.readline()) for _ in asks]
        assert [answer["id"] for answer in answers] == [1, 2]
        maps = Path(f"/proc/{process.pid}/maps").read_text("utf-8")
        assert "numpy" not in maps
        (taken,) = re.findall(r"VmRSS:\s+([0-9]+) kB", _status(process.pid))
        assert int(taken) < 60 * 1024
        given.close()
        process.wait(PATIENCE)
    code = "import mckp.agents.mcp.serve, mckp.agents.mcp.relay, sys; print(*sys.modules)"
    modules = set(python(code).split())
    assert not {"mcp", "mcp_types", "pydantic", "httpx2", "numpy", "mckp.api"} & modules


def _status(number: int) -> str:
    return Path(f"/proc/{number}/status").read_text("utf-8")


@pytest.mark.parametrize(("mode", "method"), [("crash", "call"), ("listless", "list")])
def test_a_server_that_ends_is_an_error_and_is_started_again(
    home: Path, mode: str, method: str
) -> None:
    """Waiting calls get an error; if the server goes on to end, the exit code is not 0."""
    del home
    with started("--", sys.executable, "-S", MISBEHAVING, mode) as process:
        ask = {"jsonrpc": "2.0", "id": 2, "method": f"tools/{method}", "params": {"name": "bad"}}
        given, answered = sent(process, GREET)
        greeting = json.loads(answered.readline())
        assert greeting["result"]["serverInfo"]["name"] == "misbehaving"
        for number in range(2, 3 + MOST):
            sent(process, ask | {"id": number})
            answer = json.loads(answered.readline())
            assert answer["id"] == number
            assert "has ended" in answer["error"]["message"]
        given.close()
        assert process.wait(PATIENCE) == 1
        assert process.stderr is not None
        assert b"misbehaving has ended" in process.stderr.read()


@pytest.mark.skipif(sys.platform == "win32", reason="null devices are waited for in threads there")
def test_it_ends_with_a_host_that_cannot_be_waited_for(home: Path) -> None:
    """The proxy ends if its input is a file that ends or the null device."""
    asked = home / "asked.jsonl"
    asked.write_text(json.dumps(GREET) + "\n", "utf-8")
    command = [*PROXY, "--", sys.executable, "-S", MISBEHAVING, "bytes"]
    for path in (os.devnull, asked):
        with Path(path).open("rb") as host:
            done = subprocess.run(
                command, stdin=host, capture_output=True, timeout=PATIENCE, check=False
            )
        assert done.returncode == 0, done.stderr
        answered = [json.loads(line)["id"] for line in done.stdout.splitlines()]
        assert answered in ([], [GREET["id"]]), "it need not wait for answers that nobody reads"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_it_ends_on_sigterm(home: Path) -> None:
    """The proxy ends with code 0 on SIGTERM."""
    del home
    with started("--", sys.executable, "-S", MISBEHAVING, "hang") as process:
        assert sent(process, GREET)[1].readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_no_server_stays_behind(home: Path) -> None:
    """A server that ignores the end of its input and SIGTERM is ended too."""
    del home
    with started("--", sys.executable, "-S", MISBEHAVING, "deaf") as process:
        given, answered = sent(process, GREET)
        number = int(json.loads(answered.readline())["result"]["serverInfo"]["version"])
        given.close()
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((), "pass exactly one of"),
        (("--url", "http://x", "--config", "y"), "pass exactly one of"),
        (("--config", "no-such-file.json"), "no-such-file.json"),
        (("--", "no-such-program"), "cannot be started"),
        (("--budget", "3", "--", "x"), "too few"),
    ],
)
def test_wrong_usage_is_one_message(home: Path, argv: tuple[str, ...], message: str) -> None:
    """Wrong arguments end the proxy with code 1 and a message without a traceback."""
    del home
    with started(*argv) as process:
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out) == (1, b"")
        assert message in err.decode()
        assert "Traceback" not in err.decode()


@contextmanager
def over_http() -> Generator[str]:
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    app = full_server().streamable_http_app()
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.should_exit = True
        thread.join()


async def test_a_server_that_cannot_be_reached_is_an_error() -> None:
    """An unreachable server is an error if it is the only one, and is left out otherwise."""
    specs = [
        server_of_url("http://127.0.0.1:9/mcp", {}),
        ServerSpec("well", sys.executable, ("-S", MISBEHAVING, "bytes")),
    ]
    async with through(specs[:1]) as host:
        error = ""
        try:
            async with Client(host, mode="legacy"):
                pytest.fail("it has greeted")
        except* MCPError as group:
            error = repr(group)
        assert "cannot be reached" in error
    async with through(specs) as host, Client(host, mode="legacy") as client:
        assert "all is good" in first_text(await client.call_tool("well__good", {}))


@asynccontextmanager
async def through(specs: list[ServerSpec]) -> AsyncGenerator[Any]:
    sessions = Sessions(ProxySettings(), Config())
    async with (
        create_client_server_memory_streams() as (streams, own),
        running_relay(FromSdk(own[0]), ToSdk(own[1]), specs, ProxySettings(), sessions) as relay,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(relay.run)

        yield nullcontext(streams)
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_server_over_http(home: Path, mode: str) -> None:
    """The proxy shortens results of a server over HTTP and forwards its resources."""
    del home

    async def main(url: str) -> None:
        async with Client(of_process(*PROXY, "--url", url, **os.environ), mode=mode) as client:
            await client.list_tools()
            block: Any = (await client.call_tool("list_jobs", {"count": 20})).content[0]
            assert block.text.startswith("> [#1 as compact]")
            assert Reader().read(block.text) == rows(20)
            page: Any = (await client.read_resource("fake://moon/page")).contents[0]
            assert page.text == "the page of moon"

    with over_http() as url:
        run(lambda: main(url))


@pytest.mark.parametrize("asked", [True, False])
def test_a_folder_cannot_switch_on_telemetry(
    home: Path, asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the configuration of the folder says holds for who has asked for figures."""
    (home / ".mckp").mkdir()
    says = 'schema_version = 2\n[telemetry]\nenabled = true\npath = "figures"\n'
    (home / ".mckp" / "pipeline_config.toml").write_text(says)
    monkeypatch.chdir(home)
    monkeypatch.delenv("MCKP_TELEMETRY_DIR", raising=False)
    sessions = Sessions(ProxySettings(telemetry="" if asked else None))
    sessions.open().add(tool="t", text="some text " * 40)
    sessions.close()
    assert (home / "figures").exists() == asked


@pytest.mark.parametrize("asked", [True, False])
def test_uses_are_counted_where_telemetry_is_on(tmp_path: Path, asked: bool) -> None:
    """The file of the session has names of fields and counts; else nothing is written."""
    folder = tmp_path / "telemetry"
    sessions = Sessions(ProxySettings(telemetry=str(folder) if asked else None), Config())
    session = sessions.open()
    session.add(tool="mcp__hall__find", text='[{"id": 70412, "state": "failed"}]')
    session.add(tool="mcp__hall__restart", args={"job": 70412}, text="done")
    sessions.close()
    assert folder.exists() == asked
    if asked:
        (uses,) = read_telemetry(folder).uses
        ((tool, counts),) = uses.items()
        assert tool.endswith("__find")
        assert "hall" not in tool
        assert counts["[*].id"]["used"] == 1


def test_a_recall_beside_the_first_call_harms_neither(home: Path) -> None:
    """A conversation that is resumed does this: two threads load the same modules at once."""
    del home
    given: list[tuple[str, dict[str, Any]]] = [
        ("good", {}),
        ("recall", {"handle": 1}),
        ("recall", {"handle": 1, "grep": "good"}),
    ]
    asks: list[dict[str, Any]] = [
        {
            **{"jsonrpc": "2.0", "id": number, "method": "tools/call"},
            "params": {"name": name, "arguments": arguments},
        }
        for number, (name, arguments) in enumerate(given, 2)
    ]
    server = (sys.executable, "-S", MISBEHAVING, "bytes")
    processes = [started("--budget", "300", "--", *server) for _ in range(2)]
    for process in processes:
        sent(process, GREET, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    for process in processes:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["id"] == GREET["id"]
        sent(process, *asks)
    for process in processes:
        with process:
            host, answered = sent(process)
            answers = {
                answer["id"]: answer for answer in map(json.loads, islice(answered, len(asks)))
            }
            assert "all is good" in answers[2]["result"]["content"][0]["text"]
            # Too early is answered in words; afterwards it is there.
            again = {**asks[1], "id": 9}
            sent(process, again)
            late = json.loads(answered.readline())
            assert late["id"] == 9
            assert "all is good" in late["result"]["content"][0]["text"], late
            host.close()
            assert process.wait(PATIENCE) == 0
