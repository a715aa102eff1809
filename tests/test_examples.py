"""The examples in the contract folders run, and each format and grammar has one."""

import re
import runpy
from typing import Any

import pytest

from mckp.encoders import NATIVE, STANDARD
from tests.sheets import ROOT


@pytest.mark.parametrize("folder", ["encoders", "parsers"])
def test_every_example_is_shown(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Running the file prints each example under its name, and checks what it can."""
    made: dict[str, Any] = runpy.run_path(str(ROOT / folder / "examples.py"))
    made["main"]()
    shown = capsys.readouterr().out
    assert all(f"== {name}" in shown for name in made["EXAMPLES"])


def test_formats_of_the_first_two_levels_have_an_example() -> None:
    """Whoever looks for a format finds it, as long as no optional package is needed."""
    made = runpy.run_path(str(ROOT / "encoders" / "examples.py"))
    formats = {known.name for known in (*STANDARD, *NATIVE)} - {"toon"}
    assert formats <= made["EXAMPLES"].keys()


def test_grammars_have_an_example() -> None:
    """JSON, Markdown and text each show the tree that is read."""
    made = runpy.run_path(str(ROOT / "parsers" / "examples.py"))
    assert set(made["EXAMPLES"]) == {"json", "markdown", "text"}


def test_the_table_of_the_card_names_files_that_exist() -> None:
    """Each sentence that the project began with has a file and a test."""
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = page.split("## What mckp was asked to be\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == 11
    for _, files, tests in rows:
        for cell in (files, tests):
            named = re.findall(r"`([a-z_/.0-9]+)`", cell)
            assert named
            assert all((ROOT / name).exists() for name in named)
        assert all(name.startswith("tests/") for name in re.findall(r"`([^`]+)`", tests))


@pytest.mark.slow
def test_the_capabilities_hold() -> None:
    """All that the project was asked to do works, and at most six things only in part."""
    made = runpy.run_path(str(ROOT / "scripts" / "check_capabilities.py"))
    states: list[tuple[str, bool | str]] = made["results"]()
    assert [name for name, state in states if state is False] == []
    assert sum(isinstance(state, str) for _, state in states) <= 6
