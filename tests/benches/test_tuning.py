"""The benches of tuning run, and what they find is no worse than before."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from mckp.replay import Compact, End, Response, generate
from mckp.replay.claude import read_claude

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_profiles(run: Callable[..., dict[str, Any]]) -> None:
    rows = run("tune_profiles", "--seeds", "1")["rows"]
    combined = {(row["profile"], row["case"]): row["combined"] for row in rows}
    for profile in ("file_search_heavy", "pipeline_monitor", "marathon_refactor", "mixed"):
        assert combined[profile, "tuned"] >= combined[profile, "default"]
        assert combined[profile, "spoiled, tuned"] > combined[profile, "spoiled"]


def test_logs(run: Callable[..., dict[str, Any]]) -> None:
    found = run("tune_logs")
    assert found["events"] == 300
    assert found["peak_mib"] > 10


def test_files_are_read_as_what_they_were_made_of(tmp_path: Path) -> None:
    actions = list(generate("marathon_refactor", 1, 300))
    files = importlib.import_module("claude_files")
    assert files.write_sessions(actions, tmp_path) == 1
    found = list(read_claude(tmp_path / "00000.jsonl"))
    for kind in (Response, Compact, End):
        assert [each for each in found if isinstance(each, kind)] == [
            each for each in actions if isinstance(each, kind)
        ]
