"""Programs, configurations and patches are no Markdown, and are cut as what they are."""

import time
from pathlib import Path
from typing import Final

import pytest

from mckp import decode, encode
from mckp.parsers.detect import DocumentKind, detect, looks_like_program
from tests.cases import cases

PROGRAMS: Final = cases(__file__, "PROGRAMS")
"""Texts with lines that Markdown would take for headings, lists or HTML."""

MARKDOWN: Final = cases(__file__, "MARKDOWN")


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_plain_text(name: str) -> None:
    """Programs, configurations and patches are detected as text."""
    assert looks_like_program(PROGRAMS[name])
    assert detect(PROGRAMS[name]).value == "text"


@pytest.mark.parametrize("text", MARKDOWN)
def test_markdown_stays_markdown(text: str) -> None:
    """Markdown with code in it is detected as Markdown."""
    assert detect(text).value == "markdown"


@pytest.mark.parametrize("path", sorted(Path(__file__).parents[2].glob("mckp/parsers/*.py")))
def test_the_modules_of_this_package_are_programs(path: Path) -> None:
    """And of half of one, something is kept: all of it is quoted."""
    text = path.read_text(encoding="utf-8")
    assert detect(text).value == "text"
    result = encode(text, budget="50%")
    assert result.budget is not None
    assert result.tokens >= 0.8 * result.budget
    lines = {line for node in decode(result.text).walk() for line in (node.value or "").split("\n")}
    assert lines - {"…"} <= set(text.split("\n"))


@pytest.mark.parametrize("piece", ["a", "aa ", "/*", '"""', "<a ", "x(", "ab, ab ", "[a]("])
def test_hostile_texts_take_linear_time(piece: str) -> None:
    """Detection of a megabyte of repeated signs takes less than two seconds."""
    text = piece * 200_000 + "\n" + f"{piece * 70}\n" * 5000
    begin = time.process_time()
    looks_like_program(text)
    assert time.process_time() - begin < 2


WORDS: Final = "harbour tide berth crane anchor rope sail mast pilot buoy".split()  # noqa: SIM905
INDENTED: Final = "Notes\n=====\n\n" + "".join(f" * The {word} is about that.\n" for word in WORDS)


def test_indented_lists_are_cut_by_items() -> None:
    """Each item that stays is whole, and a gap has the lines of those that are missing."""
    lines = encode(INDENTED, budget="60%", kind="markdown").text.splitlines()
    kept = [line for line in lines if line.startswith(" *")]
    assert set(kept) < set(INDENTED.splitlines())
    assert len(kept) >= 4
    assert any(line.startswith("…") for line in lines)


@pytest.mark.parametrize("opened", ["<pre>\n", "<!--\n"])
def test_a_document_that_does_not_open_is_cut_by_lines(opened: str) -> None:
    """It fills its budget with lines of the block that differ."""
    pairs = [f"the {one} below a {other}\n" for one in WORDS for other in WORDS[:4]]
    result = encode("# Title\n\n" + opened + "".join(pairs), budget="50%", kind="markdown")
    assert result.budget is not None
    assert result.tokens > 0.8 * result.budget
    assert sum(pair in result.text for pair in pairs) > 10
    assert decode(result.text).kind.value == "text"


def test_output_of_tools_is_no_markdown() -> None:
    """Titles underlined with signs, quotes and lists in it are not those of Markdown."""
    run = "=== test session starts ===\n\n> app test\n\na.py::test_a PASSED\n\n1 passed in 0.1s\n"
    snapshot = "### Page\n\n" + "".join(f'- button "b{n}" [ref=e{n}]\n' for n in range(9))
    assert [detect(text) for text in (run, snapshot)] == [DocumentKind.TEXT] * 2
    assert detect(f"# Release\n\n```\n{run}```\n\n- It is out.\n") is DocumentKind.MARKDOWN


def test_a_docstring_that_is_assigned_is_no_page() -> None:
    """A program with a long docstring in a variable is detected as text."""
    text = (
        '#.  Copyright (C) 2026\n\n__doc__ = """ferry - what it is\n\n'
        + "It has these functions that you may call:\n\n- sail() is for the first of all.\n" * 4
        + '\n>>> sail()\n3\n"""\n\nimport pier\n\n\ndef sail():\n    return pier.length(3)\n'
    )
    assert detect(text) == "text"
