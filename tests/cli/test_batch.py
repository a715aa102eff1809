"""``mckp batch`` and ``mckp warmup``: many documents, and the first call made quick."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import mckp
from mckp import jit
from mckp.cli import lines, warmth

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run

JOBS = [[{"id": n, "name": f"job {n}"} for n in range(k)] for k in (1, 9, 3)]
LINES = "".join(json.dumps(job) + "\n" for job in JOBS)

COMPILED = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled"
)


def told(out: bytes) -> list[Any]:
    """Return what lines of JSON hold."""
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("processes", ["1", "2"])
def test_each_line_is_a_document(run: Run, processes: str) -> None:
    """For each line comes what `encode --json` prints, in order."""
    wanted = [json.loads(json.dumps(mckp.encode(job, budget=40).to_dict())) for job in JOBS]
    options = ["--budget", "40", "--processes", processes]
    code, out, err = run("batch", *options, stdin=LINES)
    assert (code, told(out), err) == (0, wanted, "")
    assert run("batch", "-", *options, stdin=LINES) == (code, out, err)


def test_options_reach_every_document(run: Run) -> None:
    """Tokenizer, formats and solver mean what they mean to `mckp.encode`."""
    options = ["--tokenizer", "cl100k", "--formats", "csv,kv", "--solver", "dp", "--budget", "30"]
    code, out, _ = run("batch", *options, stdin=LINES)
    chosen: dict[str, Any] = {"tokenizer": "cl100k", "formats": ["csv", "kv"], "solver": "dp"}
    wanted = [mckp.encode(job, budget=30, **chosen).text for job in JOBS]
    assert (code, [each["text"] for each in told(out)]) == (0, wanted)


def test_lines_that_cannot_be_encoded(run: Run) -> None:
    """They are reported in their place, with their number in the file, and at the end."""
    code, out, err = run("batch", stdin='\n[1]\n \r\n{"a": NaN}\r\n{"a": 1, "a": 2}\n[2]')
    first, nan, twice, last = told(out)
    assert (code, first["text"], last["text"]) == (1, "[1]", "[2]")
    assert nan == {
        "error": "NaN and Infinity are not JSON; write null or a string (column 7)",
        "line": 4,
    }
    assert twice["line"] == 5
    assert err == f"mckp: error: <stdin>: 2 lines were not encoded; line 4: {nan['error']}\n"
    code, _, err = run("batch", stdin="nope")
    assert err.startswith("mckp: error: <stdin>: 1 line was not encoded; line 1: ")


def test_a_budget_too_small_for_some(run: Run) -> None:
    """If nothing else is wrong the code is 3, and the error says what would have been enough."""
    code, out, err = run("batch", "--budget", "4", stdin='[1]\n{"a": [1, 2]}\n{"b": [1, 2]}\n')
    assert [sorted(each)[0] for each in told(out)] == ["bound", "error", "error"]
    enough = int(err.split("raise the budget to ")[1].split()[0])
    assert code == 3
    assert run("batch", "--budget", str(enough), stdin='{"a": [1, 2]}\n{"b": [1, 2]}\n')[0] == 0
    assert run("batch", "--budget", "4", stdin='{"a": [1, 2]}\nnope\n')[0] == 1


def test_nothing_to_do(run: Run) -> None:
    """No lines, no output."""
    assert run("batch", stdin="") == (0, b"", "")
    assert run("batch", stdin="\n\n") == (0, b"", "")


def test_files(run: Run, tmp_path: Path) -> None:
    """FILE is read line by line, OUT is written whole or not at all."""
    given, out = tmp_path / "in é.jsonl", tmp_path / "out.jsonl"
    given.write_bytes(b"\xef\xbb\xbf" + LINES.encode())
    assert run("batch", str(given), "-o", str(out)) == (0, b"", "")
    assert len(told(out.read_bytes())) == 3
    out.write_text("old")
    code, _, err = run("batch", str(given), "-o", str(out), "--formats", "zip")
    assert (code, out.read_text()) == (1, "old")
    assert err.startswith("mckp: error: unknown format 'zip'")
    assert sorted(tmp_path.iterdir()) == sorted([given, out])
    code, _, err = run("batch", str(tmp_path / "none"), "-o", str(out))
    assert err.startswith(f"mckp: error: {tmp_path / 'none'}: ")


@pytest.mark.parametrize("options", [["--processes", "0"], ["--processes", "-1"], ["--kind", "x"]])
def test_wrong_usage(run: Run, options: list[str]) -> None:
    """What makes no sense exits with 2."""
    assert run("batch", *options, stdin=LINES)[0] == 2
    assert run("warmup", "file")[0] == 2


def test_progress_is_shown_on_a_terminal(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who looks sees a bar that knows where the end is."""
    file = tmp_path / "data.jsonl"
    file.write_text(LINES + "\n")
    monkeypatch.setattr(lines, "_shows_progress", bool)
    code, out, err = run("batch", str(file), "--processes", "1")
    assert (code, len(told(out))) == (0, 3)
    assert "3/3" in err


def test_help(run: Run) -> None:
    """Both commands explain themselves."""
    for command, word in (("batch", b"JSON"), ("warmup", b"NUMBA_CACHE_DIR")):
        code, out, _ = run(command, "--help")
        assert code == 0
        assert word in out
        assert b"exit codes:" in out
        assert command.encode() in run("--help")[1]


def quick() -> dict[str, Any]:
    """Return only what is warm in no time."""
    return {name: warmth.STEPS[name] for name in ("vocabularies", "tokenizers")}


@COMPILED
def test_warmup_tells_what_it_did(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line for each step and for each folder, or all of it as JSON."""
    monkeypatch.setattr(warmth, "STEPS", quick())
    monkeypatch.setattr(jit, "LOST", [])
    code, out, err = run("warmup")
    assert (code, err) == (0, "")
    shown = out.decode().splitlines()
    assert [line.split()[0] for line in shown[:2]] == ["vocabularies", "tokenizers"]
    assert all(line.startswith("kept in ") for line in shown[2:])
    assert len(shown) > 2
    code, out, _ = run("warmup", "--json")
    facts = json.loads(out)
    assert [step["name"] for step in facts["steps"]] == ["vocabularies", "tokenizers"]
    assert facts["folders"]
    assert facts["lost"] == []


@COMPILED
def test_warmup_tells_what_is_not_kept(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full is a warning, and nothing kept at all an error."""
    monkeypatch.setattr(warmth, "STEPS", quick())
    monkeypatch.setattr(jit, "LOST", [OSError(28, "No space left on device")])
    code, _, err = run("warmup")
    assert (code, err.startswith("mckp: warning: not all is kept on disk: ")) == (0, True)
    monkeypatch.setattr(warmth, "_folders", list)
    code, _, err = run("warmup")
    assert code == 1
    assert err.startswith("mckp: error: nothing compiled is kept on disk; let NUMBA_CACHE_DIR ")
    assert "No space left on device" in err


def test_nothing_to_compile(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Numba is switched off, that is said at once."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    code, out, err = run("warmup")
    assert (code, out) == (1, b"")
    assert err == "mckp: error: nothing is compiled while NUMBA_DISABLE_JIT is set\n"


WARM = """
import sys
from mckp.cli import main, warmth
warmth.STEPS = {"tokenizers": warmth.STEPS["tokenizers"]}
sys.exit(main(["warmup", "--json"]))
"""


@COMPILED
def test_several_at_once(tmp_path: Path) -> None:
    """Processes that warm up the same folder do not disturb each other."""
    command = [sys.executable, "-c", WARM]
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, env=env) for _ in range(3)]
    for child in children:
        out, _ = child.communicate(timeout=300)
        assert (child.returncode, json.loads(out)["lost"]) == (0, [])
    done = subprocess.run(command, capture_output=True, env=env, check=True)
    (step,) = json.loads(done.stdout)["steps"]
    assert (step["compiled"], step["found"] > 0) == (0, True)
    assert not list(tmp_path.rglob("*.tmp.*"))


@COMPILED
def test_solvers_find_all_on_disk(tmp_path: Path) -> None:
    """After a warm-up no solver compiles anything, whatever it solves."""
    if float(os.environ.get("MCKP_TEST_SCALE", "1")) < 2:
        pytest.skip("takes a minute; MCKP_TEST_SCALE=2 runs it")
    code = (
        "from mckp.cli import warmth\n"
        "from mckp.solvers import instances, solve\n"
        "warmth.solvers()\n"
        "before = warmth._counts()[0]\n"
        "for seed in range(2, 20):\n"
        "    for each in (instances.flat('weakly', seed=seed, classes=40, options=5, "
        "largest=500, part=0.4), instances.document(seed=seed, nodes=200, layouts=2)):\n"
        "        for solver in ('auto', 'dp', 'bands', 'tree'):\n"
        "            solve(each.table, each.budget, solver)\n"
        "print(warmth._counts()[0] - before)\n"
    )
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, env=env, check=True
        )
        assert done.stdout == b"0\n"
