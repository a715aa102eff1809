"""A server that speaks as much of OpenAI's protocol as is needed, and fails as real ones do."""

import json
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, TypeAlias

Step: TypeAlias = Callable[["Handler"], None]
"""What happens to one request."""


def says(text: str | None, reason: str = "stop") -> Step:
    choice = {
        "index": 0,
        "finish_reason": reason,
        "message": {"role": "assistant", "content": text},
    }
    usage = {"prompt_tokens": 100, "completion_tokens": 3, "total_tokens": 103}
    return _body({"choices": [choice], "usage": usage})


def refuses(status: int) -> Step:
    """Answer with an error, and ask to come again soon."""
    return lambda handler: handler.send(status, b'{"error": {"message": "not now"}}')


def nothing() -> Step:
    """Answer without an answer."""
    return _body({"choices": []})


def breaks_off() -> Step:
    """Promise more bytes than come."""
    return lambda handler: handler.send(200, b'{"choices": [', promised=500)


def is_no_json() -> Step:
    """Answer with half of a JSON document, as long as it was said to be."""
    return lambda handler: handler.send(200, b'{"choices": [{"index')


def hangs() -> Step:
    """Answer nothing until the server ends."""

    def wait(handler: Handler) -> None:
        handler.home.over.wait(5)

    return wait


def _body(fields: dict[str, Any]) -> Step:
    whole = {"id": "x", "object": "chat.completion", "created": 1, "model": "fake"} | fields
    return lambda handler: handler.send(200, json.dumps(whole).encode())


class Server(ThreadingHTTPServer):
    """Takes one step after the other, and the last one for ever."""

    daemon_threads = True

    def __init__(self, steps: Iterable[Step]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.steps = list(steps)
        self.requests: list[dict[str, Any]] = []
        self.over = Event()
        self.lock = Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def step(self, request: dict[str, Any]) -> Step:
        with self.lock:
            self.requests.append(request)
            return self.steps[min(len(self.requests), len(self.steps)) - 1]


class Handler(BaseHTTPRequestHandler):
    """Hands a request to the server's next step."""

    @property
    def home(self) -> Server:
        assert isinstance(self.server, Server)
        return self.server

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.home.step(json.loads(self.rfile.read(length)))(self)

    def send(self, status: int, body: bytes, promised: int = 0) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(promised or len(body)))
        self.send_header("retry-after-ms", "1")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(*steps: Step) -> Generator[Server]:
    server = Server(steps)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
