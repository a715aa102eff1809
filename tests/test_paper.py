"""The paper says what the stored results say, and says for each number where it is from."""

import importlib
import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[1]
PAPER: Final = ROOT / "paper"
TEXTS: Final = [PAPER / "main.typ", *sorted((PAPER / "sections").glob("*.typ"))]
CODE: Final = (
    re.compile(r"(?m)^\s*//.*$"),
    re.compile(r"(?m)^#(?:import|include|bibliography|set|show|let|counter|pagebreak).*$"),
    re.compile(r"`[^`]*`"),
    re.compile(r"\$[^$]*\$"),
    re.compile(r"@[\w:-]+"),
    re.compile(r"#(?:n|results|drawn|ref|text|label)\(\"[^\"]*\""),
    re.compile(r"\b(?:size|left|width|gap|inset|x|y|below|above|gutter): ?[\d.]+(?:pt|em|%|mm)?"),
    re.compile(r"[\d.]+(?:pt|em|mm|fr)\b"),
    re.compile(r"\b[A-Za-z]+\d+\w*"),
)
"""What is no prose: comments, settings, code, formulas, references, names, sizes, words."""


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(ROOT / "benches"), *sys.path])
    return importlib.import_module("paper")


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    numbers: dict[str, Any] = json.loads((PAPER / "numbers.json").read_text(encoding="utf-8"))
    return numbers


def prose(text: str) -> str:
    for pattern in CODE:
        text = pattern.sub(" ", text)
    return text


def test_numbers_are_those_of_the_results(paper: ModuleType) -> None:
    """The numbers of the paper are those of the stored results."""
    assert (PAPER / "numbers.json").read_text(encoding="utf-8") == paper.written()


def test_the_text_and_the_results_can_disagree(paper: ModuleType) -> None:
    """A number follows its file: another result gives another text."""
    numbers = importlib.import_module("paper_numbers")
    number = numbers.Number("budget", "share", "shares/0.5/systems/mckp native/leaves")
    results = {"shares": {"0.5": {"systems": {"mckp native": {"leaves": 0.1239}}}}}
    assert number.text({"budget.json": results}.__getitem__) == "0.124"
    with pytest.raises(LookupError, match="2 entries"):
        numbers.found({"rows": [{"a": 1}, {"a": 1}]}, "rows[a=1]")


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.stem)
def test_no_number_is_written_by_hand(page: Path) -> None:
    """Prose holds no digits: small numbers are words, all others come from results."""
    assert re.findall(r".{0,30}\d.{0,30}", prose(page.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.stem)
def test_no_semicolon_is_swallowed(page: Path) -> None:
    """Behind a call a semicolon ends the call and is not printed, unless it is escaped."""
    assert re.findall(r"#(?:n\([^)]*\)|made[.\w]*);", page.read_text(encoding="utf-8")) == []


def test_a_number_by_hand_would_be_found() -> None:
    """A bare number is prose; a size, a formula and the name of a number are not."""
    assert re.search(r"\d", prose("saves 21.9 % of all"))
    assert re.search(r"\d", prose('saves #n("native") and 22 more'))
    assert not re.search(r"\d", prose('#n("law-1") is $2^3$ `64` @tab:law-2 size: 7.2pt'))


def test_every_name_is_used_and_there(made: dict[str, Any]) -> None:
    """The text names no number, table or figure that is not made, and all that are made."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in TEXTS)
    for call, kind in (("n", "numbers"), ("results", "tables"), ("drawn", "figures")):
        named = set(re.findall(rf'#{call}\("([^"]+)"', text))
        assert named <= set(made[kind])
        assert kind == "figures" or named == set(made[kind])


def test_every_source_has_its_command(paper: ModuleType, made: dict[str, Any]) -> None:
    """Each stored result has a command that writes it, with a script that is there."""
    stored = {path.stem for path in (ROOT / "benches/results").glob("*.json")}
    commands = paper.commands()
    assert set(commands) == stored
    for name, entry in commands.items():
        (script,) = re.findall(r"benches/\w+\.py", entry["command"])
        assert (ROOT / script).exists()
        assert f"--json benches/results/{name}.json" in entry["command"]
    used = {entry["file"] for kind in ("numbers", "tables") for entry in made[kind].values()}
    assert {source["name"] for source in made["sources"]} >= used


def test_figures_are_drawn_from_the_results(paper: ModuleType, made: dict[str, Any]) -> None:
    """Each figure of the paper was drawn from the stored results, and there is no other."""
    mark, stored = importlib.import_module("plots").mark, paper.stored
    for name, file in made["figures"].items():
        figure = (PAPER / f"figures/{name}.svg").read_text(encoding="utf-8")
        assert mark(stored(f"{file}.json")) in figure
    assert {path.stem for path in (PAPER / "figures").glob("*.svg")} == set(made["figures"])


def test_references_are_cited() -> None:
    """All cited references exist, and none is listed twice."""
    entries = re.findall(r"^@\w+\{(\w+),", (PAPER / "refs.bib").read_text("utf-8"), re.MULTILINE)
    text = "\n".join(page.read_text(encoding="utf-8") for page in TEXTS)
    cited = set(re.findall(r"@(\w+)\b(?![:.])", re.sub(r"@(?:tab|fig|sec):[\w-]+", "", text)))
    assert cited <= set(entries)
    assert len(entries) == len(set(entries))


@pytest.mark.skipif(importlib.util.find_spec("typst") is None, reason="needs the group paper")
def test_the_paper_is_typeset(paper: ModuleType, made: dict[str, Any], tmp_path: Path) -> None:
    """One command writes a PDF and a page; the page has the title, the version and all tables."""
    paper.typeset(tmp_path)
    assert (tmp_path / "mckp.pdf").read_bytes().startswith(b"%PDF")
    page = (tmp_path / "mckp.html").read_text(encoding="utf-8")
    assert "<h1>Optimal context encoding" in page
    assert f"Version {made['version']} of the software, {made['date']}" in page
    assert page.count("<table") >= len(made["tables"])
    assert page.count("<img") == len(made["figures"])
    assert "prefers-color-scheme: dark" in page
