#!/usr/bin/env bash
# Gemini CLI 0.61.0: the result of an MCP tool whose first text is JSON, but no object, is refused.
# Where a result has no structuredContent, the client of stdio servers parses the first text and puts
# what it gets there. The protocol allows objects only, so a text such as "[]" or "42", which is a valid
# result, makes the message ill-formed: the model is shown an error instead of the text. With an object,
# or with "structuredContent": {} beside the text, it is shown the text. Needs Node 20 and npm; the model
# is a stub on loopback. Seen 2026-11-28.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" @google/gemini-cli@0.61.0
cat >"$folder/server.py" <<'PROGRAM'
import json
import sys

ROWS = [{"id": 7}, {"id": 8}]
RESULTS = {
    "rows": {"content": [{"type": "text", "text": json.dumps(ROWS)}]},
    "object": {"content": [{"type": "text", "text": json.dumps({"rows": ROWS})}]},
    "both": {"content": [{"type": "text", "text": json.dumps(ROWS)}], "structuredContent": {}},
}
SCHEMA = {"type": "object", "properties": {}}
TOOLS = [{"name": name, "description": name, "inputSchema": SCHEMA} for name in RESULTS]
for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params", {})
    if "id" not in message:
        continue
    about = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
             "serverInfo": {"name": "t", "version": "1"}}
    known = {"initialize": about, "tools/list": {"tools": TOOLS}, "ping": {}}
    result = RESULTS[params["name"]] if method == "tools/call" else known.get(method)
    reply = {"result": result} if result is not None else {"error": {"code": -32601, "message": "unknown"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)
PROGRAM
cat >"$folder/run.py" <<'PROGRAM'
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

folder = Path(sys.argv[1])
state = {}


class Model(BaseHTTPRequestHandler):
    """Calls the tool of `state`, then ends; notes what it is shown of the result."""

    def log_message(self, *args):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        parts = [part for content in asked.get("contents", ()) for part in content["parts"]]
        shown = [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]
        part = {"text": "done"}
        if shown:
            state["shown"] = json.dumps(shown[-1])
        elif "tools" in asked:
            part = {"functionCall": {"name": f"mcp_t_{state['tool']}", "args": {}}}
        answer = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP",
                                  "index": 0}],
                  "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 1, "totalTokenCount": 6}}
        is_stream = "streamGenerateContent" in self.path
        text = json.dumps(answer)
        body = (f"data: {text}\n\n" if is_stream else text).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if is_stream else "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
home = folder / "home"
(home / ".gemini").mkdir(parents=True)
(home / "work").mkdir()
settings = {
    "mcpServers": {"t": {"command": sys.executable, "args": [str(folder / "server.py")], "trust": True}},
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
}
(home / ".gemini/settings.json").write_text(json.dumps(settings))
environment = {"PATH": os.environ["PATH"], "HOME": str(home), "GEMINI_API_KEY": "x", "NO_COLOR": "1",
               "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{server.server_port}",
               "GEMINI_TELEMETRY": "false"}
command = [str(folder / "node_modules/.bin/gemini"), "--yolo", "--skip-trust", "-m", "gemini-2.5-pro",
           "-p", "call the tool"]
said = {}
for tool in ("rows", "object", "both"):
    state.clear()
    state["tool"] = tool
    subprocess.run(command, env=environment, cwd=home / "work", stdin=subprocess.DEVNULL, timeout=300,
                   capture_output=True)
    said[tool] = state["shown"]
    print(f"{tool}: {said[tool][:160]}")
assert "error" in said["rows"] and "\"id\": 7" not in said["rows"], "an array is shown now"
assert "structuredContent" in said["rows"], "it is refused for another reason"
for tool in ("object", "both"):
    assert "error" not in said[tool] and "id" in said[tool]
PROGRAM
python3 "$folder/run.py" "$folder"
