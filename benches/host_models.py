"""A stub of the APIs of models on loopback: it calls the tool that the user names, then ends.

The user writes ``CALL name {"argument": 1} ENDCALL``. The stub answers with that call where the
host offers a tool whose name ends so, and notes what the host sends back for it: what a model
would see. It knows the messages of Anthropic, the responses and chat completions of OpenAI, and
what Gemini takes.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from mckp.plain import is_array, is_object

Plain = dict[str, Any]
CALL = re.compile(r"CALL (\S+) (.*?) ENDCALL", re.DOTALL)


@dataclass
class Seen:
    """What a host sent: the results of tools, and the names of the tools it offers."""

    results: list[str] = field(default_factory=list[str])
    tools: list[str] = field(default_factory=list[str])
    requests: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])


def texts(content: Any) -> str:
    """Return the texts of a content, block after block, as a model reads them."""
    if isinstance(content, str):
        return content
    blocks: list[Any] = content if is_array(content) else [content]
    return "\n".join(
        block if isinstance(block, str) else str(block.get("text", json.dumps(block)))
        for block in blocks
    )


def called(said: str, tools: list[str]) -> tuple[str, Plain] | None:
    """Return the tool that the user asks for, by the name that the host gives it."""
    if (match := CALL.search(said)) is None:
        return None
    names = [name for name in tools if re.split(r"[-_.]{1,2}|/", name)[-1:] == [match[1]]]
    names += [name for name in tools if name.endswith(match[1])]
    # Claude Code shows tools of servers when they are searched for; it takes calls before that.
    names += [f"mcp__t__{match[1]}"] if "ToolSearch" in tools else []
    # opencode quotes the words of its command line, so their quotation marks come escaped.
    plain = match[2].replace('\\"', '"')
    return (names[0], json.loads(plain)) if names else None


class Anthropic:
    """The messages of Anthropic."""

    def read(self, asked: Plain) -> tuple[str, list[str], list[str]]:
        users = [m["content"] for m in asked["messages"] if m["role"] == "user"]
        blocks = [b for c in users if is_array(c) for b in c if is_object(b)]
        results = [b for b in blocks if b.get("type") == "tool_result"]
        shown = [texts(b.get("content", "")) for b in results]
        tools = [tool["name"] for tool in asked.get("tools", ())]
        return "\n".join(map(texts, users)), tools, shown

    def answer(self, asked: Plain, call: tuple[str, Plain] | None) -> tuple[Any, bool]:
        block: Plain = {"type": "text", "text": ""}
        delta: Plain = {"type": "text_delta", "text": "done"}
        if call:
            block = {"type": "tool_use", "id": "toolu_1", "name": call[0], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
        stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
        message: Plain = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
        message |= {"model": asked.get("model", "m"), "stop_reason": None, "stop_sequence": None}
        message |= {"usage": {"input_tokens": 5, "output_tokens": 1}}
        if not asked.get("stream"):
            whole = {**block, "input": call[1]} if call else {**block, "text": "done"}
            return {**message, "content": [whole], **stop}, False
        return [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 9}},
            {"type": "message_stop"},
        ], True


class Responses:
    """The responses of OpenAI."""

    def __init__(self) -> None:
        self.spaces: dict[str, str] = {}

    def read(self, asked: Plain) -> tuple[str, list[str], list[str]]:
        items: list[Plain] = asked["input"] if is_array(asked["input"]) else []
        users = [item["content"] for item in items if item.get("role") == "user"]
        shown = [
            texts(item["output"])
            for item in items
            if item.get("type") in ("function_call_output", "custom_tool_call_output")
        ]
        tools: list[str] = []
        for tool in asked.get("tools", ()):
            for inner in tool.get("tools", ()):
                self.spaces[inner["name"]] = tool["name"]
                tools.append(inner["name"])
            tools += [tool["name"]] if "name" in tool and "tools" not in tool else []
        return "\n".join(map(texts, users)), tools, shown

    def answer(self, asked: Plain, call: tuple[str, Plain] | None) -> tuple[Any, bool]:
        text: Plain = {"type": "output_text", "text": "done", "annotations": []}
        item: Plain = {"type": "message", "role": "assistant", "id": "m1", "content": [text]}
        if call:
            item = {"type": "function_call", "id": "f1", "call_id": "c1", "name": call[0]}
            item |= {"arguments": json.dumps(call[1])}
            item |= {"namespace": self.spaces[call[0]]} if call[0] in self.spaces else {}
        usage: Plain = {"input_tokens": 5, "output_tokens": 1, "total_tokens": 6}
        usage |= {"input_tokens_details": None, "output_tokens_details": None}
        response = {"id": "r1", "object": "response", "status": "completed", "output": [item]}
        return [
            {"type": "response.created", "response": {"id": "r1"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {**response, "usage": usage}},
        ], True


class Completions:
    """The chat completions of OpenAI."""

    def read(self, asked: Plain) -> tuple[str, list[str], list[str]]:
        users = [m["content"] for m in asked["messages"] if m["role"] == "user"]
        shown = [texts(m["content"]) for m in asked["messages"] if m["role"] == "tool"]
        tools = [tool["function"]["name"] for tool in asked.get("tools", ())]
        return "\n".join(map(texts, users)), tools, shown

    def answer(self, asked: Plain, call: tuple[str, Plain] | None) -> tuple[Any, bool]:
        message: Plain = {"role": "assistant", "content": "done"}
        if call:
            function = {"name": call[0], "arguments": json.dumps(call[1])}
            calls = [{"index": 0, "id": "call_1", "type": "function", "function": function}]
            message = {"role": "assistant", "content": None, "tool_calls": calls}
        reason = "tool_calls" if call else "stop"
        frame = {"id": "c1", "created": 1, "model": asked.get("model", "m")}
        usage = {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6}
        if not asked.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return {
                **frame,
                "object": "chat.completion",
                "choices": [choice],
                "usage": usage,
            }, False
        frame["object"] = "chat.completion.chunk"
        parts: list[Plain] = [
            {"index": 0, "delta": message, "finish_reason": None},
            {"index": 0, "delta": {}, "finish_reason": reason},
        ]
        events: list[Plain] = [{**frame, "choices": [part]} for part in parts]
        return [*events, {**frame, "choices": [], "usage": usage}, "[DONE]"], True


class Gemini:
    """What Gemini takes."""

    def read(self, asked: Plain) -> tuple[str, list[str], list[str]]:
        parts = [part for c in asked["contents"] for part in c["parts"] if c["role"] == "user"]
        said = "\n".join(part.get("text", "") for part in parts)
        responses = [p["functionResponse"] for p in parts if "functionResponse" in p]
        shown: list[str] = []
        for response in responses:
            content = response["response"]
            is_text = list(content) == ["output"] and isinstance(content["output"], str)
            shown.append(content["output"] if is_text else json.dumps(content, ensure_ascii=False))
            shown[-1] += "".join(p.get("text", "") for p in response.get("parts", ()))
        tools = [
            f["name"] for t in asked.get("tools", ()) for f in t.get("functionDeclarations", ())
        ]
        return said, tools, shown

    def answer(self, asked: Plain, call: tuple[str, Plain] | None) -> tuple[Any, bool]:
        part: Plain = {"text": "done"}
        if call:
            part = {"functionCall": {"name": call[0], "args": call[1]}}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
        usage = {"promptTokenCount": 5, "candidatesTokenCount": 1, "totalTokenCount": 6}
        return [{"candidates": [{**candidate, "index": 0}], "usageMetadata": usage}], True


APIS = (
    ("/messages", Anthropic),
    ("/responses", Responses),
    ("/chat/completions", Completions),
    ("enerateContent", Gemini),
)


class Stub:
    """The stub, which listens on loopback while it is open."""

    def __init__(self) -> None:
        self.seen = Seen()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                del format, args

            def do_GET(self) -> None:
                self.reply(json.dumps({"data": [], "models": []}).encode())

            def do_HEAD(self) -> None:
                self.reply(b"")

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length", 0)))
                content, is_stream = stub.answer(self.path, raw)
                if is_stream and "generateContent" not in self.path:
                    lines = (
                        (f"event: {e['type']}\n" if "type" in e else "") + f"data: {json.dumps(e)}"
                        if isinstance(e, dict)
                        else f"data: {e}"
                        for e in content
                    )
                    self.reply("".join(f"{x}\n\n" for x in lines).encode(), "event-stream")
                    return
                plain = content[0] if is_stream else content
                self.reply(json.dumps(plain).encode())

            def reply(self, body: bytes, kind: str = "") -> None:
                self.send_response(200)
                self.send_header("content-type", f"text/{kind}" if kind else "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, path: str, raw: bytes) -> tuple[Any, bool]:
        """Return what a model answers to a request, and whether it comes in parts."""
        try:
            asked = json.loads(raw)
        except ValueError:
            return {}, False
        self.seen.requests.append((path, asked))
        known = [api for end, api in APIS if path.partition("?")[0].endswith(end)]
        if not known or "count_tokens" in path:
            return {"input_tokens": 10, "totalTokens": 10}, False
        api = known[0]()
        said, tools, shown = api.read(asked)
        self.seen.results = shown or self.seen.results
        self.seen.tools = tools or self.seen.tools
        return api.answer(asked, None if shown else called(said, tools))

    def begin(self) -> Seen:
        """Forget what was sent so far; return what will be noted."""
        self.seen = Seen()
        return self.seen

    def __enter__(self) -> Stub:
        return self

    def __exit__(self, *error: object) -> None:
        self.server.shutdown()
