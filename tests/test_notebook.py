"""The example notebooks run from top to bottom, and every cell shows something."""

from __future__ import annotations

import ast
import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT: Final = Path(__file__).parents[1]
FOLDER: Final = ROOT / "examples"
SHOWN: Final = {
    "quick-start": (8, 3, "list_issues["),
    "budget": (6, 3, "2026-03-02T02:05:00Z"),
    "solvers": (4, 0, "best value"),
    "formats": (6, 3, "{'o200k': "),
}
"""By notebook, how many cells of code and pictures there are, and what some cell shows."""


@pytest.fixture(scope="module")
def made() -> ModuleType:
    """Load the script that writes them."""
    spec = importlib.util.spec_from_file_location("make", ROOT / "scripts/make_notebook.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def shown(source: str, names: dict[str, Any]) -> str:
    """Run a cell, and return what a notebook shows for its last expression."""
    *body, last = ast.parse(source).body
    assert isinstance(last, ast.Expr)
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    show = getattr(value, "_repr_html_", None)
    return repr(value) if show is None else str(show())


@pytest.mark.parametrize("name", SHOWN)
def test_the_notebook_runs(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cells run in order in one fresh namespace; what they show is static and well formed."""
    monkeypatch.chdir(FOLDER)
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {}
    pages = [shown("".join(c["source"]), names) for c in cells if c["cell_type"] == "code"]
    codes, pictures, said = SHOWN[name]
    assert (len(pages), sum(page.count("role='img'") for page in pages)) == (codes, pictures)
    for page in pages:
        assert "<script" not in page
        if page.startswith("<"):
            ElementTree.fromstring(f"<div>{page}</div>".replace("<br>", "<br/>"))
    assert any(said in page for page in (*pages, capsys.readouterr().out))


def test_the_notebooks_are_those_that_are_made(made: ModuleType) -> None:
    """Each file is what the script writes."""
    assert set(made.NOTEBOOKS) == set(SHOWN) == {path.stem for path in FOLDER.glob("*.ipynb")}
    for name in SHOWN:
        assert (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8") == made.notebook(name)
