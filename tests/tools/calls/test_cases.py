"""The golden cases beside this file: what survives, and what is made of what models write."""

import json
from pathlib import Path
from typing import Any

import pytest

from mckp.jsontext import difference
from mckp.tools import Tool
from mckp.tools.calls import Call, CallError, read_calls, write_call
from tests.tools.calls.test_roundtrip import tool_of

_HERE = Path(__file__).parent


def _cases(name: str) -> list[Any]:
    """Return the cases of a file: lines of a word and what it says, a title before each."""
    text = (_HERE / name).read_text(encoding="utf-8")
    cases: list[Any] = []
    for part in text.split("\n# ")[1:]:
        title, *lines = part.rstrip("\n").split("\n")
        case: dict[str, str] = {}
        for line in lines:
            word, _, rest = line.partition(" ")
            rest = rest if word == "call" and "args" not in case else rest.lstrip()
            case[word] = f"{case[word]}\n{rest}" if word in case else rest
        cases.append(pytest.param(case, id=title))
    return cases


def _tools(case: dict[str, str]) -> list[Tool] | None:
    if "schema" not in case:
        return None
    return [tool_of({"type": "object", "properties": json.loads(case["schema"])})]


@pytest.mark.parametrize("case", _cases("survive.txt"))
def test_survives(case: dict[str, str]) -> None:
    """Each call is written as the file says and reads back, with and without a schema."""
    tools, arguments = _tools(case), json.loads(case["args"])
    text = write_call("f", arguments, tools[0] if tools else None)
    assert text == case["call"]
    for known in (tools, None):
        _, call = read_calls(text, known)
        assert isinstance(call, Call)
        assert difference(call.arguments, arguments) is None


@pytest.mark.parametrize("case", _cases("shaped.txt"))
def test_shaped(case: dict[str, str]) -> None:
    """A call has these arguments, or fails with this message."""
    events = read_calls(case["call"], _tools(case))
    end = next(event for event in events if isinstance(event, Call | CallError))
    if "fail" in case:
        assert isinstance(end, CallError)
        assert end.message == case["fail"]
    else:
        assert isinstance(end, Call), end
        assert difference(end.arguments, json.loads(case["args"])) is None
