"""What the benches' README tells was measured and is stored, and the benches of speed run."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

import pytest

import mckp

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Return a file of responses: two records, one of them no JSON, and a bare value."""
    path = tmp_path / "answers.jsonl"
    rows = [{"id": number, "name": f"job {number}"} for number in range(9)]
    records: list[Any] = [
        {"id": "a", "kind": "json", "payload": {"jobs": rows}},
        {"id": "b", "kind": "markdown", "payload": "# Title"},
        rows,
    ]
    path.write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a folder for what Numba keeps, so that it compiles once at most."""
    return str(tmp_path_factory.mktemp("kept"))


def test_speed(
    run: Callable[..., dict[str, Any]], answers: Path, tmp_path: Path, kept: str
) -> None:
    """Each document has a row for each budget, with a goal if there is one for its kind."""
    folder = tmp_path / "sets"
    folder.mkdir()
    (folder / "tok_flat.json").write_text('[{"a": 1}, {"a": 2}]', encoding="utf-8")
    (folder / "questions.json").write_text("[]", encoding="utf-8")
    names = ["log", "answers", "flat"]
    found = run("encode_speed", str(answers), str(folder), "--only", *names, "--compiled", kept)
    assert found["install"] == "plain"
    rows = found["rows"]
    assert [(row["document"], row["budget"]) for row in rows] == [
        (name, budget) for name in names for budget in ("none", "half")
    ]
    keys = ("ratio", "cpu ratio", "ms", "pass", "first", "later", "tokens")
    assert all(min(row[key] for key in keys) > 0 for row in rows)
    assert all("toktok" not in row["loaded"] and row["backend"] == "tiktoken" for row in rows)
    assert [row.get("goal") for row in rows] == [3, 5, 5, 8, None, None]


def test_made_up_documents(tmp_path: Path) -> None:
    """Each kind has the size that it should have, and is read as that kind."""
    large = importlib.import_module("large")
    for kind in ("table", "mixture", *large.TEXTS):
        path = tmp_path / kind
        assert large.write(path, kind, 3000) == path.stat().st_size >= 3000
        text = path.read_text(encoding="utf-8")
        assert mckp.decode(mckp.encode(text).text) is not None
    assert "| --- |" in (tmp_path / "markdown").read_text(encoding="utf-8")


def test_a_job_that_fails_tells_why() -> None:
    """A process that ends early gives its last words, one that takes too long is ended."""
    fresh = importlib.import_module("fresh")
    assert "no_work" in fresh.ask({"work": "no_work"})["failed"]
    assert "not done after" in fresh.ask({"work": "held"}, limit=0)["failed"]


def test_responses(run: Callable[..., dict[str, Any]], answers: Path, kept: str) -> None:
    """Every record of JSON has times of mckp, and of each peer that writes it."""
    found = run("encode_responses", str(answers), "--compiled", kept)
    assert found["documents"] == 2
    cells = [(row["budget"], row["quantile"], row["goal"]) for row in found["alone"]]
    assert cells == [
        ("none", "median", 1),
        ("none", "p95", 6),
        ("half", "median", 3),
        ("half", "p95", 20),
    ]
    assert all(row["met"] == (row["first"] <= row["goal"]) for row in found["alone"])
    own, of_text, *peers = found["writers"]
    assert [own["writer"], of_text["writer"]] == ["mckp native", "mckp native, of text"]
    assert own["mckp by it"] == 1
    for entry in (own, of_text):
        assert (entry["documents"], entry["not right"], entry["why"]) == (2, 0, {})
        assert 0 < entry["ms"]["median"] <= entry["ms"]["p95"] <= entry["ms"]["max"]
    for entry in peers:
        assert {"version", "documents", "not right", "why"} <= entry.keys()
        assert entry["not right"] == sum(entry["why"].values())


def test_growth(run: Callable[..., dict[str, Any]], kept: str) -> None:
    """Each document and budget has time and memory, from a process of its own."""
    found = run("encode_growth", "--compiled", kept)
    assert found["small call"]["goal"] == 100
    assert len(found["rows"]) == 2 * 2 * 2
    for row in found["rows"]:
        assert row["bytes"] >= row["MB"] * 1e6
        assert min(row["ms"], row["first"], row["ms per MB"], row["tokens"]) > 0
        assert row["peak"] >= 0


def test_growth_tells_what_failed() -> None:
    """A process that ends early is a row with its last words."""
    growth = importlib.import_module("encode_growth")
    row = {"document": "table", "MB": 1, "formats": "native"}
    [found] = growth.measure("/nowhere/at/all", row, 0, growth.Place())
    assert "No such file" in found["failed"]


def test_tool_calls(run: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    """Each form has a size, and no call is changed."""
    path = tmp_path / "calls.json"
    schema = {"properties": {"city": {"type": "string"}}, "required": ["city"]}
    tools = [{"name": "sky", "description": "", "inputSchema": schema}]
    cases = [{"tool": "sky", "arguments": {"city": "New York"}}]
    totals = {"compact_serializer": 9}
    data = {"tools": tools, "cases": cases, "totals_o200k": totals}
    path.write_text(json.dumps(data), encoding="utf-8")
    found = run("tool_calls", str(path))
    sizes = {row["form"]: row["tokens"] for row in found["sizes"]}
    assert sizes["wire"] < sizes["message of an API"]
    assert found["sizes"][-1]["reference"] == 9
    assert found["changed"] == 0
