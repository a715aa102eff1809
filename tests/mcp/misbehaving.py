"""A server that answers as its first argument says; no SDK, so that it starts at once."""

import json
import os
import sys
import time
from typing import Any

GIVEN = [*sys.argv[1:], "0"] if __name__ == "__main__" else ["", "0"]
MODE, SIZE = GIVEN[0], int(GIVEN[1])
TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("good", "bad")]
GREETING: dict[str, Any] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "misbehaving", "version": str(os.getpid())},
}


def send(message: dict[str, Any]) -> None:
    put(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def put(raw: bytes) -> None:
    sys.stdout.buffer.write(raw)
    sys.stdout.buffer.flush()


def text(body: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": body}]}


def misbehave(number: Any) -> None:
    if MODE == "crash":
        os._exit(3)
    if MODE == "hang":
        return
    if MODE == "flood":
        line = b"x" * 99 + b" "
        put(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"' % number)
        for _ in range(SIZE // len(line)):
            sys.stdout.buffer.write(line)
        put(b'"}]}}\n')
    if MODE == "noise":
        for n in range(SIZE // 100):
            sys.stdout.buffer.write(b"debug %d " % n + b"y" * 85 + b"\n")
        send({"id": number, "result": text("after the noise")})
    if MODE == "bytes":
        put(
            b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"caf\xe9"}]}}\n'
            % number
        )
    if MODE == "cut":
        put(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"ty' % number)
        os._exit(0)
    if MODE == "batch":
        answers = [
            {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "first"}},
            {"jsonrpc": "2.0", "id": number, "result": text("of a batch")},
        ]
        put(json.dumps(answers).encode() + b"\n")
    if MODE == "endless":
        put(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"' % number)
        while True:
            put(b"x" * (1 << 16))
    if MODE == "spam":
        while True:
            send({"method": "notifications/message", "params": {"level": "info", "data": "spam"}})
    if MODE == "asking":
        for question in range(10_000):
            send({"id": question, "method": "roots/list"})
        send({"id": number, "result": text("asked enough")})
    if MODE == "pages":
        send({"id": number, "result": text("no end")})
    if MODE == "garbage":
        put(b'[{"jsonrpc": "2.0", "result": {"conte\n')
    if MODE == "torn":
        put(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"ty\n' % number)


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        method, number = message.get("method"), message.get("id")
        if method == "initialize":
            if MODE == "mute":
                time.sleep(60)
            send({"id": number, "result": GREETING})
        elif method == "tools/list":
            if MODE == "listless":
                os._exit(3)
            endless = {"nextCursor": "more"} if MODE == "pages" else {}
            send({"id": number, "result": {"tools": TOOLS, **endless}})
            if MODE == "listed":
                os._exit(3)
        elif method == "tools/call":
            if message["params"]["name"] == "bad":
                misbehave(number)
            else:
                send({"id": number, "result": text("all is good " * 40)})
        elif number is not None:
            send({"id": number, "error": {"code": -32601, "message": "Method not found"}})
    if MODE == "deaf":
        time.sleep(60)


if __name__ == "__main__":
    main()
