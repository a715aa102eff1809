"""What the README says is so."""

from __future__ import annotations

import doctest
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import mckp
from tests.shell import calls, codes

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("page", ["README.md", "solvers/README.md"])
def test_examples_run_as_shown(page: str) -> None:
    found = doctest.testfile(str(ROOT / page), module_relative=False, encoding="utf-8")
    assert found.attempted > 5
    assert found.failed == 0


def test_before_and_after() -> None:
    text = README.read_text(encoding="utf-8")
    data = Path("examples/builds.json").read_text(encoding="utf-8")
    rows = {row.format: row.tokens for row in mckp.compare(data).rows}
    assert f"is {rows['json']:,} tokens" in text
    assert f"and {rows['mckp']} as" in text
    shown = "{7}" + text.split("```text\n{7}")[1].split("…")[0]
    assert mckp.encode(data).text.startswith(shown)


def test_times_and_memory_are_those_of_the_results() -> None:
    text = " ".join(README.read_text(encoding="utf-8").split())
    first = [f"{row['first']:.3g}" for row in read("encode-responses")["alone"]]
    assert "takes {} ms in the median and {} at".format(*first) in text
    assert "or {} and {} within half".format(*first[2:]) in text
    ratios = [row["ratio"] for row in read("encode-speed")["rows"]]
    assert f"{min(ratios):.0f} to {max(ratios):.0f} passes" in text
    peaks = [row["peak per byte"] for row in read("encode-growth")["rows"] if row["MB"] >= 10]
    assert f"peak is {min(peaks):.0f} to {max(peaks):.0f} times the input" in text


def read(name: str) -> dict[str, Any]:
    path = ROOT / f"benches/results/{name}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_shell_commands_run(tmp_path: Path) -> None:
    """Every mckp command of the README's shell block does what it says without an error."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    blocks = README.read_text(encoding="utf-8").split("```sh\n")[1:]
    lines = [line for block in blocks for line in block.split("```")[0].split("\n")]
    commands = [line.split("#")[0] for line in lines if line.startswith("mckp ")]
    commands = [command for command in commands if "--base-url" not in command]
    assert len(commands) == 5
    lines, errors = calls([command.removeprefix("mckp ") for command in commands], tmp_path)
    plan = ("ways: ", "questions: ", "to prove ")  # of mckp accuracy
    errors = "".join(line for line in errors.splitlines() if not line.startswith(plan))
    assert (codes(lines), errors) == ([0] * len(commands), "")


def test_named_files_exist() -> None:
    text = README.read_text(encoding="utf-8")
    links = [part.split(")")[0] for part in text.split("](")[1:]]
    heads = {f"#{head.lower().replace(' ', '-')}" for head in re.findall(r"(?m)^#+ (.+)$", text)}
    assert links
    local = [link for link in links if not link.startswith("https://") and link not in heads]
    assert [link for link in local if not os.path.exists(link.split("#")[0])] == []
