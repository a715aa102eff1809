"""Loops of an agent in each shape of messages, with dirty results and defects of our own."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from mckp.agents.messages import MessageEncoder, ToolPolicy
from mckp.agents.messages.conversation import find_slots
from mckp.jsontext import is_array, is_object
from mckp.tokenizers import get
from tests.messages.test_shapes import anthropic, chat, converse, genai, genai_json, responses
from tests.strategies import SCALE

COUNT = get("o200k").count
ROWS = [{"id": n, "state": "done", "log": f"it took {n * 37 % 91} s"} for n in range(60)]
DIRTY: list[Any] = [
    json.dumps(ROWS),
    ROWS,
    json.dumps(ROWS)[:-40],
    '{"a": NaN, "rows": ' + json.dumps(ROWS) + "}",
    '{"a": 1, "a": ' + json.dumps(ROWS) + "}",
    "# Log\n\n" + "".join(f"- step {n} is done\n" for n in range(300)),
    b"caf\xe9 \xff\x00".decode("utf-8", "surrogateescape") * 300,
    bytes(range(256)).decode("latin-1") * 20,
    "line of a log\n" * (400_000 if SCALE >= 5 else 20_000),
    "",
    None,
    7,
    {"at": {1, 2}, "raw": b"\xff" * 900, 3: ROWS},
    [{"type": "text", "text": "x " * 900}, {"type": "text", "text": json.dumps(ROWS)}],
]
STEPS = 40
BUDGET, STEP, TOTAL = 300, 500, 6000
FAULTS = ["encode", "labelled_text", "json_value", "near_texts"]


@pytest.mark.slow
@pytest.mark.parametrize("shape", [chat, responses, anthropic, genai, genai_json, converse])
def test_a_loop_keeps_its_budgets_whatever_comes(
    shape: Callable[[Any], list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Budgets of results and of the whole hold, and sent messages never change, despite defects."""
    chance = random.Random(7)
    policies = {"jobs": ToolPolicy(budget=120, priorities={"**.log": 0.1})}
    encoder = MessageEncoder(budget=BUDGET, policies=policies, step_budget=STEP, total_budget=TOTAL)
    talk: list[Any] = []
    before: list[Any] = []
    for number in range(STEPS):
        content = chance.choice(DIRTY)
        if shape is genai_json:
            content = json.loads(json.dumps(content, default=repr, skipkeys=True))
        step = json.loads(json.dumps(shape("…"))) if content is None else shape(content)
        talk += _renamed(step, f"c{number}")
        with monkeypatch.context() as broken:
            if number % 4 == 3:
                broken.setattr(f"mckp.agents.session.sender.{FAULTS[number // 4 % 4]}", _failing)
            sent = encoder.encode(talk)
        assert sent[: len(before)] == before
        before = sent
        new = [
            slot.result.text
            for slot in find_slots(sent)
            if int(slot.path[0]) >= len(talk) - len(step)
        ]
        assert sum(map(COUNT, new)) <= 120
    assert sum(COUNT(slot.result.text) for slot in find_slots(before)) <= TOTAL


def _failing(*_: object, **__: object) -> None:
    raise RuntimeError("a defect")


def _renamed(value: Any, name: str) -> Any:
    """Return messages whose ids are others, so that each step has calls of its own."""
    if is_object(value):
        return {key: name if item == "c1" else _renamed(item, name) for key, item in value.items()}
    if is_array(value):
        return [_renamed(item, name) for item in value]
    return value
