"""Calls that models make of tools: scored, compared by rendering, and asked of an endpoint."""

import json
from pathlib import Path
from typing import Any

import pytest

from mckp.accuracy import EndpointReader, Reply, Task, measure_calls
from mckp.accuracy.calls import (
    SWEEP,
    CallAsked,
    arguments_f1,
    catalog,
    first_call,
    read_tasks,
    tasks_of,
)
from mckp.errors import DataError, UnknownNameError
from mckp.tools import parse_tools
from mckp.tools.calls import check_arguments
from tests.accuracy.server import refuses, says, serving
from tests.cli.conftest import Run

CITY = {"type": "string", "description": "Where."}
UNIT = {"enum": ["celsius", "kelvin"]}


def tool(name: str, purpose: str, **members: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": members, "required": list(members)}
    return {"name": name, "description": purpose, "inputSchema": schema}


TOOLS = [
    tool("get_weather", "Tell the weather. Slow.", city=CITY, unit=UNIT),
    tool("get_time", "Tell the time.", city=CITY),
    tool("send", "Send a text.", to={"type": "array", "items": CITY}, n={"type": "integer"}),
]
TASKS = [
    Task("1", "How warm is Rome?", "get_weather", {"city": "Rome", "unit": "celsius"}),
    Task("2", "What time is it in Oslo?", "get_time", {"city": "Oslo"}),
]


class Scripted:
    """Answers well in one rendering, and calls the first tool without a unit in all others."""

    name = "scripted"

    def __init__(self, good: str) -> None:
        self._good = good

    def read(self, asked: CallAsked) -> Reply:
        task = asked.task
        if asked.way == self._good:
            return Reply(json.dumps({"name": task.tool, "arguments": dict(task.arguments)}), 10, 2)
        return Reply(f"<call>get_weather city={task.arguments['city']}</call>", 10, 2)


def test_the_best_rendering_is_found() -> None:
    """The report names the best rendering, and scores, differences and tokens of each one."""
    report = measure_calls(TOOLS, TASKS, Scripted("ts"), ways=["json", "full", "ts"])
    lines = {line.way: line for line in report.lines}
    assert (report.best.way, lines["ts"].score, lines["ts"].valid) == ("ts", 1.0, 1.0)
    full = lines["full"]
    # The tool is right in one of two tasks; there, one of two arguments is missing.
    assert (full.selected, full.valid) == (0.5, 0.0)
    assert full.f1 == pytest.approx(1 / 3)
    assert full.score == pytest.approx(0.6 * 0.5 + 0.4 / 3)
    assert full.difference is not None
    assert full.difference[0] == 0.0
    assert lines["ts"].difference is not None
    assert lines["ts"].difference[0] == pytest.approx(1 - full.score)
    low, high = lines["ts"].difference[1:]
    assert low < 0 < 1 - full.score <= high  # two tasks prove nothing
    assert (report.prompt_tokens, report.completion_tokens) == (60, 12)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("<call>f a=1</call> and <call>g</call>", ("f", {"a": 1})),
        ('Sure: {"function":{"name":"f","arguments":"{\\"a\\":1}"}}', ("f", {"a": 1})),
        ('{"name":"f","input":{"a":[1]}}', ("f", {"a": [1]})),
        ('{"nam":"f"}', None),
        ("I cannot.", None),
        ("", None),
    ],
)
def test_the_first_call_counts(reply: str, expected: object) -> None:
    """The first call in a reply is the answer, in each notation of calls; other text has none."""
    assert first_call(reply, []) == expected


@pytest.mark.parametrize(
    ("made", "wanted", "share"),
    [
        ({"a": 1, "b": {"c": [1, 2]}}, {"b": {"c": [2, 1]}, "a": 1}, 1.0),
        ({"a": "1"}, {"a": 1}, 0.0),
        ({}, {"a": 1}, 0.0),
        ({"a": [1, 1]}, {"a": [1]}, 2 / 3),
    ],
)
def test_parameters_are_compared_leaf_by_leaf(made: Any, wanted: Any, share: float) -> None:
    """The score of arguments is the F1 of their leaves, whatever their order."""
    assert arguments_f1(made, wanted) == pytest.approx(share)


@pytest.mark.slow
def test_made_tasks_are_valid_calls_and_the_oracle_shows_what_is_lost() -> None:
    """Made-up tasks pass their schema, and the oracle loses what no schema declares."""
    tools = parse_tools(TOOLS)
    for task in tasks_of(tools):
        (definition,) = [candidate for candidate in tools if candidate.name == task.tool]
        assert check_arguments(dict(task.arguments), definition) == []
        assert task.tool not in task.text
    report = measure_calls(TOOLS)
    assert {line.way for line in report.lines} == set(SWEEP)
    assert {line.score for line in report.lines} == {1.0}
    nested = tool("nest", "Nest.", at={"type": "object", "properties": {"deep": CITY}})
    asked = Task("1", "", "nest", {"at": {"deep": "x"}, "gone": 1})
    assert [line.f1 for line in measure_calls([nested], [asked], ways=["json"]).lines] == [2 / 3]


def test_an_unknown_rendering_is_named() -> None:
    """A rendering that does not exist is an error."""
    for way in ("yaml", "tscg:nothing", "tscg:"):
        with pytest.raises(UnknownNameError):
            catalog(parse_tools(TOOLS), way)


def test_wrong_tasks_are_named() -> None:
    """An error about a task names the file and the line; no tasks at all are an error too."""
    tools = parse_tools(TOOLS)
    for line, message in (
        ("{", "not JSON"),
        ("[1]", "expected .*task"),
        ('{"task":"a","tool":"x"}', "'x'"),
    ):
        with pytest.raises(DataError, match=message) as caught:
            read_tasks(f"\n{line}\n".encode(), tools, "t.jsonl")
        assert "t.jsonl:2" in str(caught.value)
    with pytest.raises(ValueError, match="no task"):
        measure_calls([])


def test_an_endpoint_is_asked_once(tmp_path: Path) -> None:
    """Replies are kept; what failed is reported, and asked again."""
    kept = tmp_path / "kept.jsonl"
    right = says("<call>get_time city=Oslo</call>")
    with serving(refuses(500), right) as server:
        reader = EndpointReader(server.url, "m", retries=0)
        first = measure_calls(TOOLS, TASKS[1:], reader, ways=["json", "ts"], kept=kept)
        assert [line.failed for line in first.lines] == [0, 1]
        assert len(first.failures) == 1
        again = measure_calls(TOOLS, TASKS[1:], reader, ways=["json", "ts"], kept=kept)
        assert [line.score for line in again.lines] == [1.0, 1.0]
        assert len(server.requests) == 3
        prompt = server.requests[0]["messages"][0]["content"]
    assert "What time is it in Oslo?" in prompt
    assert '"name":"get_time"' in prompt


def test_the_command(run: Run, tmp_path: Path) -> None:
    """The command counts its tasks and names the best rendering."""
    tools, tasks = tmp_path / "tools.json", tmp_path / "tasks.jsonl"
    tools.write_text(json.dumps(TOOLS))
    tasks.write_text('{"task":"What time is it?","tool":"get_time","arguments":{"city":"Oslo"}}\n')
    code, out, err = run(
        "accuracy", "calls", str(tools), "--tasks", str(tasks), "--ways", "json,ts"
    )
    assert code == 0
    assert "tasks: 1" in err
    assert "to use: ts" in out.decode()
    report = json.loads(run("accuracy", "calls", str(tools), "--json")[1])
    assert {line["way"] for line in report["lines"]} == set(SWEEP)
    assert run("accuracy", "calls")[0] == 1
    assert "name a file with tool definitions" in run("accuracy", "calls")[2]
