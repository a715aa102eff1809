"""Hosts over streamable HTTP: clients of the SDK, and requests by hand."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import Any, Self

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.types import ElicitResult

from mckp.agents.mcp import listen
from mckp.agents.mcp.listen import Taken
from mckp.agents.mcp.messages import Message, notification, request, response
from mckp.agents.mcp.servers import ProxySettings
from mckp.agents.mcp.web import modelled
from mckp.agents.session import Reader
from mckp.errors import MckpError
from tests.mcp.fakes import rows, said
from tests.mcp.test_child import MISBEHAVING
from tests.mcp.test_serve import GREET, PROXY, ROOT

FULL = (
    sys.executable, "-c",
    "from tests.mcp.fakes import full_server; full_server().run('stdio')",
)  # fmt: skip
CRASH = (sys.executable, "-S", MISBEHAVING, "crash")
HEADERS = {"Accept": "application/json, text/event-stream"}


@contextmanager
def listening(
    *server: str, at: str = "0", name: str = "127.0.0.1"
) -> Generator[tuple[str, subprocess.Popen[bytes]]]:
    command = [*PROXY, "--listen", at, "--", *server]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
        assert process.stderr is not None
        line = process.stderr.readline().decode()
        assert line.startswith(f"mckp: hosts are served at http://{name}:"), line
        try:
            yield line.split()[-1], process
        finally:
            process.terminate()
            assert process.wait(30) == 0 or sys.platform == "win32"


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Keep the files of the user out of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
        yield


@pytest.fixture(scope="module")
def url() -> Generator[str]:
    """Return the address of a proxy whose server is well, but for one tool that hangs."""
    with listening(sys.executable, "-S", MISBEHAVING, "hang") as (found, _):
        yield found


@pytest.fixture(scope="module")
def full() -> Generator[str]:
    with listening(*FULL) as (found, _):
        yield found


async def test_each_host_has_a_session_of_its_own(url: str) -> None:
    for _ in range(2):
        async with Client(url, mode="legacy") as one, Client(url) as other:
            for client in (one, other):
                assert [tool.name for tool in (await client.list_tools()).tools][-1] == "recall"
                assert said(await client.call_tool("good", {})).startswith("> [#1]\nall is")
            assert said(await one.call_tool("good", {})).startswith("> [ref #1]")


async def test_what_servers_tell_and_ask_comes_with_the_request(full: str) -> None:
    """Progress, logs, questions, cancellation and errors, as over standard input."""
    told: list[Any] = []

    async def asked(context: Any, params: Any) -> ElicitResult:
        del context
        told.append(params.message)
        return ElicitResult(action="accept", content={"colour": "red"})

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with Client(full, mode="legacy", elicitation_callback=asked) as client:
        found = await client.call_tool("list_jobs", {"count": 20})
        assert Reader().read(said(found)) == rows(20)
        assert said(await client.call_tool("wish", {})) == "chosen: red"
        assert said(await client.call_tool("count", {}, progress_callback=note)) == "done"
        with anyio.move_on_after(0.5):
            await client.call_tool("sleep", {"seconds": 50})
        weather = await client.call_tool("weather", {"city": "Rome"})
        assert "Rome" in said(weather)
        page: Any = (await client.read_resource("fake://moon/page")).contents[0]
        assert page.text == "the page of moon"
    assert told[0] == "Which colour?"
    assert told[1:] == [(n, 3, f"at {n}") for n in (1, 2, 3)]


def opened(client: httpx2.Client, url: str) -> dict[str, str]:
    """Greet, and return the headers of the session."""
    answer = client.post(url, json=GREET, headers=HEADERS)
    assert answer.status_code == 200, answer.text
    return {**HEADERS, "Mcp-Session-Id": answer.headers["mcp-session-id"]}


def result(answer: httpx2.Response) -> dict[str, Any]:
    """Return the message in a stream of one."""
    (data,) = [line[6:] for line in answer.text.splitlines() if line.startswith("data: ")]
    found: dict[str, Any] = json.loads(data)
    return found


def call(name: str, number: int = 2, **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def test_who_knocks_starts_no_server(url: str) -> None:
    """Wrong addresses, names, hosts and first messages are refused, and then a greeting is not."""
    with httpx2.Client() as client:
        assert client.post(url + "x", json=GREET, headers=HEADERS).status_code == 404
        assert client.post(url, json=call("good"), headers=HEADERS).status_code == 400
        assert client.post(url, content=b"{", headers=HEADERS).status_code == 400
        assert client.get(url, headers=HEADERS).status_code == 400
        for header, value, code in (
            ("Host", "example.org", 421),
            ("Origin", "http://example.org", 403),
            ("Mcp-Session-Id", "none", 404),
        ):
            answer = client.post(url, json=GREET, headers={**HEADERS, header: value})
            assert answer.status_code == code, header
        assert opened(client, url)


@pytest.mark.parametrize(
    "name", ["LOCALHOST", "127.1", "0x7f.1", "2130706433", "127.0.0.2", "::1", "::ffff:127.0.0.1"]
)
def test_this_machine_is_known_by_its_address(name: str) -> None:
    try:
        found = listen.bound((name, 0))
    except MckpError:
        pytest.skip("this machine has no such address")
    with found:
        assert listen.is_loopback(found.getsockname()[0])


@pytest.mark.parametrize("place", ["0.0.0.0", "::", "192.0.2.1", "fe80::1%2", "::ffff:192.0.2.1"])
def test_other_addresses_are_not_this_machine(place: str) -> None:
    assert not listen.is_loopback(place)


def test_another_spelling_lets_in_nobody_else() -> None:
    server = (sys.executable, "-S", MISBEHAVING, "bytes")
    with listening(*server, at="127.1:0", name="127.1") as (url, _), httpx2.Client() as client:
        for header, value, code in (
            ("Host", "example.org", 421),
            ("Host", "127.0.0.1.example.org", 421),
            ("Origin", "http://example.org", 403),
            ("Origin", "null", 403),
            ("Host", "127.1:80", 200),
            ("Host", "127.0.0.1:80", 200),
            ("Host", "localhost", 200),
        ):
            answer = client.post(url, json=GREET, headers={**HEADERS, header: value})
            assert answer.status_code == code, (header, value)


async def test_so_many_hosts_and_no_more_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listen, "MAX_HOSTS", 0)
    async with anyio.create_task_group() as tasks:
        way = httpx2.ASGITransport(app=listen.Hosts([], ProxySettings(), tasks))
        async with httpx2.AsyncClient(transport=way, base_url="http://localhost") as client:
            answer = await client.post(listen.PATH, json=GREET, headers=HEADERS)
            assert (answer.status_code, answer.text) == (503, "too many sessions\n")


def test_a_host_that_leaves_is_forgotten(url: str) -> None:
    with httpx2.Client() as client:
        one, two = opened(client, url), opened(client, url)
        assert client.delete(url, headers=one).status_code == 200
        assert client.post(url, json=call("good"), headers=one).status_code == 404
        found = result(client.post(url, json=call("good"), headers=two))
        assert found["result"]["content"][0]["text"].startswith("> [#1]")


def test_a_server_that_ends_ends_the_session() -> None:
    """Whoever waits is told, then greets anew; other hosts are not disturbed."""
    with listening(*CRASH) as (url, _), httpx2.Client() as client:
        one, two = opened(client, url), opened(client, url)
        told = result(client.post(url, json=call("bad"), headers=one))
        assert "has ended" in told["error"]["message"]
        assert client.post(url, json=call("good"), headers=one).status_code == 404
        assert "result" in result(client.post(url, json=call("good"), headers=two))
        assert opened(client, url)


def test_servers_that_cannot_start_are_told() -> None:
    with listening("no-such-program") as (url, _), httpx2.Client() as client:
        answer = client.post(url, json=GREET, headers=HEADERS)
        assert result(answer)["error"]["message"] == "no server could be started"


def test_a_text_that_nobody_took_is_not_referred_to(full: str) -> None:
    """The connection had ended before the server answered."""
    with httpx2.Client() as client:
        headers = opened(client, full)
        texts: list[str] = []
        for number, seconds, timeout in ((7, 1.0, 0.3), (8, 1.5, 20), (9, 0, 20)):
            asked = call("sleep", number, seconds=seconds)
            with nullcontext() if number > 7 else pytest.raises(httpx2.ReadTimeout):
                found = result(client.post(full, json=asked, headers=headers, timeout=timeout))
                texts.append(found["result"]["content"][0]["text"])
        assert [text.split("]")[0] for text in texts] == ["> [#1", "> [ref #1"]


@pytest.mark.parametrize("address", ["x", "1.2.3.4", ":80", "70000", "123456", "a:b:"])
def test_addresses_that_are_none(address: str) -> None:
    done = subprocess.run(
        [*PROXY, "--listen", address, "--", "x"], capture_output=True, check=False
    )
    assert done.returncode == 2
    assert b"PORT, or HOST:PORT, is needed" in done.stderr


def test_an_address_that_is_taken_is_told(url: str) -> None:
    port = url.split(":")[2].partition("/")[0]
    done = subprocess.run([*PROXY, "--listen", port, "--", "x"], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
    assert f"127.0.0.1:{port} cannot be listened at".encode() in done.stderr
    assert b"Traceback" not in done.stderr


async def test_what_is_told_belongs_to_a_request() -> None:
    """Progress to the one with its token, all else to the latest; nothing waits, to none."""
    sent: list[Any] = []

    class Streams:
        def __init__(self) -> None:
            self.messages = [asks(1, "a"), asks(2, "b"), asks(3, None)]

        def __aiter__(self) -> Self:
            return self

        async def __anext__(self) -> SessionMessage:
            return self.messages.pop(0)

        async def send(self, item: SessionMessage) -> None:
            sent.append(getattr(item.metadata, "related_request_id", "answer"))

        async def aclose(self) -> None:
            return

    host = Taken(Streams(), Streams())
    await host.send(tells(None))
    for _ in range(3):
        await anext(host)
    for token in ("a", "b", "c", None):
        await host.send(tells(token))
    for number in (3, 3, 2):
        await host.send(response(number, {}))
    host.forget(1)
    await host.send(tells("a"))
    assert sent == [None, 1, 2, 3, 3, "answer", "answer", None]


def asks(number: int, token: str | None) -> SessionMessage:
    params = {"_meta": {} if token is None else {"progressToken": token}}
    metadata = ServerMessageMetadata(request_context=SimpleNamespace(scope={}))
    return modelled(request(number, "tools/call", params), metadata)


def tells(token: str | None) -> Message:
    if token is None:
        return notification("notifications/message", {})
    return notification("notifications/progress", {"progressToken": token, "progress": 1})
