"""``mckp pack``: what is found, what is left out, and what is written."""

import json
import os
from pathlib import Path

import pytest

import mckp
from tests.cli.conftest import Run

FILES = {
    "src/b.py": "def b():\n    return 2\n",
    "src/a.py": "def a():\n    return 1\n",
    "src/out/made.py": "made\n",
    "src/.gitignore": "out/\n*.tmp\n!keep.tmp\n",
    "src/x.tmp": "x\n",
    "src/keep.tmp": "kept\n",
    "src/.hidden": "hidden\n",
    "src/.env": "KEY=1\n",
    "src/id_rsa": "key\n",
    "data.json": '[{"id": 1}, {"id": 2}]\n',
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (tmp_path / "src/image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_folder(run: Run, folder: Path) -> None:
    """Ignored and hidden files are not there; binary files and secrets are named and left out."""
    code, out, errors = run("pack", "src", "data.json")
    wanted = ["src/a.py", "src/b.py", "src/keep.tmp", "data.json"]
    assert (code, list(mckp.decode(out))) == (0, wanted)
    assert mckp.decode(out)["data.json"] == [{"id": 1}, {"id": 2}]
    assert "src/image.png was left out, because it is a PNG image" in errors
    assert "src/.env was left out, because it may hold secrets" in errors
    assert "src/id_rsa was left out" in errors
    assert run("pack", "src", "data.json")[1] == out


def test_a_line_that_is_no_pattern_is_passed_over(run: Run, folder: Path) -> None:
    """A broken line of an ignore file is skipped, and the others hold."""
    (folder / "src/.gitignore").write_text("!\nout/\n*.tmp\n", "utf-8")
    code, out, errors = run("pack", "src")
    assert (code, list(mckp.decode(out))) == (0, ["src/a.py", "src/b.py"]), errors


def test_named_files_and_patterns(run: Run, folder: Path) -> None:
    """What is named is packed, though it is a secret; what fits a pattern is not."""
    code, out, _ = run("pack", "src/.env", "s*/*.py", "-", stdin="piped\n")
    assert (code, list(mckp.decode(out))) == (0, ["src/.env", "src/a.py", "src/b.py", "stdin"])
    code, _, errors = run("pack", "nothing*")
    assert (code, errors.count("\n")) == (1, 1)
    assert "nothing*: no such file" in errors


def test_links_out_of_a_folder_are_not_followed(run: Run, folder: Path) -> None:
    """Links to files within the folder are packed; links out of it and loops are not."""
    try:
        os.symlink(folder / "data.json", folder / "src/out.json")
        os.symlink(folder / "src/a.py", folder / "src/in.py")
        os.symlink(folder, folder / "src/loop")
    except OSError:
        pytest.skip("links cannot be made here")
    names = sorted(mckp.decode(run("pack", "src")[1]))
    assert names == ["src/a.py", "src/b.py", "src/in.py", "src/keep.tmp"]


@pytest.mark.slow
def test_options_reach_the_library(run: Run, folder: Path) -> None:
    """Budget, pins, weights, lists and pages of `mckp pack` do what those of the library do."""
    args = ("pack", "src", "data.json", "--budget", "40", "--pin", "data.json", "--query", "b")
    code, out, _ = run(*args, "--weight", "src/b.py=3", "--json")
    pack = json.loads(out)
    assert (code, pack["budget"], pack["status"]) == (0, 40, "optimal")
    assert {item["name"]: item["state"] for item in pack["items"]}["data.json"] == "whole"
    assert {item["name"] for item in pack["left_out"]} >= {"src/.env", "src/image.png"}
    code, out, _ = run(*args, "--list")
    assert code == 0
    assert b"data.json" in out
    assert b"return" not in out
    assert "text" not in json.loads(run(*args, "--list", "--json")[1])
    code, out, _ = run(*args, "--html", "page.html")
    assert (code, mckp.decode(out)) == (0, mckp.decode(run(*args)[1]))
    assert "tokens by document" in Path("page.html").read_text("utf-8")
    assert run("pack", "src", "--budget", "2")[0] == 3
    assert run("pack", "src", "--pin", "other")[0] == 1
