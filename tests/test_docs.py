"""The guides say what the library does, and the site is built from them."""

from __future__ import annotations

import doctest
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.shell import calls, codes

ROOT: Final = Path(__file__).parents[1]
GUIDES: Final = sorted((ROOT / "docs/guides").glob("*.md"))
FETCHED: Final = re.compile(r'<(?:script|img|link rel="(?:stylesheet|preload|icon)")[^>]*="https?:')


@pytest.mark.parametrize("guide", GUIDES, ids=lambda page: page.stem)
def test_examples_run_as_shown(guide: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    if "query=" in guide.read_text(encoding="utf-8"):
        pytest.importorskip("bm25s")
    found = doctest.testfile(str(guide), module_relative=False, encoding="utf-8")
    assert found.attempted > 5 or "```python" not in guide.read_text(encoding="utf-8")
    assert found.failed == 0


@pytest.mark.parametrize("guide", GUIDES, ids=lambda page: page.stem)
def test_every_block_is_run(guide: Path) -> None:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", guide.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert blocks
    assert {language for language, _ in blocks} <= {"python", "sh"}
    for language, block in blocks:
        assert language == "sh" or block.startswith(">>> ")


def test_shell_commands_run(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    text = "\n".join(guide.read_text(encoding="utf-8") for guide in GUIDES)
    shell = "\n".join(re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    commands = re.findall(r"^mckp .*$", shell, re.MULTILINE)
    assert commands
    told = [command.removeprefix("mckp ").split("#")[0] for command in commands]
    lines, errors = calls(told, tmp_path)
    plan = ("ways: ", "questions: ", "to prove ")  # of mckp accuracy
    errors = "".join(line for line in errors.splitlines() if not line.startswith(plan))
    assert (codes(lines), errors) == ([0] * len(told), "")


def test_every_guide_is_in_the_contents() -> None:
    conf = (ROOT / "docs/conf.py").read_text(encoding="utf-8")
    named = set(re.findall(r"^docs/\w+/[\w-]+$", conf, re.MULTILINE))
    pages = [page for folder in ("guides", "api") for page in (ROOT / "docs" / folder).glob("*.md")]
    assert named == {str(page.relative_to(ROOT).with_suffix("")) for page in pages}


@pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("sphinx", "myst_parser", "furo")),
    reason="needs the group docs",
)
def test_the_site_is_built(tmp_path: Path) -> None:
    """No page has a broken link or an unknown name, and none fetches anything from elsewhere."""
    out = tmp_path / "site"
    options = ["-q", "-W", "--keep-going", "-c", "docs", "-d", str(tmp_path / "trees")]
    command = [sys.executable, "-m", "sphinx", *options, "-b", "html", ".", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    pages = list(out.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        assert FETCHED.findall(page.read_text(encoding="utf-8")) == []
    assert "mckp.encode" in (out / "docs/api/mckp.html").read_text(encoding="utf-8")
