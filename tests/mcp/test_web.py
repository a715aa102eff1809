"""Answers over HTTP: what unpacks without end is left, and who waits gets an error."""

import gzip
import json
import zlib
from collections.abc import AsyncIterator

import httpx2
import pytest

from mckp.agents.mcp import web
from mckp.agents.mcp.web import Client

ANSWER = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"text": "a" * 500}}).encode()
HUGE = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"text": "a" * 5_000_000}}).encode()


async def ask(body: bytes, monkeypatch: pytest.MonkeyPatch, **headers: str) -> httpx2.Response:
    def answer(request: httpx2.Request) -> httpx2.Response:
        named = {"content-type": "application/json"}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}

        async def portions() -> AsyncIterator[bytes]:
            for start in range(0, len(body), 1_000):
                yield body[start : start + 1_000]

        return httpx2.Response(200, headers=named, content=portions(), request=request)

    monkeypatch.setattr(web, "MAX_BYTES", 1_000_000)
    client = Client({}, httpx2.MockTransport(answer))
    async with client:
        request = client.build_request("POST", "http://a.example/mcp", content=b"{}")
        return await client.send(request, stream=True)


@pytest.mark.parametrize("pack", ["", "gzip", "deflate"])
async def test_an_answer_is_read(pack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer is read as it is, or unpacked from gzip or deflate."""
    packed = {"": ANSWER, "gzip": gzip.compress(ANSWER), "deflate": zlib.compress(ANSWER)}[pack]
    named = {"content_encoding": pack} if pack else {}
    response = await ask(packed, monkeypatch, **named)
    assert (response.status_code, await response.aread()) == (200, ANSWER)


@pytest.mark.parametrize("pack", ["", "gzip", "deflate"])
async def test_an_answer_without_end_is_left(pack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that unpacks to too many bytes is an error 502 that names the limit."""
    packed = {"": HUGE, "gzip": gzip.compress(HUGE), "deflate": zlib.compress(HUGE)}[pack]
    named = {"content_encoding": pack} if pack else {}
    response = await ask(packed, monkeypatch, **named)
    error = json.loads(await response.aread())["error"]["message"]
    assert response.status_code == 502
    assert error == "a.example sent an answer that cannot be used: more than 1,000,000 bytes"


async def test_an_answer_that_cannot_be_unpacked_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An answer that cannot be unpacked is an error 502."""
    response = await ask(b"no gzip at all", monkeypatch, content_encoding="gzip")
    assert response.status_code == 502
    assert "cannot be used" in json.loads(await response.aread())["error"]["message"]
