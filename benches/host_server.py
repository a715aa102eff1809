"""A server of MCP on standard streams, written by hand: long results of each kind."""

from __future__ import annotations

import json
import sys
from typing import Any

ROWS = [
    {"id": n, "state": "done" if n % 9 else "failed", "log": f"it took {n * 37 % 91} s"}
    for n in range(3000)
]
FEW = ROWS[:800]
LOG = "".join(f"step {n} of the build is done, with {n * 7} files\n" for n in range(1500))


def text(content: str) -> list[dict[str, str]]:
    """Return content of one text."""
    return [{"type": "text", "text": content}]


RESULTS: dict[str, dict[str, Any]] = {
    "textlong": {"content": text(json.dumps(FEW))},
    "structured": {"content": [], "structuredContent": {"rows": FEW}},
    "both": {"content": text("800 rows were found"), "structuredContent": {"rows": FEW}},
    "same": {"content": text(json.dumps({"rows": FEW})), "structuredContent": {"rows": FEW}},
    "loglong": {"content": text(LOG)},
    "huge": {"content": text(json.dumps(ROWS))},
    "failing": {"content": text(f"{LOG}ERROR: disk full"), "isError": True},
    "medium": {"content": text(json.dumps(ROWS[:300]))},
    "short": {"content": text("hi")},
}
TOOLS: list[dict[str, Any]] = [
    {"name": name, "description": name, "inputSchema": {"type": "object", "properties": {}}}
    for name in RESULTS
]


def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Return the result of a request; None for what this server does not know."""
    if method == "initialize":
        version = params.get("protocolVersion", "2025-06-18")
        about = {"name": "t", "version": "1"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return RESULTS[params["name"]]
    return {} if method == "ping" else None


def main() -> None:
    """Answer requests until the input ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        result = answer(message["method"], message.get("params", {}))
        error = {"error": {"code": -32601, "message": "no such method"}}
        reply = error if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)


if __name__ == "__main__":
    main()
