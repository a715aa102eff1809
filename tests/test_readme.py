"""What the README says is so."""

from __future__ import annotations

import doctest
import os
from pathlib import Path

import pytest

import mckp

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_examples_run_as_shown() -> None:
    """Every Python example of the README gives what stands below it."""
    found = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert found.attempted > 10
    assert found.failed == 0


def test_before_and_after() -> None:
    """The first example's tokens and text are what the library gives."""
    text = README.read_text(encoding="utf-8")
    data = Path("examples/builds.json").read_text(encoding="utf-8")
    rows = {row.format: row.tokens for row in mckp.compare(data).rows}
    assert f"is {rows['json']:,} tokens" in text
    assert f"and {rows['mckp']} as" in text
    shown = text.split("```text\n")[1].split("…")[0]
    assert mckp.encode(data).text.startswith(shown)


def test_named_files_exist() -> None:
    """Every file the README links to is there."""
    links = [part.split(")")[0] for part in README.read_text(encoding="utf-8").split("](")[1:]]
    assert links
    assert [link for link in links if not os.path.exists(link)] == []
