"""``mckp batch``: many documents, a line each."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import mckp
from mckp.cli import lines
from tests.cases import cases
from tests.cli.conftest import Run

JOBS = [[{"id": n, "name": f"job {n}"} for n in range(k)] for k in (1, 9, 3)]
LINES = "".join(json.dumps(job) + "\n" for job in JOBS)


def records_in(out: bytes) -> list[Any]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["1", "2"])
def test_each_line_is_a_document(run: Run, processes: str) -> None:
    """For each line comes what `encode --json` prints, in order."""
    wanted = [json.loads(json.dumps(mckp.encode(job, budget=40).to_dict())) for job in JOBS]
    options = ["--budget", "40", "--processes", processes]
    code, out, err = run("batch", *options, stdin=LINES)
    assert (code, records_in(out), err) == (0, wanted, "")
    assert run("batch", "-", *options, stdin=LINES) == (code, out, err)


@pytest.mark.slow
def test_options_reach_every_document(run: Run) -> None:
    """A batch encodes each line as the library does with the same options."""
    options = ["--tokenizer", "cl100k", "--formats", "csv,kv", "--solver", "dp", "--budget", "30"]
    code, out, _ = run("batch", *options, stdin=LINES)
    chosen: dict[str, Any] = {"tokenizer": "cl100k", "formats": ["csv", "kv"], "solver": "dp"}
    wanted = [mckp.encode(job, budget=30, **chosen).text for job in JOBS]
    assert (code, [record["text"] for record in records_in(out)]) == (0, wanted)


@pytest.mark.slow
def test_lines_that_cannot_be_encoded(run: Run) -> None:
    """A line that fails has its error in its place, with its number, and a count at the end."""
    code, out, err = run("batch", stdin='\n[1]\n \r\n{"a": NaN}\r\n{"a": 1, "a": 2}\n[2]')
    first, nan, twice, last = records_in(out)
    assert (code, first["text"], last["text"]) == (1, "[1]", "[2]")
    assert nan == {
        "error": "NaN and Infinity are not JSON; write null or a string (column 7)",
        "line": 4,
    }
    assert twice["line"] == 5
    assert err == f"mckp: error: <stdin>: 2 documents were not encoded; line 4: {nan['error']}\n"
    code, _, err = run("batch", stdin="nope")
    assert err.startswith("mckp: error: <stdin>: 1 document was not encoded; line 1: ")


@pytest.mark.slow
def test_a_budget_too_small_for_some(run: Run) -> None:
    """If nothing else is wrong the code is 3, and the error says what would have been enough."""
    code, out, err = run("batch", "--budget", "4", stdin='[1]\n{"a": [1, 2]}\n{"b": [1, 2]}\n')
    assert [sorted(record)[0] for record in records_in(out)] == ["bound", "error", "error"]
    enough = int(err.split("raise the budget to ")[1].split()[0])
    assert code == 3
    assert run("batch", "--budget", str(enough), stdin='{"a": [1, 2]}\n{"b": [1, 2]}\n')[0] == 0
    assert run("batch", "--budget", "4", stdin='{"a": [1, 2]}\nnope\n')[0] == 1


def test_nothing_to_do(run: Run) -> None:
    """Empty input gives empty output."""
    assert run("batch", stdin="") == (0, b"", "")
    assert run("batch", stdin="\n\n") == (0, b"", "")


def test_files(run: Run, tmp_path: Path) -> None:
    """FILE is read line by line, OUT is written whole or not at all."""
    given, out = tmp_path / "in é.jsonl", tmp_path / "out.jsonl"
    given.write_bytes(b"\xef\xbb\xbf" + LINES.encode())
    assert run("batch", str(given), "-o", str(out)) == (0, b"", "")
    assert len(records_in(out.read_bytes())) == 3
    out.write_text("old")
    code, _, err = run("batch", str(given), "-o", str(out), "--formats", "zip")
    assert (code, out.read_text()) == (1, "old")
    assert err.startswith("mckp: error: unknown format 'zip'")
    assert sorted(tmp_path.iterdir()) == sorted([given, out])
    code, _, err = run("batch", str(tmp_path / "none"), "-o", str(out))
    assert err.startswith(f"mckp: error: {tmp_path / 'none'}: ")


@pytest.mark.slow
def test_a_folder(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file is a document, each line of a .jsonl is one, and what is hidden is none."""
    folder = tmp_path / "in"
    (folder / "b").mkdir(parents=True)
    for name, text in cases(__file__, "FOLDER").items():
        (folder / name).write_text(text, encoding="utf-8")
    out = tmp_path / "out.jsonl"
    code, _, err = run("batch", str(folder), "-o", str(out))
    records = records_in(out.read_bytes())
    assert [(record["file"], record.get("text")) for record in records] == [
        ("a.md", "# Title\n\nA text.\n"),
        ("b/c.json", mckp.encode({"a": 1}).text),
        ("b/d.jsonl", "[1]"),
    ]
    assert (code, err) == (0, "")
    code, printed, err = run("batch", str(folder), "--budget", "1")
    assert [record["line"] for record in records_in(printed) if "error" in record] == [0, 0, 2]
    assert (code, "raise the budget to" in err) == (3, True)
    monkeypatch.chdir(folder)
    assert (run("batch", ".")[0], run("batch", ".")[1]) == (0, out.read_bytes())
    assert "inside the input" in run("batch", str(folder), "-o", str(folder / "x"))[2]


@pytest.mark.parametrize("processes", ["1", "2"])
def test_damaged_data_in_a_folder_is_an_error(run: Run, tmp_path: Path, processes: str) -> None:
    """What is JSON by its name is never taken for a text; other files say what they are."""
    for name, text in cases(__file__, "DAMAGED").items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    code, out, err = run("batch", str(tmp_path), "--processes", processes)
    records = records_in(out)
    assert [(record["file"], record["line"]) for record in records if "error" in record] == [
        ("a.json", 0),
        ("b.JSON", 0),
        ("c.jsonl", 2),
        ("c.jsonl", 3),
        ("d.ndjson", 1),
        ("g.json", 0),
    ]
    texts = {record["file"]: record["text"] for record in records if "text" in record}
    assert texts == {"c.jsonl": "[1]", "e.txt": "words\n", "f": '{"a":1}'}
    assert code == 1
    assert "6 documents were not encoded; a.json: " in err
    places = [record["error"].split("(")[-1] for record in records if "error" in record]
    assert places[:3] == ["line 1, column 1)", "line 1, column 2)", "column 7)"]


def test_an_indented_document_is_not_json_lines(run: Run) -> None:
    """Each line is an error of its own; the last message names the command for one document."""
    code, out, err = run("batch", stdin=b'{\n "a": [\n  1\n ]\n}\n')
    assert (code, len(out.splitlines())) == (1, 5)
    assert b"use mckp batch" not in out
    assert err.endswith("for one document on several lines, use mckp encode\n")


@pytest.mark.slow
@pytest.mark.parametrize("resumed", [True, False])
def test_an_interrupted_run_is_continued(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, resumed: bool
) -> None:
    """Whole lines of the draft are done; half a line is not, and another request starts over.

    The first run needs no ``--resume``.
    """
    given, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    given.write_text("nope\n" + LINES)
    start = ("batch", str(given), "-o", str(out), "--processes", "1")
    options = (*start, "--resume")
    whole = run("batch", str(given), "--budget", "40")[1]
    seen: list[Any] = []

    def encode_many(records: Iterable[bytes], **options: Any) -> Iterator[Any]:
        seen.clear()
        for outcome in known(records, **options):
            if len(seen) == stop:
                raise KeyboardInterrupt
            seen.append(outcome)
            yield outcome

    known, stop = mckp.encode_many, 2
    monkeypatch.setattr(mckp, "encode_many", encode_many)
    code, _, err = run(*(options if resumed else start), "--budget", "40")
    assert (code, "run the same command with --resume" in err) == (130, not resumed)
    (draft,) = tmp_path.glob("*.part")
    assert draft.read_bytes() == b"".join(whole.splitlines(keepends=True)[:2])
    draft.write_bytes(draft.read_bytes() + b'{"text": "half')
    stop = 9
    code, _, err = run(*options, "--budget", "40")
    assert (code, len(seen), out.read_bytes()) == (1, 2, whole)
    assert "1 document was not encoded; line 1: " in err
    assert sorted(tmp_path.iterdir()) == sorted([given, out])
    assert run(*options, "--budget", "41")[0] == 1
    assert len(seen) == 4


@pytest.mark.parametrize("options", [["--resume"], ["--resume", "-o", "x"]])
def test_resume_needs_a_file(run: Run, options: list[str]) -> None:
    """Without a file to resume, `--resume` is an error."""
    code, _, err = run("batch", *options, stdin=LINES)
    assert (code, "--resume needs a FILE" in err) == (1, True)


@pytest.mark.parametrize("options", [["--processes", "0"], ["--processes", "-1"], ["--kind", "x"]])
def test_wrong_usage(run: Run, options: list[str]) -> None:
    """Wrong options exit with 2."""
    assert run("batch", *options, stdin=LINES)[0] == 2


def test_progress_is_shown_on_a_terminal(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal, the count of finished documents goes to standard error."""
    file = tmp_path / "data.jsonl"
    file.write_text(LINES + "\n")
    monkeypatch.setattr(lines, "_shows_progress", bool)
    code, out, err = run("batch", str(file), "--processes", "1")
    assert (code, len(records_in(out))) == (0, 3)
    assert "3/3" in err
