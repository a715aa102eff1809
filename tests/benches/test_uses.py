"""What agents used is found in runs where it is known exactly, and is measured as it is left."""

import importlib
import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Any, Final

import pytest

from mckp import tokenizers
from mckp.agents.replay.learning import used_in
from mckp.jsontext import dump
from mckp.table import Table
from tests.benches import BENCHES
from tests.cases import cases
from tests.replay.test_learning import log
from tests.strategies import SCALE

USES: Final = Path(os.environ.get("MCKP_USES", BENCHES.parents[1] / "shared/uses/dev.jsonl"))
"""Records that are not shipped."""
BUILDS: Final = cases(__file__, "BUILDS")
"""What the tool says in the runs below."""


@pytest.fixture
def uses() -> ModuleType:
    return importlib.import_module("uses")


@pytest.fixture
def use_recall() -> ModuleType:
    return importlib.import_module("use_recall")


def openai(parts: Sequence[tuple[str, Any]]) -> list[dict[str, Any]]:
    """Write a run in the style of OpenAI: what users and assistant say, calls, results."""
    messages: list[dict[str, Any]] = []
    for number, (kind, body) in enumerate(parts):
        if kind == "call":
            function = {"name": "look", "arguments": json.dumps(body)}
            calls = [{"id": f"c{number}", "type": "function", "function": function}]
            messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        elif kind == "result":
            content = body if isinstance(body, str) else json.dumps(body)
            messages.append({"role": "tool", "tool_call_id": f"c{number - 1}", "content": content})
        else:
            messages.append({"role": kind, "content": body})
    return messages


def anthropic(parts: Sequence[tuple[str, Any]]) -> list[dict[str, Any]]:
    """Write the same run in the style of Anthropic."""
    messages: list[dict[str, Any]] = []
    for number, (kind, content) in enumerate(parts):
        if kind == "call":
            block: dict[str, Any] = {"type": "tool_use", "id": f"c{number}", "name": "look"}
            messages.append({"role": "assistant", "content": [block | {"input": content}]})
        elif kind == "result":
            text = content if isinstance(content, str) else json.dumps(content)
            block = {"type": "tool_result", "tool_use_id": f"c{number - 1}"}
            block["content"] = [{"type": "text", "text": text}]
            messages.append({"role": "user", "content": [block]})
        else:
            messages.append({"role": kind, "content": [{"type": "text", "text": content}]})
    return messages


def found(
    uses: ModuleType, after: Sequence[tuple[str, Any]], style: Any = openai, payload: Any = BUILDS
) -> dict[str, str]:
    """Return form and manner of what is used of a result, by what comes after it."""
    before = [("user", "Which builds are there? Not the hash 77d0ab."), ("call", {"page": 1})]
    run = [*uses.conversation_parts(style([*before, ("result", payload), *after]))]
    at = next(number for number, event in enumerate(run) if event.kind == "result")
    return {use["form"]: use["how"] for use in uses.find_uses(run, at)}


USED: Final = [(why, *case) for why, every in cases(__file__, "USED").items() for case in every]
"""Why, what comes after the result, what is used of it and how; another result than `BUILDS`."""


@pytest.mark.parametrize("style", [openai, anthropic])
@pytest.mark.parametrize("case", USED, ids=[case[0] for case in USED])
def test_what_is_used(uses: ModuleType, style: Any, case: Any) -> None:
    """What an agent used of a result is recognised."""
    _, after, wanted, *payload = case
    assert found(uses, after, style, *payload) == wanted


def test_all_places_of_a_value_are_listed(uses: ModuleType) -> None:
    """A used value is listed with all paths where it occurs."""
    rows = [{"agent": "harrier", "n": n} for n in range(2)]
    parts: list[Any] = [("call", {}), ("result", rows), ("assistant", "It was harrier.")]
    (use,) = uses.find_uses([*uses.conversation_parts(openai(parts))], 1)
    assert use["paths"] == [[0, "agent"], [1, "agent"]]


def test_files_are_read(uses: ModuleType, tmp_path: Path) -> None:
    """Runs are found wherever they are in JSON and in lines of it, and records as they are."""
    rows = [{"id": 5000 + n, "name": f"machine {n} of the hall"} for n in range(30)]
    run: list[tuple[str, Any]] = [
        ("user", "Go"),
        ("call", {}),
        ("result", rows),
        ("assistant", "Stop 5007."),
        ("user", ""),
    ]
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps([{"task_id": 3, "traj": openai(run)}] * 2))
    lines = "\n".join(map(json.dumps, anthropic(run)))
    (folder / "b.jsonl").write_text(lines)
    held = {"id": "t9", "system": "Call 5007 by its number.", "messages": anthropic(run)}
    (folder / "c.jsonl").write_text(json.dumps(held))
    wrapped = {"type": "text", "text": json.dumps(rows)}
    block = [*run[:2], ("result", json.dumps(wrapped)), *run[3:]]
    (folder / "d.json").write_text(json.dumps({"messages": openai(block)}))
    (folder / "e.txt").write_text("no run")
    records = [*uses.read([folder])]
    assert [record["task"] for record in records] == ["runs/3", "runs/3", "runs/b/0", "runs/d/0"]
    wants = [rows, rows, rows, {"type": "text", "text": rows}]  # paths are those of what is sent
    for record, want in zip(records, wants, strict=True):
        assert record["payload"] == want
        assert [use["value"] for use in record["used"]] == [5007]
        assert (record["source"], record["tool"], record["user"]) == ("runs", "look", "Go")
        assert record["tokens"] >= 200
    ready = tmp_path / "ready.jsonl"
    ready.write_text("\n".join(map(json.dumps, records)))
    assert [*uses.read([ready])] == records


def test_survival_is_by_place(use_recall: ModuleType) -> None:
    """A value at another place is another one; indexes, and what is around a run, are free."""
    long = "The nightly job was moved to the second cluster"
    wanted = [
        {"value": 41, "form": "41", "paths": [["builds", 0, "number"], ["last"]]},
        {"value": long, "form": "nightly job was moved to the second", "paths": [["note"]]},
    ]
    kept = {"builds": [{"number": 40}, {"number": 41}], "note": long[:-8]}
    assert use_recall.survivals(wanted, kept) == [True, True]
    assert use_recall.survivals(wanted, {"last": 41, "note": long[8:]}) == [True, False]
    assert use_recall.survivals(wanted, {"builds": [{"count": 41}], "last": "41 of 50"}) == [
        False,
        False,
    ]
    assert use_recall.survivals([{"value": 1, "form": "1", "paths": [["a"]]}], {"a": True}) == [
        False
    ]


def test_forms_are_looked_for_in_texts(use_recall: ModuleType) -> None:
    """A value counts as named in any spelling, but not as a part of a longer word or number."""
    record = {
        "used": [
            {"value": "Zoë\tLee", "form": "Zoë\tLee", "paths": [["a"]]},
            {"value": 417, "form": "417", "paths": [["b"]]},
            {"value": "2030-01-02T08:00", "form": "2030-01-02", "paths": [["c"]]},
        ]
    }
    assert use_recall.named(record, '["Zo\\u00eb\\tLee",417,"2030-01-02T08:00"]') == [True] * 3
    assert use_recall.named(record, "Zoë\tLeeds 4170") == [False] * 3


def test_forms_may_be_written_in_other_ways_than_values(use_recall: ModuleType) -> None:
    """Records may have numbers as they were written, and runs of words without case and signs."""
    long = 'It began. The old mill, by the river, has burnt down\n"again".'
    run = "old mill by the river has burnt down again"
    wanted = [
        {"value": 4011.5, "form": "4,011.50", "paths": [["sum"]]},
        {"value": long, "form": run, "paths": [["news"]]},
    ]
    for kept in ({"sum": 4011.5, "news": long}, {"sum": 4011.5, "news": long[10:]}):
        assert use_recall.survivals(wanted, kept) == [True, True]
        assert use_recall.named({"used": wanted}, json.dumps(kept)) == [True, True]
    assert use_recall.named({"used": wanted}, json.dumps(long[:40])) == [False, False]


def test_rivals_keep_to_the_same_budget(use_recall: ModuleType) -> None:
    """What is above the budget is cut off and counted; a budget for nothing is refused."""
    record = {
        "payload": BUILDS,
        "tokens": 150,
        "used": [{"value": 2177, "form": "2177", "paths": [["total"]]}],
    }
    rivals, skipped = importlib.import_module("recall_rivals").rivals(["facts"], {}, ["facts"])
    assert all("not installed" in line for line in skipped)
    for rival in rivals:
        outcome = use_recall.fitted(rival, record, 30)
        assert 0 < outcome.used <= 1
        assert not (rival.reads and outcome.over)
        assert not outcome.whole
    oracle = use_recall.fitted(rivals[-1], record, 30)
    assert oracle.share == 1

    def endless(*_: object) -> Any:
        return importlib.import_module("recall_rivals").Written("word " * 90)

    long = use_recall.Rival("long", endless)
    assert use_recall.fitted(long, record, 30).over
    assert use_recall.recall(record, 400, formats=["kv", "json"]).whole
    assert use_recall.recall(record, 0).refused


def test_intervals_draw_tasks(use_recall: ModuleType) -> None:
    """Bootstrap intervals draw whole tasks: two tasks give a wide one, a hundred a narrow one."""
    shares = [0.0, 1.0] * 50
    low, high = use_recall.interval(shares, [str(n % 2) for n in range(100)])
    assert (low, high) == (0.0, 1.0)
    low, high = use_recall.interval(shares, list(map(str, range(100))))
    assert 0.35 < low < 0.5 < high < 0.65


def test_whole_or_skipped() -> None:
    """The binary knapsack opens what holds classes, and takes these whole or not at all."""
    whole = importlib.import_module("baselines.whole")
    auto = importlib.import_module("mckp.solvers.auto")
    leaf = [(0, 0), (5, 6), (9, 7)]
    table = Table.nested([[(1, 0), (3, 0, [leaf, leaf]), (30, 14)]])
    for budget, best, binary in ((8, 6, 0), (13, 12, 7), (21, 14, 14), (0, None, None)):
        binary_solution, exact = whole.solve(table, budget), auto.solve(table, budget)
        if best is None:
            assert binary_solution.status == exact.status == "infeasible"
        else:
            assert (exact.value, binary_solution.value) == (best, binary)
            assert binary_solution.cost <= budget


def test_use_recall(run: Callable[..., dict[str, Any]]) -> None:
    """Made-up runs have their figures; only what mckp writes has a share of one-line notation."""
    figures = run(
        "use_recall",
        "--weights",
        "facts",
        "tokens,position",
        "--rivals",
        "mckp facts",
        "mckp tokens,position",
        "head cut",
        "oracle",
        "--shares",
        "0.2",
    )
    assert (figures["results"], figures["sources"]) == (5, {"samples": 5})
    by_rival = figures["shares"]["0.2"]
    assert by_rival.keys() == {"mckp facts", "mckp tokens,position", "head cut", "oracle"}
    for numbers in by_rival.values():
        assert numbers["interval"][0] <= numbers["recall"] <= numbers["interval"][1]
        assert numbers["all"] <= numbers["recall"] <= by_rival["oracle"]["recall"]
        assert numbers["over"] == numbers["refused"] == 0
    assert by_rival["head cut"]["one line"] is None
    assert 0 <= by_rival["mckp facts"]["one line"] <= 1


def test_processes_change_nothing(
    use_recall: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """One process and two give the same measurements."""
    taken = use_recall.records([])[:3]
    assert len(taken) == 3
    every = [use_recall.Rival("mckp", use_recall.encoded, True)]
    alone = use_recall.measured(every, (0.2,), taken, 1)
    assert use_recall.measured(every, (0.2,), taken, 2) == alone


def test_ready_records(use_recall: ModuleType) -> None:
    """Records that are at hand are read, and each use is in its whole payload."""
    if not USES.exists():
        pytest.skip(f"{USES.name} is not beside the checkout")
    for record in use_recall.records([USES])[::9]:
        assert all(use_recall.survivals(record["used"], record["payload"])), record["id"]


def test_factors_of_tools_are_measured(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each tool that is seen again has its recall with the prior, all factors and those kept."""
    fit_salience = importlib.import_module("fit_salience")
    file = tmp_path / "records.jsonl"
    records = [
        {
            "source": "made",
            "tool": use.tool,
            "task": str(use.session_number),
            "payload": use.payload,
            "used": use.uses,
            "tokens": tokenizers.get("o200k").count(dump(use.payload)),
        }
        for use in used_in(log())
    ]
    file.write_text("\n".join(map(json.dumps, records)))
    assert fit_salience.main([str(file), "--tools", "shipped", "--shares", "0.2"]) == 0
    _, whole, *_ = capsys.readouterr().out.splitlines()
    name, results, prior, every, those_kept = whole.split()
    assert (name, int(results)) == ("all", 8)
    assert float(prior) < float(every) == float(those_kept)


def test_learning_from_use_pays() -> None:
    """For tools seen before, in one half of the tasks, more is left of uses in the other.

    The prior was fitted to other sources, as it is for whoever brings tools of their own.
    """
    if not USES.exists():
        pytest.skip(f"{USES.name} is not beside the checkout")
    fit_salience, use_recall = map(importlib.import_module, ("fit_salience", "use_recall"))
    every_record = use_recall.records([USES])
    examples = fit_salience.known(every_record)
    (largest, _), *_ = Counter(record["source"] for record in every_record).most_common()
    some = [record for record in every_record if SCALE >= 1 or record["source"] == largest]
    rows = fit_salience.of_tools(some, [0.2], examples, 1 if SCALE >= 1 else 5)["0.2"]
    gains: dict[str, list[float]] = {}
    for tool, rows_of_tool in rows.items():
        gains.setdefault(tool.partition(".")[0], []).extend(
            with_kept - prior for prior, _, with_kept in rows_of_tool
        )
    assert fmean(chain.from_iterable(gains.values())) > 0.03
    for source, source_gains in gains.items():
        assert fmean(source_gains) > -0.01, source
