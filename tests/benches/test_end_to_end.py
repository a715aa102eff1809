"""Readers see, ask and answer, at an address or in recorded runs; every token is counted."""

import importlib
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mckp.jsontext import dump
from tests.accuracy.server import nothing, says, serving


@pytest.fixture
def end_to_end() -> ModuleType:
    return importlib.import_module("end_to_end")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make one document of each kind, with a question on each and an overview."""
    (tmp_path / "docs").mkdir()
    jobs = [{"id": 100 + n, "state": "failed" if n == 37 else "done"} for n in range(99)]
    lines = "".join(f"step {n} of the build is done\n" for n in range(99))
    (tmp_path / "docs/d1.json").write_text(dump({"jobs": jobs}), "utf-8")
    (tmp_path / "docs/t1.txt").write_text(f"{lines}no space is left\n", "utf-8")
    questions = [
        {"doc": "d1", "qid": "d1-1", "kind": "needle", "question": "Which failed?", "gold": 137},
        {"doc": "d1", "qid": "d1-2", "kind": "overview", "question": "What is it?", "gold": "jobs"},
        {
            "doc": "t1",
            "qid": "t1-1",
            "kind": "needle",
            "question": "Why?",
            "gold": "out of space",
            "accept": ["no space is left"],
        },
    ]
    (tmp_path / "questions.json").write_text(dump(questions), "utf-8")
    return tmp_path


def test_in_small_a_program_reads(run: Callable[..., dict[str, Any]]) -> None:
    """Without an address, a program answers what it has seen; the whole is all that full shows."""
    figures = run("end_to_end")
    assert figures["reader"].startswith("a program")
    rows = {(row["mode"], row["kind"]): row for row in figures["rows"]}
    assert len(rows) == 6
    for (mode, _), row in rows.items():
        assert row["right"] + row["open"] == row["questions"] == 1
        assert (row["calls"], row["shown"] == 1) == ((0, True) if mode == "full" else (1, False))


def test_a_model_at_an_address_reads(
    end_to_end: ModuleType, run: Callable[..., dict[str, Any]], folder: Path
) -> None:
    """It asks by the tool, answers, and is counted; what is kept scores the same as recorded."""
    steps = (
        '```json\n{"handle": "#1", "where": "state == \'failed\'", "fields": ["id"]}\n```',
        '[{"qid": "d1-1", "answer": "job 137"}, {"qid": "d1-2", "answer": "99 jobs"}]',
        "I do not know yet.",
        '[{"qid": "t1-1", "answer": "unknown"}]',
    )
    kept = folder / "kept"
    with serving(*map(says, steps)) as server:
        address = ("--base-url", server.url, "--model", "fake", "--modes", "mckp")
        figures = run("end_to_end", str(folder), *address, "--keep", str(kept))
    assert figures["reader"].startswith("fake at ")
    assert figures["paid"] == {"mckp": {"prompt": 400, "completion": 12}}
    assert len(server.requests) == 4
    first, second = (each["messages"][0]["content"] for each in server.requests[:2])
    assert "d1-1: Which failed?" in first
    assert "t1-1" not in first
    assert end_to_end.definition("openai")["function"]["description"] in first.replace('\\"', '"')
    assert second.endswith('Answer:\n[{"id":137}]')
    data, text = figures["rows"]
    assert (data["right"], data["overviews"], data["calls"]) == (1, 1, 1)
    assert (text["right"], text["open questions"], text["calls"]) == (0, ["t1-1"], 0)
    recorded = ("--logs", str(kept / "logs"), "--answers", str(kept / "answers"))
    again = run("end_to_end", str(folder), *recorded, "--reader", "a fake")
    assert (again["reader"], again["rows"]) == ("a fake", figures["rows"])


def test_a_document_without_answers_counts(
    run: Callable[..., dict[str, Any]], folder: Path
) -> None:
    """A reader that fails on one document goes on to the next one."""
    steps = (nothing(), says('[{"qid": "t1-1", "answer": "no space is left"}]'))
    with serving(*steps) as server:
        address = ("--base-url", server.url, "--model", "fake", "--modes", "full")
        figures = run("end_to_end", str(folder), *address)
    assert figures["paid"]["full"]["failed"] == 1
    assert [row["right"] for row in figures["rows"]] == [0, 1]


def test_recorded_runs_are_scored(run: Callable[..., dict[str, Any]], folder: Path) -> None:
    """Shares are of whole documents; what is shown again counts once, a verdict counts apart."""

    def line(act: str, tokens: int, doc: str = "t1", whole: int = 1000) -> str:
        return dump({"doc": doc, "act": act, "asked": "", "tokens": tokens, "whole": whole})

    shown = [line("show", 150), line("sh", 60), line("show", 150), line("sh", 40)]
    (folder / "shell-a1.jsonl").write_text("\n".join(shown), "utf-8")
    other = [line("show", 350, whole=1500)]
    (folder / "shell-b1.jsonl").write_text("\n".join(other), "utf-8")
    (folder / "mckp-x9.jsonl").write_text("no run of these", "utf-8")
    said = {"a1": "No space  is LEFT.", "b1": "The disk was full"}
    for name, words in said.items():
        answers = dump([{"qid": "t1-1", "answer": words, "sure": True}])
        (folder / f"shell_{name}.json").write_text(answers, "utf-8")
    judged = folder / "judged.json"
    judged.write_text('{"judge": "me", "verdicts": {"shell": {"t1-1": true}}}', "utf-8")
    recorded = ("--logs", str(folder), "--answers", str(folder), "--runs", "shell-?1")
    options = (*recorded, "--reader", "some", "--judged", str(judged))
    figures = run("end_to_end", str(folder), *options)
    assert (figures["reader"], figures["judge"]) == ("some", "me")
    assert figures["rows"] == [
        {
            "mode": "shell",
            "kind": "text",
            "documents": 2,
            "questions": 2,
            "right": 1,
            "open": 1,
            "right by judge": 1,
            "overviews": 0,
            "shown": 0.2,
            "asked": 0.04,
            "in all": 0.24,
            "calls": 2,
            "open questions": ["t1-1"],
        }
    ]


@pytest.mark.parametrize(
    ("said", "accepted", "is_right"),
    [
        ("2,047,347 (millions of US dollars)", "2047347", True),
        ("PACO_ASDI", "paco-asdi", True),
        ("version 1.6.1", "1.6.1", True),
        ("17", "7", False),
        ("1.6.10", "1.6.1", False),
        ("-5", "5", False),
        ("between 3-5", "3 5", True),
        ("all of it", "", False),
    ],
)
def test_an_answer_contains_an_accepted_one(
    end_to_end: ModuleType, said: str, accepted: str, is_right: bool
) -> None:
    """An answer is right if it contains an accepted one as whole words or numbers."""
    assert end_to_end.is_right(said, [accepted]) is is_right


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("jq -c '.jobs[:2] | map(.id)' d1", "[100,101]"),
        ("jq '.. | .id? // empty' d1 | sort -n | tail -1", "198"),
        ("grep -o 'fail|failed' d1 | wc -l", "0"),
        ("grep -c nothing", "0"),
        ("sed -n 1p d1 | head -c 7", '{"jobs"'),
        ("awk -F: 'NR == 1 || NR > 3 {print $1}' d1", '{"jobs"'),
    ],
)
def test_commands_run(end_to_end: ModuleType, folder: Path, command: str, said: str) -> None:
    """Pipes of jq, grep, sed, awk, sort, head and tail run on a document."""
    shares = {"data": 0.5, "text": 0.5}
    document = end_to_end.read_documents(folder, shares)["d1"]
    assert end_to_end.run_command(command, document).strip() == said


@pytest.mark.parametrize(
    "command",
    [
        "",
        "python d1",
        "cat d1",
        "jq . d1 | sh",
        "jq . d1; wc d1",
        "jq . d1 > other",
        "wc `id`",
        "wc d1 & wc d1",
        "wc 'd1",
        "head /etc/passwd",
        "grep -f/etc/passwd d1",
        "head ../d1",
        "grep -r x ..",
        "awk 'BEGIN {system(\"id\")}'",
        'awk \'BEGIN {print "a;b" | "id"}\'',
        "awk 'BEGIN {print 1 > \"other\"}'",
        "awk -f d1",
        "sort --compress-program=id d1",
        "sed 1e d1",
    ],
)
def test_other_commands_do_not_run(end_to_end: ModuleType, folder: Path, command: str) -> None:
    """Other programs, other files, redirections and substitutions are refused."""
    shares = {"data": 0.5, "text": 0.5}
    document = end_to_end.read_documents(folder, shares)["d1"]
    assert "error: " in end_to_end.run_command(command, document).replace("sed: -e", "error: sed")


def test_commands_have_limits(
    end_to_end: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What writes for ever is cut off, and what takes for ever is ended."""
    document = end_to_end.read_documents(folder, {"data": 0.5, "text": 0.5})["d1"]
    monkeypatch.setattr(end_to_end, "MAX_BYTES", 4000)
    monkeypatch.setattr(end_to_end, "SECONDS", 0.5)
    long = end_to_end.run_command("awk 'BEGIN {while (1) print 1}'", document)
    assert long.endswith("[Output truncated.]")
    assert end_to_end.recount(long) <= document.budget + 2
    late = end_to_end.run_command("awk 'BEGIN {while (1) n++}'", document)
    assert late == "error: not done after 0.5 s"
