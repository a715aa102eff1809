"""The net of hashes sees every text that changes, and no other."""

import json
from pathlib import Path

import net
import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with one document of each form."""
    documents = tmp_path / "documents"
    documents.mkdir()
    rows = [{"id": n, "name": f"name {n}", "ok": n % 7 > 0} for n in range(30)]
    (documents / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    record = {"id": "abc", "payload": {"items": rows}}
    (documents / "runs.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    lines = (f"line {n} of a text\n" for n in range(40))
    (documents / "log.txt").write_text("".join(lines), encoding="utf-8")
    (documents / "picture.png").write_bytes(b"\x89PNG\xff\xfe")
    return documents


def test_equal_runs_do_not_differ(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two runs of one state are equal; the names say file and record; what is no text is left."""
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    for out in (before, after):
        assert net.main(["make", str(folder), "--out", str(out)]) == 0
    names = ["documents/log.txt", "documents/rows.json", "documents/runs.jsonl#abc"]
    assert list(net.read(before)) == names
    assert net.main(["compare", str(before), str(after)]) == 0
    assert "3 documents in both files, 0 in one of them only" in capsys.readouterr().out


def test_a_changed_text_is_shown(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A document that changed is named with its tokens, and its lines are shown on request."""
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    net.main(["make", str(folder), "--out", str(before), "--texts"])
    (folder / "log.txt").write_text("another text\n", encoding="utf-8")
    net.main(["make", str(folder), "--out", str(after), "--texts"])
    capsys.readouterr()
    assert net.main(["compare", str(before), str(after), "--diff", "all"]) == 1
    printed = capsys.readouterr().out
    assert "documents/log.txt: whole" in printed
    assert "documents/rows.json" not in printed
    assert "+another text" in printed


def test_samples_are_the_same_when_documents_are_added() -> None:
    """Whether a document is in the sample depends on its name alone."""
    names = [f"documents/{n}.json" for n in range(400)]
    taken = [name for name in names if net.is_sampled(name, 4)]
    assert 60 < len(taken) < 140
    assert [name for name in names[:200] if net.is_sampled(name, 4)] == [
        name for name in taken if name in names[:200]
    ]
