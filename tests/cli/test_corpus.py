"""``mckp corpus`` at a shell: what it prints, and how it ends."""

from __future__ import annotations

import json
from shlex import quote
from typing import TYPE_CHECKING

import pytest

from tests.shell import calls, codes

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("daft")


@pytest.fixture
def source(tmp_path: Path) -> str:
    """Return a corpus of a few lines."""
    path = tmp_path / "in.jsonl"
    path.write_text("".join(f'{{"id": {n}, "name": "x"}}\n' for n in range(5)))
    return str(path)


def test_actions(tmp_path: Path, source: str) -> None:
    """Actions work one after the other in one process; what cannot be says why."""
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    given, folder = quote(source), quote(str(tmp_path))
    commands = (
        f"corpus encode {given} {quote(str(first))} --budget 20",
        f"corpus measure {given} {quote(str(second))} --formats native,kv,csv --json",
        f"corpus compare {given} {quote(str(third))} --formats kv,csv",
        f"corpus encode {given} {folder}/a --runner ray",
        f"corpus encode {given} {folder}/b --runner nosuch",
        f"corpus encode {given} {quote(str(first))} --budget 21",
        f"corpus encode {given} {folder}/c --budget 1",
    )
    lines, errors = calls(commands)
    assert codes(lines) == [0] * 3 + [1] * 4
    assert lines[0] == "5 records, 30 tokens, 0 cut"
    counts = json.loads(lines[2])["figures"]["tokens"]["o200k_base"]
    assert counts["kv"]["records"] == 5
    assert "csv" not in counts
    table = "\n".join(lines[4:-4])
    assert "cl100k_base" in table
    assert " csv " not in table
    told = errors.splitlines()
    assert "Daft runs on 'native' in this process" in told[0]
    assert "unknown runner 'nosuch'; known: native, ray" in told[1]
    assert "holds the output of another run (budget 20, not 21)" in told[2]
    assert told[3].endswith(f"5 records were set aside; see {tmp_path}/c/errors")
    assert len((tmp_path / "c" / "errors" / "000000.jsonl").read_text().splitlines()) == 5
