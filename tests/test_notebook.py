"""The example notebooks run from top to bottom, and every cell shows something."""

import ast
import json
import runpy
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import pytest

ROOT: Final = Path(__file__).parents[1]
MADE: Final = runpy.run_path(str(ROOT / "scripts/make_notebook.py"))
FOLDER: Final = ROOT / "examples"
SHOWN: Final = {
    "quick-start": (8, 3, "list_issues["),
    "budget": (6, 3, "2026-03-02T02:05:00Z"),
    "solvers": (4, 0, "best value"),
    "formats": (6, 3, "{'o200k': "),
}
"""By notebook, how many cells of code and pictures there are, and what some cell shows."""


def shown(source: str, names: dict[str, Any]) -> str:
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


def test_the_notebooks_are_those_that_are_made() -> None:
    assert set(MADE["NOTEBOOKS"]) == set(SHOWN) == {path.stem for path in FOLDER.glob("*.ipynb")}
    for name in SHOWN:
        assert (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8") == MADE["notebook"](name)
