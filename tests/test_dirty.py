"""Texts that were damaged, as tools really write them: nothing fails, and every budget holds."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

import mckp
from mckp import tokenizers
from mckp.agents.adapters.claude_code.run import respond
from mckp.agents.mcp.desk import RoutedCall
from mckp.agents.mcp.messages import read_messages
from mckp.agents.mcp.results import Deliverer
from mckp.agents.mcp.servers import ProxySettings
from mckp.agents.messages import MessageEncoder
from mckp.agents.session.excerpts import plain_cut
from tests.strategies import SCALE

COUNT = tokenizers.get("o200k").count
BUDGET = 80
ROWS = [{"id": n, "state": "done", "name": f"café {n}", "at": n / 7} for n in range(30)]
CLEAN = [
    json.dumps(ROWS, ensure_ascii=False),
    json.dumps({"jobs": ROWS, "log": "one\ntwo €"}, indent=1),
    "".join(json.dumps(row) + "\n" for row in ROWS),
    "# Häuser\n\n" + "".join(f"- Haus {n}: **groß**, 100 €\n" for n in range(40)),
    "| a | b |\n|---|---|\n" + "".join(f"| {n} | ü{n} |\n" for n in range(40)),
    "".join(f"2026-01-0{n % 9 + 1} INFO naïve step {n} · done\n" for n in range(40)),
    "def f(x):\n" + "".join(f"    x = g(x, {n})  # ä\n" for n in range(40)),
]
BITS = [
    b"\0",
    b"\xff",
    b"\xe9",
    b"\xed\xa0\xbd",
    b"NaN",
    b"\\ud83d",
    b"/* c */",
    b'"',
    b"{",
    b"]",
    b"\r",
]
ENCODINGS = ["utf-8", "cp1252", "utf-16", "utf-16-le"]


def damaged(chance: random.Random) -> bytes:
    """Return bytes that were a text once: cut, of two encodings, or with bytes that are wrong."""
    raw = chance.choice(CLEAN).encode(chance.choice(ENCODINGS), "replace")
    if chance.random() < 0.3:
        raw += chance.choice(CLEAN).encode(chance.choice(ENCODINGS), "replace")
    if chance.random() < 0.5:
        raw = raw[chance.choice([0, 0, chance.randrange(len(raw))]) :]
        raw = raw[: chance.randrange(len(raw) + 1)]
    damaged_bytes = bytearray(raw)
    for _ in range(chance.choice([0, 1, 1, 3, 40])):
        place = chance.randrange(len(damaged_bytes) + 1)
        damaged_bytes[place : place + chance.randrange(3)] = chance.choice(BITS)
    return bytes(damaged_bytes)


@pytest.mark.parametrize("seed", range(max(20, int(300 * SCALE))))
def test_damaged_texts(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Damaged texts keep the promises in every entry point."""
    monkeypatch.setenv("MCKP_STATE_DIR", str(tmp_path))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    chance = random.Random(seed)
    raw = damaged(chance)
    text = raw.decode("utf-8", chance.choice(["surrogateescape", "surrogateescape", "replace"]))
    text += chance.choice(["", "", "\ud83d", "\udc00"])
    whole = mckp.encode(raw)
    mckp.decode(whole.text)
    for given in (raw, text):
        try:
            result = mckp.encode(given, budget=BUDGET)
        except mckp.BudgetError:
            pytest.fail("a note fits")
        assert result.tokens == COUNT(result.text) <= BUDGET
        mckp.decode(result.text)
    assert COUNT(mckp.Session().add(tool="Bash", text=text, budget=BUDGET).text) <= BUDGET
    _, said = MessageEncoder(budget=BUDGET).encode(_messages(text))
    assert COUNT(said["content"]) <= BUDGET
    event = json.dumps(_event(text)).encode()
    for damaged_event in (event, event.replace(b"caf", b"caf\xe9")):
        answer = json.loads(respond(damaged_event, budget=BUDGET))
        shown = text
        if answer:
            shown = answer["hookSpecificOutput"]["updatedToolOutput"]["stdout"]
        assert COUNT(shown) <= BUDGET
    (message,) = read_messages(json.dumps(_answer(text)).encode())
    assert isinstance(message, dict)
    settings = ProxySettings({"": BUDGET})
    proxy = Deliverer(mckp.Session(settings.session_settings()), settings)
    sent = proxy.deliver(RoutedCall("ci", "log", {}), message["result"]).result
    assert sum(COUNT(block["text"]) for block in sent["content"]) <= BUDGET
    assert caplog.text == ""


def _messages(text: str) -> list[dict[str, Any]]:
    call = {"id": "c1", "function": {"name": "run", "arguments": "{}"}}
    return [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": text},
    ]


def _event(text: str) -> dict[str, Any]:
    common = {"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash"}
    return {**common, "tool_response": {"stdout": text, "stderr": "", "isImage": False}}


def _answer(text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}}


@pytest.mark.parametrize("budget", [0, 1, 5, 12, 40, 400])
def test_a_plain_cut_is_within_any_budget(budget: int) -> None:
    """The plain cut of a damaged text keeps any budget."""
    chance = random.Random(budget)
    for _ in range(20):
        text = damaged(chance).decode("utf-8", "surrogateescape")
        assert COUNT(plain_cut(text, budget, COUNT, "#1")) <= budget
