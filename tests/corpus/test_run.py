"""Runs over a corpus: complete, the same bytes however they are shared out, and after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import mckp
from mckp import corpus
from mckp.corpus.run import State
from mckp.errors import UnknownNameError
from tests.corpus.conftest import contents, engine, executed

RECORDS: list[Any] = [{"id": n, "name": f"record {n}", "tags": ["a", "b"]} for n in range(40)]


def deadly(text: str) -> int:
    """Count characters, and end the process over a certain text, as the lack of memory would."""
    if "record 7" in text:
        os._exit(9)
    return len(text)


@pytest.fixture
def source(tmp_path: Path) -> str:
    """Return a corpus with one line that is none."""
    path = tmp_path / "in.jsonl"
    lines = [json.dumps(record) for record in RECORDS]
    lines[20] = '{"id": 20, "broken": tru}'
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def rows(folder: Path, kind: str = "records") -> list[dict[str, Any]]:
    """Return the rows of an output, in order."""
    files = sorted((folder / kind).glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


@pytest.mark.usefixtures("many_parts")
def test_encode(tmp_path: Path, source: str) -> None:
    """Each record has the row that `encode` gives, or an error with its line and its place."""
    out, states = tmp_path / "out", list[State]()
    found = corpus.encode(source, str(out), budget=25, progress=states.append)
    wanted = [mckp.encode(r, budget=25) for n, r in enumerate(RECORDS) if n != 20]
    assert [row["text"] for row in rows(out)] == [each.text for each in wanted]
    assert found["figures"]["tokens"] == sum(each.tokens for each in wanted)
    assert (found["records"], found["failed"], found["parts"]) == (40, 1, len(states) - 1)
    (error,) = rows(out, "errors")
    assert error["record"] == '{"id": 20, "broken": tru}'
    assert Path(source).read_bytes()[error["at"] :].startswith(error["record"].encode())
    assert error["type"] == "ParseError"
    assert states[0].done["parts"] == 0
    assert states[-1].done["bytes"] == states[-1].bytes


@pytest.mark.usefixtures("many_parts")
def test_process_that_ends(tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record whose process ends is set aside, and no other."""
    # A process finds `deadly` there.
    monkeypatch.setattr(sys, "path", [str(Path(__file__).parents[2]), *sys.path])
    out = tmp_path / "out"
    corpus.encode(source, str(out), tokenizer=deadly)
    assert [error["type"] for error in rows(out, "errors")] == ["WorkerError", "ParseError"]
    assert [row["at"] for row in rows(out)] != []
    assert len(rows(out)) == 38


@pytest.mark.usefixtures("many_parts")
def test_measure_and_compare(tmp_path: Path, source: str) -> None:
    """Tokens are those of `compare`, and add up; a format that does not fit is missing."""
    counts = corpus.measure(source, str(tmp_path / "m"), formats=["native", "kv", "csv"])
    first = rows(tmp_path / "m")[0]["tokens"]["o200k_base"]
    known = {row.format: row.tokens for row in mckp.compare(RECORDS[0]).rows}
    assert first == {"source": known["json"], "native": known["mckp"], "kv": known["kv"]}
    kv = counts["figures"]["tokens"]["o200k_base"]["kv"]
    assert kv["tokens"] == sum(r["tokens"]["o200k_base"]["kv"] for r in rows(tmp_path / "m"))
    assert kv["records"] == 39
    both = corpus.compare(source, str(tmp_path / "c"), formats=["native", "kv"])
    assert both["figures"]["tokens"]["o200k_base"]["kv"] == kv
    assert set(both["figures"]["tokens"]) == {"o200k_base", "cl100k_base"}
    assert not (tmp_path / "c" / "records").exists()


@pytest.mark.usefixtures("many_parts")
def test_goes_on(tmp_path: Path, source: str) -> None:
    """What is done is not done again; what was lost of it is; drafts are cleared away."""
    out = tmp_path / "out"
    call = partial(corpus.encode, source, str(out), budget=30)
    call()
    whole = contents(out)
    kept = out / "records" / "000000.jsonl"
    before = kept.stat().st_mtime_ns
    (out / "records" / "000001.jsonl").write_bytes(b"torn")
    (out / "done" / "000002.json").unlink()
    (out / "records" / ".draft-1-000002.jsonl").write_bytes(b"half")
    states = list[State]()
    call(progress=states.append)
    assert contents(out) == whole
    assert kept.stat().st_mtime_ns == before
    assert len(states) == 3


@pytest.mark.usefixtures("many_parts")
def test_another_request(tmp_path: Path, source: str) -> None:
    """An output of another request, another input, or of somebody else is left alone."""
    out = tmp_path / "out"
    corpus.encode(source, str(out), budget=30)
    whole = contents(out)
    with pytest.raises(mckp.MckpError, match=r"budget 30, not 31"):
        corpus.encode(source, str(out), budget=31)
    with Path(source).open("a") as file:
        file.write("[1]\n")
    with pytest.raises(mckp.MckpError, match="the input has changed"):
        corpus.encode(source, str(out), budget=30)
    with pytest.raises(mckp.MckpError, match="holds other files"):
        corpus.encode(source, str(tmp_path))
    assert contents(out) == whole


@pytest.mark.usefixtures("many_parts")
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"formats": "nosuch"}, UnknownNameError, "nosuch"),
        ({"partitions": 0}, ValueError, "1 or more"),
        ({"tokenizer": "nosuch"}, UnknownNameError, "nosuch"),
        ({"budget": -1}, ValueError, "budget"),
    ],
)
def test_refused_at_once(
    tmp_path: Path, source: str, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    """What no record could change is refused before anything is written."""
    with pytest.raises(error, match=message):
        corpus.encode(source, str(tmp_path / "out"), **options)
    assert not (tmp_path / "out").exists()


def command(source: str, out: Path, *options: str) -> list[str]:
    """Return a command line."""
    places = ["corpus", "encode", source, str(out), "--budget", "400"]
    return [sys.executable, "-m", "mckp", *places, *options]


@pytest.fixture
def larger(tmp_path: Path) -> str:
    """Return a corpus of three parts."""
    path = tmp_path / "larger.jsonl"
    path.write_text("".join(f"{json.dumps({'id': n, 'x': 'y' * 900})}\n" for n in range(800)))
    return str(path)


def test_killed(tmp_path: Path, larger: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a kill the same command leaves what an undisturbed one leaves, in any partitions."""
    known = engine()
    killed = tmp_path / "killed"
    process = subprocess.Popen(command(larger, killed, "--partitions", "1"), start_new_session=True)
    while process.poll() is None and not list(killed.glob("done/0*")):
        time.sleep(0.005)
    with suppress(ProcessLookupError):  # of one that was done before this looked again
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    subprocess.run(
        command(larger, killed, "--partitions", "2"), check=True, stdout=subprocess.DEVNULL
    )
    monkeypatch.setattr(known, "executed", executed)
    wishes: dict[str, Any] = {
        "weights": "salience",
        "priorities": [],
        "query": None,
        "solver": "auto",
    }
    corpus.encode(larger, str(tmp_path / "once"), budget=400, options=wishes)
    assert contents(killed) == contents(tmp_path / "once")
    places = Counter(row["at"] for row in rows(killed))
    assert (len(places), set(places.values())) == (800, {1})


@pytest.mark.skipif(not find_spec("ray"), reason="needs Ray, which is large")
def test_ray(tmp_path: Path, source: str) -> None:
    """A local Ray cluster writes the same bytes."""
    for name, options in (("native", []), ("ray", ["--runner", "ray", "--partitions", "2"])):
        subprocess.run(command(source, tmp_path / name, *options), capture_output=True, check=False)
    assert contents(tmp_path / "ray") == contents(tmp_path / "native")
    assert len(rows(tmp_path / "ray")) == 39
