"""``mckp accuracy``: the oracle, a model behind an address, wrong options."""

import json
from pathlib import Path

import pytest

from mckp.accuracy import WAYS
from mckp.accuracy.paired import questions_needed
from tests.accuracy.server import says, serving
from tests.cli.conftest import Run

DATA = json.dumps([{"id": n, "state": ["ok", "failed"][n % 3 == 0]} for n in range(20)])


def test_the_oracle(run: Run) -> None:
    """The oracle answers everything without a budget and less within one."""
    options = ("--ways", "json,native", "--budget", "0.4")
    code, out, err = run("accuracy", *options, stdin=DATA)
    assert (code, err) == (0, run("accuracy", "--plan", *options, stdin=DATA)[2])
    lines = out.decode().splitlines()
    assert lines[0] == "answers of oracle"
    shares = {line.split()[0]: float(line.split()[4]) for line in lines[2:6]}
    assert shares["json"] == shares["native"] == 1.0
    assert shares["json@0.4"] < 1
    report = json.loads(run("accuracy", "--json", "--questions", "1", stdin=DATA)[1])
    assert [line["share"] for line in report["lines"]] == [1.0] * len(report["lines"])


def test_a_plan_asks_nobody(run: Run, tmp_path: Path) -> None:
    """It says how much would be asked, and how much proves that nothing is lost."""
    path = tmp_path / "data.jsonl"
    path.write_text(f"{DATA}\n{DATA}\n", encoding="utf-8")
    nobody = ("--base-url", "http://127.0.0.1:9/v1", "--model", "m")
    code, out, err = run("accuracy", str(path), "--plan", "--json", "--questions", "1", *nobody)
    assert (code, out) == (0, b"")
    ways, counts, proof = err.splitlines()
    assert ways == f"ways: {' '.join(WAYS)}"
    assert {"json", "json-pretty"} < set(WAYS)
    asked = json.loads(run("accuracy", str(path), "--json", "--questions", "1")[1])["lines"]
    count = asked[0]["questions"]
    assert counts == f"questions: {count}; answers to ask for: {count * len(WAYS)}"
    assert proof == (
        "to prove that the loss is below 3 points, about 870 questions are needed, "
        "if 10% of the answers differ"
    )
    smaller = run("accuracy", "--plan", "--margin", "1", stdin=DATA)[2]
    assert f"1 points, about {questions_needed(0.1, 0.01)} questions" in smaller


def test_lines_are_documents(run: Run, tmp_path: Path) -> None:
    """Each line of a JSON Lines file is a document; empty lines are none."""
    path = tmp_path / "data.jsonl"
    path.write_text(f"{DATA}\n\n{DATA}\n", encoding="utf-8")
    report = json.loads(run("accuracy", str(path), "--json", "--ways", "json")[1])
    assert [line["documents"] for line in report["lines"]] == [2]


def test_a_model_behind_an_address(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replies of an endpoint are kept, and a second run asks nothing."""
    pytest.importorskip("openai", reason="needs the extra accuracy")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    kept = str(tmp_path / "replies.jsonl")
    with serving(says("unknown")) as server:
        options = ["--base-url", server.url, "--model", "m", "--keep", kept, "--ways", "json"]
        once = run("accuracy", *options, stdin=DATA)
        asked = len(server.requests)
        assert run("accuracy", *options, stdin=DATA) == once
    assert len(server.requests) == asked > 5
    assert once[0] == 0
    assert once[1].decode().rstrip().endswith(f"{3 * asked} written")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--base-url", "http://127.0.0.1:9/v1"], "--base-url needs --model"),
        (["--model", "x"], "--model needs --base-url"),
        (["--margin", "100"], "a margin must be above 0 and below 100 points, not 100"),
        (["--ways", "yaml"], "unknown format 'yaml'"),
    ],
)
def test_wrong_options(run: Run, options: list[str], message: str) -> None:
    """Values that cannot be used exit with 1 and say why."""
    code, out, err = run("accuracy", *options, stdin=DATA)
    assert (code, out) == (1, b"")
    assert message in err


@pytest.mark.parametrize("options", [["--margin", "0"], ["--timeout", "x"], ["--option", "a"]])
def test_wrong_usage(run: Run, options: list[str]) -> None:
    """Wrong options exit with 2."""
    assert run("accuracy", *options, stdin=DATA)[0] == 2


def test_text_is_not_asked_about(run: Run) -> None:
    """Markdown and text are refused with a reason."""
    code, _, err = run("accuracy", stdin="# Title\n\nSome text.\n")
    assert code == 1
    assert "only about JSON" in err
