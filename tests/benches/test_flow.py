"""The checks of what encoding promises run, and tell what is wrong."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import mckp

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import ModuleType


@pytest.fixture
def flow() -> ModuleType:
    return importlib.import_module("check_flow")


def asked(flow: ModuleType, count: int = 1) -> Any:
    """Return what is asked of some documents of forty rows."""
    rows = [
        {"id": n, "name": f"job {n}", "ok": n % 3 == 0, "note": "all went well"} for n in range(40)
    ]
    documents = [
        flow.Document("set", "source", f"jobs-{n}", {"jobs": rows[n:]}) for n in range(count)
    ]
    return flow.Asked(documents, 1, 4, 0)


def broken(monkeypatch: pytest.MonkeyPatch, change: Callable[[mckp.Result, int], Any]) -> None:
    """Make each result of encode within a budget something else."""
    encode = mckp.encode

    def changed(value: Any, *, budget: int | None = None, **rest: Any) -> Any:
        result = encode(value, budget=budget, **rest)
        return result if budget is None else change(result, budget)

    monkeypatch.setattr(mckp, "encode", changed)


def test_all_checks_run(run: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    """Each check has its figures; documents that are made up break nothing that is counted."""
    kept = str(tmp_path / "kept")
    found = run("check_flow", "--checks", "totals", "bytes", "--compiled", kept)
    checks = found["checks"]
    assert list(checks) == ["totals", "bytes"]
    assert not any(own["wrong"] for own in checks.values())
    assert checks["bytes"]["texts"] == 6
    assert checks["bytes"]["after others"].startswith("6 texts, 0 others")


def test_worth_that_falls_is_told(flow: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """A larger budget that keeps less is a violation, and so is one that is exceeded."""
    triples = flow.check_worth(asked(flow))
    assert (triples.figures["triples"], triples.wrong) == (4, [])
    broken(monkeypatch, lambda result, budget: replace(result, value=-budget))
    assert any("worth" in line for line in flow.check_worth(asked(flow)).wrong)
    broken(monkeypatch, lambda result, _: replace(result, tokens=result.tokens + 1))
    assert any("counted" in line for line in flow.check_worth(asked(flow)).wrong)


def test_a_budget_that_is_not_used_is_told(
    flow: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cut that would have fitted into what is left is a violation."""
    encode = mckp.encode

    def lazy(value: Any, *, budget: int) -> mckp.Result:
        result = encode(value, budget=budget // 2)
        return replace(result, elided=(replace(result.elided[0], tokens=3), *result.elided[1:]))

    monkeypatch.setattr(mckp, "encode", lazy)
    told = flow.check_used(asked(flow))
    assert told.figures["0.5"]["mean"] < 0.6
    assert any("3 would fit" in line for line in told.wrong)
    assert any("mean" in line for line in told.wrong)


def test_more_tokens_than_stored_are_told(
    flow: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Totals are compared if the documents are those of the stored figures."""
    compact = flow.recount(flow.dump(asked(flow).documents[0].value))
    formats = {"json": {"tokens": compact}} | {
        f"mckp {level}": {"tokens": 10} for level in flow.LEVELS
    }
    known = {"tokenizers": {"o200k": {"set": {"formats": formats}}}}

    def stored(_: object) -> object:
        return known

    monkeypatch.setattr(flow, "stored", stored)
    told = flow.check_totals(asked(flow))
    assert told.figures["set, native"]["stored"] == 10
    assert sum("10 stored" in line for line in told.wrong) == 2


def test_other_bytes_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that writes something else is named, and so is one that fails."""
    module = importlib.import_module("same_bytes")
    flow = importlib.import_module("check_flow")

    def ask(job: dict[str, Any], place: Any) -> dict[str, Any]:
        if job["backwards"]:
            return {"failed": "no reason"}
        return {"digests": {"a": "2" if place.seed == 1 else "1"}}

    monkeypatch.setattr(module, "ask", ask)
    _, wrong = module.check_bytes(asked(flow).documents, 1, module.Place(), quick=True)
    assert wrong == ["backwards: no reason", "another seed: other bytes of a"]


def test_look(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Documents of a middle size are printed within each budget, those of sources in turns."""
    look = importlib.import_module("look")
    rows = [{"id": n, "name": f"job {n}", "url": f"https://example.com/{n}"} for n in range(200)]
    path = tmp_path / "uses.jsonl"
    sizes = (2, 30, 60, 120)
    records = [
        {"id": str(size), "source": f"s{size % 4}", "tool": "list", "payload": rows[:size]}
        for size in sizes
    ]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    assert look.main([str(path), "--count", "3", "--shares", "0.5", "0.001"]) == 0
    told = capsys.readouterr().out
    heads = [line.split(":")[0] for line in told.split("\n") if line.startswith("===")]
    assert heads == ["=== s0 list 60", "=== s2 list 30", "=== s0 list 120"]
    assert told.count("--- 50%: budget") == 3
    assert told.count("refused, the least is") == 3
