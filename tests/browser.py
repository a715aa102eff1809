"""A browser without a window, driven over WebDriver by a few calls of HTTP."""

import base64
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.request import ProxyHandler, Request, build_opener

BROWSER: Final = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER: Final = shutil.which("chromedriver")
WHY_NOT: Final = "needs chromium and chromedriver"
_ARGUMENTS: Final = (
    "headless,no-sandbox,disable-gpu,disable-quic,no-first-run,disable-sync,"
    "disable-background-networking,disable-component-update"
)
_READY: Final = """
return document.documentElement.dataset.ready === 'yes'
  || (document.readyState === 'complete' && !document.querySelector('script'));
"""
"""Whether a page is drawn: pages with a script say so themselves."""
_KEYS: Final[dict[str, str]] = {
    **{"Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015"},
    **{"Escape": "\ue00c", "Enter": "\ue007", "Backspace": "\ue003"},
}


class Browser:
    """A session of WebDriver, with a profile in an empty folder."""

    def __init__(self, address: str, profile: Path) -> None:
        self._opener = build_opener(ProxyHandler({}))
        self._address = address
        options = {
            "binary": BROWSER,
            "args": [*_ARGUMENTS.split(","), f"user-data-dir={profile}"],
        }
        wanted = {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._address = f"{address}/session/{made['sessionId']}"

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = Request(self._address + path, data, method=method)
        with self._opener.open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, page: Path, *, width: int = 1400, dark: bool = False) -> None:
        """Open a page, in a window of a width, and wait until it is drawn."""
        size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 600}
        self.tell("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.tell("Emulation.setEmulatedMedia", {"features": [scheme]})
        self._call("POST", "/url", {"url": "about:blank"})
        self.log()
        self.requests()
        self._call("POST", "/url", {"url": page.as_uri()})
        self.wait(_READY)

    def wait(self, script: str) -> None:
        for _ in range(200):
            if self.run(script):
                return
            self._call(
                "POST", "/execute/async", {"script": "setTimeout(arguments[0], 50)", "args": []}
            )
        raise AssertionError(f"the page is not as it should be: {self.log()}")

    def run(self, script: str, *given: Any) -> Any:
        return self._call("POST", "/execute/sync", {"script": script, "args": list(given)})

    def tell(self, command: str, settings: dict[str, Any]) -> Any:
        """Give a command of the browser's own protocol."""
        return self._call("POST", "/goog/cdp/execute", {"cmd": command, "params": settings})

    def enter(self, query: str) -> None:
        """Go into a frame; `open` leaves it."""
        element = self._call("POST", "/element", {"using": "css selector", "value": query})
        self._call("POST", "/frame", {"id": element})

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, on what has the focus."""
        signs = [_KEYS.get(key, key) for key in keys]
        steps = [{"type": kind, "value": key} for key in signs for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keyboard", "actions": steps})

    def hover(self, query: str, *, click: bool = False) -> None:
        """Move the mouse to the middle of an element, and click there if asked to."""
        element = self._call("POST", "/element", {"using": "css selector", "value": query})
        place = {"x": 0, "y": 0, "duration": 0, "origin": element}
        steps: list[dict[str, Any]] = [{"type": "pointerMove", **place}]
        if click:
            steps += [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        self._act({"type": "pointer", "id": "mouse", "actions": steps})

    def _act(self, source: dict[str, Any]) -> None:
        self._call("POST", "/actions", {"actions": [source]})

    def log(self) -> list[str]:
        """Return what the console said since the last call."""
        return [entry["message"] for entry in self._call("POST", "/se/log", {"type": "browser"})]

    def requests(self) -> list[str]:
        """Return the addresses that were asked for since the last call."""
        events = self._call("POST", "/se/log", {"type": "performance"})
        messages = [json.loads(entry["message"])["message"] for entry in events]
        sent = [message for message in messages if message["method"] == "Network.requestWillBeSent"]
        return [request["params"]["request"]["url"] for request in sent]

    def picture(self) -> bytes:
        return base64.b64decode(self.tell("Page.captureScreenshot", {"format": "png"})["data"])

    def quit(self) -> None:
        self._call("DELETE", "")


@contextmanager
def browser() -> Generator[Browser]:
    assert DRIVER is not None
    command = [DRIVER, "--port=0"]
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as driver,
    ):
        assert driver.stdout is not None
        try:
            matches = (
                re.search(r"started successfully on port (\d+)", line) for line in driver.stdout
            )
            port = next(match[1] for match in matches if match)
            started = Browser(f"http://127.0.0.1:{port}", Path(profile))
            try:
                yield started
            finally:
                started.quit()
        finally:
            driver.terminate()
